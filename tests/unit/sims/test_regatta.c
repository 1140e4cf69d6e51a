#include "sims/regatta/regatta.h"
#include "tests/support/test.h"
#include <lockstep/lockstep.h>

typedef struct lake {
    ls_program *program;
    ls_world *world;
    uint64_t tick;
} lake;

static lake begin(uint32_t players)
{
    lake self = {0};
    ls_error error;
    assert_ok(ls_program_create(&ls_regatta_sim, &self.program, &error));
    ls_match match = ls_program_match(self.program, 1);
    match.player_count = players;
    assert_ok(ls_world_create(self.program, &match, &self.world, &error));
    return self;
}

static void end(lake *self)
{
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
}

/* One tick in which player 0 has this input; LS_INPUT: none. */
static void pass(lake *self, ls_input_kind kind, int8_t rudder, int8_t throttle)
{
    const uint8_t held[REGATTA_STATE_BYTES] = {(uint8_t)rudder, (uint8_t)throttle};
    const ls_input input = {
        .kind = (uint8_t)kind, .bytes = kind == LS_LEAVE ? 0 : sizeof held, .data = held};
    const ls_frame frame = {.tick = self->tick++, .count = kind != LS_INPUT, .inputs = &input};
    assert_ok(ls_world_advance(self->world, &frame, NULL, NULL));
}

static char *print(const lake *self)
{
    return ls_world_print(self->world);
}

/* A boat moves by what is held, as long as something is. */
TEST(test_regatta_a_boat_sails_while_its_throttle_is_held)
{
    lake self = begin(1);
    pass(&self, LS_INPUT, 0, 0);
    uint64_t resting = ls_world_root(self.world);
    char *before = print(&self);
    pass(&self, LS_STATE, 0, 100);
    char *after = print(&self);
    assert_string_not_equal(before, after);
    assert_true(ls_world_root(self.world) != resting);
    ls_free(before);
    ls_free(after);
    end(&self);
}

/* A missing state repeats, so a substitute leads to the same world as a state. */
TEST(test_regatta_a_substitute_counts_like_a_state)
{
    lake one = begin(2), other = begin(2);
    for (uint32_t i = 0; i < 50; i++) {
        pass(&one, LS_STATE, 30, 100);
        pass(&other, i % 3 ? LS_SUBSTITUTE : LS_STATE, 30, 100);
    }
    assert_true(ls_world_root(one.world) == ls_world_root(other.world));
    end(&one);
    end(&other);
}

/* A boat without a player drifts and rests. */
TEST(test_regatta_a_boat_rests_after_its_player_left)
{
    lake self = begin(1);
    for (uint32_t i = 0; i < 30; i++)
        pass(&self, LS_STATE, 0, 100);
    pass(&self, LS_LEAVE, 0, 0);
    for (uint32_t i = 0; i < 600; i++)
        pass(&self, LS_INPUT, 0, 0);
    char *before = print(&self), *after;
    pass(&self, LS_INPUT, 0, 0);
    after = print(&self);
    assert_string_equal(before, after);
    ls_free(before);
    ls_free(after);
    end(&self);
}

TEST(test_regatta_takes_percents_only)
{
    static const struct {
        int8_t rudder, throttle;
        bool is_valid;
    } cases[] = {{0, 0, true},     {100, -100, true}, {-100, 100, true},
                 {101, 0, false},  {0, 101, false},   {-101, 0, false},
                 {0, -101, false}, {-128, 0, false},  {0, 127, false}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const uint8_t bytes[] = {(uint8_t)cases[i].rudder, (uint8_t)cases[i].throttle};
        assert_int_equal(ls_regatta_sim.state_is_valid(NULL, 0, bytes), cases[i].is_valid);
    }
}

/* Bots collect buoys: each of four has ten in a minute. */
TEST(test_regatta_bots_race)
{
    enum { PLAYERS = 4 };
    lake self = begin(PLAYERS);
    for (uint32_t tick = 0; tick < 3600; tick++) {
        uint8_t held[PLAYERS][REGATTA_STATE_BYTES];
        ls_input inputs[PLAYERS];
        for (uint32_t i = 0; i < PLAYERS; i++) {
            ls_regatta_sim.bot_state(self.world, i, held[i]);
            assert_true(ls_regatta_sim.state_is_valid(NULL, i, held[i]));
            inputs[i] = (ls_input){
                .player = (uint8_t)i, .kind = LS_STATE, .bytes = sizeof held[i], .data = held[i]};
        }
        const ls_frame frame = {.tick = tick, .count = PLAYERS, .inputs = inputs};
        assert_ok(ls_world_advance(self.world, &frame, NULL, NULL));
    }
    char text[128];
    ls_regatta_sim.describe(self.world, text, sizeof text);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        char name[4];
        snprintf(name, sizeof name, "p%u ", i);
        const char *score = strstr(text, name);
        assert_non_null(score);
        assert_true(atoi(score + 3) >= 10);
    }
    end(&self);
}
