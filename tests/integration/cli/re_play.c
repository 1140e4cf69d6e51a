/* re_play FROM TO SIM SHUFFLE WITHOUT: writes the recording that another build makes of the same
 * match: SIM replays the frames of FROM, in the legal order SHUFFLE unless that is 0, and TO holds
 * them with its roots. The inputs of tick WITHOUT are left out; a WITHOUT behind the last tick
 * changes none. */
#include "cli/sim_load.h"
#include "core/world.h"
#include "replays/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct again {
    ls_recording *from;
    ls_recorder *to;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_world *world;
    uint64_t without;
    ls_error error;
} again;

static ls_status open_all(again *copy, char **argv)
{
    const ls_executor_config config = {.threads = 1, .shuffle_seed = strtoull(argv[4], NULL, 10)};
    ls_status status = ls_recording_open(argv[1], &copy->from, &copy->error);
    if (!status)
        status = ls_sim_load(argv[3], &copy->loaded, &copy->error);
    if (!status && config.shuffle_seed)
        status = ls_executor_create(&config, &copy->executor, &copy->error);
    if (status)
        return status;
    ls_recording_header header = *ls_recording_get_header(copy->from);
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(copy->loaded.program),
           LS_FINGERPRINT_BYTES);
    status = ls_world_create(copy->loaded.program, &header.match, &copy->world, &copy->error);
    return status ? status : ls_recorder_create(argv[2], &header, &copy->to, &copy->error);
}

static ls_status play(again *copy)
{
    for (;;) {
        const ls_recording_tick *tick;
        ls_status status = ls_recording_next(copy->from, &tick, &copy->error);
        if (!status)
            status = ls_recorder_add_root(copy->to, ls_world_root(copy->world), &copy->error);
        if (!status && !tick)
            return ls_recorder_finish(copy->to, LS_CLOSING_FINISHED, &copy->error);
        if (status)
            return status;
        ls_frame frame = tick->frame;
        if (frame.tick == copy->without)
            frame.count = 0;
        status = ls_recorder_append(copy->to, &frame, &copy->error);
        if (!status)
            status = ls_world_advance(copy->world, &frame, copy->executor, &copy->error);
        if (status)
            return status;
    }
}

int main(int argc, char **argv)
{
    again copy = {0};
    if (argc != 6)
        return 2;
    copy.without = strtoull(argv[5], NULL, 10);
    ls_status status = open_all(&copy, argv);
    if (!status)
        status = play(&copy);
    if (status)
        fprintf(stderr, "re_play: %s\n", copy.error.text);
    ls_recorder_destroy(copy.to);
    ls_recording_close(copy.from);
    if (copy.world)
        ls_world_destroy(copy.world);
    ls_executor_destroy(copy.executor);
    ls_sim_unload(&copy.loaded);
    return status ? 1 : 0;
}
