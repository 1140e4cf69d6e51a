#include "cli/bisect/bisect_alone.h"

#include "cli/common/clock.h"
#include "cli/common/progress_bar.h"
#include "cli/module/sim_load.h"
#include "core/base/builder.h"
#include "core/base/platform.h"
#include "core/base/platform_cpu.h"
#include "desync/match_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POLL_NS     (5 * LS_NS_PER_MS)
#define PROGRESS_NS (200 * LS_NS_PER_MS)

void ls_bisect_report_tick(void *child, uint32_t side, uint64_t tick)
{
    ls_child_report *report = ((ls_child *)child)->report;
    __atomic_store_n(&report->tick, tick, __ATOMIC_RELAXED);
    report->has_no_steps = false;
    snprintf(report->doing, sizeof report->doing, "tick %" PRIu64 " of side %s", tick,
             side ? "B" : "A");
    __atomic_store_n(&report->ticks, report->ticks + 1, __ATOMIC_RELAXED);
}

static void add_root(ls_builder *bytes, ls_world *world)
{
    const uint64_t root = ls_world_root(world);
    ls_builder_put(bytes, (const char *)&root, sizeof root);
}

/* Replays the recording. A refused tick ends the replay without an error: the side-by-side run of
 * both builds reports it. */
static void replay(ls_child *child, const ls_bisect_alone_config *config, const ls_program *program,
                   ls_builder *bytes)
{
    uint64_t tick = ls_recording_get_header(config->recording)->first_tick;
    const ls_run_watch watch = {.argument = child, .report_tick = ls_bisect_report_tick};
    ls_match_run run = {.recording = config->recording,
                        .program = program,
                        .is_replay = true,
                        .from = tick,
                        .watch = &watch,
                        .side = config->side};
    ls_bisect_report_tick(child, config->side, tick);
    while (tick <= config->end_tick && ls_match_run_to(&run, tick, NULL) == LS_OK) {
        add_root(bytes, run.world);
        tick++;
    }
    ls_match_run_reset(&run);
}

static ls_status run(ls_child *child, void *argument, ls_error *error)
{
    const ls_bisect_alone_config *config = argument;
    char floats[LS_FLOAT_CHANGE_BYTES];
    ls_loaded_sim loaded = {0};
    ls_builder bytes = {0};
    uint64_t before = ls_float_control();
    ls_status status = config->program ? LS_OK : ls_sim_load(config->sim, &loaded, error);
    if (status)
        return status;
    ls_float_mode_compare(before, ls_float_control(), floats);
    ls_builder_put(&bytes, floats, sizeof floats);
    replay(child, config, config->program ? config->program : loaded.program, &bytes);
    status = ls_child_give(child, bytes.data, bytes.count, error);
    ls_free(bytes.data);
    ls_sim_unload(&loaded);
    return status;
}

static void show_progress(const ls_child *child, uint64_t ticks_total)
{
    uint64_t ticks = __atomic_load_n(&child->report->ticks, __ATOMIC_RELAXED);
    double seconds = (double)(ls_monotonic_ns() - child->start_ns) / (double)LS_SECOND_NS;
    char words[96];
    snprintf(words, sizeof words, "tick %" PRIu64 ", %.0f ticks/s",
             __atomic_load_n(&child->report->tick, __ATOMIC_RELAXED),
             seconds > 0 ? (double)ticks / seconds : 0);
    ls_progress_bar_show((double)ticks / (double)ticks_total, words);
}

void ls_bisect_wait(ls_child *child, uint64_t ticks_total)
{
    uint64_t next_ns = 0;
    while (!ls_child_poll(child)) {
        uint64_t now_ns = ls_monotonic_ns();
        if (ticks_total && now_ns >= next_ns) {
            show_progress(child, ticks_total);
            next_ns = now_ns + PROGRESS_NS;
        }
        ls_clock_sleep_until(now_ns + POLL_NS);
    }
    if (ticks_total)
        ls_progress_bar_clear();
}

static void take(const ls_child *child, ls_bisect_alone *alone)
{
    uint8_t *bytes;
    size_t count;
    ls_error how;
    ls_status status = ls_child_status(child, &how);
    if (!child->report->is_done) {
        alone->end = ls_text_duplicate(how.text);
        alone->tick = child->report->tick;
        return;
    }
    if (status || ls_child_take(child, &bytes, &count, &how) != LS_OK)
        return;
    if (count >= sizeof alone->floats) {
        memcpy(alone->floats, bytes, sizeof alone->floats);
        alone->count = (count - sizeof alone->floats) / sizeof alone->roots[0];
        alone->roots = ls_alloc((alone->count + 1) * sizeof alone->roots[0]);
        memcpy(alone->roots, bytes + sizeof alone->floats, alone->count * sizeof alone->roots[0]);
    }
    ls_free(bytes);
}

ls_status ls_bisect_alone_run(const ls_bisect_alone_config *config, ls_bisect_alone *alone,
                              ls_error *error)
{
    ls_child child;
    ls_bisect_alone_config own = *config;
    uint64_t ticks = ls_recording_find_end(config->recording)->tick_count;
    *alone = (ls_bisect_alone){0};
    const ls_child_again again = {.timeout_ns = config->timeout_ns, .words = config->words};
    ls_status status = ls_child_start_again(&child, &again, run, &own, error);
    if (status)
        return status;
    ls_bisect_wait(&child, config->shows_progress ? ticks + 1 : 0);
    take(&child, alone);
    if (child.is_stuck && alone->end)
        fprintf(stderr, "lockstep bisect: side %s: %s\n", config->side ? "B" : "A", alone->end);
    ls_child_reset(&child);
    return LS_OK;
}

void ls_bisect_alone_encode(const ls_bisect_alone *alone, ls_builder *bytes)
{
    ls_builder_put(bytes, alone->floats, sizeof alone->floats);
    ls_builder_put(bytes, (const char *)&alone->count, sizeof alone->count);
    ls_builder_put(bytes, (const char *)alone->roots, alone->count * sizeof alone->roots[0]);
}

bool ls_bisect_alone_decode(ls_reader *bytes, ls_bisect_alone *alone)
{
    *alone = (ls_bisect_alone){0};
    ls_read_bytes(bytes, alone->floats, sizeof alone->floats);
    ls_read_bytes(bytes, &alone->count, sizeof alone->count);
    if (bytes->failed || alone->count > ls_reader_left(bytes) / sizeof alone->roots[0]) {
        alone->count = 0;
        return false;
    }
    alone->roots = ls_alloc((alone->count + 1) * sizeof alone->roots[0]);
    ls_read_bytes(bytes, alone->roots, alone->count * sizeof alone->roots[0]);
    return true;
}

void ls_bisect_alone_reset(ls_bisect_alone *alone)
{
    ls_free(alone->roots);
    ls_free(alone->end);
    *alone = (ls_bisect_alone){0};
}

bool ls_bisect_alone_diverges(const ls_bisect_alone *alone, const ls_recording *recording,
                              uint64_t *index)
{
    uint64_t first = ls_recording_get_header(recording)->first_tick, root;
    for (*index = 0; *index < alone->count; ++*index)
        if (ls_recording_find_root(recording, first + *index, &root) &&
            root != alone->roots[*index])
            return true;
    return false;
}
