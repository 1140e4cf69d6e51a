/* A recording that grows while it is played: the player keeps its state, and sees the new ticks. */
#include "battle.h"

#include "replays/growing.h"

enum { TICKS = 400 };

/* The bytes so far, at an address of their own. */
static uint8_t *copy(const battle *match, size_t bytes)
{
    uint8_t *made = ls_alloc(bytes + 1);
    memcpy(made, match->memory.data, bytes);
    return made;
}

static void check_tick(const battle *match, ls_replay_player *player, uint64_t tick)
{
    ls_error error = {""};
    if (ls_replay_player_seek(player, tick, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ls_world_root(ls_replay_player_world(player)), match->roots[tick]);
}

TEST(test_growing_recording_plays_on)
{
    battle match;
    ls_recording *recording;
    ls_replay_player *player;
    ls_error error;
    battle_begin(&match,
                 &(battle_config){.ticks = TICKS, .lag = 5, .keyframes = 64, .is_closed = true});
    const size_t all = match.memory.bytes;
    size_t bytes = all / 5;
    uint8_t *data = copy(&match, bytes);
    assert_ok(ls_recording_open_memory("live", data, bytes, &recording, &error));
    const ls_replay_player_config config = {.program = match.program};
    assert_ok(ls_replay_player_create(recording, &config, &player, &error));
    uint64_t last = ls_replay_player_last(player), random = 3;
    assert_true(last > 0 && last < TICKS);
    check_tick(&match, player, last);
    while (bytes < all) {
        size_t more = 1 + test_below(&random, 4000);
        bytes = all - bytes < more ? all : bytes + more;
        uint8_t *next = copy(&match, bytes);
        uint64_t shown = ls_replay_player_tick(player);
        uint64_t simulated = ls_replay_player_get_stats(player).simulated_ticks;
        ls_growing_take(recording, player, next, bytes);
        ls_free(data);
        data = next;
        assert_int_equal(ls_replay_player_tick(player), shown);
        assert_true(ls_replay_player_last(player) >= last);
        last = ls_replay_player_last(player);
        check_tick(&match, player, last);
        assert_true(ls_replay_player_get_stats(player).simulated_ticks - simulated <= last - shown);
        check_tick(&match, player, test_below(&random, (uint32_t)last + 1));
        check_tick(&match, player, last);
    }
    assert_int_equal(last, TICKS);
    ls_recording_end end;
    assert_ok(ls_replay_player_end(player, &end, NULL));
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    ls_replay_player_close(player);
    ls_free(data);
    battle_end(&match);
}
