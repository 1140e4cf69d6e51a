/* Prediction with a simulated server: a predicted state equals the confirmed state plus the
 * predicted frames. Only a wrong prediction causes a rollback. */
#include "client/input_prediction.h"
#include "echo_sim.h"
#include "tests/unit/core/harness.h"
#include <lockstep/events.h>
#include <lockstep/prediction.h>

enum { OWN = 1, TICKS_MAX = 10, ORDERS = 4096 };

static harness fixture;

static int begin(void **state)
{
    harness_begin(&fixture, &echo_sim, 5);
    *state = &fixture;
    return 0;
}

static ls_prediction *make(const harness *self)
{
    return ls_prediction_create(
        &(ls_prediction_config){.confirmed = self->world, .ticks_max = TICKS_MAX, .player = OWN});
}

/* The match as the server closes it: every player holds a state; orders are rare. */
typedef struct match {
    uint64_t random;
    uint32_t change_percent; /* how often the others move their sticks in a tick */
    uint32_t late_percent;   /* how often the own inputs are late */
    uint8_t held[ECHO_PLAYERS][ECHO_STATE_BYTES];
    uint8_t own[512][ECHO_STATE_BYTES]; /* by tick */
    bool has_own[512];
    uint8_t orders[ORDERS];
    uint64_t wished[ORDERS];
    uint32_t order_count, landed;
    uint8_t others;
    ls_input inputs[16];
} match;

static bool chance(match *self, uint32_t percent)
{
    return test_below(&self->random, 100) < percent;
}

static ls_frame close_tick(match *self, uint64_t tick)
{
    uint32_t count = 0;
    for (uint8_t player = 0; player < ECHO_PLAYERS; player++) {
        uint8_t *held = self->held[player];
        bool is_missing = player == OWN && !self->has_own[tick];
        if (player == OWN && !is_missing)
            memcpy(held, self->own[tick], ECHO_STATE_BYTES);
        if (player != OWN && chance(self, self->change_percent))
            held[0]++;
        self->inputs[count++] =
            (ls_input){player, is_missing ? LS_SUBSTITUTE : LS_STATE, ECHO_STATE_BYTES, held};
        while (player == OWN && count < 8 && self->landed < self->order_count &&
               self->wished[self->landed] <= tick && !chance(self, self->late_percent))
            self->inputs[count++] = (ls_input){player, LS_INPUT, 1, &self->orders[self->landed++]};
        if (player == 2 && chance(self, self->change_percent))
            self->inputs[count++] = (ls_input){player, LS_INPUT, 1, &self->others};
    }
    return (ls_frame){.tick = tick, .count = count, .inputs = self->inputs};
}

static void confirm_tick(match *self, ls_world *world, ls_prediction *prediction)
{
    ls_frame frame = close_tick(self, ls_world_tick(world));
    assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    ls_prediction_confirm(prediction, &frame);
}

static void give_state(match *self, ls_prediction *prediction, uint64_t tick)
{
    uint8_t *own = self->own[tick];
    own[0] = (uint8_t)(tick / 3);
    const ls_input input = {OWN, LS_STATE, ECHO_STATE_BYTES, own};
    assert_ok(ls_prediction_input(prediction, tick, &input, NULL));
    self->has_own[tick] = !chance(self, self->late_percent);
}

static void give_order(match *self, ls_prediction *prediction, uint64_t tick)
{
    uint32_t at = self->order_count++;
    self->orders[at] = (uint8_t)(at % 200);
    self->wished[at] = at && self->wished[at - 1] > tick ? self->wished[at - 1] : tick;
    const ls_input input = {OWN, LS_INPUT, 1, &self->orders[at]};
    assert_ok(ls_prediction_input(prediction, tick, &input, NULL));
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_prediction_that_is_right_needs_no_rollback)
{
    const harness *self = *state;
    static match server;
    server.random = harness_seed("test_prediction_that_is_right_needs_no_rollback");
    ls_prediction *prediction = make(self);
    for (uint64_t tick = 0; tick < 200; tick++) {
        give_state(&server, prediction, tick);
        if (tick % 7 == 0)
            give_order(&server, prediction, tick);
        assert_ok(ls_prediction_update(prediction, tick + 1, NULL));
        if (tick >= 5)
            confirm_tick(&server, self->world, prediction);
    }
    ls_prediction_stats stats = ls_prediction_get_stats(prediction);
    /* Before the first frame the inputs of other players are unknown. */
    assert_int_equal(stats.rollbacks, 1);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.depth_max, 6);
    assert_int_equal(stats.hits, 195 - 1);
    assert_int_equal(stats.ticks, 200 + 5);
    /* The predicted state equals the confirmed one in every byte. */
    echo_sum predicted =
        *(const echo_sum *)ls_world_singleton(ls_prediction_world(prediction), &echo_sums);
    while (ls_world_tick(self->world) < 200)
        confirm_tick(&server, self->world, prediction);
    assert_memory_equal(&predicted, ls_world_singleton(self->world, &echo_sums), sizeof predicted);
    assert_true(predicted.orders == 29 && predicted.value != 0);
    ls_prediction_destroy(prediction);
}

/* Events that were reported and not cancelled must be those of the confirmed match. */
typedef struct listener {
    ls_events *events;
    uint64_t live;
} listener;

static void on_tick(void *context, const ls_world *predicted)
{
    listener *self = context;
    ls_events_predict(self->events, predicted);
}

static void listen(listener *self)
{
    ls_event_update update;
    while (ls_events_poll(self->events, &update)) {
        self->live += update.kind == LS_EVENT_HAPPENED;
        self->live -= update.kind == LS_EVENT_CANCELLED;
    }
}

static uint64_t count_events(const ls_world *world)
{
    static const ls_component *const kinds[] = {&echo_shouts, &echo_beeps};
    uint64_t count = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(kinds); i++) {
        ls_event_walk walk;
        ls_world_event_begin(world, kinds[i], &walk);
        while (ls_event_next(&walk))
            count++;
    }
    return count;
}

/* Recomputes the prediction from newly built frames, so earlier rollbacks cannot affect it. */
static void check_against_model(const harness *self, const ls_input_prediction *known,
                                const ls_prediction *prediction)
{
    static ls_input_prediction rewound;
    const ls_world *predicted = ls_prediction_world(prediction);
    ls_world *model = harness_world(self);
    size_t count;
    uint8_t *bytes = harness_bytes(self->world, &count);
    assert_ok(ls_world_decode(model, bytes, count, NULL));
    ls_free(bytes);
    rewound = *known;
    ls_input_prediction_rewind(&rewound);
    echo_sum before = {0};
    while (ls_world_tick(model) < ls_world_tick(predicted)) {
        ls_frame frame = ls_input_prediction_frame(&rewound, ls_world_tick(model));
        before = *(const echo_sum *)ls_world_singleton(model, &echo_sums);
        assert_ok(ls_world_advance(model, &frame, NULL, NULL));
    }
    const ls_world *previous = ls_prediction_previous(prediction);
    if (ls_world_tick(predicted) > ls_world_tick(self->world)) {
        assert_int_equal(ls_world_tick(previous) + 1, ls_world_tick(predicted));
        assert_memory_equal(&before, ls_world_singleton(previous, &echo_sums), sizeof before);
    }
    const echo_sum *sum = ls_world_singleton(predicted, &echo_sums);
    assert_memory_equal(sum, ls_world_singleton(model, &echo_sums), sizeof *sum);
    assert_int_equal(ls_world_tick(predicted), ls_world_tick(model));
    ls_world_destroy(model);
}

TEST(test_prediction_equals_the_model)
{
    const harness *self = *state;
    static match server;
    static ls_input_prediction known;
    server = (match){.change_percent = 10, .late_percent = 15};
    server.random = harness_seed("test_prediction_equals_the_model");
    listener audience = {.events = ls_events_create(self->program, 0)};
    ls_prediction *prediction =
        ls_prediction_create(&(ls_prediction_config){.confirmed = self->world,
                                                     .ticks_max = TICKS_MAX,
                                                     .player = OWN,
                                                     .keeps_previous = true,
                                                     .on_tick = on_tick,
                                                     .context = &audience});
    ls_input_prediction_init(&known, 0, ECHO_PLAYERS, OWN);
    uint64_t given = 0, wanted = 0;
    while (ls_world_tick(self->world) < 400) {
        uint64_t confirmed = ls_world_tick(self->world), from;
        uint64_t target = confirmed + test_below(&server.random, TICKS_MAX + 4);
        for (; given < target && given < 500; given++) {
            if (given < confirmed)
                continue; /* too late for this tick */
            give_state(&server, prediction, given);
            const ls_input own = {OWN, LS_STATE, ECHO_STATE_BYTES, server.own[given]};
            assert_ok(ls_input_prediction_input(&known, given, &own, &from));
        }
        if (chance(&server, 30)) {
            give_order(&server, prediction, target);
            const ls_input own = {OWN, LS_INPUT, 1, &server.orders[server.order_count - 1]};
            assert_ok(ls_input_prediction_input(&known, target, &own, &from));
        }
        uint64_t reached = ls_world_tick(ls_prediction_world(prediction));
        assert_ok(ls_prediction_update(prediction, target, NULL));
        uint64_t now = ls_world_tick(ls_prediction_world(prediction));
        assert_true(now >= confirmed && now <= confirmed + TICKS_MAX);
        assert_true(now >= reached || now == confirmed + TICKS_MAX);
        check_against_model(self, &known, prediction);
        for (uint32_t i = test_below(&server.random, 4); i > 0; i--) {
            ls_frame frame = close_tick(&server, ls_world_tick(self->world));
            assert_ok(ls_world_advance(self->world, &frame, NULL, NULL));
            wanted += count_events(self->world);
            ls_events_confirm(audience.events, self->world);
            ls_prediction_confirm(prediction, &frame);
            ls_input_prediction_confirm(&known, &frame);
        }
        listen(&audience);
    }
    ls_prediction_stats stats = ls_prediction_get_stats(prediction);
    assert_true(stats.rollbacks > 20 && stats.hits > 20 && stats.depth_max <= TICKS_MAX + 4);
    ls_events_restart(audience.events, 100000);
    listen(&audience);
    assert_int_equal(audience.live, wanted);
    ls_events_destroy(audience.events);
    ls_prediction_destroy(prediction);
}

TEST(test_prediction_takes_a_late_own_input_in)
{
    const harness *self = *state;
    static match server;
    server = (match){.random = 1};
    ls_prediction *prediction = make(self);
    assert_ok(ls_prediction_update(prediction, 6, NULL));
    give_order(&server, prediction, 2);
    const echo_sum *sum = ls_world_singleton(ls_prediction_world(prediction), &echo_sums);
    assert_int_equal(sum->orders, 0);
    assert_ok(ls_prediction_update(prediction, 6, NULL));
    sum = ls_world_singleton(ls_prediction_world(prediction), &echo_sums);
    assert_int_equal(sum->orders, 1);
    assert_int_equal(ls_prediction_get_stats(prediction).rollbacks, 1);
    assert_int_equal(ls_prediction_get_stats(prediction).rollback_ticks, 4);
    ls_prediction_destroy(prediction);
}

TEST(test_prediction_refuses_invalid_inputs)
{
    const harness *self = *state;
    ls_prediction *prediction = make(self);
    const uint8_t bad[3] = {255};
    ls_error error = {""};
    const ls_input inputs[] = {{OWN, LS_INPUT, 1, bad}, {OWN, LS_STATE, 3, bad}, {OWN, LS_JOIN}};
    for (uint32_t i = 0; i < LS_COUNT_OF(inputs); i++)
        assert_int_equal(ls_prediction_input(prediction, 1, &inputs[i], &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "does not take"));
    assert_ok(ls_prediction_update(prediction, 3, NULL));
    ls_prediction_destroy(prediction);
}

TEST(test_prediction_of_no_ticks_is_the_confirmed_world)
{
    const harness *self = *state;
    static match server;
    server = (match){.random = 1};
    ls_prediction *prediction = ls_prediction_create(
        &(ls_prediction_config){.confirmed = self->world, .ticks_max = 0, .player = OWN});
    give_state(&server, prediction, 1);
    confirm_tick(&server, self->world, prediction);
    assert_ok(ls_prediction_update(prediction, 9, NULL));
    assert_ptr_equal(ls_prediction_world(prediction), self->world);
    ls_prediction_destroy(prediction);
    ls_prediction_destroy(NULL);
}

TEST(test_prediction_stops_while_the_match_does)
{
    const harness *self = *state;
    ls_prediction *prediction = make(self);
    assert_ok(ls_prediction_update(prediction, 5, NULL));
    const ls_input pause = {ECHO_PLAYERS, LS_PAUSE}, resume = {ECHO_PLAYERS, LS_RESUME};
    const ls_frame stop = {.tick = 0, .count = 1, .inputs = &pause},
                   go = {.tick = 1, .count = 1, .inputs = &resume};
    assert_ok(ls_world_advance(self->world, &stop, NULL, NULL));
    ls_prediction_confirm(prediction, &stop);
    assert_ok(ls_prediction_update(prediction, 6, NULL));
    assert_int_equal(ls_world_tick(ls_prediction_world(prediction)), 1);
    assert_ok(ls_world_advance(self->world, &go, NULL, NULL));
    ls_prediction_confirm(prediction, &go);
    assert_ok(ls_prediction_update(prediction, 6, NULL));
    assert_int_equal(ls_world_tick(ls_prediction_world(prediction)), 6);
    ls_prediction_destroy(prediction);
}

TEST(test_prediction_begins_again_in_another_world)
{
    const harness *self = *state;
    static match server;
    server = (match){.random = 1};
    ls_prediction *prediction = make(self);
    give_state(&server, prediction, 3);
    give_order(&server, prediction, 4);
    assert_ok(ls_prediction_update(prediction, 8, NULL));
    ls_world *far = harness_world(self);
    for (uint32_t i = 0; i < 50; i++)
        harness_tick(far, NULL);
    size_t count;
    uint8_t *bytes = harness_bytes(far, &count);
    assert_ok(ls_world_decode(self->world, bytes, count, NULL));
    ls_prediction_restart(prediction, OWN);
    assert_ok(ls_prediction_update(prediction, 53, NULL));
    assert_int_equal(ls_world_tick(ls_prediction_world(prediction)), 53);
    const echo_sum *sum = ls_world_singleton(ls_prediction_world(prediction), &echo_sums);
    assert_int_equal(sum->orders, 0);
    assert_int_equal(ls_prediction_get_stats(prediction).rollbacks, 0);
    ls_free(bytes);
    ls_world_destroy(far);
    ls_prediction_destroy(prediction);
}
