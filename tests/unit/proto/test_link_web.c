/* The link over WebSockets, without a socket: the test is the HTTP server. */
#include "test.h"

#include "proto/link_pair.h"
#include "proto/link_web.h"
#include "proto/web_message.h"
#include "tests/support/remotes.h"
#include <lockstep/bytes.h>

typedef struct fixture {
    ls_link *link;
    ls_web_port *port;
    uint32_t arrivals, wakes, ready; /* calls */
} fixture;

static const ls_address home = LS_ADDRESS_IPV4(192, 0, 2, 1, 0),
                        elsewhere = LS_ADDRESS_IPV4(192, 0, 2, 2, 0);

static void encode_connect(uint32_t connect_id, uint8_t message[LS_WEB_CONNECT_BYTES])
{
    ls_writer writer;
    ls_writer_init(&writer, message, LS_WEB_CONNECT_BYTES);
    ls_write_u8(&writer, LS_WEB_CONNECT);
    ls_write_u32(&writer, connect_id);
}

static void count(void *context)
{
    ++*(uint32_t *)context;
}

static void start(fixture *f, uint32_t per_address)
{
    *f = (fixture){0};
    f->link = ls_link_web_create(&(ls_link_web_config){
        .peers_max = 4,
        .port = {.channels_per_host = per_address, .arrived = count, .context = &f->arrivals}});
    f->port = ls_link_web_port(f->link);
    ls_link_web_on_output(f->link, count, &f->wakes);
}

static uint32_t open_at(fixture *f, const ls_address *client, uint64_t now_ns)
{
    uint32_t slot = ls_web_port_open(f->port, client, &f->ready, now_ns);
    assert_int_not_equal(slot, LS_WEB_SLOT_NONE);
    return slot;
}

static ls_web_close receive(fixture *f, uint32_t slot, const void *data, size_t bytes)
{
    const ls_web_part part = {.data = data, .bytes = bytes, .is_first = true, .is_last = true};
    return ls_web_port_receive(f->port, slot, &part, 0);
}

static ls_link_event next(fixture *f, ls_link_event_kind kind)
{
    ls_link_event event = {0};
    assert_true(ls_link_poll(f->link, 1, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static void quiet(fixture *f)
{
    ls_link_event event;
    assert_false(ls_link_poll(f->link, 1, &event));
}

/* Returns the remote of a channel, as its first message has it. */
static ls_remote greet(fixture *f, uint32_t slot)
{
    const uint8_t hello[8] = {0x41};
    assert_int_equal(receive(f, slot, hello, sizeof hello), LS_WEB_GO_ON);
    return next(f, LS_LINK_DATAGRAM).remote;
}

static ls_carrier carrier_of(uint32_t id)
{
    return (ls_carrier){.connect_id = id};
}

/* Takes the next message that the link sends on a channel. */
static size_t take(fixture *f, uint32_t slot, uint8_t *to)
{
    size_t bytes;
    ls_link_flush(f->link, 1);
    ls_web_port_drain(f->port, 1, count);
    const uint8_t *message = ls_web_port_next(f->port, slot, &bytes);
    if (!message)
        return 0;
    memcpy(to, message, bytes);
    ls_web_port_sent(f->port, slot, 1);
    return bytes;
}

static ls_peer connect_with(fixture *f, uint32_t slot, uint32_t id)
{
    uint8_t message[LS_WEB_CONNECT_BYTES], answer[LS_WEB_MESSAGE_BYTES_MAX];
    const ls_remote remote = greet(f, slot);
    const ls_carrier carrier = carrier_of(id);
    assert_ok(ls_link_admit(f->link, &remote, &carrier, S));
    encode_connect(id, message);
    assert_int_equal(receive(f, slot, message, sizeof message), LS_WEB_GO_ON);
    ls_link_event event = next(f, LS_LINK_CONNECTED);
    assert_int_equal(event.connect_id, id);
    assert_int_equal(take(f, slot, answer), sizeof message);
    assert_memory_equal(answer, message, sizeof message);
    return event.peer;
}

static ls_status send_on(fixture *f, ls_peer peer, uint8_t channel, uint8_t mark)
{
    uint8_t data[LS_PACKET_BYTES_MAX];
    memset(data, mark, sizeof data);
    const ls_packet packet = {.channel = channel, .bytes = sizeof data, .data = data};
    return ls_link_send(f->link, peer, &packet);
}

static void test_link_web_carries_both_ways(void **state)
{
    fixture f;
    uint8_t got[LS_WEB_MESSAGE_BYTES_MAX], packet[1 + LS_SEAL_BYTES] = {LS_CHANNEL_CONTROL, 7};
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0);
    const ls_remote remote = greet(&f, slot);
    assert_true(ls_link_web_has(&remote));
    ls_link_post(f.link, &remote, (const uint8_t *)"Bcookie", 7);
    assert_int_equal(take(&f, slot, got), 7);
    assert_true(f.arrivals > 0 && f.wakes > 0 && f.ready > 0);
    ls_peer peer = connect_with(&f, slot, 9);
    const ls_remote_key host = ls_address_host(&home), other = ls_address_host(&elsewhere);
    assert_int_equal(ls_link_connections(f.link, &host), 1);
    assert_int_equal(ls_link_connections(f.link, &other), 0);
    assert_int_equal(receive(&f, slot, packet, sizeof packet), LS_WEB_GO_ON);
    ls_link_event event = next(&f, LS_LINK_MESSAGE);
    assert_int_equal(event.packet.channel, LS_CHANNEL_CONTROL);
    assert_int_equal(event.packet.bytes, LS_SEAL_BYTES);
    assert_int_equal(event.packet.data[0], 7);
    assert_ok(send_on(&f, peer, LS_CHANNEL_TICKS, 1));
    assert_ok(send_on(&f, peer, LS_CHANNEL_CONTROL, 2));
    assert_int_equal(take(&f, slot, got), 1 + LS_PACKET_BYTES_MAX);
    assert_int_equal(got[0], LS_CHANNEL_CONTROL); /* overtakes ticks */
    assert_int_equal(take(&f, slot, got), 1 + LS_PACKET_BYTES_MAX);
    assert_int_equal(got[0], LS_CHANNEL_TICKS);
    ls_web_port_close(f.port, slot);
    assert_int_equal(next(&f, LS_LINK_DISCONNECTED).peer, peer);
    assert_int_equal(ls_link_connections(f.link, NULL), 0);
    assert_int_equal(send_on(&f, peer, 0, 1), LS_ERROR_NOT_FOUND);
    ls_link_destroy(f.link);
}

static void test_link_web_connects_who_is_admitted(void **state)
{
    fixture f;
    uint8_t message[LS_WEB_CONNECT_BYTES], packet[1 + LS_SEAL_BYTES] = {0};
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0), thief = open_at(&f, &home, 0);
    const ls_remote remote = greet(&f, slot);
    const ls_carrier carrier = carrier_of(5);
    assert_ok(ls_link_admit(f.link, &remote, &carrier, S));
    encode_connect(5, message);
    assert_int_equal(receive(&f, thief, message, sizeof message), LS_WEB_GO_ON);
    quiet(&f); /* of another channel */
    encode_connect(6, message);
    assert_int_equal(receive(&f, slot, message, sizeof message), LS_WEB_GO_ON);
    assert_int_equal(receive(&f, slot, packet, sizeof packet), LS_WEB_GO_ON);
    quiet(&f); /* of another id, and a packet before the connection */
    assert_int_equal(ls_link_get_stats(f.link).connects_refused, 2);
    assert_int_equal(ls_link_get_stats(f.link).packets_refused, 1);
    encode_connect(5, message);
    assert_int_equal(receive(&f, slot, message, sizeof message), LS_WEB_GO_ON);
    (void)next(&f, LS_LINK_CONNECTED);
    assert_int_equal(receive(&f, slot, message, sizeof message), LS_WEB_GO_ON);
    quiet(&f); /* once */
    ls_link_destroy(f.link);
}

/* A slot that is used again is another channel: no remote, id or queued byte of the first counts.
 */
static void test_link_web_slots_are_used_again(void **state)
{
    fixture f;
    uint8_t got[LS_WEB_MESSAGE_BYTES_MAX];
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0);
    const ls_remote old = greet(&f, slot);
    ls_peer peer = connect_with(&f, slot, 5);
    for (uint32_t i = 0; i < 9; i++)
        assert_ok(send_on(&f, peer, LS_CHANNEL_CONTROL, 1));
    ls_web_port_close(f.port, slot);
    assert_int_equal(open_at(&f, &elsewhere, 0), slot);
    (void)next(&f, LS_LINK_DISCONNECTED);
    assert_int_equal(take(&f, slot, got), 0);
    ls_link_post(f.link, &old, (const uint8_t *)"Bx", 2);
    assert_int_equal(take(&f, slot, got), 0);
    const ls_remote fresh = greet(&f, slot);
    assert_false(ls_remote_is_same(&old, &fresh));
    char text[LS_REMOTE_TEXT_BYTES];
    ls_link_describe(f.link, &fresh, text);
    assert_string_equal(text, "web-2@192.0.2.2");
    ls_peer again = connect_with(&f, slot, 6);
    assert_int_not_equal(again, peer);
    for (uint32_t i = 0; i < LS_LINK_QUEUE_MAX; i++) /* the counters are right, too */
        assert_ok(send_on(&f, again, LS_CHANNEL_CONTROL, 1));
    assert_int_equal(send_on(&f, again, LS_CHANNEL_CONTROL, 1), LS_ERROR_LIMIT);
    ls_link_destroy(f.link);
}

static void test_link_web_ends_after_its_control_packets(void **state)
{
    fixture f;
    uint8_t got[LS_WEB_MESSAGE_BYTES_MAX];
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0);
    ls_peer peer = connect_with(&f, slot, 5);
    assert_ok(send_on(&f, peer, LS_CHANNEL_TICKS, 1));
    assert_ok(send_on(&f, peer, LS_CHANNEL_CONTROL, 2));
    ls_link_disconnect(f.link, peer);
    assert_false(ls_link_is_quiet(f.link));
    ls_link_flush(f.link, 1);
    ls_web_port_drain(f.port, 1, count);
    assert_int_equal(ls_web_port_check(f.port, slot, 1), LS_WEB_GO_ON);
    assert_int_equal(take(&f, slot, got), 1 + LS_PACKET_BYTES_MAX);
    assert_int_equal(got[1], 2);
    assert_int_equal(take(&f, slot, got), 0);
    assert_int_equal(ls_web_port_check(f.port, slot, 1), LS_WEB_CLOSE_DONE);
    ls_web_port_close(f.port, slot);
    quiet(&f); /* the owner has ended it */
    assert_true(ls_link_is_quiet(f.link));
    ls_link_destroy(f.link);
}

/* A slow reader loses old ticks and keeps the newest; then its channel is to be closed. */
static void test_link_web_drops_stale_ticks(void **state)
{
    fixture f;
    uint8_t got[LS_WEB_MESSAGE_BYTES_MAX], last = 0;
    uint32_t kept = 0;
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0);
    ls_peer peer = connect_with(&f, slot, 5);
    for (uint32_t i = 0; i < 200; i++) {
        assert_ok(send_on(&f, peer, LS_CHANNEL_TICKS, (uint8_t)i));
        ls_web_port_drain(f.port, 1, count);
    }
    assert_int_equal(ls_web_port_check(f.port, slot, LS_WEB_STALL_NS), LS_WEB_GO_ON);
    assert_int_equal(ls_web_port_check(f.port, slot, 1 + LS_WEB_STALL_NS), LS_WEB_CLOSE_MALFORMED);
    for (; take(&f, slot, got) > 0; kept++)
        last = got[1];
    assert_int_equal(last, 199);
    assert_int_equal(kept, LS_WEB_UNSENT_BYTES_MAX / (1 + LS_PACKET_BYTES_MAX));
    assert_int_equal(ls_link_get_stats(f.link).sends_failed, 200 - kept);
    assert_int_equal(ls_web_port_check(f.port, slot, 9 * LS_WEB_STALL_NS), LS_WEB_GO_ON);
    ls_link_destroy(f.link);
}

/* The owner does not poll: ticks of a flood are dropped, and the control channel loses nothing
 * without its end. The messages of another channel still have room. */
static void test_link_web_bounds_what_is_unread(void **state)
{
    fixture f;
    uint8_t packet[1 + LS_SEAL_BYTES] = {LS_CHANNEL_TICKS};
    ls_link_event event;
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0), other = open_at(&f, &elsewhere, 0);
    (void)connect_with(&f, slot, 5);
    ls_peer peer = connect_with(&f, other, 6);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(receive(&f, slot, packet, sizeof packet), LS_WEB_GO_ON);
    packet[0] = LS_CHANNEL_CONTROL;
    assert_int_equal(receive(&f, slot, packet, sizeof packet), LS_WEB_CLOSE_BUSY);
    assert_int_equal(receive(&f, other, packet, sizeof packet), LS_WEB_GO_ON);
    uint32_t messages = 0, of_other = 0;
    for (; ls_link_poll(f.link, 1, &event); messages++)
        of_other += event.peer == peer;
    assert_int_equal(of_other, 1);
    assert_in_range(messages, 2, 80);
    assert_true(ls_link_get_stats(f.link).receive_errors > 900);
    assert_int_equal(receive(&f, slot, packet, sizeof packet), LS_WEB_GO_ON);
    ls_link_destroy(f.link);
}

/* The owner does not poll while every other channel floods with the longest messages, and others
 * come and go: all control packets that a client may have in flight still have room. */
static void test_link_web_floods_take_no_room_of_others(void **state)
{
    fixture f;
    static uint8_t packet[1 + LS_PACKET_BYTES_MAX] = {LS_CHANNEL_TICKS};
    static const uint8_t hello[LS_MTU_BYTES] = {0x41};
    ls_link_event event;
    uint32_t slots[3], of_honest = 0, opened = 0;
    start(&f, 0);
    uint32_t honest = open_at(&f, &home, 0);
    ls_peer peer = connect_with(&f, honest, 5);
    for (uint32_t i = 0; i < 3; i++)
        (void)connect_with(&f, slots[i] = open_at(&f, &elsewhere, 0), 6 + i);
    for (uint32_t i = 0; i < LS_WEB_WAITING_MAX; i++)
        for (uint32_t slot = open_at(&f, &elsewhere, 0), j = 0; j < 9; j++)
            assert_int_equal(receive(&f, slot, hello, sizeof hello), LS_WEB_GO_ON);
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t j = 0; j < 3; j++)
            assert_int_equal(receive(&f, slots[j], packet, sizeof packet), LS_WEB_GO_ON);
    for (uint32_t last = LS_WEB_WAITING_MAX + 3; last != LS_WEB_SLOT_NONE; opened++) {
        ls_web_port_close(f.port, last);
        last = ls_web_port_open(f.port, &elsewhere, &f.ready, 0);
    }
    assert_in_range(opened, 500, 1024);
    packet[0] = LS_CHANNEL_CONTROL;
    for (uint32_t i = 0; i < LS_LINK_CLIENT_QUEUE_MAX; i++)
        assert_int_equal(receive(&f, honest, packet, sizeof packet), LS_WEB_GO_ON);
    packet[0] = LS_CHANNEL_TICKS;
    for (uint32_t rounds = 0; rounds < 3; rounds++)
        while (ls_link_poll(f.link, 1, &event))
            of_honest += event.kind == LS_LINK_MESSAGE && event.peer == peer;
    assert_int_equal(of_honest, LS_LINK_CLIENT_QUEUE_MAX);
    ls_link_destroy(f.link);
}

static uint64_t counted(const fixture *f, ls_web_counter which)
{
    uint64_t counts[LS_WEB_COUNTERS];
    ls_link_web_counts(f->link, counts);
    return counts[which];
}

static void test_link_web_counts_channels(void **state)
{
    fixture f;
    uint8_t packet[1 + LS_SEAL_BYTES] = {LS_CHANNEL_TICKS};
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0), other = open_at(&f, &home, 0);
    ls_web_port_count_refused(f.port, LS_WEB_REFUSED_ORIGIN);
    assert_int_equal(counted(&f, LS_WEB_REFUSED_ORIGIN), 1);
    ls_peer peer = connect_with(&f, slot, 5);
    assert_int_equal(counted(&f, LS_WEB_BYTES_RECEIVED), 8 + LS_WEB_CONNECT_BYTES);
    assert_int_equal(counted(&f, LS_WEB_BYTES_SENT), LS_WEB_CONNECT_BYTES);
    assert_int_equal(counted(&f, LS_WEB_CHANNELS), 2);
    assert_int_equal(ls_web_port_check(f.port, other, LS_WEB_CONNECT_NS), LS_WEB_CLOSE_MALFORMED);
    ls_web_port_close(f.port, other);
    assert_int_equal(counted(&f, LS_WEB_CLOSED_SILENT), 1);
    other = open_at(&f, &home, 0);
    packet[0] = LS_CHANNEL_COUNT;
    assert_int_equal(receive(&f, other, packet, sizeof packet), LS_WEB_CLOSE_MALFORMED);
    ls_web_port_close(f.port, other);
    assert_int_equal(counted(&f, LS_WEB_CLOSED_MALFORMED), 1);
    assert_ok(send_on(&f, peer, LS_CHANNEL_TICKS, 1));
    ls_web_port_drain(f.port, 1, count);
    assert_int_equal(ls_web_port_check(f.port, slot, 1 + LS_WEB_STALL_NS), LS_WEB_CLOSE_MALFORMED);
    ls_web_port_close(f.port, slot);
    assert_int_equal(counted(&f, LS_WEB_CLOSED_STALLED), 1);
    ls_web_port_close(f.port, open_at(&f, &home, 0));
    assert_int_equal(counted(&f, LS_WEB_CLOSED_CLIENT), 1);
    assert_int_equal(counted(&f, LS_WEB_OPENED), 4);
    assert_int_equal(counted(&f, LS_WEB_CHANNELS), 0);
    ls_link_destroy(f.link);
}

/* Bans and lists of players need the address; the bytes of a remote are none. */
static void test_link_web_knows_addresses(void **state)
{
    fixture f;
    const ls_address over_ip = LS_ADDRESS_IPV4(192, 0, 2, 3, 7777), none = {0};
    const ls_remote remote_over_ip = ls_address_to_remote(&over_ip);
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0);
    const ls_remote remote = greet(&f, slot);
    ls_address found = ls_link_web_address(f.link, &remote);
    assert_memory_equal(&found, &home, sizeof found);
    found = ls_link_web_address(f.link, &remote_over_ip);
    assert_memory_equal(&found, &over_ip, sizeof found);
    found = ls_link_web_address(NULL, &remote_over_ip);
    assert_memory_equal(&found, &over_ip, sizeof found);
    ls_web_port_close(f.port, slot);
    quiet(&f);
    found = ls_link_web_address(f.link, &remote);
    assert_memory_equal(&found, &none, sizeof found);
    ls_link_destroy(f.link);
}

static void test_link_web_limits_channels(void **state)
{
    fixture f;
    start(&f, 3);
    for (uint32_t i = 0; i < 3; i++)
        (void)open_at(&f, &home, 0);
    assert_int_equal(ls_web_port_room(f.port, &home), LS_WEB_REFUSED_ADDRESS);
    assert_int_equal(ls_web_port_open(f.port, &home, NULL, 0), LS_WEB_SLOT_NONE);
    ls_web_port_close(f.port, 1);
    assert_int_equal(ls_web_port_room(f.port, &home), LS_WEB_CHANNELS);
    for (uint8_t i = 0; i < 4 + LS_WEB_WAITING_MAX - 2u - 250u; i++)
        (void)open_at(&f, &(ls_address)LS_ADDRESS_IPV4(10, 0, 1, i, 0), 0);
    for (uint8_t i = 0; i < 250; i++)
        (void)open_at(&f, &(ls_address)LS_ADDRESS_IPV4(10, 0, 2, i, 0), 0);
    assert_int_equal(ls_web_port_room(f.port, &elsewhere), LS_WEB_REFUSED_FULL);
    /* One that never connects is closed in time. */
    assert_int_equal(ls_web_port_check(f.port, 0, LS_WEB_CONNECT_NS - 1), LS_WEB_GO_ON);
    assert_int_equal(ls_web_port_check(f.port, 0, LS_WEB_CONNECT_NS), LS_WEB_CLOSE_MALFORMED);
    /* Opening and closing without a poll never loses a CLOSED. */
    for (uint32_t i = 0; i < 100000; i++) {
        ls_web_port_close(f.port, 5);
        if (ls_web_port_open(f.port, &elsewhere, NULL, 0) == LS_WEB_SLOT_NONE) {
            quiet(&f);
            (void)open_at(&f, &elsewhere, 0);
        }
    }
    ls_link_destroy(f.link);
}

static void test_link_web_messages_have_forms(void **state)
{
    uint8_t data[LS_WEB_MESSAGE_BYTES_MAX + 1] = {0};
    for (uint32_t type = 0; type < 256; type++)
        for (uint32_t bytes = 0; bytes <= sizeof data; bytes++) {
            data[0] = (uint8_t)type;
            ls_web_message_kind kind = ls_web_message_kind_of(data, bytes);
            bool is_packet = type < 2 && bytes >= 22 && bytes <= 1157;
            bool is_datagram = type >= 0x41 && type <= 0x45 && bytes >= 1 && bytes <= 1200;
            bool is_connect = type == 0x48 && bytes == 5;
            assert_int_equal(kind, is_packet     ? LS_WEB_PACKET
                                   : is_datagram ? LS_WEB_DATAGRAM
                                   : is_connect  ? LS_WEB_CONNECTING
                                                 : LS_WEB_MALFORMED);
        }
}

static void test_link_web_parts_make_a_message(void **state)
{
    fixture f;
    uint8_t data[LS_WEB_MESSAGE_BYTES_MAX + 1] = {0x41};
    start(&f, 0);
    uint32_t slot = open_at(&f, &home, 0);
    ls_web_part part = {.data = data, .bytes = 1, .is_first = true};
    assert_int_equal(ls_web_port_receive(f.port, slot, &part, 0), LS_WEB_GO_ON);
    part = (ls_web_part){.data = data + 1, .bytes = LS_WEB_MESSAGE_BYTES_MAX - 1, .is_last = true};
    assert_int_equal(ls_web_port_receive(f.port, slot, &part, 0), LS_WEB_GO_ON);
    assert_int_equal(next(&f, LS_LINK_DATAGRAM).packet.bytes, LS_WEB_MESSAGE_BYTES_MAX);
    part = (ls_web_part){.data = data, .bytes = LS_WEB_MESSAGE_BYTES_MAX, .is_first = true};
    assert_int_equal(ls_web_port_receive(f.port, slot, &part, 0), LS_WEB_GO_ON);
    part = (ls_web_part){.data = data, .bytes = 1, .is_last = true};
    assert_int_equal(ls_web_port_receive(f.port, slot, &part, 0), LS_WEB_CLOSE_LONG);
    part = (ls_web_part){.data = data, .bytes = 9, .is_text = true, .is_first = true};
    assert_int_equal(ls_web_port_receive(f.port, slot, &part, 0), LS_WEB_CLOSE_TEXT);
    quiet(&f);
    ls_link_destroy(f.link);
}

/* Two links of this kind as one: ids, remotes and sums are those of the pair. */
static ls_link_event next_of(ls_link *link, ls_link_event_kind kind)
{
    ls_link_event event = {0};
    /* A round that is at the second link ends without a look at the first. */
    assert_true(ls_link_poll(link, 1, &event) || ls_link_poll(link, 1, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static const ls_remote *second_is;

static bool is_seconds(const ls_remote *remote)
{
    return second_is && ls_remote_is_same(remote, second_is);
}

static ls_peer connect_pair(fixture *f, ls_link *pair, uint32_t slot, uint32_t id, bool is_second)
{
    static ls_remote remote;
    const uint8_t hello[8] = {0x41};
    uint8_t message[LS_WEB_CONNECT_BYTES];
    const ls_carrier carrier = carrier_of(id);
    assert_int_equal(receive(f, slot, hello, sizeof hello), LS_WEB_GO_ON);
    remote = next_of(pair, LS_LINK_DATAGRAM).remote;
    second_is = is_second ? &remote : NULL;
    assert_ok(ls_link_admit(pair, &remote, &carrier, S));
    encode_connect(id, message);
    assert_int_equal(receive(f, slot, message, sizeof message), LS_WEB_GO_ON);
    return next_of(pair, LS_LINK_CONNECTED).peer;
}

static void test_link_web_and_another_as_a_pair(void **state)
{
    fixture f, g;
    uint8_t got[LS_WEB_MESSAGE_BYTES_MAX], packet[1 + LS_SEAL_BYTES] = {LS_CHANNEL_TICKS};
    start(&f, 0);
    start(&g, 0);
    ls_link *pair = ls_link_pair_create(&(ls_link_pair_config){
        .first = f.link, .second = g.link, .is_seconds = is_seconds, .peers_max = 2});
    (void)open_at(&f, &home, 0); /* the inner slots differ from the pair's */
    uint32_t a = open_at(&f, &home, 0), b = open_at(&g, &home, 0), c = open_at(&g, &home, 0);
    ls_peer one = connect_pair(&f, pair, a, 5, false), two = connect_pair(&g, pair, b, 5, true);
    assert_int_not_equal(one, two);
    assert_in_range(ls_peer_slot(one), 0, 1);
    assert_in_range(ls_peer_slot(two), 0, 1);
    const ls_remote_key host = ls_address_host(&home);
    assert_int_equal(ls_link_connections(pair, &host), 2);
    assert_int_equal(receive(&g, b, packet, sizeof packet), LS_WEB_GO_ON);
    assert_int_equal(next_of(pair, LS_LINK_MESSAGE).peer, two);
    const ls_packet sent = {.bytes = LS_SEAL_BYTES, .data = packet};
    (void)take(&f, a, got);
    (void)take(&g, b, got);
    assert_ok(ls_link_send(pair, two, &sent));
    assert_int_equal(take(&f, a, got), 0);
    assert_int_equal(take(&g, b, got), 1 + LS_SEAL_BYTES);
    /* A third connection has no slot: it ends, and the owner never hears of it. */
    const uint8_t hello[8] = {0x41};
    assert_int_equal(receive(&g, c, hello, sizeof hello), LS_WEB_GO_ON);
    const ls_remote remote = next_of(pair, LS_LINK_DATAGRAM).remote;
    second_is = &remote;
    const ls_carrier carrier = carrier_of(7);
    uint8_t message[LS_WEB_CONNECT_BYTES];
    assert_ok(ls_link_admit(pair, &remote, &carrier, S));
    encode_connect(7, message);
    assert_int_equal(receive(&g, c, message, sizeof message), LS_WEB_GO_ON);
    ls_link_event event;
    assert_false(ls_link_poll(pair, 1, &event));
    assert_false(ls_link_is_quiet(pair));
    /* A slot that is free again has another id. */
    ls_link_disconnect(pair, one);
    assert_int_equal(ls_link_send(pair, one, &sent), LS_ERROR_NOT_FOUND);
    ls_web_port_close(g.port, b);
    assert_int_equal(next_of(pair, LS_LINK_DISCONNECTED).peer, two);
    uint32_t d = open_at(&f, &home, 0);
    ls_peer last = connect_pair(&f, pair, d, 8, false);
    assert_true(last != one && last != two);
    ls_link_destroy(pair);
}

int main(void)
{
    return RUN_TESTS(test_link_web_carries_both_ways, test_link_web_connects_who_is_admitted,
                     test_link_web_slots_are_used_again,
                     test_link_web_ends_after_its_control_packets, test_link_web_drops_stale_ticks,
                     test_link_web_bounds_what_is_unread,
                     test_link_web_floods_take_no_room_of_others, test_link_web_counts_channels,
                     test_link_web_knows_addresses, test_link_web_limits_channels,
                     test_link_web_messages_have_forms, test_link_web_parts_make_a_message,
                     test_link_web_and_another_as_a_pair);
}
