/* The referee in whole matches: a planted bit flip is detected, named and reported. */
#include "arena.h"
#include "tally_sim.h"

#include "tests/support/test.h"

#include <lockstep/by_index.h>
#include <lockstep/context.h>

static void assert_others_unaffected(arena *room, uint32_t corrupted)
{
    for (uint32_t i = 0; i < room->client_count; i++) {
        ls_client_stats stats = arena_client_stats(room, i);
        assert_int_equal(stats.has_diverged, i == corrupted);
        assert_int_equal(ls_client_get_state(arena_client_at(room, i)), LS_CLIENT_PLAYING);
        assert_true(stats.is_playing);
        assert_true(stats.tick + 30 > arena_stats(room).tick);
    }
}

static void check_corruption(const ls_impairment_conditions *conditions, uint64_t seed)
{
    arena *room =
        arena_create(&(arena_config){.seed = seed, .conditions = *conditions, .wait_players = 4});
    arena_join_bot(room, "anna");
    arena_join_bot(room, "bert");
    arena_join_corrupted(room, 300, seed * 77);
    arena_join_bot(room, "dora");
    arena_run_to_tick(room, 300, 20 * S);
    assert_int_equal(arena_stats(room).desyncs, 0);
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_int_equal(arena_log_count(room, "desync tick="), 1);
    assert_int_equal(arena_log_count(room, "desync tick=300 "), 1);
    assert_int_equal(arena_log_count(room, "name=\"carl\" expected="), 1);
    assert_true(arena_client_stats(room, 2).was_corrupted);
    /* The server keeps serving all clients, including the diverged one, and logs the desync
     * once. */
    arena_run(room, 5 * S); /* over a bad line its notice takes a while */
    assert_int_equal(arena_client_stats(room, 2).desync_tick, 300);
    assert_int_not_equal(arena_client_stats(room, 2).root_own,
                         arena_client_stats(room, 2).root_server);
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_int_equal(arena_stats(room).resyncs + arena_stats(room).kicks, 0);
    assert_others_unaffected(room, 2);
    ls_server_peer_info info;
    uint32_t diverged = 0;
    for (uint32_t slot = 0; slot < 64; slot++)
        if (ls_server_peer(room->server, slot, &info) && info.has_diverged) {
            assert_string_equal(info.name, "carl");
            assert_int_equal(info.desync_tick, 300);
            diverged++;
        }
    assert_int_equal(diverged, 1);
    arena_destroy(room);
}

TEST(test_desync_names_client_and_tick)
{
    check_corruption(&arena_lan, 1);
}

TEST(test_desync_names_first_tick_under_loss)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_corruption(&arena_lossy, seed);
}

/* A simulation of one number, which is that of the newest tick of eight: a flipped bit of it is
 * gone after at most eight ticks. */
LS_SINGLETON(flash, U32(shown));
LS_COMPONENTS(flash_components, flash);

static void show_flash(ls_context *context, const ls_entity *entities)
{
    flash *now = ls_singleton_write(context, 0);
    if (ls_tick(context) % 8 == 0)
        now->shown = (uint32_t)ls_tick(context);
}

static const ls_system flash_systems[] = {
    {.name = "show_flash",
     .mode = LS_SEQUENTIAL,
     .match = show_flash,
     .terms = LS_TERM_LIST([0] = LS_OTHERS_WRITE(flash_component))},
};
static const ls_sim flash_sim = {.abi = LS_SIM_ABI,
                                 .name = "flash",
                                 .version = "1",
                                 .source_hash = "flash",
                                 .tick_rate = 60,
                                 .player_count = 4,
                                 .components = flash_components,
                                 .component_count = LS_COUNT_OF(flash_components),
                                 .systems = flash_systems,
                                 .system_count = LS_COUNT_OF(flash_systems)};

/* One bit of a spectator's world flips before a tick: the server names that tick. */
static void check_spectator(const ls_sim *sim, uint64_t seed, uint64_t tick, uint64_t pick)
{
    arena *room =
        arena_create(&(arena_config){.sim = sim, .seed = seed, .conditions = arena_lossy});
    arena_join_bot(room, "anna");
    ls_client_config config = arena_client_config(room, "dora");
    config.is_spectator = true;
    config.corrupt_at = tick;
    config.corrupt_pick = pick;
    uint32_t spectator = arena_join(room, &config);
    arena_run_to_tick(room, 280, 20 * S);
    assert_int_equal(arena_stats(room).desyncs, 0);
    arena_run(room, 3 * S);
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_true(arena_client_stats(room, spectator).was_corrupted);
    assert_int_equal(arena_client_stats(room, spectator).desync_tick, tick);
    arena_destroy(room);
}

/* The world of a spectator differs for five ticks, and equals the server's again before it reports.
 */
TEST(test_desync_of_a_spectator_is_found_when_it_is_over)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_spectator(&flash_sim, seed, 304 - 5, 0);
}

/* A spectator reports its roots in batches; the server still names the first wrong tick. */
TEST(test_desync_of_a_spectator_names_its_first_tick)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_spectator(NULL, seed, 300 + seed, seed + 30); /* in cells that no order overwrites */
}

/* A client with a wrong first root is reported and receives ticks, but never plays. */
TEST(test_desync_before_join_keeps_out)
{
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = arena_lan});
    arena_join_bot(room, "anna");
    arena_run_to_tick(room, 100, 5 * S);
    arena_join_corrupted(room, 0, 5);
    arena_run(room, 2 * S);
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_int_equal(arena_stats(room).joins, 1);
    assert_false(arena_client_stats(room, 1).is_playing);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 1)), LS_CLIENT_PLAYING);
    arena_destroy(room);
}

/* A bit that flips in the last tick is reported when the match ends. */
TEST(test_desync_in_last_tick_is_found)
{
    arena *room = arena_create(
        &(arena_config){.seed = 4, .conditions = arena_lan, .wait_players = 2, .ticks_max = 120});
    arena_join_bot(room, "anna");
    arena_join_corrupted(room, 120, 9);
    arena_run_to_end(room, 10 * S);
    assert_int_equal(arena_log_count(room, "desync tick=120 "), 1);
    assert_true(arena_client_stats(room, 1).has_diverged);
    assert_false(arena_client_stats(room, 0).has_diverged);
    arena_destroy(room);
}
