/* The limits on a client that moves to another address within its session. */
#include "puppet.h"

#include "server/room_state.h"
#include "server/server_state.h"
#include "tests/support/remotes.h"
#include "tests/support/test.h"
#include <lockstep/link_remote.h>
#include <lockstep/session_limits.h>

static const uint8_t router[4] = {192, 0, 2, 1};

static const arena_config quiet = {.seed = 1, .conditions = {.delay_ns = 5 * MS}};

static ls_client_state state_of(arena *room, uint32_t index)
{
    return ls_client_get_state(arena_client_at(room, index));
}
static void allow_six_of_an_address(void *context, ls_server_config *server, ls_room_config *room)
{
    server->connections_per_host = 6;
}

/* Two spectators of the router's address are as many as it has beside the four seats. */
static arena *create_with_two_spectators(void)
{
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = quiet.conditions, .prepare = allow_six_of_an_address});
    ls_client_config config = arena_client_config(room, "eyes");
    config.is_spectator = true;
    for (uint32_t i = 0; i < 2; i++) {
        ls_link *link = ls_network_open(room->network);
        ls_network_move(link, router);
        arena_join_over(room, &config, link);
        arena_run(room, 200 * MS);
    }
    return room;
}

static uint32_t join_spectator(arena *room, const char *name)
{
    ls_client_config config = arena_client_config(room, name);
    config.is_spectator = true;
    return arena_join(room, &config);
}

/* The limits of the new address hold, and the session keeps its own. */
TEST(test_session_move_takes_the_limits_along)
{
    arena *room = arena_create(&quiet);
    uint32_t moved = arena_join_bot(room, "moved");
    arena_run_to_tick(room, 60, 5 * S);
    const ls_server_session *session = room->server->sessions;
    while (session->phase != LS_SERVER_SESSION_ACTIVE)
        session++;
    uint32_t bucket = session->entrant.bucket;
    ls_network_move(room->clients[moved].link, router);
    arena_run(room, 1 * S);
    const ls_remote now_at = ls_network_remote(room->clients[moved].link);
    assert_memory_equal(&session->entrant.remote, &now_at, sizeof now_at);
    assert_int_not_equal(session->entrant.bucket, bucket);
    /* Log lines about the player are charged to the new host, too. */
    assert_int_equal(room->room->match.seats.items[session->seat].bucket, session->entrant.bucket);
    assert_int_equal(connections_of(room->link, &now_at), 1);
    const ls_remote_key host = ls_link_locate(room->link, &now_at).host;
    assert_true(ls_remote_key_is_same(&session->entrant.host, &host));
    assert_int_equal(ls_server_get_stats(room->server).sessions_moved, 1);
    assert_int_equal(ls_room_get_stats(room->room).leaves, 0);
    room->log[room->log_bytes] = 0;
    assert_non_null(strstr(room->log, "name=\"moved\" address=192.0.2.1:"));
    /* A new player of the former address finds what it left. */
    uint32_t other = arena_join_bot(room, "other");
    arena_run(room, 1 * S);
    assert_int_equal(state_of(room, other), LS_CLIENT_PLAYING);
    assert_int_equal(session->entrant.bucket == bucket, 0);
    arena_destroy(room);
}

/* A host may have two connections more than there are seats, and two spectators take them. A
 * spectator is ended when its session moves to that host; a player stays. A new port at the same
 * host changes nothing. */
TEST(test_session_move_gives_a_spectator_no_seats_connection)
{
    arena *room = create_with_two_spectators();
    uint32_t third = join_spectator(room, "third"), player = arena_join_bot(room, "player");
    arena_run_to_tick(room, 60, 5 * S);
    ls_network_rebind(room->clients[third].link);
    arena_run(room, 1 * S);
    assert_int_equal(arena_client_stats(room, third).resumes, 0);
    assert_int_equal(state_of(room, third), LS_CLIENT_PLAYING);
    ls_network_move(room->clients[third].link, router);
    ls_network_move(room->clients[player].link, router);
    arena_run(room, 1 * S);
    assert_int_equal(ls_server_get_stats(room->server).sessions_moved, 3);
    assert_int_equal(ls_server_get_stats(room->server).sessions, 4);
    arena_run(room, LS_LINK_PATH_NS);
    assert_int_equal(state_of(room, player), LS_CLIENT_PLAYING);
    assert_int_equal(arena_client_stats(room, player).resumes, 0);
    assert_int_equal(ls_server_get_stats(room->server).sessions, 3);
    const ls_remote there = ls_network_remote(room->clients[player].link);
    assert_int_equal(connections_of(room->link, &there), 3);
    arena_destroy(room);
}

/* An attacker can have the session moved to its own address for a moment. It is not ended there if
 * the client's own answer brings it back. */
TEST(test_session_move_lets_a_spectator_come_back)
{
    static const uint8_t home[4] = {192, 0, 2, 77};
    arena *room = create_with_two_spectators();
    uint32_t third = join_spectator(room, "third");
    arena_join_bot(room, "player");
    arena_run_to_tick(room, 60, 5 * S);
    ls_network_move(room->clients[third].link, router);
    arena_run(room, LS_LINK_PATH_NS / 2);
    ls_network_move(room->clients[third].link, home);
    arena_run(room, 2 * LS_LINK_PATH_NS);
    assert_int_equal(ls_server_get_stats(room->server).sessions_moved, 2);
    assert_int_equal(state_of(room, third), LS_CLIENT_PLAYING);
    assert_int_equal(arena_client_stats(room, third).resumes, 0);
    arena_destroy(room);
}
