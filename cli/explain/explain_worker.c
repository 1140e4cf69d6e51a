/* The process that runs one row of explain. */
#include "cli/explain/explain_worker.h"

#include "cli/explain/explain_where.h"
#include "desync/rerun.h"

#include <inttypes.h>
#include <string.h>

static ls_rerun_variant variant_of(const ls_explain_row *row)
{
    ls_rerun_variant variant = {0};
    if (row->kind == LS_EXPLAIN_THREADS) {
        variant.threads = row->number;
        variant.share_from = 1;
    } else if (row->kind == LS_EXPLAIN_SHUFFLE) {
        variant.shuffle_seed = row->number;
    } else if (row->kind == LS_EXPLAIN_STACK) {
        variant.stack_fill = (uint8_t)row->number;
    } else if (row->kind == LS_EXPLAIN_HEAP_NOISE) {
        variant.heap_noise = (uint8_t)row->number;
    }
    variant.round_trips = row->kind == LS_EXPLAIN_ROUND_TRIP;
    variant.checks = row->kind == LS_EXPLAIN_CHECK;
    return variant;
}

struct start {
    uint8_t *snapshot;
    size_t bytes;
};

/* Gets the state before the tick from another process that ran up to it. So this process does not
 * have the hidden state of the earlier ticks. */
static ls_status start_late(const ls_explain_case *subject, uint64_t tick, struct start *start,
                            ls_error *error)
{
    const ls_explain_row plain = {.kind = LS_EXPLAIN_PLAIN, .number = 1, .from = tick};
    return ls_explain_row_take(subject, &plain, LS_EXPLAIN_STATE, tick, &start->snapshot,
                               &start->bytes, error);
}

/* Steps to the examined tick, with the check executor at most `row->number` ticks, and notes the
 * first tick whose root differs from the file's.
 *   errors  NOT_FOUND: the world is after that tick */
static ls_status follow(ls_rerun *rerun, const ls_explain_case *subject, ls_explain_row *row,
                        ls_error *error)
{
    uint64_t until = subject->tick;
    if (row->kind == LS_EXPLAIN_CHECK && until > row->from + row->number)
        until = row->from + row->number;
    uint64_t tick = ls_world_tick(ls_rerun_world(rerun));
    /* The state of a later tick would be a wrong answer. */
    if (tick > until)
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "the run begins at tick %" PRIu64 ", after tick %" PRIu64, tick, until);
    ls_status status = ls_explain_case_run(subject, rerun, until, error);
    const ls_rerun_result *result = ls_rerun_get_result(rerun);
    row->has_difference = result->has_difference;
    row->tick = result->has_difference ? result->difference.tick : 0;
    if (!status)
        row->root = ls_world_root(ls_rerun_world(rerun));
    return status;
}

/* Whether a line of the findings reports undeclared access. */
static bool has_undeclared(const char *findings)
{
    for (const char *line = findings; *line;) {
        size_t count = strcspn(line, "\n");
        const char *hidden = strstr(line, LS_CHECK_HIDDEN);
        if (!hidden || hidden > line + count)
            return true;
        line += count + (line[count] != 0);
    }
    return false;
}

/* Runs the row's ticks once, beginning with the state in `start`. `state`, unless NULL, receives
 * the last state, encoded. */
static ls_status run_once(ls_explain_case *subject, ls_explain_row *row, const struct start *start,
                          struct start *state, ls_error *error)
{
    const ls_rerun_config config = {.program = subject->loaded.program,
                                    .match = &ls_recording_get_header(subject->recording)->match,
                                    .ticks = ls_ticks_of_recording(subject->recording),
                                    .snapshot = start->snapshot,
                                    .snapshot_bytes = start->bytes,
                                    .variant = variant_of(row),
                                    .goes_on = true};
    ls_rerun *rerun = NULL;
    ls_status status = ls_rerun_create(&config, &rerun, error);
    if (!status)
        status = follow(rerun, subject, row, error);
    if (!status && state)
        ls_world_encode(ls_rerun_world(rerun), &state->snapshot, &state->bytes);
    ls_rerun_destroy(rerun);
    return status;
}

/* Gives the state with which a row begins, and seeks the file to the frame of that tick. */
static ls_status start_row(ls_explain_case *subject, const ls_explain_row *row, struct start *start,
                           ls_error *error)
{
    ls_tick_source ticks;
    bool is_late = row->from > subject->first_tick &&
                   (row->kind == LS_EXPLAIN_LATE || row->kind == LS_EXPLAIN_CHECK);
    if (!is_late)
        return ls_explain_case_start(subject, row->from, &ticks, &start->snapshot, &start->bytes,
                                     error);
    ls_status status = start_late(subject, row->from, start, error);
    return status ? status : ls_recording_seek(subject->recording, row->from, error);
}

/* Runs the row. `state` receives the last state, encoded; it may be NULL. */
static ls_status run_row(ls_explain_case *subject, ls_explain_row *row, struct start *state,
                         ls_error *error)
{
    struct start start = {0};
    ls_status status = start_row(subject, row, &start, error);
    if (!status)
        status = run_once(subject, row, &start, state, error);
    if (row->kind == LS_EXPLAIN_CHECK && status == LS_ERROR_DIVERGED) {
        row->is_undeclared = has_undeclared(error->text);
        row->is_write = strstr(error->text, LS_CHECK_WRITES) != NULL;
        row->is_hidden = !row->is_undeclared;
    }
    ls_free(start.snapshot);
    return status;
}

/* Repeats the run until a result differs from the first, and sets the row's number to that
 * repetition. If a state of some tick is wanted, only the last repetition stops at that tick. The
 * earlier ones run to the examined tick, so that the process has the same hidden state as when the
 * root was wanted. */
static ls_status run_times(ls_explain_case *subject, ls_explain_row *row, struct start *state,
                           ls_error *error)
{
    uint64_t asked = subject->tick, first = 0;
    ls_status status = LS_OK;
    for (uint32_t time = 1; !status && time <= row->number; time++) {
        bool is_last = time == row->number;
        subject->tick = !is_last && subject->evidence ? subject->evidence->tick : asked;
        status = run_row(subject, row, is_last ? state : NULL, error);
        if (time == 1)
            first = row->root;
        else if (row->root != first && !state)
            row->number = time;
    }
    subject->tick = asked;
    return status;
}

static ls_status give_root(ls_child *child, ls_explain_case *subject, ls_explain_row *row,
                           ls_error *error)
{
    ls_error trouble;
    ls_status status = row->kind == LS_EXPLAIN_REPEAT ? run_times(subject, row, NULL, error)
                                                      : run_row(subject, row, NULL, error);
    ls_status given = ls_child_give(child, row, sizeof *row, &trouble);
    if (!status && given)
        *error = trouble;
    return status ? status : given;
}

static ls_status give_row_state(ls_child *child, ls_explain_case *subject, ls_explain_row *row,
                                ls_error *error)
{
    struct start state = {0};
    ls_status status = row->kind == LS_EXPLAIN_REPEAT ? run_times(subject, row, &state, error)
                                                      : run_row(subject, row, &state, error);
    if (!status)
        status = ls_child_give(child, state.snapshot, state.bytes, error);
    ls_free(state.snapshot);
    return status;
}

static ls_status give_where(ls_child *child, ls_explain_case *subject,
                            const ls_explain_order *order, ls_error *error)
{
    ls_builder text = {0};
    ls_status status = ls_explain_where_find(subject, &order->row, order->tick, &text, error);
    if (!status)
        status = ls_child_give(child, text.data, text.count, error);
    ls_free(text.data);
    return status;
}

static ls_status work(ls_child *child, void *argument, ls_error *error)
{
    ls_explain_order *order = argument;
    ls_explain_case subject;
    ls_explain_config *config = &order->config;
    child->report->has_no_steps = order->output == LS_EXPLAIN_WHERE;
    config->progress = &child->report->ticks;
    config->progress_total = &child->report->ticks_total;
    if (order->row.kind == LS_EXPLAIN_OTHER && order->output != LS_EXPLAIN_WHERE)
        config->sim = config->other;
    ls_status status = ls_explain_case_open(config, &subject, error);
    subject.tick = order->tick;
    subject.from = order->row.from;
    if (!status && order->output == LS_EXPLAIN_ROOT)
        status = give_root(child, &subject, &order->row, error);
    else if (!status && order->output == LS_EXPLAIN_STATE)
        status = give_row_state(child, &subject, &order->row, error);
    else if (!status)
        status = give_where(child, &subject, order, error);
    ls_explain_case_close(&subject);
    return status;
}

void ls_explain_row_worker(const ls_explain_config *config, const char *row)
{
    ls_explain_process_work(config, row, work);
}
