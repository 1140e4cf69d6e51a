/* The built-in simulations over the network, each client with another executor: roots would differ
 * if threads or the order of systems had an effect. */
#include "arena.h"
#include "sims/builtin.h"

#include "tests/support/test.h"

static const ls_impairment_conditions wifi = {.delay_ns = 15 * MS,
                                              .jitter_ns = 10 * MS,
                                              .loss = 20000,
                                              .reorder = 20000,
                                              .reorder_delay_ns = 30 * MS};

static const ls_executor_config executors[] = {{.threads = 1},
                                               {.threads = 2, .share_from = 1},
                                               {.threads = 3},
                                               {.threads = 1, .shuffle_seed = 7}};

static void play(const ls_sim *sim, uint32_t players, uint64_t ticks)
{
    arena *room = arena_create(&(arena_config){.sim = sim,
                                               .seed = 11,
                                               .conditions = wifi,
                                               .players = players,
                                               .wait_players = players,
                                               .ticks_max = ticks});
    ls_executor *made[LS_COUNT_OF(executors)];
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        assert_ok(ls_executor_create(&executors[i], &made[i], NULL));
        ls_client_config config = arena_client_config(room, "bot");
        config.is_bot = true;
        config.is_spectator = i >= players;
        config.executor = made[i];
        arena_join(room, &config);
    }
    arena_run_to_tick(room, ticks / 2, 60 * S);
    arena_join_bot(room, "late"); /* all seats are taken */
    ls_client_config config = arena_client_config(room, "late watcher");
    config.is_spectator = true;
    uint32_t late = arena_join(room, &config);
    arena_run_to_tick(room, ticks - 5, 60 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, late)), LS_CLIENT_PLAYING);
    assert_int_equal(ls_client_get_state(arena_client_at(room, late - 1)), LS_CLIENT_REFUSED);
    arena_run_to_end(room, 20 * S);
    arena_assert_recording(room, ticks);
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        assert_int_equal(arena_client_stats(room, i).tick, ticks);
        assert_int_equal(ls_world_root(ls_client_world(arena_client_at(room, i))),
                         ls_world_root(arena_world(room)));
    }
    assert_int_equal(arena_stats(room).desyncs, 0);
    arena_destroy(room);
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++)
        ls_executor_destroy(made[i]);
}

TEST(test_simulations_agree_over_the_network)
{
    const ls_sim *sim;
    for (uint32_t i = 0; (sim = ls_sim_builtin_at(i)) != NULL; i++)
        play(sim, sim->player_count < 4 ? sim->player_count : 4, 300);
}
