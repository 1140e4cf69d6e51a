/* Measures what a client sends, and the round trip over lines of limited rate. Each row runs a
 * match in virtual time. */
#include "benches/net/groups.h"
#include "benches/net/plain_sim.h"
#include "benches/net/virtual_match.h"

#include "sims/regatta/regatta.h"
#include "sims/skirmish/skirmish.h"

#include <stdio.h>

#define DELAY_NS  (50 * VIRTUAL_MS)
#define NEAR_NS   (25 * VIRTUAL_MS)
#define SAMPLE_NS (100 * VIRTUAL_MS)

/* Clients on one line enter one after another: in run `i` of SPREADS runs, each `i` * SPREAD_NS
 * after the one before. */
#define SPREAD_NS (7 * VIRTUAL_MS)

enum {
    SPREADS = 8,
    SETTLE_S = 15,
    MEASURE_S = 20,
    PATIENCE_S = 90,
    LOADING_S = 60,
    LOADED_UNITS = 20000
};

typedef struct line_case {
    const ls_sim *sim;
    uint32_t tick_rate;
    bool is_bot, is_spectator;
    uint32_t clients;  /* on one line */
    uint32_t others;   /* players on perfect lines */
    bool is_joined;    /* measured while another client on the line loads the match */
    uint64_t apart_ns; /* from one client that enters to the next */
    ls_impairment_conditions line;
} line_case;

/* Figures of the first client on the line. */
typedef struct line_figures {
    double up_kb, up_packets, down_kb; /* in a second, of UDP payload */
    double rtt_ms, late_p99_ms;
} line_figures;

static void join(virtual_match *match, const line_case *scene, bool is_on_line)
{
    static const ls_impairment_conditions perfect = {0};
    ls_client_config config = virtual_match_client(match);
    config.is_bot = scene->is_bot;
    config.is_spectator = scene->is_spectator;
    virtual_match_join(match, &config, is_on_line ? &scene->line : &perfect, is_on_line);
}

static double kilobytes(uint64_t bytes, uint64_t packets, double seconds)
{
    return (double)(bytes + packets * LS_NETWORK_CARRIER_BYTES) / seconds / 1000;
}

/* Ends early when a client that loads the match has it. */
static line_figures measure(virtual_match *match, uint32_t seconds)
{
    const ls_client *player = match->clients[0], *newest = match->clients[match->count - 1];
    ls_client_stats before = ls_client_get_stats(player);
    uint64_t begin_ns = match->now_ns;
    double rtt_ns = 0;
    uint32_t samples = 0;
    bool is_loading = ls_client_get_state(newest) != LS_CLIENT_PLAYING;
    while (match->now_ns - begin_ns < seconds * VIRTUAL_S &&
           !(is_loading && ls_client_get_state(newest) == LS_CLIENT_PLAYING)) {
        virtual_match_run(match, SAMPLE_NS);
        rtt_ns += (double)ls_client_get_stats(player).rtt_ns;
        samples++;
    }
    ls_client_stats after = ls_client_get_stats(player);
    uint64_t packets = after.packets_sent - before.packets_sent;
    double passed = (double)(match->now_ns - begin_ns) / VIRTUAL_S;
    return (line_figures){.up_kb = kilobytes(after.bytes_sent - before.bytes_sent, packets, passed),
                          .up_packets = (double)packets / passed,
                          .down_kb =
                              kilobytes(after.bytes_received - before.bytes_received,
                                        after.packets_received - before.packets_received, passed),
                          .rtt_ms = rtt_ns / samples / VIRTUAL_MS,
                          .late_p99_ms = (double)after.late_p99_ns / VIRTUAL_MS};
}

static bool all_play(const virtual_match *match)
{
    bool all = true;
    for (uint32_t i = 0; i < match->count; i++)
        all &= ls_client_get_state(match->clients[i]) == LS_CLIENT_PLAYING;
    return all;
}

static line_figures run_case(const line_case *scene)
{
    virtual_match match = {0};
    virtual_match_begin(&match,
                        &(virtual_match_config){.sim = scene->sim,
                                                .tick_rate = scene->tick_rate,
                                                .units = scene->is_joined ? LOADED_UNITS : 0});
    for (uint32_t i = 0; i < scene->clients; i++) {
        join(&match, scene, true);
        virtual_match_run(&match, scene->apart_ns);
    }
    for (uint32_t i = 0; i < scene->others; i++)
        join(&match, scene, false);
    while (!all_play(&match) && match.now_ns < PATIENCE_S * VIRTUAL_S)
        virtual_match_run(&match, VIRTUAL_S);
    virtual_match_run(&match, SETTLE_S * VIRTUAL_S);
    if (scene->is_joined)
        join(&match, scene, true);
    line_figures figures = measure(&match, scene->is_joined ? LOADING_S : MEASURE_S);
    for (uint32_t i = 0; i < match.count; i++)
        LS_ASSERT(ls_client_get_state(match.clients[i]) >= LS_CLIENT_LOADING);
    virtual_match_end(&match);
    return figures;
}

/* Cases of one group, in the order of its rows. */
typedef struct line_cases {
    const line_case *items;
    uint32_t count;
} line_cases;

static void send(const bench_options *options, const void *variant, bench_result *results)
{
    const line_cases *cases = variant;
    (void)options;
    for (uint32_t i = 0; i < cases->count; i++) {
        line_figures figures = run_case(&cases->items[i]);
        results[i].ours = figures.up_kb;
        snprintf(results[i].note, sizeof results[i].note,
                 "%.1f packets/s; down %.2f kB/s; late p99 %.0f ms", figures.up_packets,
                 figures.down_kb, figures.late_p99_ms);
    }
}

#define LOSSY                                                                                      \
    {                                                                                              \
        .delay_ns = DELAY_NS, .loss = 200000                                                       \
    }
static const line_case upstream_cases[] = {
    {.sim = &plain_sim, .tick_rate = 20, .clients = 1},
    {.sim = &plain_sim, .tick_rate = 20, .clients = 1, .line = LOSSY},
    {.sim = &plain_sim, .tick_rate = 60, .clients = 1},
    {.sim = &plain_sim, .tick_rate = 60, .clients = 1, .line = LOSSY},
    {.sim = &plain_sim, .tick_rate = 20, .clients = 1, .is_spectator = true},
    {.sim = &plain_sim, .tick_rate = 60, .clients = 1, .is_spectator = true},
    {.sim = &plain_sim, .tick_rate = 20, .clients = 1, .is_spectator = true, .line = LOSSY},
    {.sim = &plain_sim, .tick_rate = 60, .clients = 1, .is_spectator = true, .line = LOSSY},
    {.sim = &ls_regatta_sim, .tick_rate = 20, .clients = 1, .is_bot = true},
    {.sim = &ls_regatta_sim, .tick_rate = 20, .clients = 1, .is_bot = true, .line = LOSSY},
    {.sim = &ls_regatta_sim, .tick_rate = 60, .clients = 1, .is_bot = true},
    {.sim = &ls_regatta_sim, .tick_rate = 60, .clients = 1, .is_bot = true, .line = LOSSY},
};
/* The bot of plain_sim gives an order of eight bytes each tick. */
static const line_case order_cases[] = {
    {.sim = &plain_sim, .tick_rate = 20, .clients = 1, .is_bot = true},
    {.sim = &plain_sim, .tick_rate = 20, .clients = 1, .is_bot = true, .line = LOSSY},
    {.sim = &plain_sim, .tick_rate = 60, .clients = 1, .is_bot = true},
    {.sim = &plain_sim, .tick_rate = 60, .clients = 1, .is_bot = true, .line = LOSSY},
};

#define UP(name, target, limit)                                                                    \
    {                                                                                              \
        "sent by " name, "kB/s", target, limit, NULL                                               \
    }
const bench_group net_upstream = {
    .rows = {UP("an idle player, 20 Hz, no loss", BENCH_AT_MOST, 1.5),
             UP("an idle player, 20 Hz, 20 % loss", BENCH_AT_MOST, 1.5),
             UP("an idle player, 60 Hz, no loss", BENCH_AT_MOST, 4.5),
             UP("an idle player, 60 Hz, 20 % loss", BENCH_AT_MOST, 4.5),
             UP("a spectator, 20 Hz, no loss", BENCH_AT_MOST, 0.3),
             UP("a spectator, 60 Hz, no loss", BENCH_AT_MOST, 0.3),
             UP("a spectator, 20 Hz, 20 % loss", BENCH_AT_MOST, 0.3),
             UP("a spectator, 60 Hz, 20 % loss", BENCH_AT_MOST, 0.3),
             UP("a player with states, 20 Hz, no loss", BENCH_NO_TARGET, 0),
             UP("a player with states, 20 Hz, 20 % loss", BENCH_NO_TARGET, 0),
             UP("a player with states, 60 Hz, no loss", BENCH_NO_TARGET, 0),
             UP("a player with states, 60 Hz, 20 % loss", BENCH_NO_TARGET, 0)},
    .variant = &(const line_cases){upstream_cases, LS_COUNT_OF(upstream_cases)},
    .whole = send,
};
const bench_group net_upstream_orders = {
    .rows = {UP("a player with an order each tick, 20 Hz, no loss", BENCH_NO_TARGET, 0),
             UP("a player with an order each tick, 20 Hz, 20 % loss", BENCH_NO_TARGET, 0),
             UP("a player with an order each tick, 60 Hz, no loss", BENCH_NO_TARGET, 0),
             UP("a player with an order each tick, 60 Hz, 20 % loss", BENCH_NO_TARGET, 0)},
    .variant = &(const line_cases){order_cases, LS_COUNT_OF(order_cases)},
    .whole = send,
};

/* The mean of the round trips, and the longest. The other figures are of the last run. */
static line_figures run_spreads(line_case scene, double *most_ms)
{
    uint32_t runs = scene.clients > 1 ? SPREADS : 1;
    line_figures figures = {0};
    double sum_ms = 0;
    *most_ms = 0;
    for (uint32_t i = 0; i < runs; i++) {
        scene.apart_ns = i * SPREAD_NS;
        figures = run_case(&scene);
        sum_ms += figures.rtt_ms;
        *most_ms = figures.rtt_ms > *most_ms ? figures.rtt_ms : *most_ms;
    }
    figures.rtt_ms = sum_ms / runs;
    return figures;
}

static void narrow(const bench_options *options, const void *variant, bench_result *results)
{
    static const uint64_t rates[] = {10000, 13000, 20000, 50000};
    (void)options;
    line_case scene = *(const line_case *)variant;
    uint64_t delay_ns = scene.line.delay_ns ? scene.line.delay_ns : DELAY_NS;
    for (uint32_t i = 0; i < LS_COUNT_OF(rates); i++) {
        line_case alone = {.sim = &plain_sim, .tick_rate = 20, .clients = 1};
        alone.line = scene.line =
            (ls_impairment_conditions){.delay_ns = delay_ns, .rate = rates[i]};
        double most_ms;
        line_figures figures = run_spreads(scene, &most_ms);
        results[i].bare = run_case(&alone).rtt_ms;
        results[i].ours = figures.rtt_ms;
        snprintf(results[i].note, sizeof results[i].note, "most %.1f; up %.2f kB/s, down %.2f",
                 most_ms, figures.up_kb, figures.down_kb);
    }
}

#define NARROW(name, rate)                                                                         \
    {                                                                                              \
        "round trip, " rate " kB/s, " name, "ms", BENCH_RATIO_AT_MOST, 1.5, NULL                   \
    }
#define NARROW_GROUP(name, ...)                                                                    \
    {                                                                                              \
        .rows = {NARROW(name, "10"), NARROW(name, "13"), NARROW(name, "20"), NARROW(name, "50")},  \
        .variant = &(const line_case){__VA_ARGS__}, .whole = narrow,                               \
    }
const bench_group
    net_narrow_idle_20 =
        NARROW_GROUP("an idle player, 20 Hz", .sim = &plain_sim, .tick_rate = 20, .clients = 1),
    net_narrow_idle_60 =
        NARROW_GROUP("an idle player, 60 Hz", .sim = &plain_sim, .tick_rate = 60, .clients = 1),
    net_narrow_order_20 = NARROW_GROUP("a player with an order each tick, 20 Hz", .sim = &plain_sim,
                                       .tick_rate = 20, .is_bot = true, .clients = 1),
    net_narrow_order_60 = NARROW_GROUP("a player with an order each tick, 60 Hz", .sim = &plain_sim,
                                       .tick_rate = 60, .is_bot = true, .clients = 1),
    net_narrow_near_idle_20 =
        NARROW_GROUP("an idle player, 20 Hz, 25 ms each way", .sim = &plain_sim, .tick_rate = 20,
                     .clients = 1, .line.delay_ns = NEAR_NS),
    net_narrow_near_idle_60 =
        NARROW_GROUP("an idle player, 60 Hz, 25 ms each way", .sim = &plain_sim, .tick_rate = 60,
                     .clients = 1, .line.delay_ns = NEAR_NS),
    net_narrow_near_order_20 =
        NARROW_GROUP("a player with an order each tick, 20 Hz, 25 ms each way", .sim = &plain_sim,
                     .tick_rate = 20, .is_bot = true, .clients = 1, .line.delay_ns = NEAR_NS),
    net_narrow_state_20 =
        NARROW_GROUP("one of 4 players with states, 20 Hz", .sim = &ls_regatta_sim, .tick_rate = 20,
                     .is_bot = true, .clients = 1, .others = 3),
    net_narrow_state_60 =
        NARROW_GROUP("one of 4 players with states, 60 Hz", .sim = &ls_regatta_sim, .tick_rate = 60,
                     .is_bot = true, .clients = 1, .others = 3),
    net_narrow_shared_20 =
        NARROW_GROUP("4 players with states on it, 20 Hz", .sim = &ls_regatta_sim, .tick_rate = 20,
                     .is_bot = true, .clients = 4),
    net_narrow_shared_60 =
        NARROW_GROUP("4 players with states on it, 60 Hz", .sim = &ls_regatta_sim, .tick_rate = 60,
                     .is_bot = true, .clients = 4),
    net_narrow_near_shared_20 =
        NARROW_GROUP("4 players with states on it, 20 Hz, 25 ms each way", .sim = &ls_regatta_sim,
                     .tick_rate = 20, .is_bot = true, .clients = 4, .line.delay_ns = NEAR_NS),
    net_narrow_near_shared_60 =
        NARROW_GROUP("4 players with states on it, 60 Hz, 25 ms each way", .sim = &ls_regatta_sim,
                     .tick_rate = 60, .is_bot = true, .clients = 4, .line.delay_ns = NEAR_NS),
    net_narrow_near_join = NARROW_GROUP("a join of 20,000 units beside, 20 Hz, 25 ms each way",
                                        .sim = &ls_skirmish_sim, .tick_rate = 20, .clients = 1,
                                        .is_joined = true, .line.delay_ns = NEAR_NS),
    net_narrow_join = NARROW_GROUP("a join of 20,000 units beside, 20 Hz", .sim = &ls_skirmish_sim,
                                   .tick_rate = 20, .clients = 1, .is_joined = true);
