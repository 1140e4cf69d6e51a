#include "desync/bisect.h"

#include "core/state/image.h"
#include "desync/cell_search.h"
#include "desync/recorded_diff.h"
#include "desync/recording_divergence.h"
#include "desync/start_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHUFFLES = 24, FILLS = 2, TRIES = 16 };

struct pair {
    ls_world *worlds[2];
    ls_snapshot *before[2]; /* the states before the tick that ran last */
    const ls_bisect_watch *watch;
};

static void tell(const struct pair *pair, uint32_t side, uint64_t tick)
{
    if (pair->watch)
        pair->watch->tell(pair->watch->argument, side, tick);
}

static void hunt(const struct pair *pair)
{
    if (pair->watch)
        pair->watch->hunt(pair->watch->argument);
}

static char *copy_text(const char *text)
{
    ls_builder copy = {0};
    ls_builder_add(&copy, "%s", text);
    return copy.data;
}

static ls_status check(const ls_program *const programs[2], ls_error *error)
{
    if (ls_program_schema(programs[0]) != ls_program_schema(programs[1]) ||
        !ls_cell_search_lanes_agree(programs[0], programs[1]))
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "the two builds have other components or lanes, so their cells cannot "
                            "be compared");
    return LS_OK;
}

static void drop_snapshots(struct pair *pair)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (pair->before[i])
            ls_snapshot_destroy(pair->before[i]);
        pair->before[i] = NULL;
    }
}

/* Each side's own recording says where its world can begin. */
static ls_status make_worlds(ls_recording *const recordings[2], uint64_t tick,
                             const ls_program *const programs[2], struct pair *pair,
                             ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; status == LS_OK && i < 2; i++)
        status = ls_start_state_make(recordings[i], programs[i], tick, &pair->worlds[i], error);
    return status;
}

static void destroy_worlds(struct pair *pair)
{
    drop_snapshots(pair);
    for (uint32_t i = 0; i < 2; i++) {
        if (pair->worlds[i])
            ls_world_destroy(pair->worlds[i]);
    }
}

static bool take_roots(struct pair *pair, ls_bisect *bisect)
{
    for (uint32_t i = 0; i < 2; i++)
        bisect->roots[i] = ls_world_root(pair->worlds[i]);
    bisect->has_roots = bisect->roots[0] != bisect->roots[1];
    return bisect->has_roots;
}

/* A tick that both builds refuse is the recording's fault. */
static ls_status advance(struct pair *pair, const ls_frame *frame, ls_bisect *bisect,
                         ls_error *error)
{
    ls_error errors[2];
    ls_status statuses[2];
    drop_snapshots(pair);
    for (uint32_t i = 0; i < 2; i++) {
        pair->before[i] = ls_world_snapshot(pair->worlds[i]);
        /* A system that writes after the engine's back would change the snapshot too. */
        ls_pages_own(pair->worlds[i]);
        tell(pair, i, frame->tick);
        statuses[i] = ls_world_advance(pair->worlds[i], frame, NULL, &errors[i]);
    }
    if (statuses[0] != LS_OK && statuses[1] != LS_OK) {
        *error = errors[0];
        return statuses[0];
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (statuses[i] == LS_OK)
            continue;
        bisect->kind = LS_BISECT_FAILURE;
        bisect->texts[i] = copy_text(errors[i].text);
    }
    return LS_OK;
}

/* How much is known. */
static uint32_t rank_of(const ls_first_difference *difference)
{
    const ls_suspect *suspect = &difference->suspect;
    if (suspect->blame == LS_BLAME_NOBODY)
        return 0;
    return 1 + (suspect->system != NULL) + suspect->has_values + difference->has_store;
}

static bool is_enough(const ls_bisect *bisect)
{
    ls_blame blame = bisect->difference.suspect.blame;
    return bisect->has_difference &&
           (bisect->difference.has_store || blame == LS_BLAME_START || blame == LS_BLAME_PRESENT);
}

/* A difference that depends on a counter or a clock does not show in every run of the tick. So the
 * tick is run several times, and the run that names most is kept. */
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
            ls_world_restore(pair->worlds[i], pair->before[i]);
        snprintf(bisect->variants[i], sizeof bisect->variants[i], "as ever");
    }
    drop_snapshots(pair);
    hunt(pair);
    bisect->variant_count = 1;
    const ls_run_variant variants[2] = {{.world = pair->worlds[0]}, {.world = pair->worlds[1]}};
    return blame(variants, frame, bisect, error);
}

/* The states before the first tick differ: the tick itself is of no interest. */
static ls_status blame_start(struct pair *pair, ls_bisect *bisect, ls_error *error)
{
    const ls_frame frame = {.tick = ls_world_tick(pair->worlds[0])};
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

/* Both worlds begin where the recording begins: a keyframe in its middle would hide an earlier
 * difference between the builds. If the recording begins in the middle of a match, its first state
 * is from the build that recorded it. */
static ls_status make_equal_worlds(ls_recording *recording, const ls_program *const programs[2],
                                   struct pair *pair, ls_error *error)
{
    uint64_t first = ls_recording_get_header(recording)->first_tick;
    ls_status status = ls_start_state_make(recording, programs[0], first, &pair->worlds[0], error);
    if (status != LS_OK)
        return status;
    if (first == 0)
        return ls_start_state_make(recording, programs[1], first, &pair->worlds[1], error);
    return ls_start_state_copy(pair->worlds[0], programs[1], &pair->worlds[1], error);
}

ls_status ls_bisect_builds(ls_recording *recording, const ls_program *const programs[2],
                           const ls_bisect_watch *watch, ls_bisect *bisect, ls_error *error)
{
    struct pair pair = {.watch = watch};
    *bisect = (ls_bisect){0};
    ls_status status = check(programs, error);
    if (status == LS_OK)
        status = make_equal_worlds(recording, programs, &pair, error);
    if (status == LS_OK)
        status = run_builds(recording, &pair, bisect, error);
    destroy_worlds(&pair);
    if (status != LS_OK)
        ls_bisect_reset(bisect);
    return status;
}

/* Replays up to the tick and reads its frame, which lives as ls_recording_next() says. */
static ls_status run_to(ls_recording *recording, const struct pair *pair, uint32_t side,
                        uint64_t tick, const ls_recording_tick **at, ls_error *error)
{
    ls_world *world = pair->worlds[side];
    for (;;) {
        ls_status status = ls_recording_next(recording, at, error);
        if (status != LS_OK || !*at || (*at)->frame.tick == tick)
            return status;
        tell(pair, side, (*at)->frame.tick);
        status = ls_world_advance(world, &(*at)->frame, NULL, error);
        if (status != LS_OK)
            return status;
    }
}

/* The ways in which a tick may have been run, the usual one first; false after the last. */
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
    ls_world *world = pair->worlds[side];
    char *name = bisect->variants[side];
    uint32_t index = 0;
    for (; variant_at(world, index, found, name, sizeof bisect->variants[side]); index++) {
        uint64_t root;
        tell(pair, side, frame->tick);
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

/* Both worlds are in the same state, before the tick. A side whose recorded root no variant
 * reproduces is run in the usual way: a clock, a counter or the other build may show the difference
 * all the same. */
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
        variants[i] = (ls_run_variant){.world = pair->worlds[i]};
        bisect->is_guess = true;
    }
    hunt(pair);
    ls_status status = blame(variants, frame, bisect, error);
    if (status != LS_OK || !bisect->is_guess || bisect->difference.suspect.blame != LS_BLAME_NOBODY)
        return status;
    ls_first_difference_reset(&bisect->difference);
    bisect->has_difference = bisect->is_guess = false;
    return LS_OK;
}

/* A build whose static variables decide may not reach the state before the tick a second time. The
 * other side reached that state, so it is copied. */
static ls_status even_out(struct pair *pair, const bool is_right[2], ls_error *error)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (is_right[i])
            continue;
        const ls_program *program = ls_world_program(pair->worlds[i]);
        ls_world_destroy(pair->worlds[i]);
        ls_status status =
            ls_start_state_copy(pair->worlds[1 - i], program, &pair->worlds[i], error);
        if (status != LS_OK)
            return status;
    }
    return LS_OK;
}

/* Both sides may be one recording. */
static ls_status replay_both(ls_recording *const recordings[2], const ls_program *const programs[2],
                             const ls_recording_divergence *parting, struct pair *pair,
                             ls_bisect *bisect, ls_error *error)
{
    const ls_recording_tick *at = NULL;
    bool is_right[2] = {false, false};
    for (uint32_t i = 0; i < 2; i++) {
        ls_status status =
            ls_start_state_make(recordings[i], programs[i], parting->tick, &pair->worlds[i], error);
        if (status == LS_OK)
            status = run_to(recordings[i], pair, i, parting->tick, &at, error);
        if (status != LS_OK)
            return status;
        LS_ASSERT(at);
        is_right[i] = ls_world_root(pair->worlds[i]) == parting->root;
    }
    if (!is_right[0] && !is_right[1])
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "replayed here, the match has another state before tick %" PRIu64
                            " already; `lockstep verify` says since when",
                            parting->tick);
    ls_status status = even_out(pair, is_right, error);
    return status == LS_OK ? blame_variants(pair, &at->frame, bisect, error) : status;
}

static ls_status blame_setup(const ls_recording_divergence *parting, struct pair *pair,
                             ls_bisect *bisect, ls_error *error)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (ls_world_root(pair->worlds[i]) != parting->roots[i])
            return LS_OK;
    }
    return blame_start(pair, bisect, error);
}

static void adopt(ls_recording_divergence *parting, uint64_t first, ls_bisect *bisect)
{
    static const ls_bisect_kind kinds[] = {LS_BISECT_SAME, LS_BISECT_INPUTS, LS_BISECT_START,
                                           LS_BISECT_STATE};
    bisect->kind = kinds[parting->kind];
    bisect->tick = parting->tick;
    bisect->ticks = parting->tick - first;
    if (parting->kind == LS_RECORDING_DIVERGENCE_NONE)
        bisect->ticks =
            parting->ticks[0] < parting->ticks[1] ? parting->ticks[0] : parting->ticks[1];
    bisect->has_roots = parting->kind == LS_RECORDING_DIVERGENCE_START ||
                        parting->kind == LS_RECORDING_DIVERGENCE_STATE;
    for (uint32_t i = 0; i < 2; i++) {
        bisect->roots[i] = parting->roots[i];
        bisect->texts[i] = parting->inputs[i];
        parting->inputs[i] = NULL;
    }
}

static ls_status damage_of(const ls_recording_divergence *parting, ls_error *error)
{
    uint32_t side = parting->ends[0] != LS_OK ? 0 : 1;
    if (parting->kind != LS_RECORDING_DIVERGENCE_NONE || parting->ends[side] == LS_OK)
        return LS_OK;
    *error = parting->end_text[side];
    return parting->ends[side];
}

/* How the tick is run here is no reason to keep back what the files say. */
static void blame_parting(ls_recording *const recordings[2], const ls_program *const programs[2],
                          const ls_recording_divergence *parting, struct pair *pair,
                          ls_bisect *bisect)
{
    ls_status status = LS_OK;
    ls_error trouble;
    uint64_t after = parting->tick + (parting->kind == LS_RECORDING_DIVERGENCE_STATE);
    if (parting->kind == LS_RECORDING_DIVERGENCE_START)
        status = make_worlds(recordings, parting->tick, programs, pair, &trouble);
    if (status == LS_OK && parting->kind == LS_RECORDING_DIVERGENCE_START)
        status = blame_setup(parting, pair, bisect, &trouble);
    else if (parting->kind == LS_RECORDING_DIVERGENCE_STATE)
        status = replay_both(recordings, programs, parting, pair, bisect, &trouble);
    if (status != LS_OK)
        bisect->trouble = trouble;
    bool is_known = bisect->has_difference && bisect->difference.suspect.blame != LS_BLAME_NOBODY &&
                    !bisect->is_guess;
    if (is_known)
        return;
    ls_recorded_diff_find(recordings, programs, after, &bisect->recorded_diff);
    bisect->has_recorded_diff = true;
}

ls_status ls_bisect_recordings(ls_recording *const recordings[2],
                               const ls_program *const programs[2], const ls_bisect_watch *watch,
                               ls_bisect *bisect, ls_error *error)
{
    struct pair pair = {.watch = watch};
    ls_recording_divergence parting = {0};
    *bisect = (ls_bisect){0};
    ls_status status = check(programs, error);
    if (status == LS_OK)
        status = ls_recording_divergence_find(recordings, &parting, error);
    if (status == LS_OK)
        status = damage_of(&parting, error);
    if (status == LS_OK) {
        adopt(&parting, ls_recording_get_header(recordings[0])->first_tick, bisect);
        if (parting.kind == LS_RECORDING_DIVERGENCE_START ||
            parting.kind == LS_RECORDING_DIVERGENCE_STATE)
            blame_parting(recordings, programs, &parting, &pair, bisect);
    }
    destroy_worlds(&pair);
    ls_recording_divergence_reset(&parting);
    if (status != LS_OK)
        ls_bisect_reset(bisect);
    return status;
}

ls_status ls_bisect_replay(ls_recording *recording, const ls_program *program,
                           const ls_root_difference *difference, ls_bisect *bisect, ls_error *error)
{
    ls_recording *const recordings[2] = {recording, recording};
    const ls_program *const programs[2] = {program, program};
    uint64_t first = ls_recording_get_header(recording)->first_tick;
    struct pair pair = {0};
    ls_recording_divergence parting = {.kind = LS_RECORDING_DIVERGENCE_STATE,
                                       .tick = difference->tick - 1,
                                       .roots = {difference->expected, difference->found}};
    LS_ASSERT(difference->tick > first);
    *bisect = (ls_bisect){0};
    adopt(&parting, first, bisect);
    ls_status status = LS_OK;
    if (!ls_recording_find_root(recording, parting.tick, &parting.root))
        status = ls_error_set(error, LS_ERROR_USAGE, "the recording has no root of tick %" PRIu64,
                              parting.tick);
    if (status == LS_OK)
        status = replay_both(recordings, programs, &parting, &pair, bisect, error);
    destroy_worlds(&pair);
    if (status != LS_OK)
        ls_bisect_reset(bisect);
    return status;
}

void ls_bisect_reset(ls_bisect *bisect)
{
    for (uint32_t i = 0; i < 2; i++)
        ls_free(bisect->texts[i]);
    if (bisect->has_difference)
        ls_first_difference_reset(&bisect->difference);
    *bisect = (ls_bisect){0};
}
