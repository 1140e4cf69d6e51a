#include "cli/check/check_case_runs.h"

#include "cli/check/check_case_match.h"
#include "cli/check/check_case_state.h"
#include "cli/common/clock.h"
#include "cli/common/cpus.h"
#include "cli/module/describe.h"
#include "core/base/platform.h"
#include "desync/statics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROLLBACK_ONE_IN 8
#define ROLLBACK_TICKS  8 /* the longest rollback */
#define MORE            "more\n"
#define SHARE_ALL       1 /* share all work: most matches are too small for the usual threshold */

static void note_tick(ls_child *child, uint64_t done, uint64_t tick)
{
    __atomic_store_n(&child->report->tick, tick, __ATOMIC_RELAXED);
    snprintf(child->report->doing, sizeof child->report->doing, "tick %" PRIu64, tick);
    __atomic_store_n(&child->report->ticks, done, __ATOMIC_RELAXED);
}

static void note_state(ls_child *child, const ls_world *world, ls_status status)
{
    child->report->has_state = !status;
    child->report->state_tick = ls_world_tick(world);
}

static ls_status give_snapshot(ls_child *child, ls_world *world, ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    ls_world_encode(world, &bytes, &count);
    ls_status status = ls_child_give(child, bytes, count, error);
    ls_free(bytes);
    note_state(child, world, status);
    return status;
}

/* Hands over the state of a rerun that failed because of a root. If that does not work, only the
 * place of the difference stays unknown. */
static void set_difference(ls_child *child, ls_rerun *rerun, ls_status status)
{
    ls_world *world = ls_rerun_world(rerun);
    if (status && ls_rerun_get_result(rerun)->has_difference)
        note_state(child, world, ls_check_case_state_give(child, world, NULL));
}

ls_status ls_check_case_finish(ls_child *child, ls_rerun *rerun, ls_error *error)
{
    ls_status status = LS_OK;
    uint64_t before = child->report->ticks;
    bool is_over = false;
    while (!status && !is_over) {
        note_tick(child, before + ls_rerun_get_result(rerun)->tick_count,
                  ls_world_tick(ls_rerun_world(rerun)));
        status = ls_rerun_step(rerun, &is_over, error);
    }
    return status;
}

ls_status ls_check_case_follow(ls_child *child, const ls_rerun_config *config, ls_error *error)
{
    ls_rerun *rerun;
    ls_status status = ls_rerun_create(config, &rerun, error);
    if (status)
        return status;
    status = ls_check_case_finish(child, rerun, error);
    set_difference(child, rerun, status);
    ls_rerun_destroy(rerun);
    return status;
}

static ls_rerun_config config_of(const ls_check_case *self, ls_tick_cursor *cursor)
{
    return (ls_rerun_config){.program = self->match->program,
                             .match = &self->match->match,
                             .ticks = ls_ticks_of_list(cursor, self->match->list, 0)};
}

static ls_status follow_variant(const ls_check_case *self, ls_child *child,
                                ls_rerun_variant variant, ls_error *error)
{
    ls_tick_cursor cursor;
    ls_rerun_config config = config_of(self, &cursor);
    config.variant = variant;
    return ls_check_case_follow(child, &config, error);
}

/* The first case: the source of its inputs, and the list that records its ticks. */
struct base {
    ls_random_inputs dice;
    ls_tick_list *list;
    uint64_t ticks;
};

static ls_status next_of_base(void *argument, ls_world *world, ls_source_tick *tick,
                              ls_error *error)
{
    struct base *base = argument;
    uint64_t root = ls_world_root(world);
    *tick = (ls_source_tick){.is_over = ls_world_tick(world) >= base->ticks};
    if (tick->is_over) {
        ls_tick_list_close(base->list, root);
        return LS_OK;
    }
    tick->frame = ls_random_inputs_frame(&base->dice, world);
    return ls_tick_list_add(base->list, root, &tick->frame, error);
}

/* Prints a variable as `calls (game.c:12, 4 bytes)`. */
static int print_variable(const ls_source_place *place, char *text, size_t bytes)
{
    const char *slash = place->file ? strrchr(place->file, '/') : NULL;
    const char *file = slash ? slash + 1 : place->file;
    char line[160] = "";
    if (file && place->line)
        snprintf(line, sizeof line, "%.120s:%" PRIu32 ", ", file, place->line);
    return snprintf(text, bytes, "%s (%s%" PRIu64 " byte%s)\n", place->function, line, place->bytes,
                    place->bytes == 1 ? "" : "s");
}

/* Notes the static variables that the ticks changed, one a line. Variables without a name are the
 * loader's, and left out. */
static void note_statics(ls_child *child, const ls_statics *before, const ls_sim *sim)
{
    enum { NAMES_MAX = 8 };
    ls_source_place places[NAMES_MAX];
    char *text = child->report->keeps;
    size_t used = 0, room = sizeof child->report->keeps;
    ls_statics *after = ls_statics_take(sim);
    ls_sources *sources = ls_sources_open();
    uint32_t count = ls_statics_find(before, after, sources, places, NAMES_MAX);
    for (uint32_t i = 0; i < count && i < NAMES_MAX; i++) {
        int needed = print_variable(&places[i], text + used, room - used);
        if (used + (size_t)needed + sizeof MORE > room) {
            count = NAMES_MAX + 1;
            break;
        }
        used += (size_t)needed;
    }
    if (count > NAMES_MAX)
        snprintf(text + used, room - used, MORE);
    ls_sources_close(sources);
    ls_statics_destroy(after);
}

ls_status ls_check_case_base(const ls_check_case *self, ls_child *child, ls_error *error)
{
    const ls_check_case_match *match = self->match;
    struct base *base = ls_alloc(sizeof *base);
    base->dice.mode = match->mode;
    base->dice.seed = match->match.seed;
    base->ticks = match->ticks;
    base->list = ls_tick_list_create(match->match.player_count, 0);
    const ls_rerun_config config = {.program = match->program,
                                    .match = &match->match,
                                    .ticks = {next_of_base, base},
                                    .is_blind = true};
    const ls_sim *sim = ls_program_sim(match->program);
    ls_statics *before = ls_statics_take(sim);
    ls_status status = ls_check_case_follow(child, &config, error);
    if (!status && before)
        note_statics(child, before, sim);
    ls_statics_destroy(before);
    if (!status)
        status = ls_check_case_hand_over(match, base->list, child, error);
    snprintf(child->report->note, sizeof child->report->note, "%" PRIu64 " inputs of %s",
             ls_tick_list_inputs(base->list), ls_random_inputs_words[match->mode]);
    ls_tick_list_destroy(base->list);
    ls_free(base);
    return status;
}

/* Runs the match twice in one process: the second run finds the static state that the first one
 * left. */
ls_status ls_check_case_repeat(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_status status = follow_variant(self, child, (ls_rerun_variant){0}, error);
    if (status)
        return status;
    status = follow_variant(self, child, (ls_rerun_variant){0}, error);
    return status
               ? ls_error_set(error, status, "the second time in one process: %.900s", error->text)
               : LS_OK;
}

ls_status ls_check_case_threads(const ls_check_case *self, ls_child *child, ls_error *error)
{
    return follow_variant(
        self, child, (ls_rerun_variant){.threads = (uint32_t)self->number, .share_from = SHARE_ALL},
        error);
}

/* Systems that are ready start in a random order, so that systems run at the same time that
 * otherwise would not. */
ls_status ls_check_case_interleave(const ls_check_case *self, ls_child *child, ls_error *error)
{
    return follow_variant(self, child,
                          (ls_rerun_variant){.threads = ls_cpus_threads(),
                                             .shuffle_seed = self->number,
                                             .share_from = SHARE_ALL},
                          error);
}

ls_status ls_check_case_shuffle(const ls_check_case *self, ls_child *child, ls_error *error)
{
    return follow_variant(self, child, (ls_rerun_variant){.shuffle_seed = self->number}, error);
}

ls_status ls_check_case_roundtrip(const ls_check_case *self, ls_child *child, ls_error *error)
{
    return follow_variant(self, child, (ls_rerun_variant){.round_trips = true, .is_fresh = true},
                          error);
}

ls_status ls_check_case_declared(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_tick_cursor cursor;
    ls_rerun_config config = config_of(self, &cursor);
    config.variant.checks = true;
    config.end_tick = self->match->declared_ticks;
    return ls_check_case_follow(child, &config, error);
}

static ls_status describe(ls_child *child, const ls_world *world, ls_error *error)
{
    char text[LS_DESCRIBE_BYTES];
    snprintf(child->report->doing, sizeof child->report->doing, "describe() of tick %" PRIu64,
             ls_world_tick(world));
    return ls_describe(world, text, error);
}

/* Calls describe() after every tick, as a server does about once a second. */
ls_status ls_check_case_describe(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_tick_cursor cursor;
    ls_rerun_config config = config_of(self, &cursor);
    ls_rerun *rerun;
    bool is_over = false;
    ls_status status = ls_rerun_create(&config, &rerun, error);
    if (status)
        return status;
    while (!status && !is_over) {
        status = describe(child, ls_rerun_world(rerun), error);
        note_tick(child, ls_rerun_get_result(rerun)->tick_count,
                  ls_world_tick(ls_rerun_world(rerun)));
        if (!status)
            status = ls_rerun_step(rerun, &is_over, error);
    }
    set_difference(child, rerun, status);
    ls_rerun_destroy(rerun);
    return status;
}

ls_status ls_check_case_host(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_tick_cursor cursor;
    ls_rerun_config config = config_of(self, &cursor);
    config.end_tick = self->number;
    ls_rerun *rerun;
    ls_status status = ls_rerun_create(&config, &rerun, error);
    if (!status && self->number)
        status = ls_check_case_finish(child, rerun, error);
    if (!status)
        status = give_snapshot(child, ls_rerun_world(rerun), error);
    ls_rerun_destroy(rerun);
    return status;
}

/* Waits for the host process, and reports its ticks as the case's own. If no tick ends in time, the
 * case is ended and the host with it, so the host needs no limit of its own. */
static void follow_host(ls_child *child, ls_child *host)
{
    bool has_ended = false;
    while (!has_ended) {
        has_ended = ls_child_poll(host);
        note_tick(child, __atomic_load_n(&host->report->ticks, __ATOMIC_RELAXED),
                  __atomic_load_n(&host->report->tick, __ATOMIC_RELAXED));
        if (!has_ended)
            ls_clock_sleep_until(ls_monotonic_ns() + LS_NS_PER_MS);
    }
}

static ls_status state_of_host(const ls_check_case *self, ls_child *child, uint8_t **bytes,
                               size_t *count, ls_error *error)
{
    ls_child from;
    ls_status status = ls_check_case_begin(self, ls_check_case_host, &from, error);
    if (status)
        return status;
    follow_host(child, &from);
    status = ls_child_status(&from, error);
    if (!status)
        status = ls_child_take(&from, bytes, count, error);
    ls_child_reset(&from);
    return status;
}

/* Joins the match late. This process has not run the earlier ticks, so hidden state from them is
 * missing here. */
ls_status ls_check_case_rejoin(const ls_check_case *self, ls_child *child, ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    LS_ASSERT(self->number <= ls_tick_list_count(self->match->list));
    ls_status status = state_of_host(self, child, &bytes, &count, error);
    if (status)
        return status;
    ls_tick_cursor cursor;
    ls_rerun_config config = config_of(self, &cursor);
    config.snapshot = bytes;
    config.snapshot_bytes = count;
    config.ticks = ls_ticks_of_list(&cursor, self->match->list, self->number);
    status = ls_check_case_follow(child, &config, error);
    ls_free(bytes);
    return status;
}

/* Rolls back: runs some ticks with other inputs, and restores the state. */
static ls_status run_and_roll_back(ls_world *world, ls_random_inputs *dice, uint32_t ticks,
                                   ls_error *error)
{
    ls_snapshot *before = ls_world_snapshot(world);
    ls_status status = LS_OK;
    for (uint32_t i = 0; i < ticks && !status; i++) {
        ls_frame frame = ls_random_inputs_frame(dice, world);
        status = ls_world_advance(world, &frame, NULL, error);
    }
    ls_world_restore(world, before);
    ls_snapshot_destroy(before);
    return status;
}

static ls_status step_with_rollback(const ls_check_case *self, ls_rerun *rerun,
                                    ls_random_inputs *dice, bool *is_over, ls_error *error)
{
    ls_world *world = ls_rerun_world(rerun);
    ls_random_stream stream = ls_random_child(ls_random_root(self->number), ls_world_tick(world));
    ls_status status = LS_OK;
    if (ls_random_below(ls_random_draw(stream, 0), ROLLBACK_ONE_IN) == 0)
        status = run_and_roll_back(
            world, dice, 1 + ls_random_below(ls_random_draw(stream, 1), ROLLBACK_TICKS), error);
    return status ? status : ls_rerun_step(rerun, is_over, error);
}

ls_status ls_check_case_rollback(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_tick_cursor cursor;
    ls_rerun_config config = config_of(self, &cursor);
    ls_rerun *rerun;
    ls_status status = ls_rerun_create(&config, &rerun, error);
    if (status)
        return status;
    ls_random_inputs *dice = ls_alloc(sizeof *dice);
    dice->mode = LS_RANDOM_INPUTS_MIXED;
    dice->seed = ~self->match->match.seed;
    bool is_over = false;
    while (!status && !is_over) {
        uint64_t tick = ls_world_tick(ls_rerun_world(rerun));
        note_tick(child, tick, tick);
        status = step_with_rollback(self, rerun, dice, &is_over, error);
    }
    set_difference(child, rerun, status);
    ls_free(dice);
    ls_rerun_destroy(rerun);
    return status;
}
