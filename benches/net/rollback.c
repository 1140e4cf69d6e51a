/* Measures a rollback in a battle, after a wrong prediction that is noticed eight ticks later:
 * restore the confirmed state and run all ticks since. */
#include "benches/net/groups.h"

#include "sims/skirmish/skirmish.h"
#include <lockstep/prediction.h>

#include <stdio.h>

enum { UNITS = 2000, PLAYERS = 8, DEPTH = 8, WARM_TICKS = 600, ORDER_EACH = 10 };

typedef struct battle {
    ls_program *program;
    ls_world *world;
    uint8_t bytes[PLAYERS][LS_INPUT_BYTES_MAX];
    ls_input inputs[PLAYERS];
} battle;

/* Returns the next tick's frame: the JOINs of all players in tick 0; later the order of each bot
 * that gives one, and nothing when `is_quiet`. */
static ls_frame next_frame(battle *self, bool is_quiet)
{
    ls_frame frame = {.tick = ls_world_tick(self->world), .inputs = self->inputs};
    for (uint32_t i = 0; i < PLAYERS && !is_quiet; i++) {
        ls_input *input = &self->inputs[frame.count];
        *input = (ls_input){.player = (uint8_t)i, .kind = LS_JOIN};
        if (frame.tick > 0) {
            uint32_t bytes = ls_skirmish_sim.bot(self->world, i, self->bytes[i]);
            *input = (ls_input){.player = (uint8_t)i,
                                .kind = LS_INPUT,
                                .bytes = (uint16_t)bytes,
                                .data = self->bytes[i]};
            if (!bytes)
                continue;
        }
        frame.count++;
    }
    return frame;
}

static void advance(battle *self, const ls_frame *frame)
{
    ls_error error = {""};
    LS_ASSERT(ls_world_advance(self->world, frame, NULL, &error) == LS_OK);
}

static void start(battle *self)
{
    ls_error error = {""};
    LS_ASSERT(ls_program_create(&ls_skirmish_sim, &self->program, &error) == LS_OK);
    ls_match match = ls_program_match(self->program, 5);
    match.options[0] = UNITS;
    match.player_count = PLAYERS;
    LS_ASSERT(ls_world_create(self->program, &match, &self->world, &error) == LS_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) {
        ls_frame frame = next_frame(self, i % ORDER_EACH != 0);
        advance(self, &frame);
    }
}

/* Confirms a tick that differs from its prediction; returns the ms until the predicted state is
 * correct again. */
static double surprise(battle *self, ls_prediction *prediction)
{
    ls_error error = {""};
    ls_frame frame;
    do {
        frame = next_frame(self, false);
        if (!frame.count)
            frame = next_frame(self, true);
        advance(self, &frame);
        ls_prediction_confirm(prediction, &frame);
        uint64_t begun_ns = bench_now_ns();
        LS_ASSERT(ls_prediction_update(prediction, ls_world_tick(self->world) + DEPTH, &error) ==
                  LS_OK);
        if (frame.count)
            return (double)(bench_now_ns() - begun_ns) / 1e6;
    } while (true);
}

static void roll_back(const bench_options *options, const void *variant, bench_result *results)
{
    ls_error error = {""};
    battle self = {0};
    (void)variant;
    start(&self);
    ls_prediction_config config = {.confirmed = self.world, .ticks_max = DEPTH + 1, .player = 255};
    ls_prediction *prediction = ls_prediction_create(&config);
    double *figures = ls_alloc(options->runs * sizeof *figures);
    LS_ASSERT(ls_prediction_update(prediction, ls_world_tick(self.world) + DEPTH, &error) == LS_OK);
    for (uint32_t run = 0; run < options->runs; run++)
        figures[run] = surprise(&self, prediction);
    results[0].ours = bench_median(figures, options->runs);
    snprintf(results[0].note, sizeof results[0].note, "worst %.2f ms, %llu rollbacks, depth %u",
             figures[options->runs - 1],
             (unsigned long long)ls_prediction_get_stats(prediction).rollbacks,
             ls_prediction_get_stats(prediction).depth_max);
    ls_prediction_destroy(prediction);
    ls_world_destroy(self.world);
    ls_program_destroy(self.program);
    ls_free(figures);
}

const bench_group net_rollback = {
    .rows = {{"rollback of 8 ticks, 2000 units", "ms", BENCH_AT_MOST, 8, NULL}},
    .whole = roll_back,
};
