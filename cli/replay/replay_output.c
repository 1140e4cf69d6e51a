#include "cli/replay/replay_output.h"

#include <lockstep/entropy.h>
#include <lockstep/file_sink.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ls_status ls_replay_output_check(const char *path, ls_error *error)
{
    if (access(path, F_OK) == 0)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s exists already; give another name with --output", path);
    return LS_OK;
}

ls_recording_header ls_replay_output_header(const ls_recording_header *old)
{
    ls_recording_header header = *old;
    header.origin = header.origin ? header.origin : header.salt;
    ls_entropy_fill(NULL, &header.salt, sizeof header.salt);
    memset(header.server_key, 0, sizeof header.server_key);
    header.has_room = false; /* no server may take the copy for a match of the room */
    return header;
}

ls_status ls_replay_output_begin(ls_replay_output *self, const ls_recording_header *header,
                                 ls_world *world, ls_error *error)
{
    ls_recording_keyframe keyframe = {0};
    ls_recorder_config config = {.name = self->path, .header = header};
    self->first = header->first_tick;
    if (self->first > 0) {
        keyframe = ls_replay_states_make(&self->states, world);
        config.keyframe = &keyframe;
        if (!keyframe.data)
            return ls_error_set(error, LS_ERROR_LIMIT,
                                "%s: the state before tick %" PRIu64
                                " is too large for a keyframe; only a recording that begins at "
                                "tick 0 needs none",
                                self->path, self->first);
    }
    ls_status status = ls_file_sink_create(self->path, &config.sink, error);
    if (!status)
        status = ls_recorder_begin(&config, &self->recorder, error);
    ls_free((void *)keyframe.data);
    return status;
}

ls_status ls_replay_output_add_keyframe(ls_replay_output *self, ls_world *world, ls_error *error)
{
    ls_recording_keyframe keyframe = ls_replay_states_make(&self->states, world);
    ls_status status = LS_OK;
    if (keyframe.data)
        status = ls_recorder_append_keyframe(self->recorder, &keyframe, error);
    ls_free((void *)keyframe.data);
    return status;
}

const ls_recording_columns *ls_replay_output_columns(ls_replay_output *self,
                                                     const ls_recording *old, uint64_t tick)
{
    const ls_recording_columns *list;
    uint32_t count = ls_recording_columns_list(old, &list);
    while (self->columns < count && list[self->columns].tick < tick)
        self->columns++;
    bool is_there = self->columns < count && list[self->columns].tick == tick;
    return is_there ? &list[self->columns] : NULL;
}

ls_status ls_replay_output_finish(ls_replay_output *self, const char *word,
                                  ls_closing_reason reason, ls_error *error)
{
    ls_status status = ls_recorder_finish(self->recorder, reason, error);
    uint64_t end = ls_recorder_tick(self->recorder);
    if (!status)
        printf("%s %s ticks=%" PRIu64 " first_tick=%" PRIu64 " last_tick=%" PRIu64
               " keyframes=%" PRIu32 " bytes=%" PRIu64 "\n",
               word, self->path, end - self->first, self->first, end, self->states.count,
               ls_recorder_bytes(self->recorder));
    return status;
}

void ls_replay_output_close(ls_replay_output *self, ls_status status)
{
    bool is_created = self->recorder != NULL;
    ls_recorder_destroy(self->recorder);
    ls_replay_states_reset(&self->states);
    self->recorder = NULL;
    if (is_created && status)
        unlink(self->path);
}
