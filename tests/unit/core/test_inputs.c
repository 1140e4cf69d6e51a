/* A player's inputs, compared with a loop over all inputs of the tick. */
#include "harness.h"

enum { PLAYERS = 5, INPUTS_MAX = 24, STATE_BYTES = 3 };

static struct {
    uint64_t random;
    uint64_t found, without;
} seen;

static bool takes_order(const ls_match *match, uint32_t player, const uint8_t *bytes,
                        uint32_t count)
{
    return true;
}

static bool has_data(const ls_input *input)
{
    return input->kind == LS_INPUT || input->kind == LS_STATE || input->kind == LS_SUBSTITUTE;
}

/* Each player's inputs: those that the loop finds, the same pointers in the same order. */
static void compare(ls_context *context, const ls_entity *entities)
{
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t player = 0; player <= PLAYERS + 1; player++) {
        const ls_input *own = ls_input_of(context, player);
        for (uint32_t i = 0; i < frame->count; i++) {
            const ls_input *input = &frame->inputs[i];
            if (input->player != player || !has_data(input))
                continue;
            if (own != input)
                fail_msg("player %u: %td instead of %u", player, own ? own - frame->inputs : -1, i);
            own = ls_input_next(context, own);
            seen.found++;
        }
        assert_null(own);
        seen.without += ls_input_of(context, player) == NULL;
    }
}

static const ls_system systems[] = {{.name = "compare", .mode = LS_SEQUENTIAL, .match = compare}};

static ls_input some_input(uint32_t player)
{
    static const uint8_t data[4] = {1, 2, 3, 4};
    ls_input input = {.player = (uint8_t)player,
                      .kind = (uint8_t)test_below(&seen.random, LS_RESUME + 1)};
    if (player == PLAYERS) /* the server itself only pauses and resumes */
        input.kind = test_below(&seen.random, 2) ? LS_PAUSE : LS_RESUME;
    if (!has_data(&input))
        return input;
    input.data = data;
    input.bytes =
        (uint16_t)(input.kind == LS_INPUT ? 1 + test_below(&seen.random, 4) : STATE_BYTES);
    return input;
}

TEST(test_inputs_of_a_player_are_those_of_a_loop)
{
    static const ls_component tag = LS_TAG_TABLE("tag");
    static const ls_component *const components[] = {&tag};
    static const char *const lanes[] = {"a"};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    harness self;
    sim.player_count = PLAYERS;
    sim.state_bytes = STATE_BYTES;
    sim.input_is_valid = takes_order;
    memset(&seen, 0, sizeof seen);
    seen.random = harness_seed("test_inputs_of_a_player_are_those_of_a_loop");
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < 2000; tick++) {
        ls_input inputs[INPUTS_MAX];
        ls_frame frame = {.tick = tick, .inputs = inputs};
        uint32_t most = test_below(&seen.random, INPUTS_MAX / (PLAYERS + 1) + 1);
        for (uint32_t player = 0; player <= PLAYERS; player++) {
            for (uint32_t i = test_below(&seen.random, most + 1); i > 0; i--)
                inputs[frame.count++] = some_input(player);
        }
        assert_int_equal(ls_world_advance(self.world, &frame, NULL, NULL), LS_OK);
    }
    assert_true(seen.found > 2000);
    assert_true(seen.without > 2000);
    harness_end(&self);
}
