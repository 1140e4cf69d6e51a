/* The relay's step function over loopback sockets, in virtual time. */
#include "cli/network/relay.h"

#include "test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

enum { CLIENTS = 8 };

typedef struct fixture {
    ls_relay *relay;
    ls_relay_config config;
    int server, clients[CLIENTS];
    uint64_t now_ns;
} fixture;

static int open_socket(uint16_t *port)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof own;
    int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(file, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&own, &bytes), 0);
    *port = ntohs(own.sin_port);
    return file;
}

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->config = ls_relay_config_default();
    f->config.to_host = "127.0.0.1";
    f->server = open_socket(&f->config.to_port);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        uint16_t port;
        f->clients[i] = open_socket(&port);
    }
    f->now_ns = 1000 * MS;
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_relay_destroy(f->relay);
    close(f->server);
    for (uint32_t i = 0; i < CLIENTS; i++)
        close(f->clients[i]);
    free(f);
    return 0;
}

static void start(fixture *f)
{
    ls_error error;
    assert_ok(ls_relay_create(&f->config, &f->relay, &error));
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                 .sin_port = htons(ls_relay_port(f->relay))};
        assert_int_equal(connect(f->clients[i], (struct sockaddr *)&to, sizeof to), 0);
    }
}

static void say(const fixture *f, uint32_t client, const char *text)
{
    assert_int_equal(send(f->clients[client], text, strlen(text), 0), strlen(text));
}

static void step(fixture *f, uint64_t ms)
{
    f->now_ns += ms * MS;
    (void)ls_relay_step(f->relay, f->now_ns);
}

/* Loopback delivers before send() returns, so a packet that has not arrived was not sent. */
static bool hear(int file, char text[16], struct sockaddr_in *from)
{
    socklen_t bytes = sizeof *from;
    ssize_t count = recvfrom(file, text, 15, 0, (struct sockaddr *)from, &bytes);
    text[count > 0 ? count : 0] = 0;
    return count >= 0;
}

static bool server_hears(const fixture *f, const char *expected, struct sockaddr_in *from)
{
    char text[16];
    if (!hear(f->server, text, from))
        return false;
    assert_string_equal(text, expected);
    return true;
}

static void assert_conserved(const ls_relay_direction *way)
{
    assert_int_equal(way->packets + way->duplicated, way->delivered + way->lost + way->overrun +
                                                         way->queue_full + way->stale +
                                                         way->send_failed + way->waiting);
}

TESTS_AROUND(begin, end);

TEST(test_relay_passes_both_ways)
{
    fixture *f = *state;
    struct sockaddr_in first, second, from;
    char text[16];
    start(f);
    say(f, 0, "one");
    say(f, 1, "two");
    step(f, 0);
    assert_true(server_hears(f, "one", &first));
    assert_true(server_hears(f, "two", &second));
    assert_true(first.sin_port != second.sin_port);
    assert_int_equal(sendto(f->server, "for two", 7, 0, (struct sockaddr *)&second, sizeof second),
                     7);
    step(f, 0);
    assert_false(hear(f->clients[0], text, &from));
    assert_true(hear(f->clients[1], text, &from));
    assert_string_equal(text, "for two");
    assert_int_equal(ntohs(from.sin_port), ls_relay_port(f->relay));
    ls_relay_stats stats = ls_relay_get_stats(f->relay);
    assert_int_equal(stats.flows, 2);
    assert_int_equal(stats.up.packets, 2);
    assert_int_equal(stats.down.delivered_bytes, 7);
}

/* Only the server may answer: packets of a stranger that knows the relay's port are dropped. */
TEST(test_relay_hears_no_stranger)
{
    fixture *f = *state;
    struct sockaddr_in flow, from;
    char text[16];
    uint16_t port;
    int stranger = open_socket(&port);
    start(f);
    say(f, 0, "hello");
    step(f, 0);
    assert_true(server_hears(f, "hello", &flow));
    (void)!sendto(stranger, "forged", 6, 0, (struct sockaddr *)&flow, sizeof flow);
    step(f, 0);
    assert_false(hear(f->clients[0], text, &from));
    assert_int_equal(ls_relay_get_stats(f->relay).down.packets, 0);
    close(stranger);
}

TEST(test_relay_delays)
{
    fixture *f = *state;
    struct sockaddr_in from;
    f->config.up.delay_ns = 100 * MS;
    start(f);
    say(f, 0, "late");
    assert_int_equal(ls_relay_step(f->relay, f->now_ns), f->now_ns + 100 * MS);
    assert_int_equal(ls_relay_get_stats(f->relay).up.waiting, 1);
    step(f, 99);
    assert_false(server_hears(f, "late", &from));
    step(f, 1);
    assert_true(server_hears(f, "late", &from));
    assert_int_equal(ls_relay_get_stats(f->relay).up.waiting, 0);
}

/* The queue of delayed packets is limited in number and in bytes. */
TEST(test_relay_bounds_its_queue)
{
    static const uint32_t sizes[] = {1, LS_RELAY_QUEUE_BYTES_MAX / LS_RELAY_QUEUE_PACKETS_MAX * 32};
    static const uint8_t data[LS_RELAY_QUEUE_BYTES_MAX / LS_RELAY_QUEUE_PACKETS_MAX * 32];
    fixture *f = *state;
    f->config.up.delay_ns = 100 * MS;
    start(f);
    for (uint32_t i = 0; i < LS_COUNT_OF(sizes); i++) {
        uint64_t fit = LS_RELAY_QUEUE_BYTES_MAX / sizes[i], full;
        if (fit > LS_RELAY_QUEUE_PACKETS_MAX)
            fit = LS_RELAY_QUEUE_PACKETS_MAX;
        full = ls_relay_get_stats(f->relay).up.queue_full;
        for (uint64_t n = 0; n < fit + 3; n++) {
            assert_int_equal(send(f->clients[0], data, sizes[i], 0), sizes[i]);
            if (n % 16 == 15 || n >= fit)
                step(f, 0);
        }
        ls_relay_stats stats = ls_relay_get_stats(f->relay);
        assert_int_equal(stats.up.waiting, fit);
        assert_int_equal(stats.up.queue_full - full, 3);
        step(f, 100);
        assert_int_equal(ls_relay_get_stats(f->relay).up.waiting, 0);
        assert_conserved(&stats.up);
        while (recv(f->server, (uint8_t[1]){0}, 1, 0) >= 0)
            continue;
    }
}

static uint64_t late_ns; /* the time at which a packet is read */

static uint64_t late(void)
{
    return late_ns;
}

/* The process slept between reading the clock and reading the packet. This must not add to the
 * delay, and packets without a delay must not wait for another step. */
TEST(test_relay_delays_from_when_a_packet_is_read)
{
    fixture *f = *state;
    struct sockaddr_in from;
    char text[16];
    f->config.up.delay_ns = 100 * MS;
    f->config.idle_ns = 1000 * MS;
    f->config.clock = late;
    start(f);
    say(f, 0, "late");
    late_ns = f->now_ns + 30 * MS;
    assert_int_equal(ls_relay_step(f->relay, f->now_ns), late_ns + 100 * MS);
    late_ns += 99 * MS;
    step(f, 100);
    assert_false(server_hears(f, "late", &from));
    late_ns += 1 * MS;
    step(f, 30);
    assert_true(server_hears(f, "late", &from));
    assert_int_equal(sendto(f->server, "back", 4, 0, (struct sockaddr *)&from, sizeof from), 4);
    late_ns += 50 * MS;
    step(f, 1);
    assert_true(hear(f->clients[0], text, &from));
    assert_int_equal(ls_relay_get_stats(f->relay).flows, 1);
}

TEST(test_relay_rebinds_once)
{
    fixture *f = *state;
    struct sockaddr_in from;
    char text[16];
    f->config.rebind_after_ns = 50 * MS;
    start(f);
    in_port_t ports[4];
    for (uint32_t i = 0; i < 4; i++) {
        say(f, 0, "here");
        step(f, 40);
        assert_true(server_hears(f, "here", &from));
        ports[i] = from.sin_port;
    }
    assert_true(ports[0] == ports[1] && ports[1] != ports[2] && ports[2] == ports[3]);
    assert_int_equal(ls_relay_get_stats(f->relay).rebinds, 1);
    assert_int_equal(sendto(f->server, "back", 4, 0, (struct sockaddr *)&from, sizeof from), 4);
    step(f, 1);
    assert_true(hear(f->clients[0], text, &from));
    assert_int_equal(ls_relay_get_stats(f->relay).flows_opened, 1);
}

TEST(test_relay_bounds_flows)
{
    fixture *f = *state;
    struct sockaddr_in from;
    f->config.flows_max = 3;
    f->config.idle_ns = 5000 * MS;
    start(f);
    for (uint32_t i = 0; i < CLIENTS; i++)
        say(f, i, "in");
    step(f, 0);
    ls_relay_stats stats = ls_relay_get_stats(f->relay);
    assert_int_equal(stats.flows, 3);
    assert_int_equal(stats.flows_refused, CLIENTS - 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(server_hears(f, "in", &from));
    assert_false(server_hears(f, "in", &from));
    /* One flow stays active; the others time out and make room. */
    step(f, 3000);
    say(f, 1, "still");
    step(f, 0);
    step(f, 3000);
    assert_int_equal(ls_relay_get_stats(f->relay).flows, 1);
    say(f, 7, "now");
    step(f, 0);
    assert_int_equal(ls_relay_get_stats(f->relay).flows, 2);
    assert_true(server_hears(f, "still", &from));
    assert_true(server_hears(f, "now", &from));
}

/* Packets for a flow that has timed out are dropped, and never reach the next client in its
 * slot. */
TEST(test_relay_drops_the_stale)
{
    fixture *f = *state;
    struct sockaddr_in from;
    f->config.up.delay_ns = 9000 * MS;
    f->config.idle_ns = 2000 * MS;
    start(f);
    say(f, 0, "old");
    step(f, 0);
    step(f, 4000);
    say(f, 1, "new");
    step(f, 0);
    step(f, 6000);
    assert_false(server_hears(f, "old", &from));
    ls_relay_stats stats = ls_relay_get_stats(f->relay);
    assert_int_equal(stats.up.stale, 1);
    assert_int_equal(stats.up.waiting, 1);
    assert_conserved(&stats.up);
}

TEST(test_relay_conserves)
{
    fixture *f = *state;
    const ls_impairment_conditions bad = {.loss = 100000,
                                          .delay_ns = 5 * MS,
                                          .jitter_ns = 20 * MS,
                                          .reorder = 100000,
                                          .reorder_delay_ns = 30 * MS,
                                          .duplicate = 100000,
                                          .corrupt = 100000,
                                          .truncate = 100000,
                                          .rate = 20000};
    struct sockaddr_in from;
    char text[16];
    f->config.up = f->config.down = bad;
    f->config.seed = 4;
    start(f);
    uint64_t heard_up = 0, heard_down = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        say(f, i % CLIENTS, "0123456789");
        step(f, 1);
        while (hear(f->server, text, &from)) {
            heard_up++;
            (void)!sendto(f->server, "answer", 6, 0, (struct sockaddr *)&from, sizeof from);
        }
        for (uint32_t k = 0; k < CLIENTS; k++) {
            while (hear(f->clients[k], text, &from))
                heard_down++;
        }
    }
    ls_relay_stats stats = ls_relay_get_stats(f->relay);
    assert_int_equal(stats.up.packets, 3000);
    assert_int_equal(stats.up.delivered, heard_up);
    assert_int_equal(stats.down.delivered, heard_down);
    assert_conserved(&stats.up);
    assert_conserved(&stats.down);
    assert_in_range(stats.up.lost, 220, 380);
    assert_true(stats.up.duplicated && stats.up.corrupted && stats.up.truncated);
    assert_true(stats.up.reordered && stats.down.lost);
}

/* A server that does not listen yet: packets are lost, and the relay continues. */
TEST(test_relay_outlives_a_closed_port)
{
    fixture *f = *state;
    uint16_t port = f->config.to_port;
    struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from;
    close(f->server);
    start(f);
    for (uint32_t i = 0; i < 5; i++) {
        say(f, 0, "early");
        step(f, 1);
    }
    f->server = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(f->server, (struct sockaddr *)&own, sizeof own), 0);
    say(f, 0, "now");
    step(f, 1);
    assert_true(server_hears(f, "now", &from));
    ls_relay_stats stats = ls_relay_get_stats(f->relay);
    assert_conserved(&stats.up);
}

TEST(test_relay_carries_any_size)
{
    fixture *f = *state;
    static const uint32_t sizes[] = {0, 1, 1200, 9000, 65507};
    static uint8_t sent[65536], heard[65536];
    struct sockaddr_in from;
    socklen_t from_bytes = sizeof from;
    start(f);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(sent, (int)i + 1, sizes[i]);
        assert_int_equal(send(f->clients[0], sent, sizes[i], 0), sizes[i]);
        step(f, 1);
        assert_int_equal(
            recvfrom(f->server, heard, sizeof heard, 0, (struct sockaddr *)&from, &from_bytes),
            sizes[i]);
        assert_memory_equal(heard, sent, sizes[i]);
        assert_int_equal(
            sendto(f->server, sent, sizes[i], 0, (struct sockaddr *)&from, sizeof from), sizes[i]);
        step(f, 1);
        assert_int_equal(recv(f->clients[0], heard, sizeof heard, 0), sizes[i]);
    }
}

TEST(test_relay_does_not_relay_to_itself)
{
    fixture *f = *state;
    ls_error error;
    close(f->server);
    f->config.listen_port = f->config.to_port;
    assert_int_equal(ls_relay_create(&f->config, &f->relay, &error), LS_ERROR_USAGE);
    f->config.listen_host = "0.0.0.0";
    assert_int_equal(ls_relay_create(&f->config, &f->relay, &error), LS_ERROR_USAGE);
    f->config.listen_host = "127.0.0.2"; /* another address, the same port */
    assert_ok(ls_relay_create(&f->config, &f->relay, &error));
}

TEST(test_relay_names_wrong_addresses)
{
    fixture *f = *state;
    ls_error error;
    f->config.listen_port = f->config.to_port; /* the server's own */
    assert_int_equal(ls_relay_create(&f->config, &f->relay, &error), LS_ERROR_IO);
    assert_null(f->relay);
    assert_non_null(strstr(error.text, "127.0.0.1:"));
    f->config.listen_host = "localhost";
    assert_int_equal(ls_relay_create(&f->config, &f->relay, &error), LS_ERROR_USAGE);
    f->config.to_host = "no.such.host.invalid";
    assert_int_equal(ls_relay_create(&f->config, &f->relay, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "no.such.host.invalid"));
}
