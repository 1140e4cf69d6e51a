#include "cli/bisect_run.h"

#include "cli/bar.h"
#include "cli/child.h"
#include "cli/clock.h"
#include "desync/landing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A recording that is read, a tick, the search for what made the difference: each ends in it. */
#define PATIENCE_NS (300 * LS_NS_PER_S)
#define POLL_NS     (5 * LS_NS_PER_MS)
#define PROGRESS_NS (200 * LS_NS_PER_MS)

static const char *const letters[] = {"A", "B"};

static ls_recording *recording_of(const ls_bisect_pair *pair, uint32_t side)
{
    return pair->recordings[1] ? pair->recordings[side] : pair->recordings[0];
}

static void print(const ls_bisect_pair *pair, const ls_bisect *found, ls_builder *text)
{
    if (pair->is_json) {
        ls_bisect_json(found, pair->names, text);
        ls_builder_add(text, "\n");
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        ls_builder_add(text, "%-10s %s\n", letters[i], pair->names[i]);
    ls_bisect_print(found, letters, text);
}

/* -- in the child */

static void tell(void *argument, uint32_t side, uint64_t tick)
{
    ls_child_report *report = ((ls_child *)argument)->report;
    report->tick = tick;
    snprintf(report->doing, sizeof report->doing, "tick %" PRIu64 " of side %s", tick,
             letters[side]);
    __atomic_store_n(&report->ticks, report->ticks + 1, __ATOMIC_RELAXED);
}

static ls_status search(ls_child *child, void *argument, ls_error *error)
{
    const ls_bisect_pair *pair = argument;
    const ls_bisect_watch watch = {child, tell};
    ls_bisect found;
    ls_status status =
        pair->recordings[1]
            ? ls_bisect_recordings(pair->recordings, pair->programs, &watch, &found, error)
            : ls_bisect_builds(pair->recordings[0], pair->programs, &watch, &found, error);
    if (status)
        return status;
    ls_builder text = {0};
    ls_builder_put(&text, &(char){(char)found.kind}, 1);
    print(pair, &found, &text);
    status = ls_child_give(child, text.data, text.count, error);
    ls_free(text.data);
    ls_bisect_reset(&found);
    return status;
}

struct alone {
    const ls_bisect_pair *pair;
    uint32_t side;
    uint64_t tick; /* the last that is of interest */
};

/* Whatever it comes to: that it gets there is the answer. */
static ls_status replay_alone(ls_child *child, void *argument, ls_error *error)
{
    const struct alone *alone = argument;
    ls_recording *recording = recording_of(alone->pair, alone->side);
    const ls_recording_tick *tick;
    ls_world *world;
    uint64_t first = ls_recording_get_header(recording)->first_tick;
    tell(child, alone->side, first);
    ls_status status =
        ls_landing_make(recording, alone->pair->programs[alone->side], first, &world, error);
    while (!status && ls_world_tick(world) <= alone->tick) {
        status = ls_recording_next(recording, &tick, error);
        if (status || !tick)
            break;
        tell(child, alone->side, tick->frame.tick);
        status = ls_world_advance(world, &tick->frame, NULL, error);
    }
    if (world)
        ls_world_destroy(world);
    return status;
}

/* -- in the parent */

/* Of recordings a part is replayed, and nobody knows which before: then the words alone. */
static void show_progress(const ls_bisect_pair *pair, const ls_child *child)
{
    uint64_t ticks = __atomic_load_n(&child->report->ticks, __ATOMIC_RELAXED);
    uint64_t total = 2 * ls_recording_find_end(pair->recordings[0])->tick_count;
    double seconds = (double)(ls_clock_now_ns() - child->start_ns) / (double)LS_NS_PER_S;
    char words[96];
    snprintf(words, sizeof words, "tick %" PRIu64 ", %.0f ticks/s", child->report->tick,
             seconds > 0 ? (double)ticks / seconds : 0);
    ls_bar_show(total ? (double)ticks / (double)total : 0, words);
}

static void wait_for(const ls_bisect_pair *pair, ls_child *child)
{
    uint64_t next_ns = 0;
    while (!ls_child_poll(child)) {
        uint64_t now_ns = ls_clock_now_ns();
        if (pair->shows_progress && now_ns >= next_ns) {
            show_progress(pair, child);
            next_ns = now_ns + PROGRESS_NS;
        }
        ls_clock_sleep_until(now_ns + POLL_NS);
    }
    if (pair->shows_progress)
        ls_bar_clear();
}

static char *copy_text(const char *text)
{
    ls_builder copy = {0};
    ls_builder_add(&copy, "%s", text);
    return copy.data;
}

/* Both sides ran in the process that died, and one may have spoilt the other's memory. */
static ls_status try_alone(const struct alone *alone, ls_bisect *found, ls_error *error)
{
    ls_child child;
    struct alone own = *alone;
    ls_error how;
    ls_status status = ls_child_start(&child, PATIENCE_NS, replay_alone, &own, error);
    if (status)
        return status;
    wait_for(alone->pair, &child);
    (void)!ls_child_status(&child, &how);
    if (!child.report->is_done) {
        found->texts[alone->side] = copy_text(how.text);
        if (child.report->tick < found->tick)
            found->tick = child.report->tick;
    }
    ls_child_reset(&child);
    return LS_OK;
}

static ls_status tell_crash(const ls_bisect_pair *pair, uint64_t tick, const ls_error *how,
                            ls_error *error)
{
    uint64_t first = ls_recording_get_header(pair->recordings[0])->first_tick;
    ls_bisect found = {.kind = LS_BISECT_CRASH, .tick = tick};
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < 2; i++)
        status = try_alone(&(struct alone){pair, i, tick}, &found, error);
    /* Neither does so alone, or not in the order of the schedule. */
    uint32_t side = strstr(how->text, "side B") ? 1 : 0;
    if (!status && !found.texts[0] && !found.texts[1])
        found.texts[side] = copy_text(how->text);
    found.ticks = found.tick - first;
    ls_builder text = {0};
    if (!status) {
        print(pair, &found, &text);
        fputs(text.data, stdout);
    }
    ls_free(text.data);
    ls_bisect_reset(&found);
    return status;
}

static ls_status take(const ls_bisect_pair *pair, ls_child *child, ls_bisect_kind *kind,
                      ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    ls_status status = ls_child_status(child, error);
    if (!child->report->is_done) {
        ls_error how = *error;
        *kind = LS_BISECT_CRASH;
        return tell_crash(pair, child->report->tick, &how, error);
    }
    if (!status)
        status = ls_child_take(child, &bytes, &count, error);
    if (status)
        return status;
    *kind = count ? (ls_bisect_kind)bytes[0] : LS_BISECT_SAME;
    if (count)
        (void)fwrite(bytes + 1, 1, count - 1, stdout);
    ls_free(bytes);
    return LS_OK;
}

ls_status ls_bisect_run(const ls_bisect_pair *pair, ls_bisect_kind *kind, ls_error *error)
{
    ls_child child;
    ls_bisect_pair own = *pair;
    ls_status status = ls_child_start(&child, PATIENCE_NS, search, &own, error);
    if (status)
        return status;
    wait_for(pair, &child);
    status = take(pair, &child, kind, error);
    ls_child_reset(&child);
    return status;
}
