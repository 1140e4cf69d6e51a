/* Keyframes: packing, unpacking, refusal; and the interval between them. */
#include "replays/keyframe.h"
#include "sims/skirmish/skirmish.h"
#include "tests/support/test.h"

typedef struct battle {
    ls_program *program;
    ls_world *world, *reader;
} battle;

static int begin(void **state)
{
    static battle self;
    assert_ok(ls_program_create(&ls_skirmish_sim, &self.program, NULL));
    ls_match match = ls_program_match(self.program, 3);
    assert_ok(ls_world_create(self.program, &match, &self.world, NULL));
    self.reader = ls_world_create_sibling(self.world);
    *state = &self;
    return 0;
}

static int end(void **state)
{
    battle *self = *state;
    ls_world_destroy(self->reader);
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
    return 0;
}

static void advance(ls_world *world, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        ls_input inputs[2] = {{.player = 0, .kind = LS_JOIN}, {.player = 1, .kind = LS_JOIN}};
        ls_frame frame = {.tick = ls_world_tick(world), .inputs = inputs};
        frame.count = frame.tick == 0 ? 2 : 0;
        assert_ok(ls_world_advance(world, &frame, NULL, NULL));
    }
}

TESTS_AROUND(begin, end);

TEST(test_keyframe_gives_the_state_back)
{
    battle *self = *state;
    ls_snapshot *full = ls_world_snapshot(self->world);
    uint8_t *bytes;
    size_t count;
    ls_keyframe_encode(full, NULL, &bytes, &count);
    advance(self->world, 40);
    ls_snapshot *later = ls_world_snapshot(self->world);
    assert_ok(ls_keyframe_decode(self->reader, NULL, bytes, count, NULL));
    assert_int_equal(ls_world_tick(self->reader), 0);
    ls_free(bytes);
    ls_keyframe_encode(later, full, &bytes, &count);
    assert_ok(ls_keyframe_decode(self->reader, full, bytes, count, NULL));
    assert_int_equal(ls_world_root(self->reader), ls_world_root(self->world));
    advance(self->world, 20);
    advance(self->reader, 20);
    assert_int_equal(ls_world_root(self->reader), ls_world_root(self->world));
    ls_free(bytes);
    ls_snapshot_destroy(full);
    ls_snapshot_destroy(later);
}

TEST(test_keyframe_refuses_damage)
{
    battle *self = *state;
    ls_snapshot *full = ls_world_snapshot(self->world);
    uint8_t *bytes;
    size_t count;
    ls_keyframe_encode(full, NULL, &bytes, &count);
    advance(self->reader, 3);
    uint64_t root = ls_world_root(self->reader);
    for (size_t at = 0; at < count; at++) {
        ls_error error = {""};
        /* Some bits in the head of a zstd frame have no meaning; then the state must be right. */
        bytes[at] ^= (uint8_t)(1u << at % 8);
        ls_status status = ls_keyframe_decode(self->reader, NULL, bytes, count, &error);
        bytes[at] ^= (uint8_t)(1u << at % 8);
        if (status == LS_OK) {
            assert_int_equal(ls_world_root(self->reader), ls_world_root(self->world));
            advance(self->reader, 3);
            root = ls_world_root(self->reader);
            continue;
        }
        assert_true(error.text[0]);
        assert_int_equal(ls_world_root(self->reader), root);
    }
    for (size_t cut = 0; cut < count; cut++)
        assert_int_not_equal(ls_keyframe_decode(self->reader, NULL, bytes, cut, NULL), LS_OK);
    assert_int_equal(ls_world_root(self->reader), root);
    ls_free(bytes);
    ls_snapshot_destroy(full);
}

TESTS_AROUND(NULL, NULL);

TEST(test_keyframe_interval_keeps_the_budget)
{
    const ls_keyframe_budget budget = {.seek_ns = 20000000, .bytes_per_minute = 1 << 20};
    /* Nothing is measured yet. */
    ls_keyframe_costs costs = {.tick_rate = 20};
    assert_int_equal(ls_keyframe_interval(&costs, &budget), LS_KEYFRAME_INTERVAL_MAX);
    costs = (ls_keyframe_costs){
        .tick_ns = 200000, .decode_ns = 2000000, .bytes = 20000, .tick_rate = 20};
    assert_int_equal(ls_keyframe_interval(&costs, &budget), 90);
    /* Slow ticks need many keyframes, limited by the byte budget: 20000 * 1200 / 2^20 = 22.9. */
    costs.tick_ns = 20000000;
    assert_int_equal(ls_keyframe_interval(&costs, &budget), 23);
    costs.bytes = 10;
    assert_int_equal(ls_keyframe_interval(&costs, &budget), LS_KEYFRAME_INTERVAL_MIN);
    costs.bytes = UINT32_MAX;
    assert_int_equal(ls_keyframe_interval(&costs, &budget), LS_KEYFRAME_INTERVAL_MAX);
    /* Unpacking alone exceeds the seek budget. */
    costs = (ls_keyframe_costs){.tick_ns = 1, .decode_ns = UINT64_MAX, .tick_rate = 240};
    assert_int_equal(ls_keyframe_interval(&costs, &budget), LS_KEYFRAME_INTERVAL_MIN);
    /* Ticks cost almost nothing. */
    costs = (ls_keyframe_costs){.tick_ns = 1, .bytes = 1, .tick_rate = 240};
    assert_int_equal(ls_keyframe_interval(&costs, &budget), LS_KEYFRAME_INTERVAL_MAX);
}
