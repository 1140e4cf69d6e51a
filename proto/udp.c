#include "proto/udp.h"

#include "proto/endpoint.h"
#include "proto/platform_batch.h"
#include "proto/platform_socket.h"
#include <lockstep/limits.h>

#include <errno.h>

/* After this number of errors in a row, the socket counts as empty. */
enum { ERRORS_MAX = 16 };

struct ls_udp {
    int file;
    int family; /* AF_INET or AF_INET6 */
    bool is_drained;
    uint32_t capacity; /* of each batch */
    ls_batch *in, *out;
    uint32_t in_count, next; /* `next`: index in `in` of the next datagram to return */
    uint32_t out_count;
    uint64_t now_ns, before_ns; /* the caller's clock in this round and in the one before */
    int64_t wall_ns;            /* the clock of stamps at now_ns */
    uint64_t taken;
    ls_udp_troubles troubles;
};

ls_status ls_udp_open(const ls_udp_config *config, ls_udp **udp)
{
    LS_ASSERT(config->batch >= 1 && config->batch <= LS_UDP_BATCH_MAX);
    const ls_socket_config socket = {.family = config->family == LS_UDP_IPV4 ? AF_INET : AF_INET6,
                                     .is_dual = config->family == LS_UDP_DUAL,
                                     .own = config->own,
                                     .buffer_bytes = config->buffer_bytes};
    int file = ls_socket_open(&socket);
    if (file < 0) {
        errno = -file;
        return LS_ERROR_IO;
    }
    ls_udp *self = ls_alloc(sizeof *self);
    self->file = file;
    self->family = socket.family;
    self->capacity = config->batch;
    if (config->filter)
        (void)ls_socket_filter(file); /* what passes without it is dropped later */
    self->in = ls_batch_create(socket.family, config->batch);
    self->out = ls_batch_create(socket.family, config->batch);
    *udp = self;
    return LS_OK;
}

void ls_udp_close(ls_udp *udp)
{
    if (!udp)
        return;
    ls_udp_flush(udp);
    ls_socket_close(udp->file);
    ls_batch_destroy(udp->in);
    ls_batch_destroy(udp->out);
    ls_free(udp);
}

int ls_udp_file(const ls_udp *udp)
{
    return udp->file;
}

uint16_t ls_udp_port(const ls_udp *udp)
{
    ls_address own = ls_socket_own(udp->file);
    return ls_address_port(&own);
}

void ls_udp_set_time(ls_udp *udp, uint64_t now_ns)
{
    udp->wall_ns = ls_batch_clock_ns();
    udp->before_ns = udp->now_ns ? udp->now_ns : now_ns;
    udp->now_ns = now_ns;
}

/* Returns the time of a datagram's arrival by the caller's clock, 0 without a stamp. A stamp after
 * wall_ns is of a datagram that came during this round, and counts as now_ns. */
static uint64_t arrived_ns(const ls_udp *udp, int64_t stamp_ns)
{
    if (stamp_ns == 0)
        return 0;
    int64_t waited_ns = udp->wall_ns - stamp_ns;
    int64_t most_ns = (int64_t)(udp->now_ns - udp->before_ns);
    if (waited_ns <= 0)
        return udp->now_ns;
    return udp->now_ns - (uint64_t)(waited_ns < most_ns ? waited_ns : most_ns);
}

/* Asks the system for the next batch. A batch that was not full has emptied the socket: the next
 * call then returns false without a system call. */
static bool refill(ls_udp *udp)
{
    bool was_last = udp->in_count > 0 && udp->in_count < udp->capacity;
    udp->next = udp->in_count = 0;
    for (uint32_t errors = 0; !was_last && errors < ERRORS_MAX; errors++) {
        int count = ls_batch_receive(udp->in, udp->file);
        if (count > 0) {
            udp->in_count = (uint32_t)count;
            udp->taken += (uint32_t)count;
            return true;
        }
        if (count == -EAGAIN)
            return false;
        udp->troubles.unread += count != -EINTR;
    }
    return false;
}

/* Reads one received datagram; false for a datagram that our peers never send. The kernel's filter
 * drops most of these earlier, where the system has one. */
static bool take(ls_udp *udp, uint32_t index, ls_udp_datagram *datagram)
{
    ls_batch_datagram found;
    ls_batch_read(udp->in, index, &found);
    if (found.bytes == 0)
        return false;
    *datagram = (ls_udp_datagram){.from = found.from,
                                  .arrived_ns = arrived_ns(udp, found.stamp_ns),
                                  .bytes = found.bytes,
                                  .data = found.data};
    bool is_valid = !found.is_cut && ls_address_port(&found.from) != 0;
    udp->troubles.unread += !is_valid;
    return is_valid;
}

bool ls_udp_receive(ls_udp *udp, ls_udp_datagram *datagram)
{
    udp->is_drained = false;
    for (uint32_t skipped = 0; skipped < udp->capacity; skipped++) {
        if (udp->next == udp->in_count && !refill(udp)) {
            udp->is_drained = true;
            return false;
        }
        if (take(udp, udp->next++, datagram))
            return true;
    }
    return false;
}

bool ls_udp_is_drained(const ls_udp *udp)
{
    return udp->is_drained;
}

uint64_t ls_udp_taken(const ls_udp *udp)
{
    return udp->taken;
}

void ls_udp_send(ls_udp *udp, const ls_address *to, const uint8_t *data, uint32_t bytes)
{
    LS_ASSERT(bytes >= 1 && bytes <= LS_DATAGRAM_BYTES_MAX);
    if (udp->family == AF_INET && !ls_address_is_ipv4(to)) {
        udp->troubles.unsent++;
        return;
    }
    if (udp->out_count == udp->capacity)
        ls_udp_flush(udp);
    ls_batch_write(udp->out, udp->out_count++, to, data, bytes);
}

void ls_udp_flush(ls_udp *udp)
{
    uint32_t at = 0;
    while (at < udp->out_count) {
        int count = ls_batch_send(udp->out, udp->file, at, udp->out_count - at);
        if (count > 0) {
            at += (uint32_t)count;
            continue;
        }
        if (count == -EINTR)
            continue;
        /* A full buffer drops the rest of the batch. Any other error drops only this datagram, so
         * that the next ones are not held up. */
        uint32_t lost = count == -EAGAIN ? udp->out_count - at : 1;
        udp->troubles.unsent += lost;
        at += lost;
    }
    udp->out_count = 0;
}

ls_udp_troubles ls_udp_get_troubles(const ls_udp *udp)
{
    return udp->troubles;
}
