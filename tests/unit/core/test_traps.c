/* Faults that show on one machine only. A result must not depend on whether a snapshot was taken,
 * on bytes that are never sent, or on forged inputs and states. */
#include "tests/support/test.h"

#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

#include <stdio.h>
#include <string.h>

LS_COMPONENT(timer, I32(left));

typedef struct tally {
    uint32_t sum;
    uint8_t slot; /* an index below four */
    uint8_t spare[3];
} tally;

static const ls_field tally_fields[] = {LS_FIELD(tally, sum, LS_TYPE_U32),
                                        LS_FIELD_UP_TO(tally, slot, LS_TYPE_U8, 3),
                                        LS_FIELD(tally, spare, LS_TYPE_U8)};
static const ls_component tallies = LS_SINGLETON_TABLE(tally, "tally", tally_fields);
static const ls_component *const components[] = {&timer_component, &tallies};

static void setup(ls_context *context, const ls_entity *entities)
{
    for (int32_t i = 0; i < 5; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), &(timer){.left = 2 + i});
}

/* Reads through pointers that were taken before the write. */
static void hurt(ls_context *context, const ls_entity *entities)
{
    const timer *before = ls_cell_find(context, 0, entities[0]);
    timer *cell = ls_cell_write(context, 0, entities[0]);
    cell->left--;
    if (before->left <= 0)
        ls_despawn(context, entities[0]);
    const tally *old = ls_singleton_read(context, 1);
    tally *now = ls_singleton_write(context, 1);
    now->sum++;
    now->sum += old->sum;
}

/* Writes through a span pointer after its cell was detached. */
static void expire(ls_context *context, const ls_span *span)
{
    timer *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        if (cells[i].left <= 3)
            ls_cell_detach(context, 0, ls_span_entity(span, i));
        cells[i].left--;
    }
}

static const ls_system start = {.name = "start",
                                .mode = LS_SEQUENTIAL,
                                .match = setup,
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(timer_component)),
                                .lanes = "world"};
static const ls_system hurting[] = {
    {.name = "hurt",
     .mode = LS_SEQUENTIAL,
     .match = hurt,
     .terms = LS_TERM_LIST(LS_WRITES(timer_component), LS_OTHERS_WRITE(tallies))}};
static const ls_system expiring[] = {{.name = "expire",
                                      .mode = LS_CONCURRENT,
                                      .span = expire,
                                      .terms = LS_TERM_LIST(LS_DETACHES(timer_component))}};

static bool takes_one_byte(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    return player < match->player_count && count == 1 && bytes[0] < 4;
}

static ls_world *make_world(const ls_system *systems, ls_program **program)
{
    static ls_sim sim;
    sim = (ls_sim){.abi = LS_SIM_ABI,
                   .name = "traps",
                   .version = "1",
                   .summary = "",
                   .tick_rate = 20,
                   .player_count = 2,
                   .components = components,
                   .component_count = LS_COUNT_OF(components),
                   .systems = systems,
                   .system_count = 1,
                   .setup = &start,
                   .input_is_valid = takes_one_byte};
    ls_world *world;
    assert_int_equal(ls_program_create(&sim, program, NULL), LS_OK);
    ls_match match = ls_program_match(*program, 1);
    assert_int_equal(ls_world_create(*program, &match, &world, NULL), LS_OK);
    return world;
}

static void advance(ls_world *world)
{
    const ls_frame frame = {.tick = ls_world_tick(world)};
    assert_int_equal(ls_world_advance(world, &frame, NULL, NULL), LS_OK);
}

static void encode(ls_world *world, uint8_t **bytes, size_t *count)
{
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_snapshot_encode(snapshot, bytes, count);
    ls_snapshot_destroy(snapshot);
}

TEST(test_traps_a_snapshot_does_not_show)
{
    ls_program *programs[2];
    ls_world *plain = make_world(hurting, &programs[0]);
    ls_world *watched = make_world(hurting, &programs[1]);
    for (int tick = 0; tick < 8; tick++) {
        ls_snapshot *snapshot = ls_world_snapshot(watched);
        advance(plain);
        advance(watched);
        ls_snapshot_destroy(snapshot);
        assert_int_equal(ls_world_root(plain), ls_world_root(watched));
    }
    assert_int_equal(ls_world_entity_count(plain), 0);
    ls_world_destroy(plain);
    ls_world_destroy(watched);
    ls_program_destroy(programs[0]);
    ls_program_destroy(programs[1]);
}

TEST(test_traps_bytes_of_absent_cells_do_not_show)
{
    ls_program *programs[2];
    ls_world *veteran = make_world(expiring, &programs[0]);
    ls_world *newcomer = make_world(expiring, &programs[1]);
    for (int tick = 0; tick < 4; tick++) {
        uint8_t *bytes;
        size_t count;
        advance(veteran);
        encode(veteran, &bytes, &count);
        assert_int_equal(ls_world_decode(newcomer, bytes, count, NULL), LS_OK);
        assert_int_equal(ls_world_root(veteran), ls_world_root(newcomer));
        ls_free(bytes);
    }
    ls_world_destroy(veteran);
    ls_world_destroy(newcomer);
    ls_program_destroy(programs[0]);
    ls_program_destroy(programs[1]);
}

TEST(test_traps_only_validated_inputs_enter_a_tick)
{
    static const struct {
        uint8_t player;
        uint16_t bytes;
        uint8_t first;
        ls_status status;
    } cases[] = {{0, 1, 4, LS_ERROR_CORRUPT},
                 {0, 2, 0, LS_ERROR_CORRUPT},
                 {0, 0, 0, LS_ERROR_CORRUPT},
                 {2, 1, 0, LS_ERROR_CORRUPT},
                 {1, 1, 3, LS_OK}};
    ls_program *program;
    ls_world *world = make_world(hurting, &program);
    uint64_t root = ls_world_root(world);
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const uint8_t data[2] = {cases[i].first, 0};
        const ls_input input = {cases[i].player, LS_INPUT, cases[i].bytes, data};
        const ls_frame frame = {.tick = 0, .count = 1, .inputs = &input};
        assert_int_equal(ls_world_advance(world, &frame, NULL, NULL), cases[i].status);
        if (cases[i].status != LS_OK)
            assert_int_equal(ls_world_root(world), root);
    }
    ls_world_destroy(world);
    ls_program_destroy(program);
}

/* Finds the byte of tally.slot in a snapshot: it is 0 and follows the known sum. */
TEST(test_traps_a_state_above_a_limit_is_refused)
{
    ls_program *program;
    ls_world *world = make_world(hurting, &program);
    advance(world);
    const tally *now = ls_world_singleton(world, &tallies);
    uint8_t wanted[8] = {(uint8_t)now->sum, (uint8_t)(now->sum >> 8)};
    uint8_t *bytes;
    size_t count, at = 0;
    encode(world, &bytes, &count);
    while (at + sizeof wanted <= count && memcmp(bytes + at, wanted, sizeof wanted) != 0)
        at++;
    assert_true(at + sizeof wanted <= count);
    ls_error error = {0};
    bytes[at + 4] = 3;
    assert_int_equal(ls_world_decode(world, bytes, count, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "root")); /* within the limit, so only the root is wrong */
    bytes[at + 4] = 4;
    assert_int_equal(ls_world_decode(world, bytes, count, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "\"tally\" of the world"));
    assert_non_null(strstr(error.text, "\"slot\""));
    ls_free(bytes);
    ls_world_destroy(world);
    ls_program_destroy(program);
}
