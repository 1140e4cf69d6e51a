/* Behaviour of links that depends on the version of ENet, tested with this build's version.
 * tests/enet runs the same tests, and whole matches, with the other version. */
#include "test.h"

#include "proto/link_enet_versions.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#define VERSION ENET_VERSION_CREATE

TEST(test_link_enet_versions_that_go_together)
{
    static const struct {
        ENetVersion compiled, loaded;
        bool is_fit;
    } rows[] = {
        {VERSION(1, 3, 17), VERSION(1, 3, 17), true},
        {VERSION(1, 3, 18), VERSION(1, 3, 18), true},
        {VERSION(1, 3, 17), VERSION(1, 3, 18), true},
        {VERSION(1, 3, 18), VERSION(1, 3, 17), true},
        {VERSION(1, 3, 19), VERSION(1, 3, 19), true},
        {VERSION(1, 3, 17), VERSION(1, 3, 16), false},
        {VERSION(1, 3, 17), VERSION(1, 3, 19), false},
        {VERSION(1, 3, 19), VERSION(1, 3, 18), false},
        {VERSION(1, 4, 17), VERSION(1, 3, 17), false},
        {VERSION(1, 3, 18), VERSION(2, 3, 18), false},
    };
    for (size_t i = 0; i < LS_COUNT_OF(rows); i++) {
        ls_error error = {""};
        ls_status status = ls_enet_check_versions(rows[i].compiled, rows[i].loaded, &error);
        assert_int_equal(status, rows[i].is_fit ? LS_OK : LS_ERROR_INCOMPATIBLE);
    }
    ls_error error;
    assert_int_equal(ls_enet_check_versions(VERSION(1, 3, 17), VERSION(1, 4, 2), &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "compiled for ENet 1.3.17"));
    assert_non_null(strstr(error.text, "is ENet 1.4.2"));
    assert_non_null(strstr(error.text, "install ENet 1.3.17 or 1.3.18"));
}

static ENetHost *open_host(void)
{
    ENetAddress own = {.host = ENET_HOST_ANY};
    ENetHost *host = enet_host_create(&own, 1, LS_CHANNEL_COUNT, 0, 0);
    assert_non_null(host);
    return host;
}

/* The peer and the datagram contain the given connect id instead of the one that ENet drew. */
TEST(test_link_enet_versions_connect_with_the_given_id)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int server = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&address, &bytes), 0);
    ENetHost *host = open_host();
    const ENetAddress to = {.host = address.sin_addr.s_addr, .port = ntohs(address.sin_port)};
    for (uint32_t id = 1; id != 0; id = id > UINT32_MAX / 3 ? 0 : 3 * id) {
        ENetPeer *peer = enet_host_connect(host, &to, LS_CHANNEL_COUNT, 0);
        assert_non_null(peer);
        assert_true(ls_enet_set_connect_id(peer, id));
        assert_int_equal(peer->connectID, id);
        enet_host_flush(host);
        uint8_t datagram[128];
        /* Without a checksum the CONNECT begins at that offset. */
        assert_int_equal(recv(server, datagram, sizeof datagram, 0), 52);
        assert_memory_equal(datagram + 44, &id, sizeof id);
        /* Once the CONNECT is sent, its id is fixed. */
        assert_false(ls_enet_set_connect_id(peer, id + 1));
        assert_int_equal(peer->connectID, id);
        enet_peer_reset(peer);
    }
    enet_host_destroy(host);
    close(server);
}

/* The span of numbers in use on the control channel. ENet versions keep waiting and sent commands
 * in different lists. */
TEST(test_link_enet_versions_know_the_span_of_control)
{
    ENetHost *host = open_host();
    ENetAddress to = {.port = 9};
    assert_int_equal(enet_address_set_host_ip(&to, "127.0.0.1"), 0);
    ENetPeer *peer = enet_host_connect(host, &to, LS_CHANNEL_COUNT, 0);
    assert_non_null(peer);
    assert_int_equal(ls_enet_queued_control_sequences(peer),
                     0);                     /* a CONNECT is not on the channel */
    peer->state = ENET_PEER_STATE_CONNECTED; /* as if the server had answered */
    peer->channels[LS_CHANNEL_CONTROL].outgoingReliableSequenceNumber = UINT16_MAX - 4;
    for (uint32_t i = 0; i < 10; i++) {
        for (uint32_t flags = 0; flags < 2; flags++) {
            ENetPacket *packet = enet_packet_create(
                "control", 8, flags ? ENET_PACKET_FLAG_RELIABLE : ENET_PACKET_FLAG_UNSEQUENCED);
            assert_int_equal(enet_peer_send(peer, LS_CHANNEL_CONTROL, packet), 0);
        }
        assert_int_equal(ls_enet_queued_control_sequences(peer), 1 + i);
    }
    enet_host_flush(host);
    assert_int_equal(ls_enet_queued_control_sequences(peer), 10);
    enet_peer_reset(peer);
    enet_host_destroy(host);
}
