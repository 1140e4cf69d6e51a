/* Late joins over slow lines. Loading the world takes three times as long as a server that keeps a
 * fixed 600 ticks would allow. */
#include "arena.h"
#include "cargo_sim.h"
#include "sims/regatta/regatta.h"
#include "tally_sim.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test.h"

typedef struct line {
    uint32_t tick_rate;
    uint64_t rate; /* bytes per second from the server */
    uint32_t loss;
    bool is_spectator;
} line;

static uint32_t join_over(arena *room, const line *way)
{
    ls_link *link = ls_network_open(room->network);
    ls_impairment_conditions conditions = {
        .delay_ns = 30 * MS, .loss = way->loss, .rate = way->rate};
    ls_network_set_direction(link, LS_ROLE_SERVER, &conditions);
    conditions.rate = 0;
    ls_network_set_direction(link, LS_ROLE_CLIENT, &conditions);
    ls_client_config config = arena_client_config(room, "late");
    config.is_bot = !way->is_spectator;
    config.is_spectator = way->is_spectator;
    return arena_join_over(room, &config, link);
}

/* Asserts that a client joins with one snapshot, without a reload or verdict, and then plays near
 * the head. */
static void assert_joins(const line *way)
{
    arena *room = arena_create(&(arena_config){
        .sim = &cargo_sim, .tick_rate = way->tick_rate, .wait_players = 2, .seed = 1});
    arena_join_bot(room, "a");
    arena_join_bot(room, "b");
    arena_run(room, 2 * S);
    uint32_t late = join_over(room, way);
    uint64_t begin_ns = room->now_ns, tick = arena_stats(room).tick;
    while (ls_client_get_state(arena_client_at(room, late)) != LS_CLIENT_PLAYING &&
           room->now_ns - begin_ns < 60 * S)
        arena_run(room, 100 * MS);
    assert_true(arena_stats(room).tick - tick >= 3 * LS_SERVER_RING_TICKS);
    arena_run(room, 5 * S);
    ls_client_stats stats = arena_client_stats(room, late);
    assert_int_equal(ls_client_get_state(arena_client_at(room, late)), LS_CLIENT_PLAYING);
    assert_int_equal(stats.snapshots_loaded, 1);
    assert_in_range(stats.head - stats.tick, 0, way->tick_rate / 4);
    assert_int_equal(stats.is_playing, !way->is_spectator);
    assert_int_equal(arena_stats(room).desyncs, 0);
    assert_int_equal(arena_stats(room).resyncs, 0);
    assert_int_equal(arena_stats(room).roots_missed, 0);
    assert_int_equal(arena_stats(room).sessions, 3);
    arena_destroy(room);
}

TEST(test_slow_line_is_joined_over_at_any_rate)
{
    assert_joins(&(line){.tick_rate = 60, .rate = 9000});
    assert_joins(&(line){.tick_rate = 240, .rate = 40000});
}

TEST(test_slow_line_is_joined_over_by_a_watcher)
{
    assert_joins(&(line){.tick_rate = 240, .rate = 40000, .is_spectator = true});
}

TEST(test_slow_line_is_joined_over_with_loss)
{
    assert_joins(&(line){.tick_rate = 240, .rate = 40000, .loss = 20000});
}

/* Other clients that join and leave must not make a client on a slow line load another snapshot. */
TEST(test_slow_line_is_joined_over_among_others)
{
    const line narrow = {.tick_rate = 60, .rate = 10000};
    arena *room = arena_create(&(arena_config){.sim = &cargo_sim, .wait_players = 1, .seed = 1});
    arena_join_bot(room, "a");
    arena_run(room, 2 * S);
    uint32_t late = join_over(room, &narrow);
    for (uint32_t i = 0; i < 8; i++) {
        arena_run(room, 3 * S);
        ls_client_config config = arena_client_config(room, "other");
        config.is_spectator = true;
        uint32_t other = arena_join(room, &config);
        arena_run(room, 1 * S);
        arena_kill(room, other);
    }
    arena_run(room, 16 * S);
    assert_true(arena_client_stats(room, late).is_playing);
    assert_int_equal(arena_client_stats(room, late).snapshots_loaded, 1);
    arena_destroy(room);
}

/* Joins over the one line that all clients of this function share. */
static uint32_t share(arena *room, const char *name, const ls_impairment_conditions *conditions)
{
    ls_link *link = ls_network_open(room->network);
    ls_network_set_conditions(link, conditions);
    ls_network_share(link);
    ls_client_config config = arena_client_config(room, name);
    config.is_bot = true;
    return arena_join_over(room, &config, link);
}

/* The mean of a player's round trip for some time, or until a client plays. */
static double mean_rtt_ms(arena *room, uint32_t player, uint32_t late, uint64_t duration_ns)
{
    double sum = 0;
    uint64_t until_ns = room->now_ns + duration_ns;
    uint32_t count = 0;
    for (; room->now_ns < until_ns; count++) {
        if (late && ls_client_get_state(arena_client_at(room, late)) == LS_CLIENT_PLAYING)
            break;
        arena_run(room, 100 * MS);
        sum += (double)arena_client_stats(room, player).rtt_ns / MS;
    }
    assert_true(count > 0);
    return sum / count;
}

/* A client loads the match; a player on the same line plays on with little more delay. */
static void assert_leaves_room(uint64_t rate, uint32_t tick_rate, uint32_t loss)
{
    const ls_impairment_conditions conditions = {.delay_ns = 50 * MS, .rate = rate, .loss = loss};
    arena *room = arena_create(
        &(arena_config){.sim = &cargo_sim, .tick_rate = tick_rate, .wait_players = 1, .seed = 1});
    uint32_t player = share(room, "player", &conditions);
    arena_run(room, 70 * S);
    assert_true(arena_client_stats(room, player).is_playing);
    double alone_ms = mean_rtt_ms(room, player, 0, 5 * S);
    uint32_t late = share(room, "late", &conditions);
    double loading_ms = mean_rtt_ms(room, player, late, 60 * S);
    printf("%5llu bytes/s, %u Hz, %2u %% loss: round trip %.0f ms alone, %.0f ms while one loads\n",
           (unsigned long long)rate, tick_rate, loss / 10000, alone_ms, loading_ms);
    assert_int_equal(arena_client_stats(room, late).snapshots_loaded, 1);
    assert_true(loading_ms <= 1.5 * alone_ms);
    arena_destroy(room);
}

TEST(test_slow_line_leaves_room_for_players)
{
    assert_leaves_room(10000, 20, 0);
    assert_leaves_room(20000, 20, 0);
    assert_leaves_room(20000, 60, 0);
    assert_leaves_room(50000, 60, 0);
    assert_leaves_room(200000, 20, 0);
}

TEST(test_slow_line_leaves_room_with_loss)
{
    assert_leaves_room(20000, 20, 50000);
    assert_leaves_room(50000, 60, 50000);
}

/* `sharing` of four players who hold a state in each tick are on one line. The round trip is at
 * most `percent` of that of an empty line. */
typedef struct shared_line {
    uint32_t rate, tick_rate, sharing;
    uint64_t delay_ns, percent;
} shared_line;

/* The players enter a second and `apart_ns` after each other. Returns the statistics of one on the
 * line. */
static ls_client_stats play_over(const shared_line *shared, uint64_t apart_ns)
{
    const ls_impairment_conditions conditions = {.delay_ns = shared->delay_ns,
                                                 .rate = shared->rate};
    arena *room = arena_create(&(arena_config){
        .sim = &ls_regatta_sim, .tick_rate = shared->tick_rate, .wait_players = 4, .seed = 1});
    uint32_t player = share(room, "player", &conditions);
    for (uint32_t i = 1; i < 4; i++) {
        const char *name = (const char *[]){"", "a", "b", "c"}[i];
        arena_run(room, 1 * S + apart_ns); /* else their first packets wait for each other */
        (void)(i < shared->sharing ? share(room, name, &conditions) : arena_join_bot(room, name));
    }
    arena_run(room, 25 * S);
    double rtt_ms = mean_rtt_ms(room, player, 0, 15 * S);
    ls_client_stats stats = arena_client_stats(room, player);
    assert_true(stats.is_playing);
    assert_int_equal(stats.resumes, 0);
    assert_int_equal(arena_stats(room).desyncs, 0);
    printf("%5u bytes/s, %llu ms each way, %u Hz, %u on the line: round trip %.0f ms, level %u, "
           "%llu of %llu states late\n",
           shared->rate, (unsigned long long)(shared->delay_ns / MS), shared->tick_rate,
           shared->sharing, rtt_ms, stats.congestion, (unsigned long long)stats.substitutes,
           (unsigned long long)stats.tick);
    stats.rtt_ns = (uint64_t)(rtt_ms * MS);
    arena_destroy(room);
    return stats;
}

/* Players repeat less before the queue fills, and send fewer packets where that does not suffice.
 * An empty line takes 20 ms more than its delay for a packet each way at 10 kB/s. At that rate the
 * packets of one tick to four players take most of the time between two ticks
 * (docs/network-performance.md, "Bursts"). When exactly the players enter decides much, so the mean
 * of several ways counts. */
TEST(test_slow_line_carries_no_repeats)
{
    enum { WAYS = 8 };
    static const shared_line rows[] = {
        {10000, 60, 1, 50 * MS, 150}, {10000, 20, 4, 50 * MS, 150}, {20000, 20, 4, 50 * MS, 150},
        {20000, 60, 4, 50 * MS, 150}, {50000, 60, 4, 50 * MS, 150}, {10000, 20, 4, 25 * MS, 175},
        {11000, 20, 4, 25 * MS, 150}, {13000, 20, 4, 25 * MS, 150}, {15000, 20, 4, 25 * MS, 150}};
    /* With the address sanitizer every third line. */
    for (uint32_t i = 0; i < LS_COUNT_OF(rows); i += HAS_ADDRESS_SANITIZER ? 3 : 1) {
        uint64_t empty_ns = 2 * rows[i].delay_ns + 20 * MS * 10000 / rows[i].rate, sum_ns = 0;
        for (uint32_t way = 0; way < WAYS; way++) {
            ls_client_stats stats = play_over(&rows[i], way * 7 * MS);
            sum_ns += stats.rtt_ns;
            assert_true(stats.substitutes * 4 <= stats.tick);
        }
        printf("of the empty line: %llu %%\n",
               (unsigned long long)(sum_ns * 100 / WAYS / empty_ns));
        assert_true(sum_ns / WAYS * 100 <= empty_ns * rows[i].percent);
    }
}

/* A player with an order in each tick, alone on its line. Orders are never all acknowledged; they
 * go out with the UPDATE of the tick, as ticks are short. */
static ls_client_stats order_over(uint64_t rate)
{
    const ls_impairment_conditions conditions = {.delay_ns = 50 * MS, .rate = rate};
    arena *room = arena_create(
        &(arena_config){.sim = &tally_sim, .tick_rate = 60, .wait_players = 1, .seed = 1});
    uint32_t player = share(room, "player", &conditions);
    arena_run(room, 30 * S);
    uint64_t sent = arena_client_stats(room, player).packets_sent;
    double rtt_ms = mean_rtt_ms(room, player, 0, 30 * S);
    ls_client_stats stats = arena_client_stats(room, player);
    assert_true(stats.is_playing);
    stats.packets_sent -= sent;
    stats.rtt_ns = (uint64_t)(rtt_ms * MS);
    printf("%5llu bytes/s, an order each tick, 60 Hz: round trip %.0f ms, %llu packets in 30 s\n",
           (unsigned long long)rate, rtt_ms, (unsigned long long)stats.packets_sent);
    arena_destroy(room);
    return stats;
}

TEST(test_slow_line_carries_orders)
{
    static const uint32_t rates[] = {10000, 13000, 20000};
    assert_in_range(order_over(0).packets_sent, 59 * 30, 61 * 30);
    for (uint32_t i = 0; i < LS_COUNT_OF(rates); i++) {
        uint64_t empty_ns = 100 * MS + 20 * MS * 10000 / rates[i];
        assert_true(order_over(rates[i]).rtt_ns <= empty_ns * 3 / 2);
    }
}

/* The bytes of UDP payload that a client sends in a second when it plays nothing. */
static uint64_t send_idle(uint32_t tick_rate, uint32_t loss, bool is_spectator)
{
    const ls_impairment_conditions conditions = {.delay_ns = 50 * MS, .loss = loss};
    arena *room = arena_create(
        &(arena_config){.sim = &tally_sim, .tick_rate = tick_rate, .wait_players = 1, .seed = 1});
    arena_join_bot(room, "a");
    ls_link *link = ls_network_open(room->network);
    ls_network_set_conditions(link, &conditions);
    ls_client_config config = arena_client_config(room, "idle");
    config.is_spectator = is_spectator;
    uint32_t client = arena_join_over(room, &config, link);
    arena_run(room, 20 * S);
    ls_client_stats before = arena_client_stats(room, client);
    arena_run(room, 20 * S);
    ls_client_stats after = arena_client_stats(room, client);
    assert_int_equal(ls_client_get_state(arena_client_at(room, client)), LS_CLIENT_PLAYING);
    uint64_t bytes = after.bytes_sent - before.bytes_sent +
                     (after.packets_sent - before.packets_sent) * LS_NETWORK_CARRIER_BYTES;
    printf("%u Hz, %2u %% loss, %s: %llu bytes/s sent\n", tick_rate, loss / 10000,
           is_spectator ? "spectator" : "player", (unsigned long long)bytes / 20);
    arena_destroy(room);
    return bytes / 20;
}

TEST(test_slow_line_is_hardly_used_by_idle_clients)
{
    static const uint32_t losses[] = {0, 50000, 200000};
    for (uint32_t i = 0; i < LS_COUNT_OF(losses); i++) {
        assert_true(send_idle(20, losses[i], false) <= 1500);
        assert_true(send_idle(60, losses[i], false) <= 4500);
        assert_true(send_idle(20, losses[i], true) <= 300);
        assert_true(send_idle(60, losses[i], true) <= 300);
    }
}
