#include "cli/explain/explain_place.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMES_MAX 8

static void leave(ls_explain_place *place)
{
    if (place->fresh)
        ls_statics_put(place->fresh);
    ls_rerun_destroy(place->rerun);
    ls_statics_destroy(place->fresh);
    ls_statics_destroy(place->reached);
    ls_explain_case_close(&place->subject);
}

static ls_status read_frame(ls_explain_place *place, uint64_t tick, ls_error *error)
{
    const ls_recording_tick *next;
    ls_status status = ls_recording_next(place->subject.recording, &next, error);
    if (!status && (!next || next->frame.tick != tick))
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "the file has no tick %" PRIu64, tick);
    place->frame = next ? &next->frame : NULL;
    return status;
}

/* Opens the file once more, with a reading position of its own, and runs it to the tick. */
static ls_status go(const ls_explain_case *subject, uint64_t tick, ls_explain_place *place,
                    ls_error *error)
{
    ls_status status = ls_explain_case_open(&subject->config, &place->subject, error);
    if (!status)
        status = ls_explain_case_begin(&place->subject, subject->from, &place->rerun, error);
    place->fresh = status ? NULL : ls_statics_take(place->subject.loaded.sim);
    if (!status)
        status = ls_explain_case_run(&place->subject, place->rerun, tick, error);
    if (!status)
        status = read_frame(place, tick, error);
    place->reached = status ? NULL : ls_statics_take(place->subject.loaded.sim);
    return status;
}

/* Reports which static variables of the simulation the ticks have changed. */
static void print_statics(const ls_explain_place *place, ls_result_writer *result)
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

static void print_difference(const ls_explain_place *place, const ls_first_difference *difference,
                             const ls_explain_row *row, ls_builder *text)
{
    char name[64];
    const char *names[2] = {"serially", place->side ? place->side : name};
    ls_result_writer result;
    ls_explain_row_name(row, name, sizeof name);
    if (row->kind == LS_EXPLAIN_HEAP)
        names[0] = name; /* this process has the fill of the row */
    if (row->kind == LS_EXPLAIN_START) {
        names[0] = name;
        names[1] = place->side ? place->side : "joined late";
    }
    ls_result_begin(&result, "");
    ls_result_line(&result, "tick", "%" PRIu64, place->frame->tick);
    ls_first_difference_print(difference, names, &result);
    print_statics(place, &result);
    ls_result_pack(&result, text);
}

ls_status ls_explain_place_search(const ls_explain_case *subject, const ls_explain_row *row,
                                  uint64_t tick, const ls_explain_search *search, ls_builder *text,
                                  ls_error *error)
{
    ls_explain_place place = {.row = row};
    ls_first_difference difference;
    ls_status status = go(subject, tick, &place, error);
    if (!status)
        status = search->find(&place, search->argument, &difference, error);
    if (!status) {
        print_difference(&place, &difference, row, text);
        ls_first_difference_reset(&difference);
    }
    leave(&place);
    return status;
}
