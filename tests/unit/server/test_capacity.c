/* Capacity checks of an admission. test_admission.c tests the rest of capacity.c. */
#include "puppet.h"
#include "server/capacity.h"
#include "tests/support/test.h"
#include <lockstep/session_limits.h>

static ls_status have_no_room(void *context, const char *name, ls_room_config *config,
                              ls_error *error)
{
    ++*(uint32_t *)context;
    return ls_error_set(error, LS_ERROR_LIMIT, "all 1 rooms are open");
}

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    server->make_room = have_no_room;
    server->room_context = context;
}

/* A request for a room that cannot be made is not charged to the host's budget of rooms. */
TEST(test_capacity_refused_room_costs_nothing)
{
    uint32_t asked = 0;
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = &asked});
    ls_server *server = room->server;
    for (uint32_t i = 0; i < LS_SERVER_BUCKETS;
         i++) /* each bucket has one room left, including the client's */
        for (uint32_t k = 1; k < LS_SERVER_ROOMS_PER_HOST; k++)
            assert_ok(ls_capacity_room(server, i, room->now_ns, NULL));
    for (uint32_t i = 1; i <= 3; i++) {
        ls_handshake_client_config config = puppet_config(room, "guest");
        strcpy(config.room, "mine");
        puppet *client = puppet_create(room, &config);
        assert_false(client->has_accept);
        assert_non_null(strstr(client->refusal, "all 1 rooms are open"));
        assert_int_equal(asked, i);
        puppet_destroy(client);
    }
    arena_destroy(room);
}

TEST(test_capacity_room_is_given_back)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = {.delay_ns = 5 * MS}});
    ls_error error = {""};
    for (uint32_t i = 0; i < LS_SERVER_ROOMS_PER_HOST; i++)
        assert_ok(ls_capacity_room(room->server, 7, room->now_ns, &error));
    assert_int_equal(ls_capacity_room(room->server, 7, room->now_ns, &error), LS_ERROR_LIMIT);
    ls_capacity_return_room(room->server, 7);
    assert_ok(ls_capacity_room(room->server, 7, room->now_ns, &error));
    assert_int_equal(ls_capacity_room(room->server, 7, room->now_ns, &error), LS_ERROR_LIMIT);
    arena_destroy(room);
}

static uint32_t reserve(uint32_t connections, uint32_t open, uint32_t unopened)
{
    return ls_capacity_reserve(connections, (ls_capacity_seats){open, unopened});
}

/* Each open seat reserves a connection. Each seat to come reserves one, too, as long as spectators
 * keep their part. */
TEST(test_capacity_reserve_is_for_seats)
{
    assert_int_equal(reserve(256, 0, 0), 0);
    assert_int_equal(reserve(256, 64, 0), 64);
    assert_int_equal(reserve(256, 64, 64), 128);
    assert_int_equal(reserve(256, 2, 64000), 256 - 256 / LS_SERVER_SPECTATORS_PART);
    assert_int_equal(reserve(256, 250, 64000), 250);
    assert_int_equal(reserve(64, 64, 0), 64);
    assert_int_equal(reserve(64, 1000, 0), 64);
    assert_int_equal(reserve(8, 8, 0), 8);
    assert_int_equal(reserve(72, 0, 768),
                     64); /* the 72 connections that `serve` gives one address */
}

TEST(test_capacity_unconfirmed_seats_of_one_address)
{
    static const uint32_t pairs[][2] = {{0, 2}, {8, 2}, {11, 2}, {12, 3}, {64, 16}, {768, 192}};
    for (uint32_t i = 0; i < LS_COUNT_OF(pairs); i++) {
        ls_capacity_seats seats = {.open = pairs[i][0]}, later = {.unopened = pairs[i][0]};
        assert_int_equal(ls_capacity_unconfirmed(seats), pairs[i][1]);
        assert_int_equal(ls_capacity_unconfirmed(later), pairs[i][1]);
    }
}

/* A seat is open until its player has connected. A room that ends has no open seats. */
TEST(test_capacity_counts_seats)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = {.delay_ns = 5 * MS}});
    assert_int_equal(ls_capacity_count_seats(room->server).open, 4);
    puppet *player = puppet_enter(room, "player");
    ls_handshake_client_config config = puppet_config(room, "eyes");
    config.flags = LS_HANDSHAKE_SPECTATE;
    puppet *spectator = puppet_create(room, &config);
    assert_int_equal(ls_capacity_count_seats(room->server).open, 3);
    assert_int_equal(ls_capacity_count_seats(room->server).unopened, 0);
    uint32_t asked = 0;
    room->server->make_room = have_no_room;
    room->server->room_context = &asked;
    room->server->rooms_max = 3;
    assert_int_equal(ls_capacity_count_seats(room->server).unopened, 2 * 4);
    room->server->make_room = NULL;
    ls_room_drain(room->room, room->now_ns);
    assert_int_equal(ls_capacity_count_seats(room->server).open, 0);
    puppet_destroy(spectator);
    puppet_destroy(player);
    arena_destroy(room);
}
