/* A battle of 2,000 units in which one build of a system writes another value. Measures the time
 * from the tick to the system and to its line. */
#include "desync/first_difference.h"
#include "sims/skirmish/skirmish_terms.h"
#include "tests/unit/core/harness.h"

#include <inttypes.h>

enum { UNITS = 2000, WARM_TICKS = 200 };
#define SYSTEM_NS_MAX UINT64_C(10000000000)
#define LINE_NS_MAX   UINT64_C(60000000000)

static uint32_t planted_line;

static void move_otherwise(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    planted_line = __LINE__ + 2;
    if (span->lane == 2 && span->count > 5)
        positions[5].y += 1;
}

static ls_world *make_world(const ls_sim *sim, ls_program **program)
{
    ls_error error = {""};
    ls_world *world = NULL;
    if (ls_program_create(sim, program, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_match match = ls_program_match(*program, 3);
    for (uint32_t i = 0; i < sim->option_count; i++) {
        if (strcmp(sim->options[i].name, "units") == 0)
            match.options[i] = UNITS;
    }
    if (ls_world_create(*program, &match, &world, &error) != LS_OK)
        fail_msg("%s", error.text);
    return world;
}

/* Bots play in all seats, so that there is a battle. */
static void play(ls_world *world, uint32_t ticks)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    uint32_t seats = ls_world_match(world)->player_count;
    while (ticks-- > 0) {
        uint8_t bytes[LS_PLAYERS_MAX][LS_INPUT_BYTES_MAX];
        ls_input inputs[LS_PLAYERS_MAX];
        ls_frame frame = {.tick = ls_world_tick(world), .inputs = inputs};
        ls_error error = {""};
        for (uint32_t seat = 0; seat < seats; seat++) {
            ls_input input = {.player = (uint8_t)seat, .kind = LS_JOIN};
            if (frame.tick > 0) {
                input.kind = LS_INPUT;
                input.bytes = (uint16_t)sim->bot(world, seat, bytes[seat]);
                input.data = bytes[seat];
            }
            if (frame.tick == 0 || input.bytes)
                inputs[frame.count++] = input;
        }
        if (ls_world_advance(world, &frame, NULL, &error) != LS_OK)
            fail_msg("%s", error.text);
    }
}

static void copy_state(ls_world *from, ls_world *to)
{
    uint8_t *bytes;
    size_t count;
    ls_error error = {""};
    ls_snapshot *snapshot = ls_world_snapshot(from);
    ls_snapshot_encode(snapshot, &bytes, &count);
    ls_snapshot_destroy(snapshot);
    if (ls_world_decode(to, bytes, count, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_free(bytes);
}

TEST(test_skirmish_leads_to_the_line_in_time)
{
    ls_program *programs[2];
    ls_system systems[SKIRMISH_SYSTEM_COUNT];
    ls_sim other = ls_skirmish_sim;
    memcpy(systems, ls_skirmish_sim.systems, sizeof systems);
    other.systems = systems;
    for (uint32_t i = 0; i < other.system_count; i++) {
        if (strcmp(systems[i].name, "move") == 0)
            systems[i].span = move_otherwise;
    }
    ls_world *a = make_world(&ls_skirmish_sim, &programs[0]), *b = make_world(&other, &programs[1]);
    play(a, WARM_TICKS);
    copy_state(a, b);
    const ls_run_variant runs[2] = {{.world = a}, {.world = b}};
    const ls_frame frame = {.tick = WARM_TICKS};
    ls_first_difference difference;
    ls_error error = {""};
    if (ls_first_difference_find(&runs[0], &runs[1], &frame, &difference, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_first_difference_print(&difference, (const char *const[]){"one", "other"}, &result);
    print_message("%s", result.lines.data);
    print_message("system %.1f ms, store %.1f ms, %" PRIu64 " entities\n",
                  (double)difference.system_ns / 1e6, (double)difference.store_ns / 1e6,
                  ls_world_entity_count(a));
    assert_string_equal(difference.suspect.system, "move");
    assert_true(difference.stores[1].is_there);
    assert_int_equal(difference.stores[1].place.line, planted_line);
    assert_true(difference.system_ns < SYSTEM_NS_MAX);
    assert_true(difference.store_ns < LINE_NS_MAX);
    ls_result_reset(&result);
    ls_first_difference_reset(&difference);
    ls_world_destroy(a);
    ls_world_destroy(b);
    for (uint32_t i = 0; i < 2; i++)
        ls_program_destroy(programs[i]);
}
