/* Measures the time from closing a tick to sending its first datagrams, while a pool thread
 * simulates ticks of 50 ms. */
#include "benches/net/groups.h"
#include "benches/net/host.h"
#include "benches/net/plain_sim.h"

#include "proto/message.h"
#include "tests/support/link_over.h"

#include <stdio.h>

#define NS_PER_S UINT64_C(1000000000)

enum { WATCHERS = 4, SECONDS = 5, SAMPLES_MAX = 4096 };

/* A wrapper of a link that notes when the link sends ticks. */
typedef struct noting {
    link_over over;
    bool is_queued;
    uint64_t left_ns; /* when ticks were sent; 0: not since the last reset */
} noting;

static noting *cast(ls_link *link)
{
    return (noting *)link;
}

static ls_status send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    cast(link)->is_queued |= packet->data[0] == LS_MESSAGE_TICKS;
    return ls_link_send(cast(link)->over.inner, peer, packet);
}

static void flush(ls_link *link, uint64_t now_ns)
{
    noting *self = cast(link);
    ls_link_flush(self->over.inner, now_ns);
    if (self->is_queued && !self->left_ns)
        self->left_ns = bench_now_ns();
}

static void destroy(ls_link *link)
{
    ls_free(link);
}

static const ls_link_vtable vtable = {.send = send,
                                      .stats = link_over_stats,
                                      .flush = flush,
                                      .poll = link_over_poll,
                                      .disconnect = link_over_disconnect,
                                      .post = link_over_post,
                                      .admit = link_over_admit,
                                      .is_quiet = link_over_is_quiet,
                                      .connections = link_over_connections,
                                      .origin = link_over_origin,
                                      .describe = link_over_describe,
                                      .destroy = destroy};

static ls_link *wrap(ls_link *inner)
{
    noting *self = ls_alloc(sizeof *self);
    *self = (noting){.over = {{&vtable}, inner}};
    return &self->over.link;
}

static uint64_t closed(const net_host *host, uint64_t *lateness_ns)
{
    uint64_t count = 0;
    ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(host->server, i)) != NULL; i++) {
        ls_room_stats stats = ls_room_get_stats(room);
        count += stats.tick;
        if (stats.lateness_ns > *lateness_ns)
            *lateness_ns = stats.lateness_ns;
    }
    return count;
}

static double p99(double *figures, uint32_t count)
{
    (void)bench_median(figures, count); /* sorts the figures */
    return count ? figures[count - 1 - count / 100] : NAN;
}

static void watch(const bench_options *options, const void *variant, bench_result *results)
{
    (void)options;
    net_host *host = net_host_begin(&(net_host_config){.sim = &slow_sim,
                                                       .rooms = *(const uint32_t *)variant,
                                                       .watchers = WATCHERS,
                                                       .threads = 1,
                                                       .wrap = wrap});
    noting *link = cast(host->wrapped);
    double *samples = ls_alloc(SAMPLES_MAX * sizeof *samples);
    uint32_t count = 0;
    uint64_t until_ns = bench_now_ns() + SECONDS * NS_PER_S, lateness_ns = 0;
    atomic_store(&host->crowd.board->is_running, true);
    net_host_resume(host);
    while (bench_now_ns() < until_ns && count < SAMPLES_MAX) {
        uint64_t before = closed(host, &lateness_ns);
        link->is_queued = false;
        link->left_ns = 0;
        uint64_t begun_ns = bench_now_ns();
        uint64_t next_ns = ls_server_step(host->server, net_host_now_ns(host));
        if (closed(host, &lateness_ns) > before && link->left_ns)
            samples[count++] = (double)(link->left_ns - begun_ns) / 1e6;
        net_host_wait(host, next_ns);
    }
    LS_ASSERT(count > 0);
    results[0].ours = p99(samples, count);
    snprintf(results[0].note, sizeof results[0].note, "%u ticks, median %.3f ms, worst %.2f ms",
             count, samples[count / 2], samples[count - 1]);
    net_host_end(host);
    ls_link_destroy(&link->over.link);
    ls_free(samples);
}

#define PROMPT(given_rooms, text)                                                                  \
    {                                                                                              \
        .rows = {{"tick's close to first send, p99, " text " of 50 ms a tick", "ms",               \
                  BENCH_AT_MOST, 1, NULL}},                                                        \
        .variant = &(const uint32_t){given_rooms}, .whole = watch,                                 \
    }
const bench_group net_prompt_1 = PROMPT(1, "1 room"), net_prompt_8 = PROMPT(8, "8 rooms");
