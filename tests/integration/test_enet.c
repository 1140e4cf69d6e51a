/* A match over real sockets with the real clock, for a second. */
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/client.h>
#include <lockstep/link_enet.h>
#include <lockstep/server.h>

#include <time.h>

enum { CLIENTS = 3, TICKS = 60 };

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * S + (uint64_t)time.tv_nsec;
}

struct ending {
    ls_room_stats stats;
    uint64_t root;
};

static void keep_end(void *context, ls_room *room)
{
    *(struct ending *)context =
        (struct ending){.stats = ls_room_get_stats(room), .root = ls_room_final_root(room)};
}

static void join(const ls_program *program, const ls_identity *identity, uint16_t port,
                 ls_link **link, ls_client **client)
{
    ls_error error = {""};
    if (ls_link_enet_open("127.0.0.1", port, link, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_client_config config = ls_client_config_default();
    config.program = program;
    config.link = *link;
    config.pin = &identity->public_key;
    config.is_bot = true;
    config.unix_s = (uint64_t)time(NULL);
    assert_ok(ls_client_create(&config, client, &error));
}

typedef struct fixture {
    ls_program *program;
    ls_identity identity;
    ls_link *link;
    ls_server *server;
    struct ending ending;
    uint32_t told; /* log lines with a client's own reason for leaving */
} fixture;

static void read_log(void *context, const char *line)
{
    fixture *self = context;
    self->told += strstr(line, "leave ") && strstr(line, "reason=\"supper\"");
}

static void open_server(fixture *self, uint32_t wait_players, uint64_t ticks_max)
{
    ls_error error = {""};
    *self = (fixture){.told = 0};
    assert_ok(ls_program_create(&tally_sim, &self->program, &error));
    ls_identity_init(&self->identity, NULL);
    ls_link_enet_config listen = ls_link_enet_config_default();
    listen.address = "127.0.0.1";
    listen.port = 0;
    assert_ok(ls_link_enet_listen(&listen, &self->link, &error));
    ls_server_config config = ls_server_config_default();
    config.program = self->program;
    config.link = self->link;
    config.identity = &self->identity;
    config.peers_max = listen.peers_max;
    config.unix_s = (uint64_t)time(NULL);
    config.room_ended = keep_end;
    config.room_context = &self->ending;
    config.log = read_log;
    config.log_context = self;
    assert_ok(ls_server_create(&config, &self->server, &error));
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(self->program, 3);
    room.wait_players = wait_players;
    room.ticks_max = ticks_max;
    assert_ok(ls_server_open_room(self->server, &room, NULL, &error));
}

static void close_server(fixture *self)
{
    ls_server_destroy(self->server);
    ls_link_destroy(self->link);
    ls_program_destroy(self->program);
}

enum { PATIENCE_S = 120 }; /* only catches what never ends: the machine may be busy */

TEST(test_enet_match_over_loopback)
{
    fixture self;
    ls_link *links[CLIENTS];
    ls_client *clients[CLIENTS];
    open_server(&self, CLIENTS, TICKS);
    for (uint32_t i = 0; i < CLIENTS; i++)
        join(self.program, &self.identity, ls_link_enet_port(self.link), &links[i], &clients[i]);
    uint64_t until_ns = now() + PATIENCE_S * S;
    for (bool is_over = false; !is_over && now() < until_ns; ls_link_wait(self.link, 2)) {
        ls_server_step(self.server, now());
        is_over = ls_server_is_done(self.server);
        for (uint32_t i = 0; i < CLIENTS; i++) {
            ls_client_step(clients[i], now());
            is_over &= ls_client_is_final(clients[i]);
        }
    }
    assert_int_equal(self.ending.stats.tick, TICKS);
    assert_int_equal(self.ending.stats.desyncs, 0);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        assert_int_equal(ls_client_get_state(clients[i]), LS_CLIENT_ENDED);
        assert_int_equal(ls_client_get_stats(clients[i]).tick, TICKS);
        assert_int_equal(ls_world_root(ls_client_world(clients[i])), self.ending.root);
        ls_client_destroy(clients[i]);
        ls_link_destroy(links[i]);
    }
    close_server(&self);
}

/* A client leaves, and its link is destroyed at once. */
TEST(test_enet_the_reason_of_a_leaving_client_arrives)
{
    enum { LEAVES = 20 };
    fixture self;
    open_server(&self, 0, 0);
    uint64_t until_ns = now() + PATIENCE_S * S;
    for (uint32_t i = 0; i < LEAVES; i++) {
        ls_link *link;
        ls_client *client;
        join(self.program, &self.identity, ls_link_enet_port(self.link), &link, &client);
        while (ls_client_get_state(client) != LS_CLIENT_PLAYING && now() < until_ns) {
            ls_server_step(self.server, now());
            ls_client_step(client, now());
            ls_link_wait(self.link, 1);
        }
        ls_client_leave(client, "supper", now());
        ls_client_destroy(client);
        ls_link_destroy(link);
        while (self.told <= i && ls_server_get_stats(self.server).sessions > 0 && now() < until_ns)
            ls_server_step(self.server, now());
    }
    assert_int_equal(self.told, LEAVES);
    close_server(&self);
}
