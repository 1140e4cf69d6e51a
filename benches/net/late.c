/* Measures a late join into a large battle: how soon the client runs its first tick, and whether
 * the other clients notice. The simulation is a copy of skirmish with a larger range for an
 * option. */
#include "benches/net/groups.h"
#include "benches/net/host.h"

#include "sims/skirmish/skirmish.h"
#include <lockstep/client.h>
#include <lockstep/link_enet.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEADY_MAX 1.5 /* limit of the p99 of tick intervals, in tick periods */

enum {
    UNITS = 100000,
    WATCHERS = 3,
    RATE = 10,
    ROUNDS = 9,
    PHASE_S = 2, /* seconds of each half of a round: without the late client, and with it */
    INTERVALS_MAX = ROUNDS * RATE * (PHASE_S + 2),
    TIMEOUT_S = 20,
    OPTIONS_MAX = 8
};

/* Moments of a join, in memory shared with the late client's process. */
typedef struct lateness {
    atomic_uint_fast64_t begun_ns, let_in_ns, loaded_ns, ran_ns, near_ns;
    uint64_t bytes;
} lateness;

typedef struct newcomer {
    lateness *times;
    ls_client *client;
} newcomer;

static void note(atomic_uint_fast64_t *at)
{
    if (!atomic_load(at))
        atomic_store(at, bench_now_ns());
}

static void ran(void *context, const ls_frame *frame)
{
    (void)frame;
    note(&((newcomer *)context)->times->ran_ns);
}

static void loaded(void *context)
{
    note(&((newcomer *)context)->times->loaded_ns);
}

static void join(lateness *times, const net_host *host)
{
    newcomer self = {.times = times};
    ls_error error = {""};
    ls_link *link;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    note(&times->begun_ns);
    LS_ASSERT(ls_link_enet_open("127.0.0.1", ls_link_enet_port(host->link), &link, &error) ==
              LS_OK);
    ls_client_config config = ls_client_config_default();
    config.program = host->program;
    config.link = link;
    config.pin = &host->identity.public_key;
    config.is_spectator = true;
    config.unix_s = (uint64_t)time(NULL);
    snprintf(config.room, sizeof config.room, "0");
    config.ran = ran;
    config.loaded = loaded;
    config.hook_context = &self;
    LS_ASSERT(ls_client_create(&config, &self.client, &error) == LS_OK);
    for (;;) {
        uint64_t next_ns = ls_client_step(self.client, bench_now_ns()), now_ns = bench_now_ns();
        ls_client_stats stats = ls_client_get_stats(self.client);
        if (ls_client_get_state(self.client) >= LS_CLIENT_LOADING)
            note(&times->let_in_ns);
        times->bytes = stats.bytes_received;
        if (atomic_load(&times->ran_ns) && stats.head - stats.tick <= 1)
            note(&times->near_ns);
        if (next_ns > now_ns)
            (void)ls_link_wait(link, (uint32_t)((next_ns - now_ns) / 1000000 + 1));
    }
}

/* The intervals between the ticks that a watcher receives, in ms. */
typedef struct intervals {
    double figures[INTERVALS_MAX];
    uint32_t count;
} intervals;

static void gather(intervals *self, const net_board *board, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i + 1 < end && self->count < INTERVALS_MAX; i++)
        self->figures[self->count++] = (double)(board->seen_ns[i + 1] - board->seen_ns[i]) / 1e6;
}

static double p99(intervals *self)
{
    (void)bench_median(self->figures, self->count);
    return self->figures[self->count - 1 - self->count / 100];
}

static void run_s(net_host *host, double seconds)
{
    net_host_run_until(host, bench_now_ns() + (uint64_t)(seconds * 1e9));
}

static double since_begin(const lateness *times, uint64_t at_ns)
{
    return at_ns ? (double)(at_ns - times->begun_ns) / 1e9 : TIMEOUT_S;
}

/* Lets a client join, and leave when it has reached the head and the phase is over. */
static void let_one_in(net_host *host, lateness *times)
{
    *times = (lateness){0};
    int process = fork();
    LS_ASSERT(process >= 0);
    if (process == 0)
        join(times, host);
    run_s(host, PHASE_S);
    for (uint32_t i = 0; i < TIMEOUT_S * 10 && !atomic_load(&times->near_ns); i++)
        run_s(host, 0.1);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* Notes when ticks are late even without a join: the other figures then say nothing about the
 * join. */
static void judge_intervals(intervals *alone, intervals *together, bench_result *result)
{
    double before_ms = p99(alone);
    if (before_ms > STEADY_MAX * 1000.0 / RATE) {
        snprintf(result->note, sizeof result->note,
                 "no figure: %.0f ms without a join, the machine is too busy", before_ms);
        return;
    }
    result->bare = before_ms;
    result->ours = p99(together);
    snprintf(result->note, sizeof result->note, "%u intervals before, %u meanwhile, in turns",
             alone->count, together->count);
}

static void measure_rounds(net_host *host, lateness *times, bench_result *results)
{
    const net_board *board = host->crowd.board;
    static intervals alone, together;
    double ran[ROUNDS], near[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t first = atomic_load(&board->seen_count);
        run_s(host, PHASE_S);
        uint32_t middle = atomic_load(&board->seen_count);
        let_one_in(host, times);
        gather(&alone, board, first, middle);
        gather(&together, board, middle - 1, atomic_load(&board->seen_count));
        ran[i] = since_begin(times, times->ran_ns);
        near[i] = since_begin(times, times->near_ns);
        run_s(host, 1); /* lets the server clean up after the departed client */
    }
    results[0].ours = bench_median(ran, ROUNDS);
    snprintf(results[0].note, sizeof results[0].note,
             "slowest of %u: %.2f s, to the head: %.2f s, received: %.1f MB", (unsigned)ROUNDS,
             ran[ROUNDS - 1], bench_median(near, ROUNDS), (double)times->bytes / 1e6);
    judge_intervals(&alone, &together, &results[1]);
}

static void come_late(const bench_options *options, const void *variant, bench_result *results)
{
    static ls_option ranges[OPTIONS_MAX];
    ls_sim large = ls_skirmish_sim;
    (void)options;
    (void)variant;
    LS_ASSERT(large.option_count <= OPTIONS_MAX);
    memcpy(ranges, large.options, large.option_count * sizeof *ranges);
    ranges[0].max = UNITS;
    large.options = ranges;
    net_host *host = net_host_begin(&(net_host_config){.sim = &large,
                                                       .rooms = 1,
                                                       .watchers = WATCHERS,
                                                       .tick_rate = RATE,
                                                       .option = "units",
                                                       .value = UNITS,
                                                       .threads = 1,
                                                       .spare = 8});
    net_board *board = host->crowd.board;
    lateness *times =
        mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    LS_ASSERT(times != MAP_FAILED);
    atomic_store(&board->is_running, true);
    net_host_resume(host);
    run_s(host, 1);
    measure_rounds(host, times, results);
    munmap(times, sizeof *times);
    net_host_end(host);
}

const bench_group net_late = {
    .rows = {{"late join of 100,000 units, first tick run", "s", BENCH_AT_MOST, 2, NULL},
             {"others' interval between ticks meanwhile / before, p99", "ms", BENCH_RATIO_AT_MOST,
              1.1, NULL}},
    .whole = come_late,
};
