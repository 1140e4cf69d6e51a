/* A match over real sockets allocates nothing once it is warm. The linker's --wrap counts
 * allocations of server and clients, without those inside the ENet library. */
#include "tally_sim.h"

#include "tests/support/counted_memory.h"
#include "tests/support/test.h"
#include <lockstep/client.h>
#include <lockstep/link_enet.h>
#include <lockstep/server.h>

#include <time.h>

/* After WARM_TICKS the clients' frame rings have wrapped. The server's ring doubles until it holds
 * a minute, and has just grown. */
enum { CLIENTS = 3, RATE = 240, WARM_TICKS = 960, TICKS = 240 };

typedef struct match {
    ls_program *program;
    ls_identity identity;
    ls_link *link, *links[CLIENTS];
    ls_server *server;
    ls_room *room;
    ls_client *clients[CLIENTS];
} match;

static uint64_t real_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * S + (uint64_t)time.tv_nsec;
}

/* The match's clock follows the real clock in steps of at most half a tick. On a busy machine
 * longer steps would make a client miss ticks and load a snapshot, which allocates. */
static uint64_t now(void)
{
    static uint64_t shown_ns = S, seen_ns;
    uint64_t real = real_ns(), step = seen_ns ? real - seen_ns : 0;
    seen_ns = real;
    return shown_ns += step < 2 * MS ? step : 2 * MS;
}

static void start_server(match *self)
{
    ls_error error = {""};
    ls_link_enet_config listen = ls_link_enet_config_default();
    listen.address = "127.0.0.1";
    listen.port = 0;
    assert_ok(ls_program_create(&tally_sim, &self->program, &error));
    ls_identity_init(&self->identity, NULL);
    assert_ok(ls_link_enet_listen(&listen, &self->link, &error));
    ls_server_config config = ls_server_config_default();
    config.program = self->program;
    config.link = self->link;
    config.identity = &self->identity;
    config.peers_max = listen.peers_max;
    config.unix_s = (uint64_t)time(NULL);
    assert_ok(ls_server_create(&config, &self->server, &error));
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(self->program, 3);
    room.match.tick_rate = RATE;
    room.wait_players = CLIENTS;
    assert_ok(ls_server_open_room(self->server, &room, &self->room, &error));
}

static void join(match *self, uint32_t index)
{
    ls_error error = {""};
    ls_client_config config = ls_client_config_default();
    if (ls_link_enet_open("127.0.0.1", ls_link_enet_port(self->link), &self->links[index],
                          &error) != LS_OK)
        fail_msg("%s", error.text);
    config.program = self->program;
    config.link = self->links[index];
    config.pin = &self->identity.public_key;
    config.is_bot = true;
    config.unix_s = (uint64_t)time(NULL);
    assert_ok(ls_client_create(&config, &self->clients[index], &error));
}

static void run_to(match *self, uint64_t tick)
{
    uint64_t until_ns = now() + 30 * S;
    while (ls_room_get_stats(self->room).tick < tick) {
        assert_true(now() < until_ns);
        ls_server_step(self->server, now());
        for (uint32_t i = 0; i < CLIENTS; i++)
            ls_client_step(self->clients[i], now());
        (void)ls_link_wait(self->link, 1);
    }
}

TEST(test_steady_match_asks_for_no_memory)
{
    match self = {0};
    start_server(&self);
    for (uint32_t i = 0; i < CLIENTS; i++)
        join(&self, i);
    run_to(&self, WARM_TICKS);
    uint64_t before = ls_client_get_stats(self.clients[0]).tick;
    calls = 0;
    run_to(&self, WARM_TICKS + TICKS);
    assert_int_equal(calls, 0);
    assert_true(ls_client_get_stats(self.clients[0]).tick >= before + TICKS / 2);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        ls_client_destroy(self.clients[i]);
        ls_link_destroy(self.links[i]);
    }
    ls_server_destroy(self.server);
    ls_link_destroy(self.link);
    ls_identity_reset(&self.identity);
    ls_program_destroy(self.program);
}

/* Tests the counter itself: it counts a call made here. */
TEST(test_steady_counts)
{
    calls = 0;
    ls_free(ls_alloc(1));
    assert_int_equal(calls, 1);
}
