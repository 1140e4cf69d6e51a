/* The way with the least possible cost of serving: bare UDP with one socket, one recvfrom per input
 * and one sendto per peer. */
#include "benches/net/net.h"

#include "benches/bench.h"
#include <lockstep/base.h>

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct server {
    net_crowd crowd;
    int file;
    uint32_t peers, known;
    struct sockaddr_in addresses[NET_PEERS_MAX];
} server;

static void read_all(net_board *board, int file)
{
    uint8_t data[2048];
    uint64_t arrived = 0;
    while (recv(file, data, sizeof data, 0) >= 0)
        arrived++;
    atomic_fetch_add(&board->arrived, arrived);
}

static void live(net_board *board)
{
    int files[NET_PEERS_MAX];
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(board->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (uint32_t i = 0; i < board->peers; i++) {
        uint16_t port;
        files[i] = net_socket(&port);
        LS_ASSERT(connect(files[i], (struct sockaddr *)&to, sizeof to) == 0);
    }
    for (;;) {
        uint32_t first, end;
        uint32_t turn = net_crowd_turn(board, net_tick_rate);
        net_crowd_range(board, turn, &first, &end);
        for (uint32_t peer = first; peer < end; peer++) {
            uint8_t data[NET_PAYLOAD_MAX] = {0};
            memcpy(data, &peer, sizeof peer);
            read_all(board, files[peer]);
            (void)!send(files[peer], data, net_sizes.up_bytes, 0);
        }
    }
}

static uint32_t receive_until(void *state, uint64_t until_ns)
{
    server *self = state;
    uint32_t inputs = 0;
    do {
        struct sockaddr_in from;
        socklen_t from_bytes = sizeof from;
        uint8_t data[2048];
        ssize_t bytes;
        while ((bytes = recvfrom(self->file, data, sizeof data, 0, (struct sockaddr *)&from,
                                 &from_bytes)) >= 0) {
            uint32_t peer;
            memcpy(&peer, data, sizeof peer);
            LS_ASSERT(bytes == net_sizes.up_bytes && peer < self->peers);
            self->known += self->addresses[peer].sin_port == 0;
            self->addresses[peer] = from;
            if (++inputs % NET_BATCH == 0 && bench_now_ns() >= until_ns)
                break;
        }
        net_wait(self->file, until_ns);
    } while (bench_now_ns() < until_ns);
    return inputs;
}

static void broadcast(void *state, const uint8_t *data)
{
    server *self = state;
    for (uint32_t i = 0; i < self->peers; i++)
        (void)!sendto(self->file, data, net_sizes.down_bytes, 0,
                      (const struct sockaddr *)&self->addresses[i], sizeof self->addresses[i]);
}

static void *begin(uint32_t peers)
{
    server *self = ls_alloc(sizeof *self);
    uint16_t port;
    self->peers = peers;
    self->file = net_socket(&port);
    self->crowd = net_crowd_begin(peers, port, live);
    net_gather(&net_udp, self, &self->known);
    return self;
}

static void end(void *state)
{
    server *self = state;
    net_crowd_end(&self->crowd);
    close(self->file);
    ls_free(self);
}

const net_way net_udp = {"bare UDP", begin, receive_until, broadcast, end};
