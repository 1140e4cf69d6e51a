/* Capacity checks of an admission; test_admission tests the rest of capacity.c. */
#include "puppet.h"
#include "server/capacity.h"
#include "tests/support/test.h"

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

/* Asking for a room that cannot be made does not charge the host's budget of rooms. */
static void test_capacity_refused_room_costs_nothing(void **state)
{
    uint32_t asked = 0;
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = &asked});
    ls_server *server = room->server;
    for (uint32_t i = 0; i < LS_SERVER_BUCKETS;
         i++) /* whichever bucket the client's address uses, it has one room left */
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

static void test_capacity_room_is_given_back(void **state)
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

int main(void)
{
    return RUN_TESTS(test_capacity_refused_room_costs_nothing, test_capacity_room_is_given_back);
}
