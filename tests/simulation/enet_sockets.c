#include "enet_sockets.h"

#include "dice.h"

#include "proto/enet_link.h"

#include <poll.h>
#include <string.h>

/* exported, so that the library finds them */
#define SEEN __attribute__((visibility("default")))

enum { FIRST_KEPT = 256, KEPT = 2 * FIRST_KEPT, FOREIGN_PORT = 9 };
enum { SOCKETS_MAX = 64, SOCKET_FIRST = 1 << 20, DATAGRAM_BYTES_MAX = 2048, QUEUE_MAX = 4096 };

struct datagram {
    uint64_t due_ns, order;
    uint16_t from;
    uint32_t bytes;
    uint8_t data[DATAGRAM_BYTES_MAX];
};

/* A datagram that the attacker has seen. It keeps the first ones of a run, and the newest. */
struct seen {
    uint16_t from, to;
    uint32_t bytes;
    uint8_t data[DATAGRAM_BYTES_MAX];
};

/* A heap by due time, then by order. */
struct socket {
    bool is_open;
    uint16_t port;
    uint32_t count;
    struct datagram *queue[QUEUE_MAX];
};

static struct {
    enet_sockets_config config;
    struct dice dice;
    uint64_t now_ns, order;
    uint32_t count, seeds;
    enet_uint32 enet_ms;
    struct dice attacker;
    uint64_t seen_count, attacks;
    struct seen seen[KEPT];
    struct socket sockets[SOCKETS_MAX];
} net;

static bool is_before(const struct datagram *a, const struct datagram *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void push(struct socket *socket, struct datagram *datagram)
{
    uint32_t at = socket->count++;
    while (at > 0 && is_before(datagram, socket->queue[(at - 1) / 2])) {
        socket->queue[at] = socket->queue[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    socket->queue[at] = datagram;
}

static struct datagram *pop(struct socket *socket)
{
    struct datagram *first = socket->queue[0], *last = socket->queue[--socket->count];
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < socket->count) {
        if (child + 1 < socket->count && is_before(socket->queue[child + 1], socket->queue[child]))
            child++;
        if (!is_before(socket->queue[child], last))
            break;
        socket->queue[at] = socket->queue[child];
        at = child;
    }
    socket->queue[at] = last;
    return first;
}

static struct socket *socket_of(ENetSocket number)
{
    LS_ASSERT(number >= SOCKET_FIRST && number < SOCKET_FIRST + SOCKETS_MAX);
    return &net.sockets[number - SOCKET_FIRST];
}

static struct socket *find_port(uint16_t port)
{
    for (uint32_t i = 0; i < net.count; i++)
        if (net.sockets[i].is_open && net.sockets[i].port == port)
            return &net.sockets[i];
    return NULL;
}

static void drop_all(struct socket *socket)
{
    while (socket->count)
        ls_free(socket->queue[--socket->count]);
}

void enet_sockets_reset(const enet_sockets_config *config)
{
    for (uint32_t i = 0; i < net.count; i++)
        drop_all(&net.sockets[i]);
    memset(&net, 0, sizeof net);
    net.config = *config;
    net.dice = dice_make(config->seed, 7);
    net.attacker = dice_make(config->seed, 11);
}

uint64_t enet_sockets_attacks(void)
{
    return net.attacks;
}

void enet_sockets_set_time(uint64_t now_ns)
{
    net.now_ns = now_ns;
}

uint64_t enet_sockets_next_ns(uint16_t port)
{
    const struct socket *socket = find_port(port);
    return socket && socket->count ? socket->queue[0]->due_ns : UINT64_MAX;
}

SEEN ENetSocket enet_socket_create(ENetSocketType type)
{
    LS_ASSERT(type == ENET_SOCKET_TYPE_DATAGRAM && net.count < SOCKETS_MAX);
    net.sockets[net.count] = (struct socket){.is_open = true};
    return SOCKET_FIRST + (ENetSocket)net.count++;
}

SEEN int enet_socket_bind(ENetSocket number, const ENetAddress *address)
{
    uint16_t port = address && address->port ? address->port : 0;
    socket_of(number)->port = port ? port : (uint16_t)(20000 + number - SOCKET_FIRST);
    return 0;
}

SEEN int enet_socket_get_address(ENetSocket number, ENetAddress *address)
{
    *address =
        (ENetAddress){.host = ENET_HOST_TO_NET_32(0x7f000001), .port = socket_of(number)->port};
    return 0;
}

SEEN int enet_socket_set_option(ENetSocket number, ENetSocketOption option, int value)
{
    (void)number;
    (void)option;
    (void)value;
    return 0;
}

SEEN void enet_socket_destroy(ENetSocket number)
{
    socket_of(number)->is_open = false;
    drop_all(socket_of(number));
}

static struct datagram *gather(const ENetBuffer *buffers, size_t count)
{
    struct datagram *datagram = ls_alloc(sizeof *datagram);
    for (size_t i = 0; i < count; i++) {
        LS_ASSERT(datagram->bytes + buffers[i].dataLength <= DATAGRAM_BYTES_MAX);
        memcpy(datagram->data + datagram->bytes, buffers[i].data, buffers[i].dataLength);
        datagram->bytes += (uint32_t)buffers[i].dataLength;
    }
    return datagram;
}

/* The place of a datagram, by its number from 0. */
static struct seen *seen_at(uint64_t number)
{
    return &net.seen[number < KEPT ? number : FIRST_KEPT + number % (KEPT - FIRST_KEPT)];
}

static void see(const struct datagram *datagram, uint16_t to)
{
    struct seen *seen = seen_at(net.seen_count++);
    *seen = (struct seen){.from = datagram->from, .to = to, .bytes = datagram->bytes};
    memcpy(seen->data, datagram->data, datagram->bytes);
}

static void damage(struct datagram *datagram)
{
    uint64_t draw = dice_range(&net.attacker, 0, 9);
    if (draw < 2)
        datagram->data[dice_draw(&net.attacker) % datagram->bytes] ^=
            (uint8_t)(1u << dice_range(&net.attacker, 0, 7));
    else if (draw == 2)
        datagram->bytes = (uint32_t)dice_range(&net.attacker, 1, datagram->bytes);
}

static void attack(void)
{
    uint64_t count = net.seen_count < KEPT ? net.seen_count : KEPT;
    if (!count || dice_draw(&net.attacker) % 1000000 >= net.config.attack)
        return;
    uint64_t draw = dice_range(&net.attacker, 0, 5);
    const struct seen *seen =
        draw == 1 ? seen_at(net.seen_count - 1) : &net.seen[dice_draw(&net.attacker) % count];
    struct socket *receiver = find_port(draw == 0 ? seen->from : seen->to);
    if (!receiver || receiver->count == QUEUE_MAX)
        return;
    struct datagram *datagram = ls_alloc(sizeof *datagram);
    datagram->bytes = seen->bytes;
    memcpy(datagram->data, seen->data, seen->bytes);
    datagram->from = draw == 0 ? seen->to : draw == 1 ? FOREIGN_PORT : seen->from;
    datagram->order = net.order++;
    datagram->due_ns = net.now_ns + (draw % 2 ? 0 : dice_draw(&net.attacker) % 2000000000);
    if (draw != 1)
        damage(datagram);
    push(receiver, datagram);
    net.attacks++;
}

SEEN int enet_socket_send(ENetSocket number, const ENetAddress *to, const ENetBuffer *buffers,
                          size_t count)
{
    struct datagram *datagram = gather(buffers, count);
    struct socket *receiver = find_port(to->port);
    uint32_t bytes = datagram->bytes;
    datagram->from = socket_of(number)->port;
    if (net.config.attack) {
        see(datagram, to->port);
        attack();
    }
    bool is_lost = dice_draw(&net.dice) % 1000000 < net.config.loss;
    uint64_t jitter_ns = net.config.jitter_ns ? dice_draw(&net.dice) % net.config.jitter_ns : 0;
    if (is_lost || !receiver || receiver->count == QUEUE_MAX) {
        ls_free(datagram);
        return (int)bytes;
    }
    datagram->order = net.order++;
    datagram->due_ns = net.now_ns + net.config.delay_ns + jitter_ns;
    push(receiver, datagram);
    return (int)bytes;
}

SEEN int enet_socket_receive(ENetSocket number, ENetAddress *from, ENetBuffer *buffers,
                             size_t count)
{
    struct socket *socket = socket_of(number);
    if (!socket->count || socket->queue[0]->due_ns > net.now_ns)
        return 0;
    struct datagram *datagram = pop(socket);
    int bytes = (int)datagram->bytes;
    LS_ASSERT(count == 1);
    *from = (ENetAddress){.host = ENET_HOST_TO_NET_32(0x7f000001), .port = datagram->from};
    if (datagram->bytes > buffers[0].dataLength)
        bytes = -1;
    else
        memcpy(buffers[0].data, datagram->data, datagram->bytes);
    ls_free(datagram);
    return bytes;
}

SEEN int enet_socket_wait(ENetSocket number, enet_uint32 *condition, enet_uint32 timeout_ms)
{
    (void)number;
    LS_ASSERT(timeout_ms == 0);
    *condition = ENET_SOCKET_WAIT_NONE;
    return 0;
}

/* The link polls its socket through the system. */
SEEN int poll(struct pollfd *wanted, nfds_t count, int timeout_ms)
{
    int ready = 0;
    (void)timeout_ms; /* no wait lasts */
    for (nfds_t i = 0; i < count; i++) {
        const struct socket *socket = wanted[i].fd >= SOCKET_FIRST ? socket_of(wanted[i].fd) : NULL;
        bool has_some = socket && socket->count && socket->queue[0]->due_ns <= net.now_ns;
        wanted[i].revents = has_some ? POLLIN : 0;
        ready += has_some;
    }
    return ready;
}

SEEN enet_uint32 enet_time_get(void)
{
    return net.enet_ms;
}

SEEN void enet_time_set(enet_uint32 ms)
{
    net.enet_ms = ms;
}

SEEN enet_uint32 enet_host_random_seed(void)
{
    return ++net.seeds * 2654435769u;
}
