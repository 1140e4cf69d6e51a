/* ENet over sockets of ours, beside sockets of its own. */
#include "test.h"

#include "proto/enet_link.h"

static ls_udp *open_udp(void)
{
    ls_udp *udp;
    const ls_udp_config config = {
        .family = LS_UDP_IPV4, .own = LS_ADDRESS_IPV4(127, 0, 0, 1, 0), .batch = 4};
    assert_ok(ls_udp_open(&config, &udp));
    return udp;
}

TEST(test_enet_socket_is_effective_here)
{
    assert_true(ls_enet_socket_is_effective());
}

/* The next host that the same thread creates has a socket of its own. */
TEST(test_enet_socket_is_given_to_one_host)
{
    ls_enet_socket socket = {.udp = open_udp()};
    ls_enet_socket_use(&socket);
    ENetHost *ours = enet_host_create(NULL, 1, 1, 0, 0);
    ENetHost *foreign = enet_host_create(NULL, 1, 1, 0, 0);
    assert_true(ours && foreign);
    assert_int_equal(ours->socket, ls_udp_file(socket.udp));
    assert_int_not_equal(foreign->socket, ls_udp_file(socket.udp));
    enet_host_destroy(foreign);
    enet_host_destroy(ours);
    ls_enet_socket_use(NULL);
    assert_int_equal(ls_udp_port(socket.udp), ls_udp_port(socket.udp)); /* still open */
    ls_udp_close(socket.udp);
}

static uint32_t count_events(ENetHost *host, ENetEventType type)
{
    ENetEvent event;
    uint32_t count = 0;
    while (enet_host_service(host, &event, 0) > 0)
        count += event.type == type;
    return count;
}

/* A program with links of ours has two hosts of its own. */
TEST(test_enet_socket_leaves_foreign_hosts_alone)
{
    ls_enet_socket socket = {.udp = open_udp(), .is_given = true};
    ls_enet_socket_use(&socket);
    ENetAddress address = {.port = ENET_PORT_ANY};
    assert_int_equal(enet_address_set_host_ip(&address, "127.0.0.1"), 0);
    ENetHost *server = enet_host_create(&address, 1, 1, 0, 0);
    ENetHost *client = enet_host_create(NULL, 1, 1, 0, 0);
    assert_true(server && client);
    assert_int_equal(enet_socket_get_address(server->socket, &address), 0);
    assert_int_not_equal(address.port, ls_udp_port(socket.udp));
    assert_non_null(enet_host_connect(client, &address, 1, 0));
    uint32_t connected = 0;
    for (uint32_t i = 0; i < 2000 && connected < 2; i++) {
        connected += count_events(client, ENET_EVENT_TYPE_CONNECT);
        connected += count_events(server, ENET_EVENT_TYPE_CONNECT);
        usleep(1000);
    }
    assert_int_equal(connected, 2);
    enet_host_destroy(client);
    enet_host_destroy(server);
    ls_enet_socket_use(NULL);
    ls_udp_close(socket.udp);
}
