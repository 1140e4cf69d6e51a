/* Recordings without ticks. */
#ifndef LS_TINY_RECORDING_H
#define LS_TINY_RECORDING_H

#include "test.h"

#include <lockstep/recorder.h>

static inline void make_recording(const char *path, bool is_finished)
{
    ls_recorder *recorder;
    ls_error error;
    const ls_recording_header header = {.salt = 1,
                                        .match = {.tick_rate = 60, .player_count = 2},
                                        .simulation = {.name = "tiny", .version = "1"}};
    assert_ok(ls_recorder_create(path, &header, &recorder, &error));
    if (is_finished) {
        assert_ok(ls_recorder_add_root(recorder, 1, &error));
        assert_ok(ls_recorder_finish(recorder, LS_CLOSING_DRAINED, &error));
    }
    ls_recorder_destroy(recorder);
}

#endif
