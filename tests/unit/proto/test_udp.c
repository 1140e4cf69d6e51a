#include "test.h"

#include "proto/endpoint.h"
#include "proto/platform_batch.h"
#include "proto/udp.h"
#include <lockstep/limits.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BATCH = 4 };

static ls_address ipv6_loopback(uint16_t port)
{
    return (ls_address){.host = {[15] = 1}, .port = {(uint8_t)(port >> 8), (uint8_t)port}};
}

static ls_udp *open_at(ls_udp_family family, ls_address own)
{
    ls_udp *udp = NULL;
    const ls_udp_config config = {
        .family = family, .own = own, .batch = BATCH, .buffer_bytes = 1 << 20};
    if (ls_udp_open(&config, &udp) == LS_OK)
        return udp;
    assert_true(errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
    return NULL;
}

static ls_udp *open_ipv4(void)
{
    ls_udp *udp = open_at(LS_UDP_IPV4, (ls_address)LS_ADDRESS_IPV4(127, 0, 0, 1, 0));
    assert_non_null(udp);
    return udp;
}

/* True when the kernel holds a filter for the socket: it may refuse one. */
static bool is_filtered(const ls_udp *udp)
{
    socklen_t instructions = 0;
    return getsockopt(ls_udp_file(udp), SOL_SOCKET, SO_GET_FILTER, NULL, &instructions) == 0 &&
           instructions > 0;
}

static bool receive(ls_udp *udp, ls_udp_datagram *datagram)
{
    struct pollfd wanted = {.fd = ls_udp_file(udp), .events = POLLIN};
    for (uint32_t i = 0; i < 100; i++) {
        if (ls_udp_receive(udp, datagram))
            return true;
        (void)poll(&wanted, 1, 50);
    }
    return false;
}

/* A batch leaves when it is full, and the rest with the flush. */
TEST(test_udp_batches_keep_their_order)
{
    ls_udp *from = open_ipv4(), *to = open_ipv4();
    const ls_address there = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(to));
    const ls_address here = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(from));
    uint8_t data[LS_DATAGRAM_BYTES_MAX] = {0};
    ls_udp_datagram datagram;
    for (uint32_t i = 0; i < 2 * BATCH + 1; i++) {
        data[0] = (uint8_t)i;
        ls_udp_send(from, &there, data, i == 3 ? sizeof data : 1 + i);
    }
    for (uint32_t i = 0; i < 2 * BATCH; i++) {
        assert_true(receive(to, &datagram));
        assert_int_equal(datagram.data[0], i);
        assert_int_equal(datagram.bytes, i == 3 ? sizeof data : 1 + i);
        assert_memory_equal(&datagram.from, &here, sizeof here);
    }
    assert_false(ls_udp_receive(to, &datagram));
    assert_true(ls_udp_is_drained(to));
    ls_udp_flush(from);
    assert_true(receive(to, &datagram));
    assert_int_equal(datagram.data[0], 2 * BATCH);
    assert_false(ls_udp_is_drained(to));
    assert_int_equal(ls_udp_taken(to), 2 * BATCH + 1);
    ls_udp_close(from);
    ls_udp_close(to);
}

/* One that the system refuses holds none of the others. */
TEST(test_udp_counts_what_is_not_sent)
{
    ls_udp *from = open_ipv4(), *to = open_ipv4();
    const ls_address there = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(to));
    const ls_address nowhere = LS_ADDRESS_IPV4(127, 0, 0, 1, 0), other = ipv6_loopback(1);
    ls_udp_datagram datagram;
    ls_udp_send(from, &nowhere, (const uint8_t *)"a", 1);
    ls_udp_send(from, &there, (const uint8_t *)"b", 1);
    ls_udp_send(from, &other, (const uint8_t *)"c", 1); /* no IPv4 address */
    ls_udp_send(from, &there, (const uint8_t *)"d", 1);
    ls_udp_flush(from);
    assert_true(receive(to, &datagram));
    assert_int_equal(datagram.data[0], 'b');
    assert_true(receive(to, &datagram));
    assert_int_equal(datagram.data[0], 'd');
    assert_int_equal(ls_udp_get_troubles(from).unsent, 2);
    ls_udp_close(from);
    ls_udp_close(to);
}

/* Without a filter in the kernel: empty and long datagrams are skipped, and a call looks at a
 * bounded number of them. */
TEST(test_udp_skips_what_is_none_of_ours)
{
    ls_udp *from = open_ipv4(), *to = open_ipv4();
    const ls_address there = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(to));
    struct sockaddr_in end = {.sin_family = AF_INET,
                              .sin_port = htons(ls_udp_port(to)),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    static const uint8_t data[LS_DATAGRAM_BYTES_MAX + 1];
    ls_udp_datagram datagram;
    for (uint32_t i = 0; i < 3 * BATCH; i++)
        assert_int_equal(sendto(ls_udp_file(from), data, i % 2 ? sizeof data : 0, 0,
                                (struct sockaddr *)&end, sizeof end),
                         i % 2 ? sizeof data : 0);
    ls_udp_send(from, &there, data, 7);
    ls_udp_flush(from);
    uint32_t calls = 0;
    while (!ls_udp_receive(to, &datagram) && calls < 20)
        calls++;
    assert_int_equal(calls, 3);
    assert_int_equal(datagram.bytes, 7);
    assert_int_equal(ls_udp_get_troubles(to).unread, 3 * BATCH / 2);
    ls_udp_close(from);
    ls_udp_close(to);
}

/* Sends a datagram and receives it in a round at `now_ns`, `wait_ms` later. */
static uint64_t arrival_after(ls_udp *from, ls_udp *to, uint32_t wait_ms, uint64_t now_ns)
{
    const ls_address there = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(to));
    ls_udp_datagram datagram;
    ls_udp_send(from, &there, (const uint8_t *)"a", 1);
    ls_udp_flush(from);
    (void)poll(NULL, 0, (int)wait_ms);
    ls_udp_set_time(to, now_ns);
    assert_true(ls_udp_receive(to, &datagram));
    assert_false(ls_udp_receive(to, &datagram));
    return datagram.arrived_ns;
}

/* A loaded machine may sleep for longer, so only the least wait is known. */
TEST(test_udp_tells_when_a_datagram_has_arrived)
{
    enum { WAIT_MS = 20 };
    ls_udp *from = open_ipv4(), *to = open_ipv4();
    uint64_t now_ns = 1000 * S, arrived_ns = 0;
    ls_udp_set_time(to, now_ns);
    bool has_stamps = ls_batch_clock_ns() != 0;
    /* The system begins to stamp some time after a first socket has asked for it. */
    for (uint32_t i = 0; has_stamps && i < 100; i++) {
        now_ns += S;
        arrived_ns = arrival_after(from, to, WAIT_MS, now_ns);
        assert_in_range(arrived_ns, now_ns - S, now_ns);
        if (arrived_ns <= now_ns - WAIT_MS * MS)
            break;
    }
    if (!has_stamps) {
        assert_int_equal(arrival_after(from, to, WAIT_MS, now_ns + S), 0);
        ls_udp_close(from);
        ls_udp_close(to);
        return;
    }
    assert_in_range(arrived_ns, now_ns - S, now_ns - WAIT_MS * MS);
    /* By the caller's clock the last round was 1 ms ago, and by the wall clock it was longer ago:
     * the wall clock may have been set. */
    assert_int_equal(arrival_after(from, to, WAIT_MS, now_ns + MS), now_ns);
    assert_int_equal(arrival_after(from, to, WAIT_MS, now_ns + MS), now_ns + MS);
    ls_udp_close(from);
    ls_udp_close(to);
}

/* Arrivals during a round have the round's time. */
TEST(test_udp_knows_no_arrival_after_the_round)
{
    ls_udp *from = open_ipv4(), *to = open_ipv4();
    const ls_address there = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(to));
    ls_udp_datagram datagram;
    ls_udp_set_time(to, 1000 * S);
    (void)arrival_after(from, to, 0, 1001 * S);
    ls_udp_send(from, &there, (const uint8_t *)"a", 1);
    ls_udp_flush(from);
    assert_true(receive(to, &datagram));
    assert_int_equal(datagram.arrived_ns, ls_batch_clock_ns() ? 1001 * S : 0);
    ls_udp_close(from);
    ls_udp_close(to);
}

TEST(test_udp_knows_no_arrival_without_a_stamp)
{
    ls_udp *from = open_ipv4(), *to = open_ipv4();
    const int off = 0;
    assert_int_equal(setsockopt(ls_udp_file(to), SOL_SOCKET, SO_TIMESTAMPNS, &off, sizeof off), 0);
    ls_udp_set_time(to, 1000 * S);
    assert_int_equal(arrival_after(from, to, 2, 1001 * S), 0);
    ls_udp_close(from);
    ls_udp_close(to);
}

static void exchange(ls_udp *a, ls_address at_b, ls_udp *b, ls_address at_a)
{
    ls_udp_datagram datagram;
    ls_udp_send(a, &at_b, (const uint8_t *)"to b", 4);
    ls_udp_flush(a);
    assert_true(receive(b, &datagram));
    assert_memory_equal(&datagram.from, &at_a, sizeof at_a);
    ls_udp_send(b, &datagram.from, (const uint8_t *)"to a", 4);
    ls_udp_flush(b);
    assert_true(receive(a, &datagram));
    assert_memory_equal(&datagram.from, &at_b, sizeof at_b);
}

/* One socket serves both families, and shows IPv4 peers by their IPv4 address. */
TEST(test_udp_dual_serves_both_families)
{
    ls_udp *server = open_at(LS_UDP_DUAL, (ls_address){0});
    ls_udp *six = server ? open_at(LS_UDP_IPV6, ipv6_loopback(0)) : NULL, *four = open_ipv4();
    if (!six) {
        print_message("this machine has no IPv6\n");
        ls_udp_close(server);
        ls_udp_close(four);
        skip();
    }
    uint16_t port = ls_udp_port(server);
    exchange(six, ipv6_loopback(port), server, ipv6_loopback(ls_udp_port(six)));
    exchange(four, (ls_address)LS_ADDRESS_IPV4(127, 0, 0, 1, port), server,
             (ls_address)LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(four)));
    ls_udp_close(server);
    ls_udp_close(six);
    ls_udp_close(four);
}

/* Sends a datagram of any size, past the limits of ls_udp_send(). */
static void send_bytes(const ls_udp *from, const ls_address *to, size_t bytes)
{
    static const uint8_t data[LS_DATAGRAM_BYTES_MAX + 1];
    int family = ls_address_is_ipv4(to) ? AF_INET : AF_INET6;
    ls_endpoint end;
    ls_endpoint_from_address(to, family, &end);
    assert_int_equal(sendto(ls_udp_file(from), data, bytes, 0, (const struct sockaddr *)&end,
                            ls_endpoint_bytes(family)),
                     bytes);
}

TEST(test_udp_filter_is_for_both_families)
{
    for (uint32_t is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        ls_address own = LS_ADDRESS_IPV4(127, 0, 0, 1, 0);
        ls_udp_config config = {.family = is_ipv6 ? LS_UDP_IPV6 : LS_UDP_IPV4,
                                .own = is_ipv6 ? ipv6_loopback(0) : own,
                                .batch = BATCH,
                                .buffer_bytes = 1 << 20,
                                .filter = true};
        ls_udp *to, *from = open_at(config.family, config.own);
        if (!from)
            continue; /* no IPv6 */
        assert_ok(ls_udp_open(&config, &to));
        if (is_filtered(to)) {
            uint16_t port = ls_udp_port(to);
            const ls_address at_ipv4 = LS_ADDRESS_IPV4(127, 0, 0, 1, port);
            const ls_address there = is_ipv6 ? ipv6_loopback(port) : at_ipv4;
            const size_t sizes[] = {0, 1, 2, LS_DATAGRAM_BYTES_MAX + 1, LS_DATAGRAM_BYTES_MAX};
            ls_udp_datagram datagram;
            for (uint32_t i = 0; i < LS_COUNT_OF(sizes); i++)
                send_bytes(from, &there, sizes[i]);
            assert_true(receive(to, &datagram));
            assert_int_equal(datagram.bytes, 2);
            assert_true(receive(to, &datagram));
            assert_int_equal(datagram.bytes, LS_DATAGRAM_BYTES_MAX);
            assert_int_equal(ls_udp_taken(to), 2);
        }
        ls_udp_close(from);
        ls_udp_close(to);
    }
}

/* Nothing can be answered to port 0. Only a raw socket sends from there. */
TEST(test_udp_drops_what_comes_from_port_0)
{
    int raw = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
    if (raw < 0)
        skip(); /* not permitted */
    for (uint32_t has_filter = 0; has_filter < 2; has_filter++) {
        const ls_udp_config config = {.family = LS_UDP_IPV4,
                                      .own = LS_ADDRESS_IPV4(127, 0, 0, 1, 0),
                                      .batch = BATCH,
                                      .buffer_bytes = 1 << 20,
                                      .filter = has_filter};
        ls_udp *to;
        assert_ok(ls_udp_open(&config, &to));
        const struct sockaddr_in end = {.sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        ls_udp_datagram datagram;
        for (uint16_t port = 0; port < 2; port++) {
            const uint16_t bytes[] = {htons(port), htons(ls_udp_port(to)), htons(10), 0, port};
            assert_int_equal(
                sendto(raw, bytes, sizeof bytes, 0, (const struct sockaddr *)&end, sizeof end),
                sizeof bytes);
        }
        assert_true(receive(to, &datagram));
        assert_int_equal(ls_address_port(&datagram.from), 1);
        assert_false(ls_udp_receive(to, &datagram));
        assert_int_equal(ls_udp_taken(to), is_filtered(to) ? 1 : 2);
        assert_int_equal(ls_udp_get_troubles(to).unread, is_filtered(to) ? 0 : 1);
        ls_udp_close(to);
    }
    close(raw);
}

TEST(test_udp_open_says_why_not)
{
    ls_udp *first = open_ipv4(), *second = NULL;
    ls_udp_config config = {.family = LS_UDP_IPV4,
                            .own = LS_ADDRESS_IPV4(127, 0, 0, 1, ls_udp_port(first)),
                            .batch = 1};
    assert_int_equal(ls_udp_open(&config, &second), LS_ERROR_IO);
    assert_int_equal(errno, EADDRINUSE);
    config.own = (ls_address)LS_ADDRESS_IPV4(203, 0, 113, 1, 0);
    assert_int_equal(ls_udp_open(&config, &second), LS_ERROR_IO);
    assert_int_equal(errno, EADDRNOTAVAIL);
    assert_null(second);
    ls_udp_close(first);
}
