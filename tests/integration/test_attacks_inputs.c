/* Attack table, inputs: late, early, contradictory, missing and invalid inputs of a client, and
 * what the recording holds of them. */
#include "echo_sim.h"
#include "puppet.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

typedef struct fixture {
    arena *room;
    puppet *client;
    uint64_t tick; /* the next tick, as the client knows it */
} fixture;

static ls_room_stats stats_of(const fixture *f)
{
    return arena_stats(f->room);
}

/* Creates a match with state inputs, a bot, and a puppet that plays. */
static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    f->room = arena_create(
        &(arena_config){.sim = &echo_sim, .seed = 1, .conditions = {.delay_ns = 5 * MS}});
    arena_join_bot(f->room, "bot");
    arena_run_to_tick(f->room, 30, 5 * S);
    f->client = puppet_enter(f->room, "puppet");
    uint64_t tick = stats_of(f).tick;
    puppet_update(f->client, f->room,
                  &(ls_update){.ack = tick,
                               .root_count = 1,
                               .root_first = tick,
                               .roots = {ls_world_root(arena_world(f->room))}});
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(stats_of(f).joins, 2);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    puppet_destroy(f->client);
    arena_destroy(f->room);
    ls_free(f);
    return 0;
}

static void hold(fixture *f, uint64_t first, uint32_t count, uint8_t value)
{
    uint8_t bytes[LS_UPDATE_STATES_MAX * ECHO_STATE_BYTES];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = value;
    puppet_update(f->client, f->room,
                  &(ls_update){.ack = stats_of(f).tick,
                               .state_first = first,
                               .state_count = count,
                               .state_bytes = ECHO_STATE_BYTES,
                               .states = bytes});
}

static void order(fixture *f, uint32_t sequence, uint64_t wish, uint8_t value)
{
    puppet_update(
        f->client, f->room,
        &(ls_update){.ack = stats_of(f).tick,
                     .input_count = 1,
                     .inputs = {{.sequence = sequence, .tick = wish, .bytes = 1, .data = &value}},
                     .state_bytes = ECHO_STATE_BYTES});
}

/* The puppet's inputs in a recorded tick: kind and first byte of its state, and the number of its
 * orders. */
typedef struct heard {
    int kind;
    uint8_t value;
    uint32_t orders;
} heard;

static heard recorded(fixture *f, uint64_t at)
{
    ls_recording *recording;
    const ls_recording_tick *tick;
    heard found = {.kind = -1};
    assert_int_equal(ls_recording_open_memory("r", f->room->recording.data,
                                              f->room->recording.bytes, &recording, NULL),
                     LS_OK);
    while (ls_recording_next(recording, &tick, NULL) == LS_OK && tick) {
        for (uint32_t i = 0; tick->frame.tick == at && i < tick->frame.count; i++) {
            const ls_input *input = &tick->frame.inputs[i];
            if (input->player != f->client->accept.player)
                continue;
            if (input->kind == LS_STATE || input->kind == LS_SUBSTITUTE) {
                found.kind = input->kind;
                found.value = input->data[0];
            }
            found.orders += input->kind == LS_INPUT;
        }
    }
    ls_recording_close(recording);
    return found;
}

static void assert_recorded(fixture *f, uint64_t tick, ls_input_kind kind, uint8_t value)
{
    heard found = recorded(f, tick);
    assert_int_equal(found.kind, kind);
    assert_int_equal(found.value, value);
}

TESTS_AROUND(begin, end);

TEST(test_attack_28_state_for_a_closed_tick)
{
    fixture *f = *state;
    uint64_t tick = stats_of(f).tick;
    hold(f, tick - 3, 1, 77);
    hold(f, 0, 8, 78);
    puppet_run(f->client, f->room, 100 * MS);
    assert_true(stats_of(f).states_late >= 1);
    assert_int_equal(stats_of(f).states_refused, 0);
    assert_recorded(f, tick - 3, LS_SUBSTITUTE, 0);
    assert_recorded(f, tick + 1, LS_SUBSTITUTE, 0);
    /* An order for a closed tick is executed in the first open tick. */
    order(f, 1, tick - 3, 5);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(stats_of(f).inputs_late, 1);
    assert_int_equal(f->client->ticks.input_ack, 1);
    arena_assert_all_equal(f->room);
}

TEST(test_attack_29_too_far_ahead)
{
    fixture *f = *state;
    uint64_t tick = stats_of(f).tick, far = tick + LS_SERVER_INPUT_AHEAD + 10;
    hold(f, far, 1, 77);
    hold(f, UINT64_MAX - 8, 1, 77);
    order(f, 1, far, 5);
    order(f, 2, UINT64_MAX, 5);
    puppet_run(f->client, f->room, 2 * S);
    assert_true(stats_of(f).states_refused >= 1);
    assert_int_equal(stats_of(f).inputs_refused, 2);
    assert_recorded(f, far, LS_SUBSTITUTE, 0);
    assert_int_equal(recorded(f, far).orders, 0);
    assert_int_equal(stats_of(f).sessions, 2);
    /* A state within the limit is recorded. */
    hold(f, stats_of(f).tick + 20, 1, 9);
    tick = stats_of(f).tick + 20;
    puppet_run(f->client, f->room, 1 * S);
    assert_recorded(f, tick, LS_STATE, 9);
}

TEST(test_attack_30_contradictions)
{
    fixture *f = *state;
    uint64_t tick = stats_of(f).tick + 10;
    hold(f, tick, 1, 5);
    hold(f, tick, 1, 6);
    order(f, 1, 0, 7);
    order(f, 1, 0, 8);
    puppet_run(f->client, f->room, 500 * MS);
    assert_recorded(f, tick, LS_STATE, 5);
    assert_int_equal(stats_of(f).inputs_accepted, 1);
    arena_assert_all_equal(f->room);
}

/* Without inputs the match continues, and the recording marks the substitutes. */
TEST(test_attack_31_missing_inputs)
{
    fixture *f = *state;
    uint64_t tick = stats_of(f).tick + 5;
    hold(f, tick, 1, 5);
    puppet_run(f->client, f->room, 1 * S);
    assert_in_range(stats_of(f).tick, tick + 50, tick + 60);
    assert_recorded(f, tick, LS_STATE, 5);
    assert_recorded(f, tick + 1, LS_SUBSTITUTE, 5);
    assert_recorded(f, tick + 40, LS_SUBSTITUTE, 5);
    assert_true(stats_of(f).states_substituted > 50);
    assert_int_equal(stats_of(f).ticks_held, 0);
    arena_assert_all_equal(f->room);
    arena_assert_recording(f->room, stats_of(f).tick);
}

/* The validator refuses an invalid input before any client receives it. */
TEST(test_attack_32_out_of_range)
{
    fixture *f = *state;
    order(f, 1, 0, 255);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(stats_of(f).inputs_refused, 1);
    assert_int_equal(stats_of(f).inputs_accepted, 0);
    assert_int_equal(f->client->ticks.input_ack,
                     1); /* acknowledged, so the client does not resend it */
    order(f, 2, 0, 7);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(stats_of(f).inputs_accepted, 1);
    arena_assert_all_equal(f->room);
}

/* A message with too few or too many bytes for its states is dropped as a whole. */
TEST(test_attack_19_counts_at_their_limits)
{
    fixture *f = *state;
    ls_plain plain;
    uint8_t bytes[LS_UPDATE_STATES_MAX * ECHO_STATE_BYTES] = {0};
    ls_update update = {.ack = stats_of(f).tick,
                        .state_first = stats_of(f).tick + 5,
                        .state_count = 2,
                        .state_bytes = ECHO_STATE_BYTES,
                        .states = bytes};
    assert_true(ls_update_encode(&update, &plain));
    uint64_t dropped = ls_server_get_stats(f->room->server).packets_dropped;
    uint32_t whole = plain.bytes;
    for (plain.bytes = 0; plain.bytes < whole; plain.bytes++)
        puppet_send(f->client, f->room, &plain);
    for (plain.bytes = whole + 1; plain.bytes < whole + 9; plain.bytes++)
        puppet_send(f->client, f->room, &plain);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(ls_server_get_stats(f->room->server).packets_dropped, dropped + whole + 8);
    assert_int_equal(stats_of(f).sessions, 2);
}
