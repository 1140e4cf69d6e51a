/* Matches between builds of which one has a capability more. */
#include "puppet.h"

#include "server/server_state.h"
#include "tests/support/test.h"

#define NEWER (UINT32_C(1) << 31) /* a capability of a build to come */

static arena *open_arena(uint32_t capabilities)
{
    const ls_impairment_conditions line = {.delay_ns = 25 * MS};
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = line, .tick_rate = 20});
    room->server->handshake.local.capabilities = capabilities;
    return room;
}

static uint32_t capabilities_of_first(const arena *room)
{
    const ls_server_session *session = room->server->sessions;
    while (session->phase == LS_SERVER_SESSION_FREE)
        session++;
    const ls_remote remote = ls_link_remote(room->link, session->peer);
    assert_memory_equal(&remote, &session->entrant.remote, sizeof remote);
    return session->entrant.capabilities;
}

/* The time without a tick after the router has given the client another port. */
static uint64_t freeze_ns(arena *room, uint32_t index)
{
    uint64_t tick = arena_client_stats(room, index).tick, since_ns = room->now_ns, longest_ns = 0;
    ls_network_rebind(room->clients[index].link);
    for (uint64_t end_ns = room->now_ns + 8 * S; room->now_ns < end_ns; arena_run(room, 1 * MS)) {
        uint64_t so_far_ns = room->now_ns - since_ns;
        longest_ns = so_far_ns > longest_ns ? so_far_ns : longest_ns;
        if (arena_client_stats(room, index).tick == tick)
            continue;
        tick = arena_client_stats(room, index).tick;
        since_ns = room->now_ns;
    }
    return longest_ns;
}

/* A client of 3.1 joins a server of 3.0. */
TEST(test_capabilities_a_newer_client_joins)
{
    arena *room = open_arena(LS_LINK_CAPABILITIES);
    ls_handshake_client_config config = puppet_config(room, "newer");
    config.local.capabilities = LS_LINK_CAPABILITIES | NEWER;
    puppet *newer = puppet_create(room, &config);
    puppet_confirm(newer, room);
    puppet_request(newer, room, &(ls_snapshot_request){.bytes = 1024});
    puppet_run(newer, room, 500 * MS);
    assert_true(newer->chunk_count > 0);
    assert_int_equal(capabilities_of_first(room), LS_LINK_CAPABILITIES);
    assert_int_equal(newer->handshake.carrier.capabilities, LS_LINK_CAPABILITIES);
    puppet_destroy(newer);
    arena_destroy(room);
}

/* A client of 3.0 joins a server of 3.1, plays, and follows its router. */
TEST(test_capabilities_a_newer_server_takes_it)
{
    arena *room = open_arena(LS_LINK_CAPABILITIES | NEWER);
    uint32_t older = arena_join_bot(room, "older");
    arena_run_to_tick(room, 60, 5 * S);
    assert_true(arena_client_stats(room, older).is_playing);
    assert_int_equal(capabilities_of_first(room), LS_LINK_CAPABILITIES);
    uint64_t longest_ns = freeze_ns(room, older);
    print_message("with MOVE: no tick for %.0f ms\n", (double)longest_ns / 1e6);
    assert_in_range(longest_ns, 50 * MS, 400 * MS);
    assert_int_equal(ls_server_get_stats(room->server).sessions_moved, 1);
    assert_int_equal(arena_client_stats(room, older).resumes, 0);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* Where one side does not know the capability MOVE, a new address needs a resume. */
TEST(test_capabilities_without_move_a_new_address_resumes)
{
    arena *room = open_arena(NEWER);
    uint32_t moved = arena_join_bot(room, "moved");
    arena_run_to_tick(room, 60, 5 * S);
    assert_int_equal(capabilities_of_first(room), 0);
    uint64_t refused = ls_link_get_stats(room->link).datagrams_refused;
    uint64_t longest_ns = freeze_ns(room, moved);
    print_message("without MOVE: no tick for %.0f ms\n", (double)longest_ns / 1e6);
    assert_true(longest_ns > LS_CLIENT_RESUME_NS);
    assert_int_equal(ls_link_get_stats(room->link).paths_asked, 0);
    assert_true(ls_link_get_stats(room->link).datagrams_refused > refused);
    assert_int_equal(ls_server_get_stats(room->server).sessions_moved, 0);
    assert_int_equal(arena_client_stats(room, moved).resumes, 1);
    assert_true(arena_client_stats(room, moved).is_playing);
    arena_assert_all_equal(room);
    arena_destroy(room);
}
