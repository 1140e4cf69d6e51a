/* The link of a client in a browser, without a browser: the test is the page and the server. */
#include "web/socket_link.h"

#include "tests/unit/proto/test.h"

#include "proto/web_message.h"
#include <lockstep/bytes.h>

#include <string.h>

enum { HELLO = 0x41, ID = 7 };

static const ls_carrier carrier = {.connect_id = ID};
static const uint8_t hello[3] = {HELLO, 1, 2};

static void encode_connect(uint32_t connect_id, uint8_t message[LS_WEB_CONNECT_BYTES])
{
    ls_writer writer;
    ls_writer_init(&writer, message, LS_WEB_CONNECT_BYTES);
    ls_write_u8(&writer, LS_WEB_CONNECT);
    ls_write_u32(&writer, connect_id);
}

static bool receive(ls_link *link, const void *data, uint32_t bytes)
{
    return ls_socket_link_receive(link, &(ls_packet){.bytes = bytes, .data = data}, 5);
}

static void receive_connect(ls_link *link, uint32_t connect_id)
{
    uint8_t message[LS_WEB_CONNECT_BYTES];
    encode_connect(connect_id, message);
    assert_true(receive(link, message, sizeof message));
}

/* A packet of these bytes with its channel in front. */
static bool receive_packet(ls_link *link, uint8_t channel, uint32_t bytes)
{
    uint8_t message[LS_WEB_MESSAGE_BYTES_MAX + 1];
    memset(message, 9, sizeof message);
    message[0] = channel;
    return receive(link, message, 1 + bytes);
}

static ls_link_event next(ls_link *link, ls_link_event_kind kind)
{
    ls_link_event event = {0};
    assert_true(ls_link_poll(link, 10, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static void nothing(ls_link *link)
{
    ls_link_event event;
    assert_false(ls_link_poll(link, 10, &event));
}

/* The page sends exactly this. */
static void sends(ls_link *link, const void *data, uint32_t bytes)
{
    ls_packet message;
    assert_true(ls_socket_link_next(link, &message));
    assert_int_equal(message.bytes, bytes);
    assert_memory_equal(message.data, data, bytes);
}

static void sends_nothing(ls_link *link)
{
    ls_packet message;
    assert_false(ls_socket_link_next(link, &message));
}

static ls_link *create_open(void)
{
    ls_link *link = ls_socket_link_create();
    assert_true(ls_socket_link_take_wish(link));
    ls_socket_link_opened(link);
    return link;
}

static ls_link *create_connected(ls_peer *peer)
{
    uint8_t message[LS_WEB_CONNECT_BYTES];
    ls_link *link = create_open();
    assert_ok(ls_link_connect(link, 1, &carrier));
    encode_connect(ID, message);
    sends(link, message, sizeof message);
    receive_connect(link, ID);
    ls_link_event event = next(link, LS_LINK_CONNECTED);
    assert_int_equal(event.connect_id, ID);
    *peer = event.peer;
    return link;
}

TEST(test_socket_link_wants_one_websocket)
{
    ls_link *link = ls_socket_link_create();
    assert_true(ls_socket_link_take_wish(link));
    assert_false(ls_socket_link_take_wish(link));
    ls_link_post(link, NULL, hello, sizeof hello);
    assert_false(ls_link_is_quiet(link));
    sends_nothing(link); /* before it is open */
    ls_socket_link_opened(link);
    sends(link, hello, sizeof hello);
    sends_nothing(link);
    assert_true(ls_link_is_quiet(link));
    assert_false(ls_socket_link_take_wish(link));
    ls_socket_link_closed(link);
    nothing(link); /* no session has ended */
    assert_false(ls_socket_link_take_wish(link));
    ls_link_post(link, NULL, hello, sizeof hello);
    assert_true(ls_socket_link_take_wish(link));
    ls_socket_link_opened(link);
    sends(link, hello, sizeof hello);
    ls_link_destroy(link);
}

TEST(test_socket_link_carries_handshake_and_packets)
{
    uint8_t data[LS_SEAL_BYTES] = {3, 4}, message[1 + LS_SEAL_BYTES] = {1, 3, 4};
    ls_peer peer;
    ls_link *link = create_open();
    assert_true(receive(link, hello, sizeof hello));
    ls_link_event event = next(link, LS_LINK_DATAGRAM);
    assert_int_equal(event.packet.bytes, sizeof hello);
    assert_int_equal(event.arrived_ns, 5);
    ls_link_destroy(link);
    link = create_connected(&peer);
    const ls_packet packet = {.channel = 1, .bytes = sizeof data, .data = data};
    assert_ok(ls_link_send(link, peer, &packet));
    sends(link, message, sizeof message);
    assert_true(receive(link, message, sizeof message));
    event = next(link, LS_LINK_MESSAGE);
    assert_int_equal(event.packet.channel, 1);
    assert_int_equal(event.packet.bytes, sizeof data);
    assert_memory_equal(event.packet.data, data, sizeof data);
    assert_int_equal(event.peer, peer);
    assert_true(receive(link, hello, sizeof hello)); /* of a handshake that is over */
    nothing(link);
    ls_link_destroy(link);
}

/* No bytes of a server reach the client that have no right form, or come at the wrong time. */
TEST(test_socket_link_refuses_malformed)
{
    static const uint8_t other = LS_CHANNEL_COUNT, connect[] = {LS_WEB_CONNECT, 0, 0, 0, 0, 0};
    ls_peer peer;
    ls_link *link = create_connected(&peer);
    assert_true(receive(link, &other, 0));
    assert_true(receive(link, &other, 1));
    assert_true(receive(link, connect, 1));
    assert_true(receive(link, connect, sizeof connect));
    assert_true(receive_packet(link, 0, LS_SEAL_BYTES - 1));
    assert_true(receive_packet(link, 0, LS_PACKET_BYTES_MAX + 1));
    assert_true(receive_packet(link, 0, LS_WEB_MESSAGE_BYTES_MAX));
    assert_true(receive_packet(link, LS_CHANNEL_COUNT, LS_SEAL_BYTES));
    assert_true(receive_packet(link, 255, LS_SEAL_BYTES));
    nothing(link);
    uint64_t refused = ls_link_get_stats(link).packets_refused;
    assert_int_equal(refused, 9);
    receive_connect(link, ID); /* again */
    nothing(link);
    assert_true(receive_packet(link, 0, LS_SEAL_BYTES));
    (void)next(link, LS_LINK_MESSAGE);
    ls_link_destroy(link);
    link = create_open();
    receive_connect(link, ID); /* nothing was asked */
    assert_true(receive_packet(link, 0, LS_SEAL_BYTES));
    nothing(link);
    assert_ok(ls_link_connect(link, 1, &carrier));
    receive_connect(link, ID + 1);
    nothing(link);
    ls_link_destroy(link);
}

TEST(test_socket_link_refuses_wrong_sends)
{
    static const uint8_t data[LS_PACKET_BYTES_MAX + 1];
    ls_peer peer;
    ls_link *link = create_connected(&peer);
    ls_packet packet = {.data = data, .bytes = LS_PACKET_BYTES_MAX + 1};
    assert_int_equal(ls_link_send(link, peer, &packet), LS_ERROR_LIMIT);
    packet.bytes = LS_SEAL_BYTES - 1;
    assert_int_equal(ls_link_send(link, peer, &packet), LS_ERROR_LIMIT);
    packet.bytes = LS_SEAL_BYTES;
    assert_int_equal(ls_link_send(link, peer + 1, &packet), LS_ERROR_NOT_FOUND);
    assert_int_equal(ls_link_connect(link, 1, &carrier), LS_ERROR_IO); /* one at a time */
    for (int i = 0; i < LS_SOCKET_LINK_QUEUE; i++)
        assert_ok(ls_link_send(link, peer, &packet));
    assert_int_equal(ls_link_send(link, peer, &packet), LS_ERROR_LIMIT);
    assert_int_equal(ls_link_get_stats(link).sends_failed, 1);
    ls_link_disconnect(link, peer);
    assert_true(ls_socket_link_is_ended(link));
    assert_int_equal(ls_link_send(link, peer, &packet), LS_ERROR_NOT_FOUND);
    nothing(link);
    ls_link_destroy(link);
    link = create_connected(&peer);
    ls_socket_link_closed(link);
    ls_link_disconnect(link, peer); /* no event follows */
    nothing(link);
    ls_link_destroy(link);
    link = ls_socket_link_create();
    assert_int_equal(ls_link_connect(link, 1, &carrier), LS_ERROR_IO); /* it is not open */
    ls_link_destroy(link);
}

/* The last words of a server are read before the end of its connection. */
TEST(test_socket_link_gives_what_came_before_the_close)
{
    ls_peer peer;
    ls_link *link = create_connected(&peer);
    assert_true(receive_packet(link, 0, LS_SEAL_BYTES));
    assert_true(receive_packet(link, 1, LS_SEAL_BYTES));
    ls_socket_link_closed(link);
    assert_int_equal(next(link, LS_LINK_MESSAGE).packet.channel, 0);
    assert_int_equal(next(link, LS_LINK_MESSAGE).packet.channel, 1);
    assert_int_equal(next(link, LS_LINK_DISCONNECTED).peer, peer);
    nothing(link);
    assert_false(ls_socket_link_is_ended(link));
    assert_true(receive_packet(link, 0, LS_SEAL_BYTES)); /* of the old WebSocket */
    nothing(link);
    ls_link_post(link, NULL, hello, sizeof hello);
    assert_true(ls_socket_link_take_wish(link));
    ls_socket_link_opened(link);
    sends(link, hello, sizeof hello);
    assert_ok(ls_link_connect(link, 1, &carrier));
    receive_connect(link, ID);
    assert_int_not_equal(next(link, LS_LINK_CONNECTED).peer, peer);
    ls_link_destroy(link);
}

/* A resumed session needs a WebSocket of its own, although the old one is open. */
TEST(test_socket_link_resumes_on_another_websocket)
{
    ls_peer peer;
    ls_link *link = create_connected(&peer);
    ls_link_post(link, NULL, hello, sizeof hello);
    assert_true(ls_socket_link_take_wish(link));
    sends_nothing(link);
    nothing(link); /* no DISCONNECTED of a connection that was dropped */
    ls_socket_link_opened(link);
    sends(link, hello, sizeof hello);
    ls_link_destroy(link);
}

TEST(test_socket_link_ends_a_late_connection)
{
    ls_link_event event;
    ls_link *link = create_open();
    assert_ok(ls_link_connect(link, 1, &carrier));
    assert_false(ls_link_poll(link, LS_SOCKET_LINK_CONNECT_NS, &event));
    assert_true(ls_link_poll(link, 1 + LS_SOCKET_LINK_CONNECT_NS, &event));
    assert_int_equal(event.kind, LS_LINK_DISCONNECTED);
    assert_true(ls_socket_link_is_ended(link));
    receive_connect(link, ID);
    nothing(link);
    ls_link_destroy(link);
}

/* A lost packet would never be repeated, so the connection ends instead. */
TEST(test_socket_link_closes_when_its_queue_is_full)
{
    ls_peer peer;
    ls_link *link = create_connected(&peer);
    for (int i = 0; i < LS_SOCKET_LINK_QUEUE - 1; i++) /* the last event's message is still held */
        assert_true(receive_packet(link, 1, LS_SEAL_BYTES));
    assert_false(receive_packet(link, 1, LS_SEAL_BYTES));
    for (int i = 0; i < LS_SOCKET_LINK_QUEUE - 1; i++)
        (void)next(link, LS_LINK_MESSAGE);
    (void)next(link, LS_LINK_DISCONNECTED);
    nothing(link);
    ls_link_destroy(link);
}
