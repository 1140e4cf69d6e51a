#include "desync/bisect.h"

#include "core/state/image.h"
#include "desync/cell_search.h"
#include "desync/match_run.h"
#include "desync/recorded_diff.h"
#include "desync/recording_divergence.h"
#include "desync/start_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHUFFLES = 24, FILLS = 2, TRIES = 16 };

struct pair {
    ls_match_run runs[2];
    ls_snapshot *before[2]; /* the states before the tick that ran last */
    const ls_run_watch *watch;
};

static struct pair pair_of(ls_recording *const recordings[2], const ls_program *const programs[2],
                           const ls_run_watch *watch)
{
    struct pair pair = {.watch = watch};
    for (uint32_t i = 0; i < 2; i++)
        pair.runs[i] = (ls_match_run){
            .recording = recordings[i], .program = programs[i], .watch = watch, .side = i};
    return pair;
}

static void report_tick(const struct pair *pair, uint32_t side, uint64_t tick)
{
    if (pair->watch)
        pair->watch->report_tick(pair->watch->argument, side, tick);
}

static void begin_search(const struct pair *pair)
{
    if (pair->watch)
        pair->watch->begin_search(pair->watch->argument);
}

static void drop_snapshots(struct pair *pair)
{
    for (uint32_t i = 0; i < 2; i++) {
        ls_snapshot_destroy(pair->before[i]);
        pair->before[i] = NULL;
    }
}

static void reset(struct pair *pair)
{
    drop_snapshots(pair);
    for (uint32_t i = 0; i < 2; i++)
        ls_match_run_reset(&pair->runs[i]);
}

static bool take_roots(struct pair *pair, ls_bisect *bisect)
{
    for (uint32_t i = 0; i < 2; i++)
        bisect->roots[i] = ls_world_root(pair->runs[i].world);
    bisect->has_roots = bisect->roots[0] != bisect->roots[1];
    return bisect->has_roots;
}

/* Runs the tick in both builds. Fails if both refuse it, because then the recording is at fault; if
 * only one refuses it, the builds differ. */
static ls_status advance(struct pair *pair, const ls_frame *frame, ls_bisect *bisect,
                         ls_error *error)
{
    ls_error errors[2];
    ls_status statuses[2];
    drop_snapshots(pair);
    for (uint32_t i = 0; i < 2; i++) {
        pair->before[i] = ls_world_snapshot(pair->runs[i].world);
        /* Unshare the pages: a system that writes without the engine's knowledge would change the
         * snapshot too. */
        ls_pages_own(pair->runs[i].world);
        report_tick(pair, i, frame->tick);
        statuses[i] = ls_world_advance(pair->runs[i].world, frame, NULL, &errors[i]);
    }
    if (statuses[0] != LS_OK && statuses[1] != LS_OK) {
        *error = errors[0];
        return statuses[0];
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (statuses[i] == LS_OK)
            continue;
        bisect->kind = LS_BISECT_FAILURE;
        bisect->texts[i] = ls_text_duplicate(errors[i].text);
    }
    return LS_OK;
}

/* Counts how much of the difference is known: a system, values, a store. */
static uint32_t rank_of(const ls_first_difference *difference)
{
    const ls_suspect *suspect = &difference->suspect;
    if (suspect->blame == LS_BLAME_NONE)
        return 0;
    return 1 + (suspect->system != NULL) + suspect->has_values + difference->has_store;
}

static bool is_enough(const ls_bisect *bisect)
{
    ls_blame blame = bisect->difference.suspect.blame;
    return bisect->has_difference &&
           (bisect->difference.has_store || blame == LS_BLAME_START || blame == LS_BLAME_PRESENT);
}

/* Runs the tick up to TRIES times and keeps the difference of the highest rank. One run is not
 * enough: a difference that depends on a counter or a clock does not show in every run. */
static ls_status blame(const ls_run_variant variants[2], const ls_frame *frame, ls_bisect *bisect,
                       ls_error *error)
{
    for (uint32_t i = 0; i < TRIES && !is_enough(bisect); i++) {
        ls_first_difference found;
        ls_status status =
            ls_first_difference_find(&variants[0], &variants[1], frame, &found, error);
        if (status != LS_OK)
            return status;
        bool is_better = !bisect->has_difference || rank_of(&found) > rank_of(&bisect->difference);
        if (is_better && bisect->has_difference)
            ls_first_difference_reset(&bisect->difference);
        if (is_better)
            bisect->difference = found;
        else
            ls_first_difference_reset(&found);
        bisect->has_difference = true;
    }
    return LS_OK;
}

static ls_status blame_pair(struct pair *pair, const ls_frame *frame, ls_bisect *bisect,
                            ls_error *error)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (pair->before[i])
            ls_world_restore(pair->runs[i].world, pair->before[i]);
        snprintf(bisect->variants[i], sizeof bisect->variants[i], "as ever");
    }
    drop_snapshots(pair);
    begin_search(pair);
    bisect->variant_count = 1;
    const ls_run_variant variants[2] = {{.world = pair->runs[0].world},
                                        {.world = pair->runs[1].world}};
    return blame(variants, frame, bisect, error);
}

/* Blames the start: the states already differ before the first tick. The tick does not matter, so
 * its frame is empty. */
static ls_status blame_start(struct pair *pair, ls_bisect *bisect, ls_error *error)
{
    const ls_frame frame = {.tick = ls_world_tick(pair->runs[0].world)};
    bisect->kind = LS_BISECT_START;
    bisect->tick = frame.tick;
    return blame_pair(pair, &frame, bisect, error);
}

static ls_status run_builds(ls_recording *recording, struct pair *pair, ls_bisect *bisect,
                            ls_error *error)
{
    if (take_roots(pair, bisect))
        return blame_start(pair, bisect, error);
    for (;;) {
        const ls_recording_tick *tick;
        ls_status status = ls_recording_next(recording, &tick, error);
        if (status != LS_OK || !tick)
            return status;
        bisect->tick = tick->frame.tick;
        status = advance(pair, &tick->frame, bisect, error);
        if (status != LS_OK || bisect->kind == LS_BISECT_FAILURE)
            return status;
        if (take_roots(pair, bisect)) {
            bisect->kind = LS_BISECT_STATE;
            return blame_pair(pair, &tick->frame, bisect, error);
        }
        bisect->ticks++;
    }
}

/* Creates both worlds in the state with which the recording begins: a keyframe in its middle would
 * hide an earlier difference between the builds. If the recording begins in the middle of a match,
 * its first state is from the build that recorded it. */
static ls_status make_equal_worlds(struct pair *pair, ls_error *error)
{
    ls_match_run *a = &pair->runs[0], *b = &pair->runs[1];
    ls_status status = ls_match_run_to(a, a->from, error);
    if (status != LS_OK)
        return status;
    return a->from == 0 ? ls_match_run_to(b, b->from, error)
                        : ls_start_state_copy(a->world, b->program, &b->world, error);
}

ls_status ls_bisect_builds(ls_recording *recording, const ls_program *const programs[2],
                           const ls_run_watch *watch, ls_bisect *bisect, ls_error *error)
{
    ls_recording *const recordings[2] = {recording, recording};
    struct pair pair = pair_of(recordings, programs, watch);
    *bisect = (ls_bisect){0};
    for (uint32_t i = 0; i < 2; i++) {
        pair.runs[i].is_replay = true;
        pair.runs[i].from = ls_recording_get_header(recording)->first_tick;
    }
    ls_status status = ls_cell_search_check(programs[0], programs[1], error);
    if (status == LS_OK)
        status = make_equal_worlds(&pair, error);
    if (status == LS_OK)
        status = run_builds(recording, &pair, bisect, error);
    reset(&pair);
    if (status != LS_OK)
        ls_bisect_reset(bisect);
    return status;
}

/* Gives the variants in which the tick may have been run, the plain serial one first. False after
 * the last. */
static bool variant_at(ls_world *world, uint32_t index, ls_run_variant *variant, char *name,
                       size_t name_bytes)
{
    static const uint8_t fills[FILLS] = {0x11, 0xee};
    *variant = (ls_run_variant){.world = world};
    if (index == 0) {
        snprintf(name, name_bytes, "as ever");
    } else if (index <= FILLS) {
        variant->stack_fill = fills[index - 1];
        snprintf(name, name_bytes, "with noise %02x in unused stack", variant->stack_fill);
    } else {
        variant->shuffle_seed = index - FILLS;
        snprintf(name, name_bytes, "in the legal order %" PRIu64, variant->shuffle_seed);
    }
    return index <= FILLS + SHUFFLES;
}

static ls_status try_variant(const ls_run_variant *variant, const ls_frame *frame, uint64_t *root,
                             ls_error *error)
{
    ls_variant_runner runner;
    ls_status status = ls_run_variant_begin(variant, &runner, error);
    if (status != LS_OK)
        return status;
    status = ls_run_variant_run(&runner, frame, NULL, error);
    *root = ls_world_root(variant->world);
    ls_run_variant_end(&runner);
    return status;
}

static ls_status find_variant(const struct pair *pair, const ls_frame *frame, uint32_t side,
                              ls_bisect *bisect, ls_run_variant *found, ls_error *error)
{
    ls_world *world = pair->runs[side].world;
    char *name = bisect->variants[side];
    uint32_t index = 0;
    for (; variant_at(world, index, found, name, sizeof bisect->variants[side]); index++) {
        uint64_t root;
        report_tick(pair, side, frame->tick);
        ls_status status = try_variant(found, frame, &root, error);
        if (status != LS_OK)
            return status;
        if (root == bisect->roots[side])
            break;
    }
    if (index > FILLS + SHUFFLES)
        name[0] = 0;
    else
        index++;
    if (index > bisect->variant_count)
        bisect->variant_count = index;
    return LS_OK;
}

/* Finds the variant that reproduces each side's recorded root, and compares the two runs. Both
 * worlds are in the state before the tick. A side without such a variant runs plainly: a clock, a
 * counter or the other build may still show the difference. */
static ls_status blame_variants(struct pair *pair, const ls_frame *frame, ls_bisect *bisect,
                                ls_error *error)
{
    ls_run_variant variants[2];
    for (uint32_t i = 0; i < 2; i++) {
        ls_status status = find_variant(pair, frame, i, bisect, &variants[i], error);
        if (status != LS_OK)
            return status;
        if (bisect->variants[i][0])
            continue;
        variants[i] = (ls_run_variant){.world = pair->runs[i].world};
        bisect->is_guess = true;
    }
    begin_search(pair);
    ls_status status = blame(variants, frame, bisect, error);
    if (status != LS_OK || !bisect->is_guess || bisect->difference.suspect.blame != LS_BLAME_NONE)
        return status;
    ls_first_difference_reset(&bisect->difference);
    bisect->has_difference = bisect->is_guess = false;
    return LS_OK;
}

/* Copies the state of the side that reached the recorded root before the tick to the side that did
 * not. A build whose results depend on static variables may not reach that state a second time. */
static ls_status make_states_equal(struct pair *pair, const bool is_right[2], ls_error *error)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (is_right[i])
            continue;
        const ls_program *program = ls_world_program(pair->runs[i].world);
        ls_world_destroy(pair->runs[i].world);
        ls_status status =
            ls_start_state_copy(pair->runs[1 - i].world, program, &pair->runs[i].world, error);
        if (status != LS_OK)
            return status;
    }
    return LS_OK;
}

/* Runs both sides up to the tick. They may share one recording, so the frame is read through side
 * 1, which ran last. */
static ls_status run_to(struct pair *pair, uint64_t tick, const ls_frame **frame, ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; status == LS_OK && i < 2; i++)
        status = ls_match_run_to(&pair->runs[i], tick, error);
    return status == LS_OK && frame ? ls_match_run_frame(&pair->runs[1], frame, error) : status;
}

static ls_status refuse_unrepeatable(const struct pair *pair, uint64_t tick, ls_error *error)
{
    if (pair->runs[1].is_replay)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "replayed once more, the match differs even earlier: "
                            "something that is no part of the state decides; `lockstep explain` "
                            "looks for it");
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "replayed here, the match has another state before tick %" PRIu64
                        " already; `lockstep verify` says since when",
                        tick);
}

static ls_status blame_tick(const ls_recording_divergence *divergence, struct pair *pair,
                            ls_bisect *bisect, ls_error *error)
{
    const ls_frame *frame;
    uint64_t root;
    bool is_right[2] = {false, false};
    if (!ls_recording_find_root(pair->runs[0].recording, divergence->tick, &root) &&
        !ls_recording_find_root(pair->runs[1].recording, divergence->tick, &root))
        return ls_error_set(error, LS_ERROR_USAGE, "there is no recorded root of tick %" PRIu64,
                            divergence->tick);
    ls_status status = run_to(pair, divergence->tick, &frame, error);
    for (uint32_t i = 0; status == LS_OK && i < 2; i++)
        is_right[i] = ls_world_root(pair->runs[i].world) == root;
    if (status == LS_OK && !is_right[0] && !is_right[1])
        status = refuse_unrepeatable(pair, divergence->tick, error);
    if (status == LS_OK)
        status = make_states_equal(pair, is_right, error);
    return status == LS_OK ? blame_variants(pair, frame, bisect, error) : status;
}

static ls_status blame_setup(const ls_recording_divergence *divergence, struct pair *pair,
                             ls_bisect *bisect, ls_error *error)
{
    ls_status status = run_to(pair, divergence->tick, NULL, error);
    for (uint32_t i = 0; status == LS_OK && i < 2; i++) {
        if (ls_world_root(pair->runs[i].world) != divergence->roots[i])
            return LS_OK;
    }
    return status == LS_OK ? blame_start(pair, bisect, error) : status;
}

static void adopt(ls_recording_divergence *divergence, uint64_t first, ls_bisect *bisect)
{
    static const ls_bisect_kind kinds[] = {LS_BISECT_SAME, LS_BISECT_INPUTS, LS_BISECT_START,
                                           LS_BISECT_STATE};
    bisect->kind = kinds[divergence->kind];
    bisect->tick = divergence->tick;
    bisect->ticks = divergence->tick - first;
    if (divergence->kind == LS_RECORDING_DIVERGENCE_NONE)
        bisect->ticks = divergence->ticks[0] < divergence->ticks[1] ? divergence->ticks[0]
                                                                    : divergence->ticks[1];
    bisect->has_roots = divergence->kind == LS_RECORDING_DIVERGENCE_START ||
                        divergence->kind == LS_RECORDING_DIVERGENCE_STATE;
    for (uint32_t i = 0; i < 2; i++) {
        bisect->roots[i] = divergence->roots[i];
        bisect->texts[i] = divergence->inputs[i];
        divergence->inputs[i] = NULL;
    }
}

static ls_status damage_of(const ls_recording_divergence *divergence, ls_error *error)
{
    uint32_t side = divergence->ends[0] != LS_OK ? 0 : 1;
    if (divergence->kind != LS_RECORDING_DIVERGENCE_NONE || divergence->ends[side] == LS_OK)
        return LS_OK;
    *error = divergence->end_text[side];
    return divergence->ends[side];
}

/* Finds the store that made the difference between the replay and the recorded state. The state
 * must be the one right after the tick, because later ticks store too. */
static void blame_recorded(struct pair *pair, uint64_t tick, ls_bisect *bisect)
{
    const ls_frame *frame;
    ls_first_difference found;
    ls_world *recorded = ls_match_run_state(&pair->runs[0], tick + 1);
    ls_match_run *replay = &pair->runs[1];
    if (!recorded || ls_match_run_to(replay, tick, NULL) != LS_OK ||
        ls_match_run_frame(replay, &frame, NULL) != LS_OK)
        return;
    const ls_run_variant variant = {.world = replay->world};
    if (ls_first_difference_find_state(&variant, frame, recorded, &found, NULL) != LS_OK)
        return;
    if (bisect->has_difference)
        ls_first_difference_reset(&bisect->difference);
    bisect->difference = found;
    bisect->has_difference = true;
    bisect->is_guess = false;
}

/* Blames the tick or the start that made the difference. If running it fails, `trouble` has the
 * error, and the states in the files are compared all the same. */
static void blame_divergence(const ls_recording_divergence *divergence, struct pair *pair,
                             ls_bisect *bisect)
{
    ls_error trouble;
    bool is_start = divergence->kind == LS_RECORDING_DIVERGENCE_START;
    uint64_t after = divergence->tick + !is_start;
    ls_divergence *files = &bisect->recorded_diff;
    ls_status status = LS_OK;
    if (!is_start)
        status = blame_tick(divergence, pair, bisect, &trouble);
    else if (!pair->runs[1].is_replay)
        status = blame_setup(divergence, pair, bisect, &trouble);
    if (status != LS_OK)
        bisect->trouble = trouble;
    bool is_known = bisect->has_difference && bisect->difference.suspect.blame != LS_BLAME_NONE &&
                    !bisect->is_guess;
    if (is_known)
        return;
    ls_recorded_diff_find(pair->runs, after, files);
    bisect->has_recorded_diff = true;
    if (pair->runs[1].is_replay && !is_start && files->found[0] && files->seen_tick == after)
        blame_recorded(pair, divergence->tick, bisect);
}

ls_status ls_bisect_recordings(ls_recording *const recordings[2],
                               const ls_program *const programs[2], const ls_run_watch *watch,
                               ls_bisect *bisect, ls_error *error)
{
    struct pair pair = pair_of(recordings, programs, watch);
    ls_recording_divergence divergence = {0};
    *bisect = (ls_bisect){0};
    ls_status status = ls_cell_search_check(programs[0], programs[1], error);
    if (status == LS_OK)
        status = ls_recording_divergence_find(recordings, &divergence, error);
    if (status == LS_OK)
        status = damage_of(&divergence, error);
    if (status == LS_OK) {
        adopt(&divergence, ls_recording_get_header(recordings[0])->first_tick, bisect);
        if (divergence.kind == LS_RECORDING_DIVERGENCE_START ||
            divergence.kind == LS_RECORDING_DIVERGENCE_STATE)
            blame_divergence(&divergence, &pair, bisect);
    }
    reset(&pair);
    ls_recording_divergence_reset(&divergence);
    if (status != LS_OK)
        ls_bisect_reset(bisect);
    return status;
}

void ls_bisect_replay(ls_recording *recording, const ls_program *program,
                      const ls_root_difference *difference, ls_bisect *bisect)
{
    ls_recording *const recordings[2] = {recording, recording};
    const ls_program *const programs[2] = {program, program};
    uint64_t first = ls_recording_get_header(recording)->first_tick;
    bool is_start = difference->tick == first;
    struct pair pair = pair_of(recordings, programs, NULL);
    ls_recording_divergence divergence = {.kind = is_start ? LS_RECORDING_DIVERGENCE_START
                                                           : LS_RECORDING_DIVERGENCE_STATE,
                                          .tick = difference->tick - !is_start,
                                          .roots = {difference->expected, difference->found}};
    *bisect = (ls_bisect){0};
    adopt(&divergence, first, bisect);
    pair.runs[1].is_replay = true;
    pair.runs[1].from = divergence.tick;
    blame_divergence(&divergence, &pair, bisect);
    reset(&pair);
}

void ls_bisect_reset(ls_bisect *bisect)
{
    for (uint32_t i = 0; i < 2; i++)
        ls_free(bisect->texts[i]);
    if (bisect->has_difference)
        ls_first_difference_reset(&bisect->difference);
    *bisect = (ls_bisect){0};
}
