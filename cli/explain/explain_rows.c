#include "cli/explain/explain_rows.h"

#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_NS     LS_NS_PER_MS
#define BAR_NS      LS_SECOND_NS /* of work before the bar is shown */
#define BAR_STEP_NS (200 * LS_NS_PER_MS)
#define NEAR_TICKS  64 /* rows run at least this many ticks, fewer near the file's start */
#define CLOCK_NS    (1100 * LS_NS_PER_MS)
#define SHUFFLES    6
#define PLACES      5
#define LATE_TICKS  16 /* at most, before the examined tick; fewer in a short file */
#define CHECK_TICKS 40 /* few, because the check executor is many times slower */
/* Runs in one process: a static counter may change the result only in the second, fifth or seventh
 * run. */
#define REPEATS 8
/* If the first rows all hang, the others are skipped, because they would hang as well. */
#define STUCK_MAX 3

static void add(ls_explain_row *rows, uint32_t *count, ls_explain_kind kind, uint32_t number)
{
    LS_ASSERT(*count < LS_EXPLAIN_ROWS_MAX);
    rows[(*count)++] = (ls_explain_row){.kind = kind, .number = number, .side = LS_SIDE_NOT_RUN};
}

uint32_t ls_explain_rows_plan(const ls_explain_case *subject, uint32_t threads,
                              ls_explain_row *rows)
{
    uint32_t count = 0;
    add(rows, &count, LS_EXPLAIN_PLAIN, 1);
    add(rows, &count, LS_EXPLAIN_THREADS, 2);
    if (threads > 2)
        add(rows, &count, LS_EXPLAIN_THREADS, threads);
    for (uint32_t seed = 1; seed <= SHUFFLES; seed++)
        add(rows, &count, LS_EXPLAIN_SHUFFLE, seed);
    add(rows, &count, LS_EXPLAIN_ROUND_TRIP, 0);
    add(rows, &count, LS_EXPLAIN_LATE, LATE_TICKS);
    add(rows, &count, LS_EXPLAIN_START, 0);
    for (uint32_t i = 1; i <= PLACES; i++)
        add(rows, &count, LS_EXPLAIN_PLACES, i);
    /* A value that is compared only with zero differs only between a fill of 0x00 and the
     * others. */
    add(rows, &count, LS_EXPLAIN_HEAP, 0x00);
    add(rows, &count, LS_EXPLAIN_HEAP, 0x55);
    add(rows, &count, LS_EXPLAIN_HEAP, 0xaa);
    add(rows, &count, LS_EXPLAIN_HEAP_NOISE, 0x55);
    add(rows, &count, LS_EXPLAIN_HEAP_NOISE, 0xaa);
    add(rows, &count, LS_EXPLAIN_STACK, 0x55);
    add(rows, &count, LS_EXPLAIN_STACK, 0xaa);
    add(rows, &count, LS_EXPLAIN_REPEAT, REPEATS);
    add(rows, &count, LS_EXPLAIN_CHECK, CHECK_TICKS);
    if (subject->config.other)
        add(rows, &count, LS_EXPLAIN_OTHER, 0);
    /* The last rows, so that a simulation that reads the time sees another time. */
    add(rows, &count, LS_EXPLAIN_PLAIN, 2);
    add(rows, &count, LS_EXPLAIN_PLAIN, 3);
    return count;
}

/* Plans the filled rows again, if plain runs vary: one run of each fill cannot tell whether the
 * fill or chance made its result. */
uint32_t ls_explain_rows_plan_again(const ls_explain_case *subject, ls_explain_row *rows,
                                    uint32_t count)
{
    uint32_t first = count;
    bool is_unsteady = false;
    for (uint32_t i = 0; i < first; i++)
        is_unsteady |= rows[i].kind == LS_EXPLAIN_PLAIN && rows[i].side < LS_SIDE_FAILED &&
                       rows[i].root != rows[0].root;
    for (uint32_t i = 0; is_unsteady && !subject->imports.has_machine && i < first; i++)
        if (rows[i].kind == LS_EXPLAIN_STACK || rows[i].kind == LS_EXPLAIN_HEAP ||
            rows[i].kind == LS_EXPLAIN_HEAP_NOISE)
            add(rows, &count, rows[i].kind, rows[i].number);
    return count;
}

/* Returns the tick `count` ticks earlier, but at least the first tick of the file. */
static uint64_t back(const ls_explain_case *subject, uint64_t tick, uint64_t count)
{
    return tick > subject->first_tick && tick - subject->first_tick > count ? tick - count
                                                                            : subject->first_tick;
}

/* Places the late join LATE_TICKS before the examined tick, in a short file halfway: the state at
 * the join must be reached first, and ticks must be left in which the row can differ. */
static bool place_late(const ls_explain_case *subject, ls_explain_row *row)
{
    uint64_t ticks =
        subject->tick > subject->first_tick ? (subject->tick - subject->first_tick) / 2 : 0;
    row->number = ticks < LATE_TICKS ? (uint32_t)ticks : LATE_TICKS;
    row->from = subject->tick - row->number;
    if (!row->number)
        snprintf(row->text, sizeof row->text, "there is no tick between the file's start and that");
    return row->number > 0;
}

/* Places the run from the match's start. A bundle begins with a keyframe, which lacks the hidden
 * state that the server had collected since the first tick, so the row runs the recording that the
 * bundle was cut from. */
static bool place_start(const ls_explain_case *subject, ls_explain_row *row)
{
    row->from = subject->match_path ? subject->match_tick : subject->first_tick;
    bool is_whole = row->from == 0 || (subject->evidence && !subject->match_path);
    row->number = !is_whole;
    bool is_there = !subject->evidence || subject->match_path || subject->first_tick == 0;
    if (!is_there)
        snprintf(row->text, sizeof row->text, "%s", subject->no_match.text);
    return is_there;
}

/* Whether at least STUCK_MAX rows were run, and all of them hung. */
static bool is_hopeless(const ls_explain_row *rows, uint32_t count)
{
    uint32_t stuck = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].side != LS_SIDE_NOT_RUN && !rows[i].is_stuck)
            return false;
        stuck += rows[i].is_stuck;
    }
    return stuck >= STUCK_MAX;
}

bool ls_explain_row_place(const ls_explain_case *subject, const ls_explain_row *rows,
                          uint32_t count, ls_explain_row *row)
{
    uint64_t first = subject->tick;
    const char *refusal = ls_explain_process_refuses(row);
    if (refusal) {
        snprintf(row->text, sizeof row->text, "%s", refusal);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].has_difference && rows[i].tick < first)
            first = rows[i].tick;
    row->from = back(subject, subject->tick, NEAR_TICKS);
    if (is_hopeless(rows, count)) {
        snprintf(row->text, sizeof row->text, "those before it made no progress");
        return false;
    }
    if (row->kind == LS_EXPLAIN_START)
        return place_start(subject, row);
    if (row->kind == LS_EXPLAIN_LATE)
        return place_late(subject, row);
    if (row->kind == LS_EXPLAIN_CHECK)
        row->from = back(subject, first, CHECK_TICKS / 2);
    return true;
}

static void take_root(const ls_child *child, ls_explain_row *row)
{
    uint8_t *bytes;
    size_t count;
    ls_error error;
    ls_status status = ls_child_status(child, &error);
    row->ns = child->end_ns - child->start_ns;
    row->crash = child->report->crash;
    row->is_stuck = child->is_stuck && !child->report->is_done;
    row->side = row->is_stuck             ? LS_SIDE_FAILED
                : !child->report->is_done ? LS_SIDE_CRASHED
                : status                  ? LS_SIDE_FAILED
                                          : LS_SIDE_NEITHER;
    if (row->is_stuck)
        snprintf(row->text, sizeof row->text, "not known: %.900s", error.text);
    else
        snprintf(row->text, sizeof row->text, "%s", status ? error.text : "");
    if (ls_child_take(child, &bytes, &count, &error) != LS_OK)
        return;
    ls_explain_row found;
    if (count == sizeof found) {
        memcpy(&found, bytes, sizeof found);
        row->has_difference = found.has_difference;
        row->tick = found.tick;
        row->root = found.root;
        row->is_undeclared = found.is_undeclared;
        row->is_write = found.is_write;
        row->is_hidden = found.is_hidden;
        if (row->kind == LS_EXPLAIN_REPEAT)
            row->number = found.number;
    }
    ls_free(bytes);
}

/* Sleeps before the last plain runs, so that a clock in seconds gives another value than in the
 * first. */
static void wait_for_clock(const ls_explain_row *row)
{
    static uint64_t first_ns;
    if (row->kind == LS_EXPLAIN_PLAIN && row->number == 1)
        first_ns = ls_monotonic_ns();
    else if (row->kind == LS_EXPLAIN_PLAIN)
        ls_clock_sleep_until(first_ns + CLOCK_NS);
}

static void show_bar(const ls_child *child, const char *what)
{
    uint64_t done = __atomic_load_n(&child->report->ticks, __ATOMIC_RELAXED);
    uint64_t total = __atomic_load_n(&child->report->ticks_total, __ATOMIC_RELAXED);
    ls_progress_bar_show(total ? (double)done / (double)total : 0, what);
}

/* Waits until the child has ended, and passes its progress on as this process's own. */
static void wait_for(const ls_explain_config *config, ls_child *child, const char *what)
{
    uint64_t bar_ns = child->start_ns + BAR_NS;
    bool has_bar = false;
    while (!ls_child_poll(child)) {
        if (what && config->shows_progress && ls_monotonic_ns() > bar_ns) {
            show_bar(child, what);
            bar_ns += BAR_STEP_NS;
            has_bar = true;
        }
        uint64_t before = child->progress;
        ls_clock_sleep_until(ls_monotonic_ns() + POLL_NS);
        if (__atomic_load_n(&child->report->ticks, __ATOMIC_RELAXED) != before)
            ls_explain_add_progress(config);
    }
    if (has_bar)
        ls_progress_bar_clear();
}

/* Fills in the order for the row's process. A row from the start of the match opens the match's
 * recording instead of the bundle. */
static void place_order(const ls_explain_case *subject, const ls_explain_row *row,
                        ls_explain_order *order)
{
    order->config = subject->config;
    order->row = *row;
    order->config.finding = order->output == LS_EXPLAIN_WHERE && row->text[0] ? row->text : NULL;
    order->config.bundle = NULL;
    if (row->kind == LS_EXPLAIN_START && subject->match_path) {
        order->config.bundle = subject->config.path;
        order->config.path = subject->match_path;
    }
}

static ls_status run_order(const ls_explain_case *subject, const ls_explain_row *row,
                           ls_explain_output output, uint64_t tick, ls_child *child,
                           ls_error *error)
{
    ls_explain_order order = {.output = output, .tick = tick};
    char what[64];
    place_order(subject, row, &order);
    ls_explain_row_name(row, what, sizeof what);
    ls_status status = ls_explain_process_start(child, &order, error);
    if (!status)
        wait_for(&subject->config, child, output == LS_EXPLAIN_WHERE ? "inside of the tick" : what);
    return status;
}

ls_status ls_explain_row_run(const ls_explain_case *subject, ls_explain_row *row, ls_error *error)
{
    ls_child child;
    wait_for_clock(row);
    ls_status status = run_order(subject, row, LS_EXPLAIN_ROOT, subject->tick, &child, error);
    if (status)
        return status;
    take_root(&child, row);
    ls_child_reset(&child);
    return LS_OK;
}

ls_status ls_explain_row_take(const ls_explain_case *subject, const ls_explain_row *row,
                              ls_explain_output output, uint64_t tick, uint8_t **bytes,
                              size_t *count, ls_error *error)
{
    ls_child child;
    ls_status status = run_order(subject, row, output, tick, &child, error);
    if (status)
        return status;
    status = ls_child_status(&child, error);
    if (!status)
        status = ls_child_take(&child, bytes, count, error);
    ls_child_reset(&child);
    return status;
}
