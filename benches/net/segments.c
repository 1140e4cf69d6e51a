/* Measures whether UDP_SEGMENT pays: one message of the kernel carries several datagrams, but only
 * to one receiver. The reference is sendmmsg with a message for each datagram. */
#include "benches/bench.h"
#include "benches/net/groups.h"
#include "benches/net/net.h"

#include <lockstep/base.h>
#include <lockstep/limits.h>

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* of Linux 4.18; older headers lack it */
#endif

enum { DATAGRAM_BYTES = 145, EACH_MAX = 2, BATCH = 64, ROUNDS = 20 };

struct pack {
    uint32_t receivers, each; /* datagrams for each receiver in a round */
};

typedef union remark {
    struct cmsghdr header;
    uint8_t data[CMSG_SPACE(sizeof(uint16_t))];
} remark;

typedef struct field {
    const struct pack *pack;
    int sender, *files;
    struct sockaddr_in *ends;
    remark segment;
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH];
} field;

static void *begin(const bench_options *options, const void *variant)
{
    field *self = ls_alloc(sizeof *self);
    uint16_t port;
    (void)options;
    self->pack = variant;
    self->sender = net_socket(&port);
    self->files = ls_alloc(self->pack->receivers * sizeof self->files[0]);
    self->ends = ls_alloc(self->pack->receivers * sizeof self->ends[0]);
    for (uint32_t i = 0; i < self->pack->receivers; i++) {
        self->files[i] = net_socket(&port);
        self->ends[i] = (struct sockaddr_in){.sin_family = AF_INET,
                                             .sin_port = htons(port),
                                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    }
    const uint16_t bytes = DATAGRAM_BYTES;
    self->segment.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof bytes), .cmsg_level = IPPROTO_UDP, .cmsg_type = UDP_SEGMENT};
    memcpy(CMSG_DATA(&self->segment.header), &bytes, sizeof bytes);
    return self;
}

static void end(void *state)
{
    field *self = state;
    for (uint32_t i = 0; i < self->pack->receivers; i++)
        close(self->files[i]);
    close(self->sender);
    ls_free(self->files);
    ls_free(self->ends);
    ls_free(self);
}

static void receive_all(const field *self)
{
    uint8_t data[DATAGRAM_BYTES];
    for (uint32_t i = 0; i < self->pack->receivers; i++)
        while (recv(self->files[i], data, sizeof data, 0) >= 0)
            continue;
}

/* Returns the CPU time of sending one datagram, in messages of `datagrams`. */
static double send_ns(field *self, uint32_t datagrams, bool has_segments)
{
    static uint8_t data[EACH_MAX * DATAGRAM_BYTES];
    uint32_t repeats = self->pack->each / datagrams, all = self->pack->receivers * repeats;
    uint64_t spent_ns = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t begun_ns = bench_thread_ns();
        for (uint32_t at = 0, count; at < all; at += count) {
            count = all - at < BATCH ? all - at : BATCH;
            for (uint32_t i = 0; i < count; i++) {
                self->parts[i] = (struct iovec){data, (size_t)datagrams * DATAGRAM_BYTES};
                self->messages[i].msg_hdr =
                    (struct msghdr){.msg_name = &self->ends[(at + i) / repeats],
                                    .msg_namelen = sizeof self->ends[0],
                                    .msg_iov = &self->parts[i],
                                    .msg_iovlen = 1,
                                    .msg_control = has_segments ? &self->segment : NULL,
                                    .msg_controllen = has_segments ? sizeof self->segment : 0};
            }
            LS_ASSERT(sendmmsg(self->sender, self->messages, count, 0) == (int)count);
        }
        spent_ns += bench_thread_ns() - begun_ns;
        receive_all(self);
    }
    return (double)spent_ns / ROUNDS / self->pack->receivers / self->pack->each;
}

static void send_alone(void *state, double *figures)
{
    figures[0] = send_ns(state, 1, false);
}

static void send_segments(void *state, double *figures)
{
    field *self = state;
    figures[0] = send_ns(self, self->pack->each, true);
}

#define GROUP(name_, receivers_, each_)                                                            \
    {                                                                                              \
        .rows = {{"UDP_SEGMENT / sendmmsg, " name_, "ns", BENCH_NO_TARGET, 0, NULL}},              \
        .variant = &(const struct pack){receivers_, each_}, .begin = begin, .bare = send_alone,    \
        .ours = send_segments, .end = end,                                                         \
    }
const bench_group net_segments_64 = GROUP("1 datagram for each of 64 receivers", 64, 1),
                  net_segments_500 = GROUP("1 datagram for each of 500 receivers", 500, 1),
                  net_segments_pairs = GROUP("2 datagrams for each of 64 receivers", 64, EACH_MAX);
