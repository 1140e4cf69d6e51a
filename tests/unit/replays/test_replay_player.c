/* The replay player: seeking to any tick in any order gives the state of the match. */
#include "battle.h"

#include "replays/replay_player_progress.h"
#include "replays/salvage.h"
#include <lockstep/replay_player.h>

enum { TICKS = 700, ROOMY_BYTES = 1 << 30 };

static ls_replay_player *play(const battle *match, ls_replay_player_config config)
{
    ls_replay_player *player;
    ls_error error = {""};
    config.program = match->program;
    ls_recording *recording = battle_open(match, match->memory.bytes);
    if (ls_replay_player_create(recording, &config, &player, &error) != LS_OK)
        fail_msg("%s", error.text);
    return player;
}

static void seek(const battle *match, ls_replay_player *player, uint64_t tick)
{
    ls_error error = {""};
    if (ls_replay_player_seek(player, tick, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ls_replay_player_tick(player), tick);
    assert_int_equal(ls_world_root(ls_replay_player_world(player)), match->roots[tick]);
}

TEST(test_replay_player_shows_every_tick_in_any_order)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = TICKS, .lag = 30, .is_closed = true});
    ls_replay_player *player = play(&match, (ls_replay_player_config){0});
    assert_int_equal(ls_replay_player_first(player), 0);
    assert_int_equal(ls_replay_player_last(player), TICKS);
    seek(&match, player, 0);
    seek(&match, player, TICKS);
    seek(&match, player, TICKS - 1);
    uint64_t random = 4, root;
    for (uint32_t i = 0; i < 150; i++)
        seek(&match, player, test_random(&random) % (TICKS + 1));
    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        assert_true(ls_replay_player_root(player, tick, &root));
        assert_int_equal(root, match.roots[tick]);
    }
    assert_false(ls_replay_player_root(player, TICKS + 1, &root));
    ls_recording_end end;
    ls_error text;
    assert_ok(ls_replay_player_end(player, &end, &text));
    assert_int_equal(end.kind, LS_RECORDING_CLEAN);
    assert_non_null(strstr(text.text, "closed"));
    assert_null(ls_replay_player_divergence(player));
    ls_replay_player_close(player);
    battle_end(&match);
}

static void count_tick(void *context, uint64_t tick, uint64_t target)
{
    uint64_t *last = context;
    assert_int_equal(tick, *last + 1);
    assert_int_equal(target, 60);
    *last = tick;
}

TEST(test_replay_player_tells_how_far_a_seek_is)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 60});
    ls_replay_player *player = play(&match, (ls_replay_player_config){0});
    uint64_t last = 0;
    ls_replay_player_set_progress(player, count_tick, &last);
    seek(&match, player, 60);
    assert_int_equal(last, 60);
    ls_replay_player_set_progress(player, NULL, NULL);
    seek(&match, player, 10);
    assert_int_equal(last, 60);
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_steps_on_and_back)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 60});
    ls_replay_player *player = play(&match, (ls_replay_player_config){0});
    ls_error error;
    for (uint64_t tick = 1; tick <= 60; tick++) {
        assert_int_equal(ls_replay_player_frame(player, tick - 1)->tick, tick - 1);
        assert_ok(ls_replay_player_step(player, &error));
        assert_int_equal(ls_world_root(ls_replay_player_world(player)), match.roots[tick]);
    }
    assert_int_equal(ls_replay_player_step(player, &error), LS_ERROR_USAGE);
    assert_int_equal(ls_replay_player_tick(player), 60);
    for (uint64_t tick = 60; tick > 0; tick--) {
        assert_ok(ls_replay_player_seek(player, tick - 1, &error));
        assert_int_equal(ls_world_root(ls_replay_player_world(player)), match.roots[tick - 1]);
    }
    ls_replay_player_close(player);
    battle_end(&match);
}

/* A seek starts at an earlier snapshot that the player kept, not at the beginning. */
TEST(test_replay_player_keeps_snapshots_on_the_way)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = TICKS});
    ls_replay_player *player =
        play(&match, (ls_replay_player_config){.spacing = 10, .bytes_max = ROOMY_BYTES});
    seek(&match, player, TICKS);
    uint64_t before = ls_replay_player_get_stats(player).simulated_ticks;
    assert_int_equal(before, TICKS);
    seek(&match, player, 619);
    seek(&match, player, 9);
    assert_int_equal(ls_replay_player_get_stats(player).simulated_ticks, before + 9 + 9);
    assert_int_equal(ls_replay_player_get_stats(player).snapshots, TICKS / 10);
    ls_replay_player_close(player);
    battle_end(&match);
}

/* With little memory the ticks around the cursor stay dense, and memory stays limited. */
TEST(test_replay_player_stays_within_its_memory)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = TICKS});
    ls_replay_player *player =
        play(&match, (ls_replay_player_config){.spacing = 4, .bytes_max = ROOMY_BYTES});
    size_t roomy = 0;
    seek(&match, player, TICKS);
    roomy = ls_replay_player_get_stats(player).memory_bytes;
    ls_replay_player_close(player);
    player = play(&match, (ls_replay_player_config){.spacing = 4, .bytes_max = roomy / 4});
    seek(&match, player, TICKS);
    ls_replay_player_stats stats = ls_replay_player_get_stats(player);
    assert_true(stats.memory_bytes < roomy / 3);
    assert_true(stats.snapshots > 10 && stats.snapshots < TICKS / 4);
    uint64_t before = stats.simulated_ticks;
    seek(&match, player, TICKS - 21);
    assert_true(ls_replay_player_get_stats(player).simulated_ticks - before < 16);
    uint64_t random = 9;
    for (uint32_t i = 0; i < 60; i++)
        seek(&match, player, test_random(&random) % (TICKS + 1));
    assert_true(ls_replay_player_get_stats(player).memory_bytes < roomy / 3);
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_fills_the_ticks_around_the_cursor)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = TICKS});
    ls_replay_player *player =
        play(&match, (ls_replay_player_config){.spacing = 5, .bytes_max = ROOMY_BYTES});
    seek(&match, player, 350);
    for (uint32_t i = 0; ls_replay_player_fill(player, 10); i++)
        assert_true(i < TICKS);
    assert_int_equal(ls_replay_player_tick(player), 350);
    assert_int_equal(ls_world_root(ls_replay_player_world(player)), match.roots[350]);
    uint64_t before = ls_replay_player_get_stats(player).simulated_ticks;
    uint32_t reach = 10 * ls_replay_player_header(player)->match.tick_rate;
    seek(&match, player, 350 + reach - 1);
    seek(&match, player, 350 - reach + 4);
    assert_true(ls_replay_player_get_stats(player).simulated_ticks - before <= 8);
    ls_replay_player_close(player);
    /* Without enough memory for all, filling still ends. */
    player = play(&match, (ls_replay_player_config){.spacing = 1, .bytes_max = 24 << 20});
    seek(&match, player, 350);
    for (uint32_t i = 0; ls_replay_player_fill(player, 10); i++)
        assert_true(i < TICKS);
    assert_true(ls_replay_player_get_stats(player).memory_bytes < (size_t)32 << 20);
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_reports_a_divergence)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 90, .bad_root = 41, .is_closed = true});
    ls_replay_player *player = play(&match, (ls_replay_player_config){0});
    ls_error error;
    assert_int_equal(ls_replay_player_seek(player, 80, &error), LS_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "tick 41"));
    const ls_root_difference *difference = ls_replay_player_divergence(player);
    assert_int_equal(difference->tick, 41);
    assert_int_equal(difference->found, match.roots[41]);
    assert_int_equal(difference->expected, match.roots[41] ^ 1);
    assert_int_equal(ls_replay_player_tick(player), 41);
    seek(&match, player, 80); /* continues after the divergence */
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_plays_the_good_part_of_a_damaged_file)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 200, .is_closed = true});
    match.memory.data[match.memory.bytes / 2] ^= 4;
    ls_replay_player *player = play(&match, (ls_replay_player_config){0});
    ls_recording_end end;
    ls_error text;
    assert_int_equal(ls_replay_player_end(player, &end, &text), LS_ERROR_CORRUPT);
    assert_int_equal(end.kind, LS_RECORDING_DAMAGED);
    assert_non_null(strstr(text.text, "damaged"));
    assert_true(ls_replay_player_last(player) > 20 && ls_replay_player_last(player) < 190);
    seek(&match, player, ls_replay_player_last(player));
    assert_int_equal(ls_replay_player_seek(player, 199, &text), LS_ERROR_USAGE);
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_begins_at_keyframes)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 300, .is_closed = true, .keyframes = 30});
    static const struct {
        uint64_t tick, simulated, unpacked;
    } seeks[] = {
        {29, 29, 0},  /* no keyframe before it */
        {30, 0, 1},   /* a full keyframe */
        {279, 9, 1},  /* a full keyframe */
        {149, 29, 2}, /* the keyframe of tick 120 is based on that of tick 30 */
        {0, 0, 0},
    };
    for (size_t i = 0; i < LS_COUNT_OF(seeks); i++) {
        ls_replay_player *player = play(&match, (ls_replay_player_config){0});
        seek(&match, player, seeks[i].tick);
        ls_replay_player_stats stats = ls_replay_player_get_stats(player);
        assert_int_equal(stats.simulated_ticks, seeks[i].simulated);
        assert_int_equal(stats.keyframes, seeks[i].unpacked);
        assert_int_equal(stats.keyframes_unusable, 0);
        ls_replay_player_close(player);
    }
    battle_end(&match);
}

TEST(test_replay_player_does_not_believe_a_keyframe)
{
    battle match;
    battle_begin(
        &match,
        &(battle_config){.ticks = 300, .is_closed = true, .keyframes = 30, .bad_keyframe = 180});
    ls_replay_player *player = play(&match, (ls_replay_player_config){0});
    seek(&match, player, 190);
    ls_replay_player_stats stats = ls_replay_player_get_stats(player);
    assert_int_equal(stats.keyframes_unusable, 1);
    assert_int_equal(stats.simulated_ticks, 40); /* from the keyframe of tick 150 */
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_refuses_another_simulation)
{
    battle match;
    battle_begin(&match, &(battle_config){.ticks = 5});
    ls_recording *recording = battle_open(&match, match.memory.bytes);
    ls_recording_header *header = (ls_recording_header *)ls_recording_get_header(recording);
    header->simulation.fingerprint[3] ^= 1;
    ls_replay_player *player;
    ls_error error;
    ls_replay_player_config config = {.program = match.program};
    assert_int_equal(ls_replay_player_create(recording, &config, &player, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_null(player);
    config.allows_any_build = true;
    assert_ok(ls_replay_player_create(recording, &config, &player, &error));
    seek(&match, player, 5);
    ls_replay_player_close(player);
    battle_end(&match);
}

/* Opens the shortest prefix that contains these ticks and keyframes. */
static ls_recording *open_ticks(const battle *match, uint64_t ticks, uint32_t keyframes)
{
    size_t low = 0, high = match->memory.bytes;
    while (low < high) {
        size_t middle = (low + high) / 2;
        ls_recording *recording;
        const ls_recording_keyframe *list;
        bool is_enough = ls_recording_open_memory("prefix", match->memory.data, middle, &recording,
                                                  NULL) == LS_OK &&
                         ls_recording_find_end(recording)->tick_count >= ticks &&
                         ls_recording_keyframes(recording, &list) >= keyframes;
        ls_recording_close(recording);
        if (is_enough)
            high = middle;
        else
            low = middle + 1;
    }
    return battle_open(match, high);
}

/* Returns the second part of a match after damage in the third keyframe: it begins with the fifth,
 * the full one of tick 150. A server writes such a file after a disk failure. */
static ls_recording *open_later_file(const battle *match, ls_memory_sink *memory)
{
    const ls_recording_keyframe *keyframes;
    ls_salvage_part part;
    ls_recording *whole = battle_open(match, match->memory.bytes), *later;
    assert_true(ls_recording_keyframes(whole, &keyframes) > 4);
    uint8_t *damage = &match->memory.data[keyframes[2].offset + 20];
    ls_recording_close(whole);
    ls_memory_sink_init(memory);
    *damage ^= 1;
    whole = battle_open(match, match->memory.bytes);
    ls_salvage *salvage = ls_salvage_create(whole, NULL);
    assert_true(ls_salvage_next(salvage, &part));
    assert_int_equal(part.first_tick, 150);
    assert_ok(ls_salvage_write(salvage, ls_memory_sink_open(memory), "later", 5, NULL));
    ls_salvage_destroy(salvage);
    ls_recording_close(whole);
    *damage ^= 1;
    assert_ok(ls_recording_open_memory("later", memory->data, memory->bytes, &later, NULL));
    return later;
}

static ls_replay_player *play_two(const battle *match, ls_recording *first, ls_memory_sink *memory)
{
    ls_series *series = ls_series_of(first);
    series->files = ls_realloc(series->files, 2 * sizeof series->files[0]);
    series->names = ls_realloc(series->names, 2 * sizeof series->names[0]);
    series->files[1] = open_later_file(match, memory);
    series->names[1] = ls_series_name("a.lsr", 1);
    series->count = 2;
    ls_replay_player *player;
    ls_replay_player_config config = {.program = match->program};
    assert_ok(ls_replay_player_create(ls_series_join(series), &config, &player, NULL));
    return player;
}

/* A step is a proof: neither a keyframe of the file nor a kept snapshot replaces the tick. */
TEST(test_replay_player_steps_simulate_each_tick)
{
    battle match;
    ls_error error;
    char what[256];
    battle_begin(&match, &(battle_config){.ticks = 60, .is_closed = true, .keyframes = 30});
    ls_replay_player *player = play(&match, (ls_replay_player_config){.spacing = 10});
    for (uint64_t tick = 1; tick <= 60; tick++)
        assert_ok(ls_replay_player_step(player, &error));
    assert_int_equal(ls_replay_player_get_stats(player).simulated_ticks, 60);
    static const uint64_t known[] = {30, 40};
    for (size_t i = 0; i < LS_COUNT_OF(known); i++) {
        seek(&match, player, known[i] - 1);
        assert_true(ls_world_flip_bit(ls_replay_player_world(player), 0, what, sizeof what));
        assert_int_equal(ls_replay_player_step(player, &error), LS_ERROR_DIVERGED);
        assert_int_equal(ls_replay_player_divergence(player)->tick, known[i]);
        seek(&match, player, 0);
    }
    ls_replay_player_close(player);
    battle_end(&match);
}

TEST(test_replay_player_plays_files_that_meet_as_one)
{
    static const uint64_t ticks[] = {300, 150, 149, 151, 290, 10, 155, 148};
    battle match;
    ls_memory_sink memory;
    ls_error error;
    battle_begin(&match, &(battle_config){.ticks = 300, .is_closed = true, .keyframes = 30});
    ls_replay_player *player = play_two(&match, open_ticks(&match, 150, 0), &memory);
    assert_int_equal(ls_replay_player_last(player), 300);
    for (size_t i = 0; i < LS_COUNT_OF(ticks); i++)
        seek(&match, player, ticks[i]);
    for (uint64_t tick = 149; tick < 152; tick++)
        assert_ok(ls_replay_player_step(player, &error));
    assert_int_equal(ls_replay_player_frame(player, 150)->tick, 150);
    assert_int_equal(ls_replay_player_frame(player, 149)->tick, 149);
    ls_replay_player_close(player);
    ls_memory_sink_reset(&memory);

    /* These ten ticks are in no file. */
    player = play_two(&match, open_ticks(&match, 140, 0), &memory);
    assert_int_equal(ls_replay_player_last(player), 140);
    seek(&match, player, 140);
    assert_int_equal(ls_replay_player_seek(player, 200, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "continues at tick 150 in a.1.lsr"));
    assert_false(ls_replay_player_root(player, 160, &(uint64_t){0})); /* it is in the second file */
    ls_replay_player_close(player);
    ls_memory_sink_reset(&memory);
    battle_end(&match);
}

/* The first file ends with the full keyframe that the second begins with. */
TEST(test_replay_player_begins_at_a_keyframe_of_two_files)
{
    battle match;
    ls_memory_sink memory;
    battle_begin(&match, &(battle_config){.ticks = 300, .is_closed = true, .keyframes = 30});
    ls_replay_player *player = play_two(&match, open_ticks(&match, 150, 5), &memory);
    seek(&match, player, 155);
    seek(&match, player, 185);
    ls_replay_player_stats stats = ls_replay_player_get_stats(player);
    assert_int_equal(stats.keyframes_unusable, 0);
    assert_int_equal(stats.simulated_ticks, 5 + 5);
    ls_replay_player_close(player);
    ls_memory_sink_reset(&memory);
    battle_end(&match);
}
