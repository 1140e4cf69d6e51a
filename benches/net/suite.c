/* The rows of `./bench net`. A group has one number of peers: all ways to serve exist at once and
 * are measured in turn, while the clients of the others rest. */
#include "benches/net/groups.h"
#include "benches/net/host.h"
#include "benches/suites.h"

#include <lockstep/base.h>

#include <stdio.h>

#define ARRIVED_MIN 0.95

enum { TICKS = 30 };

/* Our server must be first: the other ways carry as many bytes as it does. */
static const net_way *const ways[] = {&net_ours, &net_udp, &net_enet};
enum { WAYS = LS_COUNT_OF(ways) };
enum { OURS = 0, UDP, ENET };
enum { PEERS_RATE = 10, PEERS_CALLS = 64, PEERS_MEMORY = 512 };

struct load {
    uint32_t peers, tick_rate;
};

struct contest {
    void *states[WAYS];
    double *figures[WAYS];
    double down[WAYS];        /* packets that reached a peer per tick, on average */
    uint32_t measured, lossy; /* runs of all ways; those that lost over 5 % */
};

static void measure_all(struct contest *contest, uint32_t run, uint32_t runs)
{
    for (uint32_t i = 0; i < WAYS; i++) {
        net_figure figure =
            net_measure(ways[i], contest->states[i], net_crowd_of(contest->states[i]), TICKS);
        contest->figures[i][run] = figure.ns;
        contest->down[i] += figure.down / runs;
        contest->measured++;
        contest->lossy += figure.up < ARRIVED_MIN || figure.down < ARRIVED_MIN;
    }
}

/* Adds a note when traffic was lost, because the figures are then not comparable. */
static void note_losses(const struct contest *contest, bench_result *result)
{
    if (contest->lossy)
        snprintf(result->note, sizeof result->note,
                 "in %u of %u runs over 5 %% of the traffic was lost", contest->lossy,
                 contest->measured);
}

/* Measures sealing and opening of one peer's packets in one tick, both directions. */
static double aead_ns(uint32_t runs)
{
    double *figures = ls_alloc(sizeof(double) * runs);
    for (uint32_t run = 0; run < runs; run++) {
        double seal_ns, open_ns, unused_ns;
        net_aead(net_sizes.down_bytes - LS_SEAL_BYTES, &seal_ns, &unused_ns);
        net_aead(net_sizes.up_bytes - LS_SEAL_BYTES, &unused_ns, &open_ns);
        figures[run] = seal_ns + open_ns;
    }
    double result = bench_median(figures, runs);
    ls_free(figures);
    return result;
}

/* Returns the allocations per tick of a server that has run for a while, without those inside
 * ENet. */
static double calls_per_tick(net_host *host)
{
    uint32_t before = bench_memory_calls();
    (void)net_measure(&net_ours, host, &host->crowd, TICKS);
    return (double)(bench_memory_calls() - before) / TICKS;
}

/* Starts all ways. False, with a note, when this machine is too slow for `peers` clients. */
static bool begin_all(struct contest *contest, const bench_options *options, uint32_t peers,
                      bench_result *result)
{
    for (uint32_t i = 0; i < WAYS; i++) {
        contest->states[i] = ways[i]->begin(peers);
        contest->figures[i] = ls_alloc(sizeof(double) * options->runs);
        const net_crowd *crowd = net_crowd_of(contest->states[i]);
        if (!net_crowd_is_whole(crowd)) {
            snprintf(result->note, sizeof result->note, "%s: only %u of its peers in after %d s",
                     ways[i]->name, crowd->inside, NET_GATHER_S);
            return false;
        }
        if (i == OURS)
            net_size_payload(contest->states[i], TICKS);
    }
    return true;
}

static void end_all(struct contest *contest)
{
    for (uint32_t i = 0; i < WAYS && contest->states[i]; i++) {
        ways[i]->end(contest->states[i]);
        ls_free(contest->figures[i]);
    }
}

static void compare(const bench_options *options, const struct load *load, bench_result *results)
{
    uint32_t peers = load->peers, runs = options->runs;
    struct contest contest = {0};
    if (!begin_all(&contest, options, peers, &results[2])) {
        end_all(&contest);
        return;
    }
    for (uint32_t run = 0; run < runs; run++)
        measure_all(&contest, run, runs);
    double sealing_ns = aead_ns(runs), medians[WAYS];
    for (uint32_t i = 0; i < WAYS; i++)
        medians[i] = bench_median(contest.figures[i], runs);
    results[0].bare = results[1].bare = medians[UDP];
    results[0].ours = medians[ENET];
    results[1].ours = medians[OURS];
    results[2].bare = medians[ENET];
    results[2].ours = medians[OURS];
    note_losses(&contest, &results[0]);
    snprintf(results[1].note, sizeof results[1].note,
             "%u bytes down (%.1f per tick), %u up; all peers in after %.1f s",
             net_sizes.down_bytes, contest.down[OURS], net_sizes.up_bytes,
             net_crowd_of(contest.states[OURS])->gathering);
    snprintf(results[2].note, sizeof results[2].note, "sealing is %.0f ns of it", sealing_ns);
    if (peers == PEERS_CALLS)
        results[3].ours = calls_per_tick(contest.states[OURS]);
    if (peers == PEERS_MEMORY)
        results[3].ours = (double)((net_host *)contest.states[OURS])->peer_bytes / 1024;
    end_all(&contest);
}

static void contend(const bench_options *options, const void *variant, bench_result *results)
{
    const struct load *load = variant;
    uint32_t usual = net_tick_rate;
    net_tick_rate = load->tick_rate;
    compare(options, load, results);
    net_tick_rate = usual;
}

#define CONTEST_ROWS(peers_text)                                                                   \
    {"ENet / bare UDP, " peers_text, "ns", BENCH_NO_TARGET, 0, NULL},                              \
        {"ours / bare UDP, " peers_text, "ns", BENCH_NO_TARGET, 0, NULL},                          \
    {                                                                                              \
        "ours / ENet, " peers_text, "ns", BENCH_RATIO_AT_MOST, 1.2, NULL                           \
    }
#define GROUP(given_peers, given_rate, ...)                                                        \
    {                                                                                              \
        .rows = {__VA_ARGS__}, .variant = &(const struct load){given_peers, given_rate},           \
        .whole = contend,                                                                          \
    }
static const bench_group peers_8 = GROUP(8, 60, CONTEST_ROWS("8 peers")),
                         peers_64 = GROUP(PEERS_CALLS, 60, CONTEST_ROWS("64 peers"),
                                          {"calls for memory in a tick, 64 peers", "calls",
                                           BENCH_AT_MOST, 0, NULL}),
                         peers_512 = GROUP(PEERS_MEMORY, 60, CONTEST_ROWS("512 peers"),
                                           {"memory of a peer, between 8 and 512 of them", "KiB",
                                            BENCH_AT_MOST, 16, NULL}),
                         peers_2000 = GROUP(2000, PEERS_RATE, CONTEST_ROWS("2000 peers at 10 Hz"));

/* Measures sealing and opening alone, for three message sizes. */
static void seal(const bench_options *options, const void *variant, bench_result *results)
{
    static const uint32_t sizes[] = {40, 100, 1200};
    (void)variant;
    double *figures = ls_alloc(sizeof(double) * 2 * options->runs);
    for (uint32_t i = 0; i < LS_COUNT_OF(sizes); i++) {
        double *opens = figures + options->runs;
        for (uint32_t run = 0; run < options->runs; run++)
            net_aead(sizes[i], &figures[run], &opens[run]);
        results[2 * i].ours = bench_median(figures, options->runs);
        results[2 * i + 1].ours = bench_median(opens, options->runs);
    }
    ls_free(figures);
}

#define SEAL_ROW(name)                                                                             \
    {                                                                                              \
        "ChaCha20-Poly1305, " name, "ns", BENCH_NO_TARGET, 0, NULL                                 \
    }
static const bench_group sealing = {
    .rows = {SEAL_ROW("seal 40 bytes"), SEAL_ROW("open 40 bytes"), SEAL_ROW("seal 100 bytes"),
             SEAL_ROW("open 100 bytes"), SEAL_ROW("seal 1200 bytes"), SEAL_ROW("open 1200 bytes")},
    .whole = seal,
};

static const bench_group *const groups[] = {
    &peers_8, &peers_64, &peers_512, &peers_2000, &sealing, BENCH_NET_GROUPS(BENCH_ADDRESS), NULL};

const bench_suite bench_net = {
    .name = "net",
    .summary = "a server: CPU time per peer and tick, delivery, late joins, rollbacks",
    .groups = groups,
};
