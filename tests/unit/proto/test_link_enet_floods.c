/* Floods of ENet commands by a client with valid keys. The link's work and memory stay bounded, and
 * messages of an honest sender always arrive. */
#include "line.h"

#include <malloc.h>

enum { HEAD_BYTES = 8, RELIABLE_BYTES = 6 + LS_SEAL_BYTES };

typedef struct forged {
    uint8_t data[LS_DATAGRAM_BYTES_MAX];
    uint32_t bytes;
} forged;

/* A datagram for the server's peer and session, like the client's own. */
static forged begin(const line *l)
{
    const uint8_t *last = l->r.last[LS_ROLE_CLIENT].data;
    return (forged){.data = {last[0] | 0x80, last[1]}, .bytes = HEAD_BYTES};
}

static void add(forged *f, const uint8_t *command, uint32_t bytes, uint32_t data_bytes)
{
    LS_ASSERT(f->bytes + bytes + data_bytes <= sizeof f->data);
    memcpy(f->data + f->bytes, command, bytes);
    f->bytes += bytes + data_bytes;
}

static void add_reliable(forged *f, uint32_t sequence)
{
    const uint8_t command[6] = {
        0x86, LS_CHANNEL_CONTROL, (uint8_t)(sequence >> 8), (uint8_t)sequence, 0, LS_SEAL_BYTES};
    add(f, command, sizeof command, LS_SEAL_BYTES);
}

static void inject(line *l, forged *f)
{
    relay_send_signed(&l->r, f->data, f->bytes);
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * S + (uint64_t)time.tv_nsec;
}

/* Advances virtual time by one step and returns how much time of a processor it took. */
static uint64_t step_ns(line *l, uint32_t time_ms)
{
    uint64_t begin_ns = cpu_ns();
    line_step(l, time_ms);
    return cpu_ns() - begin_ns;
}

static void open_alive(line *l)
{
    line_open(l);
    l->r.shared = &l->w.carrier;
    line_connect(l, 8);
    expect_alive(l);
    for (uint32_t i = 0; i < 20; i++)
        line_step(l, 100);
}

static uint32_t last_reliable(const line *l)
{
    return l->w.at_server; /* all messages of this connection were sent on the control channel */
}

/* ENet stores up to 28,000 commands that wait for a missing number, and walks that list for each
 * new command. With the list full, repeats of its lowest number blocked a server for seconds. */
TEST(test_link_enet_floods_of_early_commands_are_refused)
{
    enum { FILL = 768, REPEATS = 2000 };
    line l;
    open_alive(&l);
    uint32_t next = last_reliable(&l) + 2; /* leaves one number out */
    uint32_t at_server = l.w.at_server;
    uint64_t before = refused(l.w.server), longest_ns = 0;
    size_t before_bytes = mallinfo2().uordblks;
    for (uint32_t i = 0; i < FILL + REPEATS; i++) {
        forged f = begin(&l);
        for (uint32_t k = 0; k < LS_ENET_COMMANDS_MAX; k++)
            add_reliable(&f, i < FILL ? next + i * LS_ENET_COMMANDS_MAX + k : next);
        inject(&l, &f);
        if (i % 50 == 49) {
            uint64_t took_ns = step_ns(&l, 1);
            longest_ns = took_ns > longest_ns ? took_ns : longest_ns;
        }
    }
    line_step(&l, 0);
    /* Even the first datagram is refused: its last number is beyond the window. Repeats pass at the
     * permitted rate of commands. */
    assert_int_equal(refused(l.w.server) - before,
                     FILL + REPEATS - LS_LINK_COMMANDS_PER_S / LS_ENET_COMMANDS_MAX);
    assert_int_equal(l.w.at_server, at_server);
    assert_true(mallinfo2().uordblks < before_bytes + (64u << 10));
    print_message("longest step %.1f ms\n", (double)longest_ns / 1e6);
    assert_true(longest_ns < 500 * MS); /* half a millisecond on an idle machine */
    /* The missing command arrives: it and the one stored after it are delivered. */
    line_step(&l, 1000);
    forged f = begin(&l);
    add_reliable(&f, next - 1);
    inject(&l, &f);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + 2);
    assert_false(l.w.server_lost);
    line_close(&l);
}

/* Command numbers at both ends of the window, and one beyond each end. */
TEST(test_link_enet_floods_accept_a_window_of_commands)
{
    static const struct {
        int32_t off; /* from the last command received */
        bool passes;
    } cases[] = {{LS_LINK_CLIENT_QUEUE_MAX, true},
                 {LS_LINK_CLIENT_QUEUE_MAX + 1, false},
                 {-LS_LINK_CLIENT_QUEUE_MAX, true},
                 {-LS_LINK_CLIENT_QUEUE_MAX - 1, false},
                 {32768, false}};
    line l;
    open_alive(&l);
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        uint64_t before = refused(l.w.server);
        forged f = begin(&l);
        add_reliable(&f, (last_reliable(&l) + (uint32_t)cases[i].off) & 0xffff);
        inject(&l, &f);
        line_step(&l, 1);
        assert_int_equal(refused(l.w.server) - before, !cases[i].passes);
    }
    line_close(&l);
}

/* The server answers each PING. Datagrams of 290 PINGs made it send twice the bytes that it
 * received. */
TEST(test_link_enet_floods_of_pings_are_answered_within_a_budget)
{
    enum { SECONDS = 4, PER_SECOND = 500, ANSWER_BYTES = 24 };
    line l;
    open_alive(&l);
    uint64_t before = l.r.bytes[LS_ROLE_SERVER];
    for (uint32_t i = 0; i < SECONDS * PER_SECOND; i++) {
        forged f = begin(&l);
        for (uint32_t k = 0; k < LS_ENET_COMMANDS_MAX; k++)
            add(&f, (const uint8_t[]){0x85, 0xff, 0, (uint8_t)k}, 4, 0);
        inject(&l, &f);
        line_step(&l, 1000 / PER_SECOND);
    }
    uint64_t answered = l.r.bytes[LS_ROLE_SERVER] - before;
    print_message("%llu bytes in answer\n", (unsigned long long)answered);
    assert_in_range(answered, SECONDS * LS_LINK_COMMANDS_PER_S * 8,
                    (SECONDS + 1) * LS_LINK_COMMANDS_PER_S * ANSWER_BYTES);
    /* The honest client with the same keys waits at most one second. */
    line_step(&l, 1000);
    expect_alive(&l);
    line_close(&l);
}

/* The budget is only for datagrams with a valid code: forged ones do not use it up. */
TEST(test_link_enet_floods_of_others_use_no_budget)
{
    line l;
    open_alive(&l);
    for (uint32_t i = 0; i < 200; i++) {
        forged f = begin(&l);
        for (uint32_t k = 0; k < LS_ENET_COMMANDS_MAX; k++)
            add(&f, (const uint8_t[]){0x85, 0xff, 0, (uint8_t)k}, 4, 0);
        relay_send(&l.r, LS_ROLE_CLIENT, f.data, f.bytes);
    }
    line_step(&l, 1);
    uint32_t at_server = l.w.at_server;
    assert_ok(send_bytes(l.w.client, l.w.client_peer, LS_CHANNEL_CONTROL, 39));
    line_step(&l, 1);
    line_step(&l, 1);
    assert_int_equal(l.w.at_server, at_server + 1);
    line_close(&l);
}

/* The client sends five messages a second, more than the server's control channel ever carries. The
 * path loses a fifth in both directions and breaks for ten seconds, until the client's queue is
 * full. Every message that was accepted for sending arrives in order, and none is refused. */
static void check_honest_sender(uint64_t seed, uint32_t all[2])
{
    enum { STEPS = 9000, STEPS_MAX = 200000 };
    line l;
    open_alive(&l);
    l.r.delay_ns = 40 * MS;
    uint32_t at_server = l.w.at_server, at_client = l.w.at_client, sent[2] = {0};
    uint64_t before = refused(l.w.server) + refused(l.w.client);
    l.w.server_order = 0;
    /* ENet repeats a command at growing intervals, so the last ones take a random time. */
    for (uint32_t i = 0; i < STEPS_MAX; i++) {
        uint8_t data[LS_SEAL_BYTES] = {(uint8_t)sent[LS_ROLE_CLIENT]};
        ls_packet packet = {.channel = LS_CHANNEL_CONTROL, .bytes = sizeof data, .data = data};
        bool has_all = l.w.at_server - at_server == sent[LS_ROLE_CLIENT] &&
                       l.w.at_client - at_client == sent[LS_ROLE_SERVER];
        if (i >= STEPS && has_all)
            break;
        if (i < STEPS && i % 10 == 5)
            sent[LS_ROLE_CLIENT] += ls_link_send(l.w.client, l.w.client_peer, &packet) == LS_OK;
        if (i < STEPS && i % 20 == 0)
            sent[LS_ROLE_SERVER] += ls_link_send(l.w.server, l.w.server_peer, &packet) == LS_OK;
        bool stands_still = i % 3000 > 2500 && i < STEPS;
        l.r.drop[LS_ROLE_CLIENT] = stands_still || test_random(&seed) % 5 == 0;
        l.r.drop[LS_ROLE_SERVER] = stands_still || test_random(&seed) % 5 == 0;
        line_step(&l, 20);
    }
    assert_int_equal(l.w.at_server - at_server, sent[LS_ROLE_CLIENT]);
    assert_int_equal(l.w.server_order, sent[LS_ROLE_CLIENT]);
    assert_int_equal(l.w.at_client - at_client, sent[LS_ROLE_SERVER]);
    assert_int_equal(refused(l.w.server) + refused(l.w.client), before);
    all[LS_ROLE_CLIENT] += sent[LS_ROLE_CLIENT];
    all[LS_ROLE_SERVER] += sent[LS_ROLE_SERVER];
    line_close(&l);
}

TEST(test_link_enet_floods_limits_meet_no_honest_sender)
{
    enum { SEEDS = 8 };
    uint32_t all[2] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        check_honest_sender(seed, all);
    print_message("%u to the server, %u to the client\n", all[LS_ROLE_CLIENT], all[LS_ROLE_SERVER]);
    /* Out of 900 and 450 per seed. The client's queue was full during the outage. */
    assert_in_range(all[LS_ROLE_CLIENT], SEEDS * 500, SEEDS * 850);
    assert_true(all[LS_ROLE_SERVER] > SEEDS * 400);
}
