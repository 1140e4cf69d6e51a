#include "enet_sockets.h"

#include "draws.h"

#include "proto/enet_link.h"

#include <poll.h>
#include <string.h>

/* exported, because the shared libenet must find these functions */
#define SEEN __attribute__((visibility("default")))

enum { FIRST_KEPT = 256, KEPT = 2 * FIRST_KEPT, FOREIGN_PORT = 9 };
enum { SOCKETS_MAX = 64, FILE_FIRST = 1 << 20, DATAGRAM_BYTES_MAX = 2048, QUEUE_MAX = 4096 };

struct datagram {
    uint64_t due_ns, order;
    uint16_t from;
    uint32_t bytes;
    uint8_t data[DATAGRAM_BYTES_MAX];
};

/* A datagram that the attacker has seen. The attacker keeps the first ones of a run, and the
 * newest. */
struct seen {
    uint16_t from, to;
    uint32_t bytes;
    uint8_t data[DATAGRAM_BYTES_MAX];
};

/* A socket; its queue is a heap by due time, then by order. */
struct ls_udp {
    bool is_open;
    uint16_t port;
    uint32_t count;
    struct datagram *queue[QUEUE_MAX];
    struct datagram *taken; /* the datagram that was returned last */
    uint64_t given;
    uint64_t now_ns, before_ns; /* its owner's clock, in this round and in the one before */
};

static struct {
    enet_sockets_config config;
    struct draws draws;
    uint64_t now_ns, order;
    uint32_t count, seeds;
    enet_uint32 enet_ms;
    struct draws attacker;
    uint64_t seen_count, attacks;
    struct seen seen[KEPT];
    struct ls_udp sockets[SOCKETS_MAX];
} net;

static bool is_before(const struct datagram *a, const struct datagram *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void push(struct ls_udp *socket, struct datagram *datagram)
{
    uint32_t at = socket->count++;
    while (at > 0 && is_before(datagram, socket->queue[(at - 1) / 2])) {
        socket->queue[at] = socket->queue[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    socket->queue[at] = datagram;
}

static struct datagram *pop(struct ls_udp *socket)
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

static bool has_arrived(const struct ls_udp *socket)
{
    return socket->count > 0 && socket->queue[0]->due_ns <= net.now_ns;
}

static struct ls_udp *find_port(uint16_t port)
{
    for (uint32_t i = 0; i < net.count; i++)
        if (net.sockets[i].is_open && net.sockets[i].port == port)
            return &net.sockets[i];
    return NULL;
}

static void drop_all(struct ls_udp *socket)
{
    while (socket->count)
        ls_free(socket->queue[--socket->count]);
    ls_free(socket->taken);
    socket->taken = NULL;
}

void enet_sockets_reset(const enet_sockets_config *config)
{
    for (uint32_t i = 0; i < net.count; i++)
        drop_all(&net.sockets[i]);
    memset(&net, 0, sizeof net);
    net.config = *config;
    net.draws = draws_make(config->seed, 7);
    net.attacker = draws_make(config->seed, 11);
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
    const struct ls_udp *socket = find_port(port);
    return socket && socket->count ? socket->queue[0]->due_ns : UINT64_MAX;
}

ls_status ls_udp_open(const ls_udp_config *config, ls_udp **udp)
{
    LS_ASSERT(net.count < SOCKETS_MAX);
    uint16_t port = ls_address_port(&config->own);
    struct ls_udp *socket = &net.sockets[net.count];
    *socket = (struct ls_udp){.is_open = true, .port = port ? port : (uint16_t)(20000 + net.count)};
    net.count++;
    *udp = socket;
    return LS_OK;
}

void ls_udp_close(ls_udp *udp)
{
    udp->is_open = false;
    drop_all(udp);
}

int ls_udp_file(const ls_udp *udp)
{
    return FILE_FIRST + (int)(udp - net.sockets);
}

uint16_t ls_udp_port(const ls_udp *udp)
{
    return udp->port;
}

/* Returns the slot for the datagram with this number, counted from 0. */
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
    uint64_t draw = draws_range(&net.attacker, 0, 9);
    if (draw < 2)
        datagram->data[draws_next(&net.attacker) % datagram->bytes] ^=
            (uint8_t)(1u << draws_range(&net.attacker, 0, 7));
    else if (draw == 2)
        datagram->bytes = (uint32_t)draws_range(&net.attacker, 1, datagram->bytes);
}

static void attack(void)
{
    uint64_t count = net.seen_count < KEPT ? net.seen_count : KEPT;
    if (!count || draws_next(&net.attacker) % 1000000 >= net.config.attack)
        return;
    uint64_t draw = draws_range(&net.attacker, 0, 5);
    const struct seen *seen =
        draw == 1 ? seen_at(net.seen_count - 1) : &net.seen[draws_next(&net.attacker) % count];
    struct ls_udp *receiver = find_port(draw == 0 ? seen->from : seen->to);
    if (!receiver || receiver->count == QUEUE_MAX)
        return;
    struct datagram *datagram = ls_alloc(sizeof *datagram);
    datagram->bytes = seen->bytes;
    memcpy(datagram->data, seen->data, seen->bytes);
    datagram->from = draw == 0 ? seen->to : draw == 1 ? FOREIGN_PORT : seen->from;
    datagram->order = net.order++;
    datagram->due_ns = net.now_ns + (draw % 2 ? 0 : draws_next(&net.attacker) % 2000000000);
    if (draw != 1)
        damage(datagram);
    push(receiver, datagram);
    net.attacks++;
}

void ls_udp_send(ls_udp *udp, const ls_address *to, const uint8_t *data, uint32_t bytes)
{
    struct datagram *datagram = ls_alloc(sizeof *datagram);
    struct ls_udp *receiver = find_port(ls_address_port(to));
    LS_ASSERT(bytes <= sizeof datagram->data);
    memcpy(datagram->data, data, bytes);
    datagram->bytes = bytes;
    datagram->from = udp->port;
    if (net.config.attack) {
        see(datagram, ls_address_port(to));
        attack();
    }
    bool is_lost = draws_next(&net.draws) % 1000000 < net.config.loss;
    uint64_t jitter_ns = net.config.jitter_ns ? draws_next(&net.draws) % net.config.jitter_ns : 0;
    if (is_lost || !receiver || receiver->count == QUEUE_MAX) {
        ls_free(datagram);
        return;
    }
    datagram->order = net.order++;
    datagram->due_ns = net.now_ns + net.config.delay_ns + jitter_ns;
    push(receiver, datagram);
}

/* Does nothing: ls_udp_send has already sent each datagram. */
void ls_udp_flush(ls_udp *udp)
{
    (void)udp;
}

void ls_udp_set_time(ls_udp *udp, uint64_t now_ns)
{
    udp->before_ns = udp->now_ns ? udp->now_ns : now_ns;
    udp->now_ns = now_ns;
}

/* Returns the time of delivery by the owner's clock, which may have jumped since. */
static uint64_t arrived_ns(const ls_udp *udp, const struct datagram *datagram)
{
    uint64_t waited_ns = net.now_ns - datagram->due_ns, most_ns = udp->now_ns - udp->before_ns;
    return udp->now_ns - (waited_ns < most_ns ? waited_ns : most_ns);
}

bool ls_udp_receive(ls_udp *udp, ls_udp_datagram *datagram)
{
    ls_free(udp->taken);
    udp->taken = NULL;
    if (!has_arrived(udp))
        return false;
    udp->taken = pop(udp);
    udp->given++;
    *datagram = (ls_udp_datagram){.from = LS_ADDRESS_IPV4(127, 0, 0, 1, udp->taken->from),
                                  .arrived_ns = arrived_ns(udp, udp->taken),
                                  .bytes = udp->taken->bytes,
                                  .data = udp->taken->data};
    return true;
}

uint64_t ls_udp_taken(const ls_udp *udp)
{
    return udp->given;
}

bool ls_udp_is_drained(const ls_udp *udp)
{
    return !has_arrived(udp);
}

ls_udp_troubles ls_udp_get_troubles(const ls_udp *udp)
{
    (void)udp;
    return (ls_udp_troubles){0};
}

/* Replaces the system's poll(), with which the link waits for its socket. */
SEEN int poll(struct pollfd *wanted, nfds_t count, int timeout_ms)
{
    int ready = 0;
    (void)timeout_ms; /* waits return at once */
    for (nfds_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)(wanted[i].fd - FILE_FIRST);
        bool has_some =
            wanted[i].fd >= FILE_FIRST && index < net.count && has_arrived(&net.sockets[index]);
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
