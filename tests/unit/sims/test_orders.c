#include "sims/skirmish/skirmish_internal.h"
#include "tests/support/test.h"
#include <lockstep/world.h>

static const ls_match match = {
    .seed = 1, .tick_rate = 20, .player_count = 4, .option_count = 4, .options = {1000, 40, 0, 0}};

enum { ORDER_COUNT = 3, INPUT_BYTES = 1 + 6 * ORDER_COUNT };

static void encode_sample(uint8_t *bytes)
{
    const skirmish_order orders[ORDER_COUNT] = {
        {SKIRMISH_ATTACK, 0x81, {LS_FIX(100.25), LS_FIX(7)}},
        {SKIRMISH_HOLD, 0x0f, {0, 0}},
        {SKIRMISH_MOVE, 0x10, {0, LS_FIX(126)}},
    };
    assert_int_equal(skirmish_orders_encode(orders, ORDER_COUNT, bytes), INPUT_BYTES);
}

static bool is_valid(const uint8_t *bytes, uint32_t count)
{
    return ls_skirmish_sim.input_is_valid(&match, 0, bytes, count);
}

TEST(test_orders_come_back_as_they_were)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    skirmish_order orders[SKIRMISH_ORDERS_MAX];
    encode_sample(bytes);
    assert_int_equal(skirmish_orders_decode(&match, bytes, INPUT_BYTES, orders), ORDER_COUNT);
    assert_int_equal(orders[0].kind, SKIRMISH_ATTACK);
    assert_int_equal(orders[0].squads, 0x81);
    assert_int_equal(orders[0].to.x, LS_FIX(100.25));
    assert_int_equal(orders[2].to.y, LS_FIX(126));
    assert_int_equal(orders[1].kind, SKIRMISH_HOLD);
}

TEST(test_orders_have_one_length)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX] = {0};
    encode_sample(bytes);
    for (uint32_t count = 0; count <= LS_INPUT_BYTES_MAX; count++)
        assert_int_equal(is_valid(bytes, count), count == INPUT_BYTES);
    uint8_t max[LS_INPUT_BYTES_MAX];
    skirmish_order orders[SKIRMISH_ORDERS_MAX];
    for (uint32_t i = 0; i < SKIRMISH_ORDERS_MAX; i++)
        orders[i] = (skirmish_order){SKIRMISH_HOLD, 1, {0, 0}};
    uint32_t count = skirmish_orders_encode(orders, SKIRMISH_ORDERS_MAX, max);
    assert_true(is_valid(max, count));
    memmove(max + count, max + 1, 6);
    max[0]++;
    assert_false(is_valid(max, count + 6));
}

/* Checks an order's bytes against the documented format. */
static bool is_valid_by_the_book(const uint8_t *bytes)
{
    if (bytes[0] != ORDER_COUNT)
        return false;
    for (uint32_t i = 0; i < ORDER_COUNT; i++) {
        const uint8_t *order = bytes + 1 + 6 * i;
        int64_t x = (order[2] | order[3] << 8) * 1024ll, y = (order[4] | order[5] << 8) * 1024ll;
        int64_t edge = order[0] == SKIRMISH_HOLD ? 1 : skirmish_edge(&match);
        if (order[0] > 2 || order[1] == 0 || x >= edge || y >= edge)
            return false;
    }
    return true;
}

TEST(test_orders_with_any_byte_changed_follow_the_format)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    uint32_t accepted = 0, refused = 0;
    encode_sample(bytes);
    for (uint32_t at = 0; at < INPUT_BYTES; at++) {
        uint8_t kept = bytes[at];
        for (uint32_t value = 0; value < 256; value++) {
            bytes[at] = (uint8_t)value;
            bool expected = is_valid_by_the_book(bytes);
            assert_int_equal(is_valid(bytes, INPUT_BYTES), expected);
            accepted += expected;
            refused += !expected;
        }
        bytes[at] = kept;
    }
    assert_true(accepted > 1000 && refused > 1000);
}

TEST(test_orders_come_from_seats_only)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    encode_sample(bytes);
    assert_true(ls_skirmish_sim.input_is_valid(&match, 3, bytes, INPUT_BYTES));
    assert_false(ls_skirmish_sim.input_is_valid(&match, 4, bytes, INPUT_BYTES));
}

static const skirmish_standing *standing_of(const ls_world *world)
{
    return ls_world_singleton(world, &skirmish_standing_component);
}

TEST(test_orders_become_standing_and_leaving_undoes_them)
{
    ls_program *program;
    ls_world *world;
    assert_ok(ls_program_create(&ls_skirmish_sim, &program, NULL));
    assert_ok(ls_world_create(program, &match, &world, NULL));
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    encode_sample(bytes);
    ls_input input = {.player = 2, .kind = LS_INPUT, .bytes = INPUT_BYTES, .data = bytes};
    ls_frame frame = {.tick = 0, .count = 1, .inputs = &input};
    assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    assert_int_equal(standing_of(world)->x[2][7], LS_FIX(100.25));
    assert_int_equal(standing_of(world)->kind[2][4], SKIRMISH_MOVE);
    assert_int_equal(standing_of(world)->kind[2][3], SKIRMISH_HOLD);
    assert_int_equal(standing_of(world)->kind[2][5], SKIRMISH_ATTACK);
    skirmish_field field = skirmish_field_of(&match);
    assert_int_equal(standing_of(world)->x[1][7], skirmish_post(&field, 1, 7).x);

    input = (ls_input){.player = 2, .kind = LS_LEAVE};
    frame.tick = 1;
    assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    assert_int_equal(standing_of(world)->x[2][7], skirmish_post(&field, 2, 7).x);
    assert_int_equal(standing_of(world)->kind[2][3], SKIRMISH_ATTACK);
    ls_world_destroy(world);
    ls_program_destroy(program);
}
