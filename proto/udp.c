#include "proto/udp.h"

#include "proto/endpoint.h"
#include "proto/socket.h"
#include <lockstep/limits.h>

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOT_BYTES = LS_DATAGRAM_BYTES_MAX + 4, /* aligned */
    ERRORS_MAX = 16,                        /* errors of the socket before it counts as empty */
};

/* The system's remarks on a datagram: the time of its arrival. */
typedef union udp_remarks {
    struct cmsghdr aligned;
    uint8_t data[CMSG_SPACE(sizeof(struct timespec))];
} udp_remarks;

/* The buffers for one system call. */
typedef struct udp_batch {
    struct mmsghdr *messages;
    struct iovec *parts;
    ls_endpoint *ends;
    uint8_t *data; /* SLOT_BYTES each */
    uint32_t count;
} udp_batch;

struct ls_udp {
    int file;
    int family; /* AF_INET or AF_INET6 */
    bool is_filtered;
    bool is_drained;
    uint32_t capacity; /* of each batch */
    uint32_t next;     /* index in `in` of the next datagram to return */
    udp_batch in, out;
    udp_remarks *remarks;       /* for `in` */
    uint64_t now_ns, before_ns; /* the caller's clock in this round and in the one before */
    int64_t wall_ns;            /* the wall clock at now_ns */
    uint64_t taken;
    ls_udp_troubles troubles;
};

static void batch_init(udp_batch *batch, uint32_t capacity)
{
    batch->messages = ls_alloc(capacity * sizeof batch->messages[0]);
    batch->parts = ls_alloc(capacity * sizeof batch->parts[0]);
    batch->ends = ls_alloc(capacity * sizeof batch->ends[0]);
    batch->data = ls_alloc((size_t)capacity * SLOT_BYTES);
    for (uint32_t i = 0; i < capacity; i++) {
        batch->parts[i].iov_base = batch->data + (size_t)i * SLOT_BYTES;
        batch->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->ends[i], .msg_iov = &batch->parts[i], .msg_iovlen = 1};
    }
}

static void batch_reset(udp_batch *batch)
{
    ls_free(batch->messages);
    ls_free(batch->parts);
    ls_free(batch->ends);
    ls_free(batch->data);
}

/* Opens and binds a socket; returns -1 with the cause in errno on failure. */
static int open_bound(const ls_udp_config *config)
{
    int family = config->family == LS_UDP_IPV4 ? AF_INET : AF_INET6;
    int only = config->family == LS_UDP_IPV6;
    int file = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0)
        return -1;
    ls_endpoint end;
    ls_endpoint_from_address(&config->own, family, &end);
    bool is_set =
        family == AF_INET || setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) == 0;
    if (is_set && bind(file, &end.any, ls_endpoint_bytes(family)) == 0)
        return file;
    int code = errno;
    close(file);
    errno = code;
    return -1;
}

/* Makes the system tell when each datagram has arrived, where it can. */
static void stamp_arrivals(int file)
{
#ifdef SO_TIMESTAMPNS
    const int on = 1;
    (void)setsockopt(file, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
#else
    (void)file;
#endif
}

ls_status ls_udp_open(const ls_udp_config *config, ls_udp **udp)
{
    LS_ASSERT(config->batch >= 1 && config->batch <= LS_UDP_BATCH_MAX);
    int file = open_bound(config);
    if (file < 0)
        return LS_ERROR_IO;
    int bytes = (int)config->buffer_bytes;
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    stamp_arrivals(file);
    ls_udp *self = ls_alloc(sizeof *self);
    self->file = file;
    self->family = config->family == LS_UDP_IPV4 ? AF_INET : AF_INET6;
    self->capacity = config->batch;
    self->is_filtered = config->filter && ls_socket_filter(file);
    batch_init(&self->in, config->batch);
    batch_init(&self->out, config->batch);
    self->remarks = ls_alloc(config->batch * sizeof self->remarks[0]);
    for (uint32_t i = 0; i < config->batch; i++)
        self->in.messages[i].msg_hdr.msg_control = &self->remarks[i];
    *udp = self;
    return LS_OK;
}

void ls_udp_close(ls_udp *udp)
{
    if (!udp)
        return;
    ls_udp_flush(udp);
    close(udp->file);
    batch_reset(&udp->in);
    batch_reset(&udp->out);
    ls_free(udp->remarks);
    ls_free(udp);
}

int ls_udp_file(const ls_udp *udp)
{
    return udp->file;
}

bool ls_udp_is_filtered(const ls_udp *udp)
{
    return udp->is_filtered;
}

uint16_t ls_udp_port(const ls_udp *udp)
{
    ls_endpoint end;
    socklen_t bytes = sizeof end;
    LS_ASSERT(getsockname(udp->file, &end.any, &bytes) == 0);
    ls_address own = ls_endpoint_address(&end);
    return ls_address_port(&own);
}

static int64_t timespec_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * (int64_t)LS_SECOND_NS + time->tv_nsec;
}

void ls_udp_set_time(ls_udp *udp, uint64_t now_ns)
{
    struct timespec wall;
    udp->wall_ns = clock_gettime(CLOCK_REALTIME, &wall) == 0 ? timespec_ns(&wall) : 0;
    udp->before_ns = udp->now_ns ? udp->now_ns : now_ns;
    udp->now_ns = now_ns;
}

/* Returns the time of a datagram's arrival by the caller's clock, 0 without a stamp. A stamp of
 * this round is after wall_ns. */
static uint64_t arrived_ns(const ls_udp *udp, struct msghdr *message)
{
#ifdef SO_TIMESTAMPNS
    for (struct cmsghdr *remark = CMSG_FIRSTHDR(message); remark;
         remark = CMSG_NXTHDR(message, remark)) {
        struct timespec stamp;
        if (remark->cmsg_level != SOL_SOCKET || remark->cmsg_type != SCM_TIMESTAMPNS ||
            remark->cmsg_len < CMSG_LEN(sizeof stamp))
            continue;
        memcpy(&stamp, CMSG_DATA(remark), sizeof stamp);
        int64_t waited_ns = udp->wall_ns - timespec_ns(&stamp);
        int64_t most_ns = (int64_t)(udp->now_ns - udp->before_ns);
        if (waited_ns <= 0)
            return udp->now_ns;
        return udp->now_ns - (uint64_t)(waited_ns < most_ns ? waited_ns : most_ns);
    }
#else
    (void)udp;
    (void)message;
#endif
    return 0;
}

/* Asks the system for the next batch. A batch that was not full has emptied the socket: the next
 * call then returns false without a system call. */
static bool refill(ls_udp *udp)
{
    bool was_last = udp->in.count > 0 && udp->in.count < udp->capacity;
    for (uint32_t i = 0; i < udp->capacity; i++) {
        udp->in.parts[i].iov_len = LS_DATAGRAM_BYTES_MAX;
        udp->in.messages[i].msg_hdr.msg_namelen = sizeof udp->in.ends[i];
        udp->in.messages[i].msg_hdr.msg_controllen = sizeof udp->remarks[i];
    }
    udp->next = udp->in.count = 0;
    for (uint32_t errors = 0; !was_last && errors < ERRORS_MAX; errors++) {
        int count = recvmmsg(udp->file, udp->in.messages, udp->capacity, MSG_DONTWAIT, NULL);
        if (count > 0) {
            udp->in.count = (uint32_t)count;
            udp->taken += (uint32_t)count;
            return true;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return false;
        udp->troubles.unread += errno != EINTR;
    }
    return false;
}

/* Reads one received datagram; false for a datagram that our peers never send. The kernel's filter
 * drops most of these earlier, where the system has one. */
static bool take(ls_udp *udp, uint32_t index, ls_udp_datagram *datagram)
{
    struct mmsghdr *message = &udp->in.messages[index];
    if (message->msg_len == 0)
        return false;
    *datagram = (ls_udp_datagram){.from = ls_endpoint_address(&udp->in.ends[index]),
                                  .arrived_ns = arrived_ns(udp, &message->msg_hdr),
                                  .bytes = message->msg_len,
                                  .data = udp->in.data + (size_t)index * SLOT_BYTES};
    bool is_valid =
        !(message->msg_hdr.msg_flags & MSG_TRUNC) && ls_address_port(&datagram->from) != 0;
    udp->troubles.unread += !is_valid;
    return is_valid;
}

bool ls_udp_receive(ls_udp *udp, ls_udp_datagram *datagram)
{
    udp->is_drained = false;
    for (uint32_t skipped = 0; skipped < udp->capacity; skipped++) {
        if (udp->next == udp->in.count && !refill(udp)) {
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
    if (udp->out.count == udp->capacity)
        ls_udp_flush(udp);
    uint32_t index = udp->out.count++;
    ls_endpoint_from_address(to, udp->family, &udp->out.ends[index]);
    udp->out.messages[index].msg_hdr.msg_namelen = ls_endpoint_bytes(udp->family);
    udp->out.parts[index].iov_len = bytes;
    memcpy(udp->out.parts[index].iov_base, data, bytes);
}

void ls_udp_flush(ls_udp *udp)
{
    uint32_t at = 0;
    while (at < udp->out.count) {
        int count = sendmmsg(udp->file, udp->out.messages + at, udp->out.count - at, MSG_DONTWAIT);
        if (count > 0) {
            at += (uint32_t)count;
            continue;
        }
        if (errno == EINTR)
            continue;
        /* A full buffer drops the rest of the batch. Any other error drops only this datagram, so
         * that the next ones are not held up. */
        uint32_t lost = errno == EAGAIN || errno == EWOULDBLOCK ? udp->out.count - at : 1;
        udp->troubles.unsent += lost;
        at += lost;
    }
    udp->out.count = 0;
}

ls_udp_troubles ls_udp_get_troubles(const ls_udp *udp)
{
    return udp->troubles;
}
