#include "web_fixture.h"

static const ls_address elsewhere = LS_ADDRESS_IPV4(192, 0, 2, 2, 0);

TEST(test_link_web_carries_both_ways)
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

TEST(test_link_web_connects_who_is_admitted)
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
TEST(test_link_web_slots_are_used_again)
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
    quiet(&f); /* the link knows of the second channel */
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

TEST(test_link_web_ends_after_its_control_packets)
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
TEST(test_link_web_drops_stale_ticks)
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
TEST(test_link_web_bounds_what_is_unread)
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
TEST(test_link_web_floods_take_no_room_of_others)
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

TEST(test_link_web_counts_channels)
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
TEST(test_link_web_knows_addresses)
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

TEST(test_link_web_limits_channels)
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

TEST(test_link_web_messages_have_forms)
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

TEST(test_link_web_parts_make_a_message)
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
