/* Each kind of change is planted alone and gives exactly its own line; equal states give no
 * line. */
#include "every_sim.h"
#include "harness.h"

#include "core/run/despawn.h"
#include "core/schedule/resolve_join.h"
#include "core/state/store.h"
#include <lockstep/diff.h>
#include <lockstep/json.h>

#include <inttypes.h>

static const ls_entity first = UINT64_C(1) << 32 | 1 << 24; /* beasts/0:1 */
static const ls_entity second = UINT64_C(1) << 32 | 1 << 24 | 1;

static uint32_t column_of(const ls_world *world, const ls_component *component)
{
    return ls_program_find_column(world->program, component);
}

static void touch(ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        ls_store_own(world, column);
        world->versions[column]++;
        world->presences[column]++;
    }
}

/* Two beasts, the first with all components, and 300 lights on two pages. */
static void fill(ls_world *world)
{
    const every_mixed mixed = {.friends = {second},
                               .friend_count = 1,
                               .steps = {{LS_FIX_ONE, 2 * LS_FIX_ONE}},
                               .step_count = 1,
                               .mood = 1};
    touch(world);
    assert_int_equal(ls_store_spawn(world, 1), first);
    assert_int_equal(ls_store_spawn(world, 1), second);
    ls_store_attach(world, column_of(world, &every_mixeds), first, &mixed);
    ls_store_attach(world, column_of(world, &every_tags), first, NULL);
    for (int32_t i = 0; i < 300; i++)
        ls_store_attach(world, column_of(world, &every_numbers), ls_store_spawn(world, 2),
                        &(every_number){i});
}

static every_mixed *mixed_of(ls_world *world)
{
    return ls_store_write(world, column_of(world, &every_mixeds), first);
}

static void kill(ls_world *world, ls_entity entity)
{
    ls_despawn_marks_add(&world->scratch->marks[0], entity);
    ls_despawn_sweep(world);
}

#define CHANGE(name, ...)                                                                          \
    static void name(ls_world *world)                                                              \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
CHANGE(change_tick, world->state.tick = 7)
CHANGE(change_refused, world->state.refused_spawns[2] = 5)
CHANGE(change_commands, world->state.dropped[LS_DROPPED_COMMANDS] = 1)
CHANGE(change_events, world->state.dropped[LS_DROPPED_EVENTS] = UINT64_MAX)
CHANGE(change_birth, ls_store_spawn(world, 1))
CHANGE(change_death, kill(world, second))
CHANGE(change_life, kill(world, first); ls_store_spawn(world, 1))
CHANGE(change_old_life, ls_store_spawn(world, 1); kill(world, second + 1))
CHANGE(change_detached, ls_store_detach(world, column_of(world, &every_tags), first))
CHANGE(change_attached,
       ls_store_attach(world, column_of(world, &every_parents), second, &(every_parent){first}))
CHANGE(change_u64, mixed_of(world)->u64 = UINT64_MAX)
CHANGE(change_i64, mixed_of(world)->i64 = INT64_MIN)
CHANGE(change_target, mixed_of(world)->target = ls_entity_make(2, 3, 9))
CHANGE(change_stale, mixed_of(world)->friends[0] = ls_entity_make(1, 1, 2))
CHANGE(change_u32, mixed_of(world)->u32 = 1)
CHANGE(change_i32, mixed_of(world)->i32 = -1)
CHANGE(change_fix, mixed_of(world)->fix = LS_FIX(-0.25))
CHANGE(change_place, mixed_of(world)->place.y = 1)
CHANGE(change_step, mixed_of(world)->steps[0].y = 0)
CHANGE(change_u16, mixed_of(world)->u16 = 65535)
CHANGE(change_i16, mixed_of(world)->i16 = -32768)
CHANGE(change_angle, mixed_of(world)->angle = 16384)
CHANGE(change_u8, mixed_of(world)->u8 = 200)
CHANGE(change_i8, mixed_of(world)->i8 = -128)
CHANGE(change_flag, mixed_of(world)->flag = true)
CHANGE(change_mood, mixed_of(world)->mood = 0)
CHANGE(change_no_mood, mixed_of(world)->mood = 77)
CHANGE(change_list, mixed_of(world)->list[5] = 9)
CHANGE(change_behind, mixed_of(world)->steps[3].x = LS_FIX_ONE)
CHANGE(change_item, ls_entity null = 0;
       ls_items_push(LS_ITEMS(mixed_of(world), friends, friend_count), &null))
CHANGE(change_no_items, ls_items_clear(LS_ITEMS(mixed_of(world), friends, friend_count)))
CHANGE(change_light, every_number *number = ls_store_write(world, column_of(world, &every_numbers),
                                                           ls_entity_make(2, 299, 1));
       number->value = -299)
CHANGE(change_score, uint32_t score = column_of(world, &every_score);
       ls_page *page = ls_table_write(*ls_world_table(world, score, 0), 0, &world->sources[score]);
       ((every_mixed *)(void *)ls_page_cells(page))->u32 = 4)

static const struct {
    void (*change)(ls_world *world);
    const char *text;
} changes[] = {
    {touch, ""},
    {change_tick, "tick: 0 | 7\n"},
    {change_refused, "refused spawns in lane glow/\"2\": 0 | 5\n"},
    {change_commands, "dropped commands: 0 | 1\n"},
    {change_events, "dropped events: 0 | 18446744073709551615\n"},
    {change_birth, "life of beasts/2: never used | alive, generation 1\n"},
    {change_death, "life of beasts/1: alive, generation 1 | free, generation 2\n"
                   "mixed.friends[0] of beasts/0:1: beasts/1:1 | null\n"},
    {change_life, "life of beasts/0: alive, generation 1 | alive, generation 3\n"},
    {change_old_life, "life of beasts/2: never used | free, generation 2\n"},
    {change_detached, "tag of beasts/0:1: only in a\n"},
    {change_attached, "parent of beasts/1:1: only in b\n"},
    {change_u64, "mixed.u64 of beasts/0:1: 0 | 18446744073709551615\n"},
    {change_i64, "mixed.i64 of beasts/0:1: 0 | -9223372036854775808\n"},
    {change_target, "mixed.target of beasts/0:1: null | glow/\"2\"/3:9\n"},
    {change_stale, "mixed.friends[0] of beasts/0:1: beasts/1:1 | beasts/1:2\n"},
    {change_u32, "mixed.u32 of beasts/0:1: 0 | 1\n"},
    {change_i32, "mixed.i32 of beasts/0:1: 0 | -1\n"},
    {change_fix, "mixed.fix of beasts/0:1: 0 | -0.25\n"},
    {change_place, "mixed.place of beasts/0:1: (0, 0) | (0, 0.00002)\n"},
    {change_step, "mixed.steps[0] of beasts/0:1: (1, 2) | (1, 0)\n"},
    {change_u16, "mixed.u16 of beasts/0:1: 0 | 65535\n"},
    {change_i16, "mixed.i16 of beasts/0:1: 0 | -32768\n"},
    {change_angle, "mixed.angle of beasts/0:1: 0 | 16384\n"},
    {change_u8, "mixed.u8 of beasts/0:1: 0 | 200\n"},
    {change_i8, "mixed.i8 of beasts/0:1: 0 | -128\n"},
    {change_flag, "mixed.flag of beasts/0:1: false | true\n"},
    {change_mood, "mixed.mood of beasts/0:1: ang\"ry | calm\n"},
    {change_no_mood, "mixed.mood of beasts/0:1: ang\"ry | 77\n"},
    {change_list, "mixed.list[5] of beasts/0:1: 0 | 9\n"},
    {change_behind, "mixed.steps[3] of beasts/0:1: - | (1, 0)\n"},
    {change_item, "mixed.friends[1] of beasts/0:1: - | null\n"
                  "mixed.friend_count of beasts/0:1: 1 | 2\n"},
    {change_no_items, "mixed.friends[0] of beasts/0:1: beasts/1:1 | -\n"
                      "mixed.friend_count of beasts/0:1: 1 | 0\n"},
    {change_light, "number.value of glow/\"2\"/299:1: 299 | -299\n"},
    {change_score, "score.u32: 0 | 4\n"},
};

static void assert_differs(ls_world *a, ls_world *b, uint32_t lines_max, const char *expected)
{
    char *text = ls_world_diff_print(a, b, lines_max);
    assert_string_equal(text, expected);
    ls_free(text);
}

TEST(test_diff_names_each_change_and_nothing_else)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    ls_world *other = harness_world(&self);
    fill(self.world);
    fill(other);
    ls_snapshot *before = ls_world_snapshot(other);
    for (uint32_t i = 0; i < LS_COUNT_OF(changes); i++) {
        touch(other);
        changes[i].change(other);
        assert_int_equal(ls_world_root(self.world) == ls_world_root(other), !*changes[i].text);
        assert_differs(self.world, other, 10, changes[i].text);
        ls_world_restore(other, before);
        assert_differs(self.world, other, 10, "");
    }
    ls_snapshot_destroy(before);
    ls_world_destroy(other);
    harness_end(&self);
}

TEST(test_diff_looks_from_both_sides)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    ls_world *other = harness_world(&self);
    fill(self.world);
    fill(other);
    change_tick(other);
    change_detached(other);
    change_item(other);
    assert_differs(other, self.world, 10,
                   "tick: 7 | 0\nmixed.friends[1] of beasts/0:1: null | -\n"
                   "mixed.friend_count of beasts/0:1: 2 | 1\ntag of beasts/0:1: only in b\n");
    assert_differs(other, self.world, 1, "tick: 7 | 0\nand 3 more\n");
    assert_differs(other, self.world, 0, "and 4 more\n");
    ls_world_destroy(other);
    harness_end(&self);
}

TEST(test_diff_tells_matches_apart)
{
    harness self;
    ls_world *other;
    harness_begin(&self, &every_sim, 1);
    ls_match match = ls_program_match(self.program, UINT64_MAX);
    match.tick_rate = 20;
    match.player_count = 1;
    match.options[0] = 9;
    assert_int_equal(ls_world_create(self.program, &match, &other, NULL), LS_OK);
    assert_differs(self.world, other, 10,
                   "match: seed: 1 | 18446744073709551615\nmatch: tick_rate: 10 | 20\n"
                   "match: players: 2 | 1\nmatch: option size: 3 | 9\n");
    ls_world_destroy(other);
    harness_end(&self);
}

struct count {
    uint32_t calls, calls_max;
};

static bool count_call(void *argument, const ls_difference *difference)
{
    struct count *count = argument;
    assert_non_null(difference->place);
    assert_true(difference->a || difference->b);
    return ++count->calls < count->calls_max;
}

TEST(test_diff_stops_when_told)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    ls_world *other = harness_world(&self);
    fill(self.world);
    change_tick(other);
    struct count all = {.calls_max = UINT32_MAX};
    ls_world_diff(self.world, other, count_call, &all);
    assert_int_equal(all.calls, 1 + 302);
    for (uint32_t max = 1; max <= all.calls; max++) {
        struct count some = {.calls_max = max};
        ls_world_diff(self.world, other, count_call, &some);
        assert_int_equal(some.calls, max);
    }
    ls_world_destroy(other);
    harness_end(&self);
}

/* Different states always give a line, and JSON differs for the same pairs. */
TEST(test_diff_finds_something_exactly_when_states_differ)
{
    uint64_t seed = harness_seed("test_diff_finds_something_exactly_when_states_differ");
    uint32_t rounds = getenv("LOCKSTEP_LONG") ? 5000 : 200;
    harness self;
    harness_begin(&self, &every_sim, 1);
    ls_world *other = harness_world(&self);
    ls_snapshot *start = ls_world_snapshot(self.world);
    ls_snapshot *other_start = ls_world_snapshot(other);
    for (uint32_t i = 0; i < rounds; i++) {
        uint64_t fill_seed = test_random(&seed), change_seed = test_random(&seed);
        ls_world_restore(self.world, start);
        ls_world_restore(other, other_start);
        every_fill(self.world, fill_seed, 100);
        every_fill(other, fill_seed, 100);
        assert_differs(self.world, other, 3, "");
        char what[128];
        bool is_flipped = i % 2 && ls_world_flip_bit(other, change_seed, what, sizeof what);
        if (!is_flipped)
            every_fill(other, change_seed, test_below(&seed, 3));
        struct count count = {.calls_max = UINT32_MAX};
        ls_world_diff(self.world, other, count_call, &count);
        char *text = ls_world_json(self.world), *other_text = ls_world_json(other);
        if ((count.calls == 0) != (strcmp(text, other_text) == 0) ||
            (is_flipped && count.calls != 1 && !strstr(what, "count")))
            fail_msg("round %u, seeds %" PRIu64 " and %" PRIu64 ": %u differences", i, fill_seed,
                     change_seed, count.calls);
        ls_free(text);
        ls_free(other_text);
    }
    ls_snapshot_destroy(start);
    ls_snapshot_destroy(other_start);
    ls_world_destroy(other);
    harness_end(&self);
}
