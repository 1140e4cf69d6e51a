#include "cli/explain/explain_place.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMES_MAX 8

void ls_explain_place_leave(ls_explain_place *place)
{
    if (place->fresh)
        ls_statics_put(place->fresh);
    ls_rerun_destroy(place->rerun);
    ls_free(place->start);
    ls_statics_destroy(place->fresh);
    ls_statics_destroy(place->reached);
    ls_explain_case_close(&place->the);
}

static ls_status reach(ls_explain_place *place, uint64_t from, uint64_t tick, ls_error *error)
{
    size_t bytes;
    ls_status status =
        ls_explain_case_start(&place->the, from, &place->ticks, &place->start, &bytes, error);
    if (status)
        return status;
    const ls_rerun_config config = {.program = place->the.loaded.program,
                                    .match = &ls_recording_get_header(place->the.recording)->match,
                                    .ticks = place->ticks,
                                    .snapshot = place->start,
                                    .snapshot_bytes = bytes,
                                    .is_blind = true};
    status = ls_rerun_create(&config, &place->rerun, error);
    place->fresh = ls_statics_take(place->the.loaded.sim);
    ls_explain_expect(&place->the.config, tick > from ? tick - from : 0);
    bool is_over = false;
    while (!status && !is_over && ls_world_tick(ls_rerun_world(place->rerun)) < tick) {
        status = ls_rerun_step(place->rerun, &is_over, error);
        ls_explain_tell_progress(&place->the.config);
    }
    if (!status)
        status = place->ticks.next(place->ticks.argument, ls_rerun_world(place->rerun),
                                   &place->next, error);
    if (!status && (is_over || place->next.is_over))
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "the file has no tick %" PRIu64, tick);
    place->frame = &place->next.frame;
    place->reached = ls_statics_take(place->the.loaded.sim);
    return status;
}

ls_status ls_explain_place_go(const ls_explain_config *config, uint64_t from, uint64_t tick,
                              ls_explain_place *place, ls_error *error)
{
    *place = (ls_explain_place){0};
    ls_status status = ls_explain_case_open(config, &place->the, error);
    return status ? status : reach(place, from, tick, error);
}

/* Which variables of the simulation ticks have changed. */
static void tell_statics(const ls_explain_place *place, ls_result_writer *result)
{
    ls_builder names = {0};
    ls_sources *sources = ls_sources_open();
    if (place->fresh && place->reached)
        ls_statics_print(place->fresh, place->reached, sources, NAMES_MAX, &names);
    if (names.count)
        ls_result_line(result, "keeps", "%s (variables that no snapshot holds)", names.data);
    ls_free(names.data);
    ls_sources_close(sources);
}

void ls_explain_place_tell(const ls_explain_place *place, const ls_first_difference *difference,
                           const ls_explain_row *row, const char *other, ls_builder *text)
{
    char name[64];
    const char *names[2] = {"serially", other ? other : name};
    ls_result_writer result;
    ls_explain_row_name(row, name, sizeof name);
    if (row->kind == LS_EXPLAIN_START) {
        names[0] = name;
        names[1] = other ? other : "joined late";
    }
    ls_result_begin(&result, "");
    ls_result_line(&result, "tick", "%" PRIu64, place->frame->tick);
    ls_first_difference_tell(difference, names, &result);
    tell_statics(place, &result);
    ls_result_pack(&result, text);
}
