#include "desync/match_run.h"

#include "desync/start_state.h"
#include <lockstep/program.h>

#include <inttypes.h>

void ls_match_run_reset(ls_match_run *run)
{
    ls_world_destroy(run->world);
    run->world = NULL;
}

/* Creates the run's first world. A replay never takes the setup's state from the file: it runs the
 * setup itself. */
static ls_status begin(ls_match_run *run, uint64_t tick, ls_error *error)
{
    ls_match_run_reset(run);
    if (run->is_replay && run->from < tick)
        tick = run->from;
    if (!run->is_replay || tick)
        return ls_start_state_make(run->recording, run->program, tick, &run->world, error);
    ls_recording_rewind(run->recording);
    const ls_recording_header *header = ls_recording_get_header(run->recording);
    return ls_world_create(run->program, &header->match, &run->world, error) ? LS_ERROR_INCOMPATIBLE
                                                                             : LS_OK;
}

static ls_status read_frame(ls_match_run *run, const ls_frame **frame, ls_error *error)
{
    const ls_recording_tick *next;
    ls_status status = ls_recording_next(run->recording, &next, error);
    if (!status && !next)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "the file has no tick %" PRIu64,
                              ls_world_tick(run->world));
    *frame = next ? &next->frame : NULL;
    return status;
}

ls_status ls_match_run_frame(ls_match_run *run, const ls_frame **frame, ls_error *error)
{
    ls_status status = ls_recording_seek(run->recording, ls_world_tick(run->world), error);
    return status ? status : read_frame(run, frame, error);
}

ls_status ls_match_run_to(ls_match_run *run, uint64_t tick, ls_error *error)
{
    const ls_frame *frame;
    uint64_t at = run->world ? ls_world_tick(run->world) : UINT64_MAX;
    /* A recorded run starts again from the file, whose states are worth more than a state that the
     * program computes. */
    bool goes_on = run->is_replay ? at <= tick : at == tick;
    ls_status status =
        goes_on ? ls_recording_seek(run->recording, at, error) : begin(run, tick, error);
    while (!status && ls_world_tick(run->world) < tick) {
        status = read_frame(run, &frame, error);
        if (!status && run->watch)
            run->watch->report_tick(run->watch->argument, run->side, frame->tick);
        if (!status)
            status = ls_world_advance(run->world, frame, NULL, error);
    }
    return status;
}

bool ls_match_run_root(ls_match_run *run, uint64_t tick, uint64_t *root)
{
    if (!run->is_replay)
        return ls_recording_find_root(run->recording, tick, root);
    if (ls_match_run_to(run, tick, NULL) != LS_OK)
        return false;
    *root = ls_world_root(run->world);
    return true;
}

ls_world *ls_match_run_state(ls_match_run *run, uint64_t tick)
{
    uint64_t root;
    if (ls_match_run_to(run, tick, NULL) == LS_OK &&
        (run->is_replay || (ls_recording_find_root(run->recording, tick, &root) &&
                            root == ls_world_root(run->world))))
        return run->world;
    ls_match_run_reset(run);
    return NULL;
}

bool ls_match_run_columns(ls_match_run *run, uint64_t tick, uint64_t *hashes)
{
    const ls_recording_columns *list;
    uint32_t count = ls_recording_columns_list(run->recording, &list);
    for (uint32_t i = 0; i < count && !run->is_replay; i++) {
        if (list[i].tick != tick || list[i].count != ls_program_column_count(run->program))
            continue;
        for (uint32_t column = 0; column < list[i].count; column++)
            hashes[column] = ls_recording_column(&list[i], column);
        return true;
    }
    ls_world *world = ls_match_run_state(run, tick);
    if (world)
        ls_world_column_hashes(world, hashes);
    return world != NULL;
}

bool ls_match_run_next(const ls_match_run *run, bool of_states, uint64_t from, uint64_t *tick)
{
    const ls_recording_columns *columns;
    const ls_recording_keyframe *keyframes;
    uint32_t count = of_states ? ls_recording_keyframes(run->recording, &keyframes)
                               : ls_recording_columns_list(run->recording, &columns);
    for (uint32_t i = 0; i < count; i++) {
        *tick = of_states ? keyframes[i].tick : columns[i].tick;
        if (*tick >= from)
            return true;
    }
    return false;
}
