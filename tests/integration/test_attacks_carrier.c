/* Attacks with replayed ENet datagrams: a whole match over ENet and real sockets in virtual time,
 * with an attacker on the path that records datagrams and sends them again. */
#include "tally_sim.h"

#include "tests/support/test.h"
#include "tests/unit/proto/relay.h"

#include <lockstep/client.h>
#include <lockstep/server.h>

/* OTHER_HALF: half of the 16-bit group numbers and one block. ENet's window starts at the block of
 * 1,024 groups that holds the newest. */
enum { TICK_RATE = 240, OTHER_HALF = (1 << 15) + 1024, UNSEQUENCED = 0x49, GROUP_AT = 6 + 4 };

typedef struct fixture {
    uint64_t now_ns;
    ls_program *program;
    ls_identity identity;
    relay r;
    ls_link *links[2]; /* [role] */
    ls_server *server;
    ls_room *room;
    ls_client *client;
    bool has_left; /* the server logged the client's own reason for leaving */
} fixture;

static void read_log(void *context, const char *line)
{
    ((fixture *)context)->has_left |= strstr(line, "reason=\"supper\"") != NULL;
}

static void open_server(fixture *f, uint16_t *port)
{
    ls_error error = {""};
    ls_link_enet_config listen = ls_link_enet_config_default();
    listen.address = own_host();
    listen.port = 0;
    assert_ok(ls_link_enet_listen(&listen, &f->links[LS_ROLE_SERVER], &error));
    ls_server_config config = ls_server_config_default();
    config.program = f->program;
    config.link = f->links[LS_ROLE_SERVER];
    config.identity = &f->identity;
    config.peers_max = listen.peers_max;
    config.unix_s = 1700000000;
    config.log = read_log;
    config.log_context = f;
    assert_ok(ls_server_create(&config, &f->server, &error));
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(f->program, 3);
    room.match.tick_rate = TICK_RATE;
    room.wait_players = 1;
    assert_ok(ls_server_open_room(f->server, &room, &f->room, &error));
    *port = ls_link_enet_port(f->links[LS_ROLE_SERVER]);
}

static void join(fixture *f, uint16_t port)
{
    ls_error error = {""};
    ls_client_config config = ls_client_config_default();
    const ls_link_enet_client_config link = {.host = own_host(), .port = port, .bind = own_host()};
    assert_ok(ls_link_enet_open_from(&link, &f->links[LS_ROLE_CLIENT], &error));
    config.program = f->program;
    config.link = f->links[LS_ROLE_CLIENT];
    config.pin = &f->identity.public_key;
    config.is_bot = true;
    config.unix_s = 1700000000;
    assert_ok(ls_client_create(&config, &f->client, &error));
}

static void run(fixture *f, uint64_t duration_ns)
{
    for (uint64_t end_ns = f->now_ns + duration_ns; f->now_ns < end_ns;) {
        f->now_ns += S / (2 * TICK_RATE);
        relay_pump(&f->r, f->now_ns);
        (void)ls_server_step(f->server, f->now_ns);
        relay_pump(&f->r, f->now_ns);
        (void)ls_client_step(f->client, f->now_ns);
    }
}

static int begin(void **state)
{
    ls_error error = {""};
    uint16_t port, up_port;
    fixture *f = ls_alloc(sizeof *f);
    f->now_ns = clock_ns();
    assert_ok(ls_program_create(&tally_sim, &f->program, &error));
    ls_identity_init(&f->identity, NULL);
    open_server(f, &port);
    join(f, relay_open(&f->r, port, &up_port));
    run(f, 2 * S);
    assert_int_equal(ls_client_get_state(f->client), LS_CLIENT_PLAYING);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_client_destroy(f->client);
    ls_link_destroy(f->links[LS_ROLE_CLIENT]);
    ls_server_destroy(f->server);
    ls_link_destroy(f->links[LS_ROLE_SERVER]);
    ls_program_destroy(f->program);
    relay_close(&f->r);
    ls_free(f);
    return 0;
}

/* The number of the bot's orders that the server accepted: one per tick. */
static uint64_t landed(const fixture *f)
{
    return ls_room_get_stats(f->room).inputs_accepted;
}

static uint16_t group_of(const relay_frame *frame)
{
    assert_int_equal(frame->data[6], UNSEQUENCED);
    return (uint16_t)(frame->data[GROUP_AT] << 8 | frame->data[GROUP_AT + 1]);
}

/* The newest datagram that contains only a packet of the tick channel. */
static relay_frame record(fixture *f, ls_role sender)
{
    for (uint32_t i = 0; i < 100; i++) {
        run(f, S / TICK_RATE);
        const relay_frame *last = &f->r.last[sender];
        if (!(last->data[0] & 0xc0) && last->data[6] == UNSEQUENCED)
            return *last;
    }
    fail_msg("no packet of the tick channel");
    return (relay_frame){0};
}

/* Asserts half a second of undisturbed play: all inputs arrive, and the client resumes no
 * session. */
static void expect_play(fixture *f)
{
    uint64_t inputs = landed(f), tick = ls_client_get_stats(f->client).tick;
    run(f, S / 2);
    assert_in_range(landed(f) - inputs, TICK_RATE / 2 - 12, TICK_RATE / 2 + 12);
    assert_in_range(ls_client_get_stats(f->client).tick - tick, TICK_RATE / 2 - 12,
                    TICK_RATE / 2 + 12);
    assert_int_equal(ls_client_get_stats(f->client).resumes, 0);
    assert_int_equal(ls_room_get_stats(f->room).leaves, 0);
}

TESTS_AROUND(begin, end);

/* Sends one datagram of each direction again after half of all group numbers have been used. */
TEST(test_attack_20_one_datagram_again_half_the_groups_later)
{
    fixture *f = *state;
    relay_frame old[2], newest[2];
    for (uint32_t sender = 0; sender < 2; sender++)
        old[sender] = newest[sender] = record(f, sender);
    for (uint32_t sender = 0; sender < 2; sender++) {
        for (uint32_t i = 0; i < 400 && (uint16_t)(group_of(&newest[sender]) -
                                                   group_of(&old[sender])) <= OTHER_HALF;
             i++) {
            run(f, S);
            newest[sender] = record(f, sender);
        }
        assert_in_range((uint16_t)(group_of(&newest[sender]) - group_of(&old[sender])),
                        OTHER_HALF + 1, OTHER_HALF + 1024);
        uint64_t repeated = ls_link_get_stats(f->links[1 - sender]).refused[LS_LINK_REPEATED];
        relay_send(&f->r, sender, old[sender].data, old[sender].bytes);
        expect_play(f);
        assert_int_equal(ls_link_get_stats(f->links[1 - sender]).refused[LS_LINK_REPEATED],
                         repeated + 1);
    }
}

/* A datagram of the last seconds that begins with a PING of the client. */
static relay_frame find_ping(fixture *f)
{
    enum { PING = 0x85, PING_AT = 8 };
    run(f, 6 * S);
    for (uint32_t i = 0; i < RELAY_FRAMES; i++) {
        const relay_frame *frame = &f->r.frames[i];
        if (frame->sender == LS_ROLE_CLIENT && frame->data[0] & 0x80 &&
            frame->data[PING_AT] == PING)
            return *frame;
    }
    fail_msg("no PING");
    return (relay_frame){0};
}

/* Repeats a recorded PING 1,900 times a second. The client's reason for leaving must still
 * arrive. */
TEST(test_attack_26_one_ping_repeated_leaves_the_goodbye_alone)
{
    fixture *f = *state;
    relay_frame ping = find_ping(f);
    for (uint32_t i = 0; i < 2 * 2 * TICK_RATE; i++) {
        for (uint32_t k = 0; k < 4; k++)
            relay_send(&f->r, LS_ROLE_CLIENT, ping.data, ping.bytes);
        run(f, S / (2 * TICK_RATE));
    }
    assert_false(f->has_left);
    ls_client_leave(f->client, "supper", f->now_ns);
    for (uint32_t i = 0; i < TICK_RATE / 2; i++) {
        for (uint32_t k = 0; k < 4; k++)
            relay_send(&f->r, LS_ROLE_CLIENT, ping.data, ping.bytes);
        relay_pump(&f->r, f->now_ns);
        f->now_ns += S / (2 * TICK_RATE);
        (void)ls_server_step(f->server, f->now_ns);
    }
    assert_true(f->has_left);
}
