#include <lockstep/replay_player.h>

#include "replays/keyframe.h"
#include "replays/replay_player_internal.h"
#include "replays/replay_player_progress.h"

#include <inttypes.h>
#include <string.h>

enum { FILL_SECONDS = 10 };

/* Checks an unpacked keyframe. Its own root was verified; the recorded root proves match and
 * tick. */
static bool is_right(const ls_replay_player *player, ls_world *world, uint64_t tick)
{
    uint64_t root;
    return ls_world_tick(world) == tick &&
           (!ls_recording_find_root(player->recording, tick, &root) ||
            root == ls_world_root(world));
}

static ls_status unpack_full(ls_replay_player *player, ls_world *world,
                             const ls_recording_keyframe *keyframe, ls_error *error)
{
    if (player->full && ls_snapshot_tick(player->full) == keyframe->tick) {
        ls_world_restore(world, player->full);
        return LS_OK;
    }
    ls_status status = ls_keyframe_decode(world, NULL, keyframe->data, keyframe->bytes, error);
    if (status)
        return status;
    player->stats.keyframes++;
    if (!is_right(player, world, keyframe->tick))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "the keyframe of tick %" PRIu64 " is not the state of that tick",
                            keyframe->tick);
    ls_snapshot_destroy(player->full);
    player->full = ls_world_snapshot(world);
    return LS_OK;
}

static ls_status unpack(ls_replay_player *player, ls_world *world,
                        const ls_recording_keyframe *keyframe, ls_error *error)
{
    const ls_recording_keyframe *list = player->keyframes;
    uint32_t count = (uint32_t)(keyframe - list) + 1; /* the full one is this or earlier */
    const ls_recording_keyframe *full = ls_recording_find_full(list, count, keyframe->base_tick);
    if (!full)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "the keyframe of tick %" PRIu64 " depends on one that is missing",
                            keyframe->tick);
    ls_status status = unpack_full(player, world, full, error);
    if (status || full == keyframe)
        return status;
    status = ls_keyframe_decode(world, player->full, keyframe->data, keyframe->bytes, error);
    player->stats.keyframes += !status;
    if (!status && !is_right(player, world, keyframe->tick))
        status = ls_error_set(error, LS_ERROR_CORRUPT,
                              "the keyframe of tick %" PRIu64 " is not the state of that tick",
                              keyframe->tick);
    return status;
}

/* The last keyframe of a tick in (after, tick]; NULL when there is none. */
static const ls_recording_keyframe *find_keyframe(const ls_replay_player *player, uint64_t after,
                                                  uint64_t tick)
{
    for (uint32_t i = player->keyframe_count; i > 0; i--) {
        const ls_recording_keyframe *keyframe = &player->keyframes[i - 1];
        if (keyframe->tick <= after)
            break;
        if (keyframe->tick <= tick && !player->is_unusable[i - 1])
            return keyframe;
    }
    return NULL;
}

/* Brings `world` to the nearest known state at or before `tick`; its current state counts, too. */
static void restore_nearest(ls_replay_player *player, ls_world *world, uint64_t tick)
{
    const ls_snapshot *best = ls_seek_cache_find(&player->cache, tick);
    if (!best)
        best = player->start;
    bool is_world_nearer =
        ls_world_tick(world) <= tick && ls_world_tick(world) >= ls_snapshot_tick(best);
    uint64_t known = is_world_nearer ? ls_world_tick(world) : ls_snapshot_tick(best);
    const ls_recording_keyframe *keyframe;
    while ((keyframe = find_keyframe(player, known, tick))) {
        if (unpack(player, world, keyframe, NULL) == LS_OK)
            return;
        player->is_unusable[keyframe - player->keyframes] = true;
        player->stats.keyframes_unusable++;
        is_world_nearer = false; /* unpack() may have changed the world */
        known = ls_snapshot_tick(best);
    }
    if (!is_world_nearer)
        ls_world_restore(world, best);
}

/* Compares the root of the world with the recorded one. */
static ls_status compare(ls_replay_player *player, ls_world *world, ls_error *error)
{
    uint64_t tick = ls_world_tick(world), found = ls_world_root(world);
    uint64_t expected;
    if (!ls_recording_find_root(player->recording, tick, &expected) || expected == found)
        return LS_OK;
    player->has_diverged = true;
    player->divergence = (ls_root_difference){.tick = tick, .expected = expected, .found = found};
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "diverged before tick %" PRIu64 ": expected root %016" PRIx64
                        ", found %016" PRIx64,
                        tick, expected, found);
}

static ls_status advance(ls_replay_player *player, ls_world *world, ls_error *error)
{
    const ls_frame *frame = ls_replay_player_frame(player, ls_world_tick(world));
    ls_status status = ls_world_advance(world, frame, player->config.executor, error);
    if (status)
        return status;
    player->stats.simulated_ticks++;
    status = compare(player, world, error);
    if (!status && ls_world_tick(world) % player->config.spacing == 0)
        ls_seek_cache_put(&player->cache, world, ls_world_tick(player->world));
    return status;
}

static ls_status no_such_tick(const ls_replay_player *player, uint64_t tick, ls_error *error)
{
    uint64_t behind;
    const char *rest = ls_recording_after_gap(player->recording, &behind);
    ls_error place_text;
    ls_error_set(&place_text, LS_OK,
                 "tick %" PRIu64 " is not in the recording: it has %" PRIu64 " to %" PRIu64, tick,
                 ls_replay_player_first(player), ls_replay_player_last(player));
    if (!rest)
        return ls_error_set(error, LS_ERROR_USAGE, "%s", place_text.text);
    return ls_error_set(error, LS_ERROR_USAGE, "%s; the match continues at tick %" PRIu64 " in %s",
                        place_text.text, behind, rest);
}

ls_status ls_replay_player_seek(ls_replay_player *player, uint64_t tick, ls_error *error)
{
    if (tick < ls_replay_player_first(player) || tick > ls_replay_player_last(player))
        return no_such_tick(player, tick, error);
    player->filled_ticks = 0;
    restore_nearest(player, player->world, tick);
    ls_status status = LS_OK;
    while (!status && ls_world_tick(player->world) < tick) {
        status = advance(player, player->world, error);
        if (player->progress)
            player->progress(player->progress_context, ls_world_tick(player->world), tick);
    }
    return status;
}

void ls_replay_player_set_progress(ls_replay_player *player,
                                   void (*progress)(void *context, uint64_t tick, uint64_t target),
                                   void *context)
{
    player->progress = progress;
    player->progress_context = context;
}

ls_status ls_replay_player_step(ls_replay_player *player, ls_error *error)
{
    uint64_t tick = ls_replay_player_tick(player);
    if (tick >= ls_replay_player_last(player))
        return no_such_tick(player, tick + 1, error);
    player->filled_ticks = 0;
    return advance(player, player->world, error);
}

static bool is_hole(const ls_replay_player *player, uint64_t tick)
{
    return tick >= ls_replay_player_first(player) && tick <= ls_replay_player_last(player) &&
           !ls_seek_cache_has(&player->cache, tick);
}

/* The tick nearest to the player's, within the cache's reach, that lacks a snapshot in the cache;
 * only multiples of `spacing`. UINT64_MAX: none. */
static uint64_t find_hole_of(const ls_replay_player *player, uint64_t spacing)
{
    uint64_t middle = ls_replay_player_tick(player) / spacing * spacing;
    for (uint64_t distance = 0; distance <= player->cache.reach; distance += spacing) {
        if (middle >= distance && is_hole(player, middle - distance))
            return middle - distance;
        if (is_hole(player, middle + distance))
            return middle + distance;
    }
    return UINT64_MAX;
}

/* Finds the next tick to fill: first at wide distances, then in between. So gaps are even if memory
 * runs out. */
static uint64_t find_hole(const ls_replay_player *player)
{
    for (uint32_t times = 4; times > 0; times /= 2) {
        uint64_t hole = find_hole_of(player, (uint64_t)player->config.spacing * times);
        if (hole != UINT64_MAX)
            return hole;
    }
    return UINT64_MAX;
}

/* Fills the cache around the player's tick until no hole is left, until memory is full and a new
 * snapshot would only replace another, or until many ticks were simulated for it. A diverged state
 * is never kept; its hole ends the filling. */
bool ls_replay_player_fill(ls_replay_player *player, uint32_t ticks)
{
    uint64_t hole = find_hole(player);
    if (!player->filler)
        player->filler = ls_world_create_sibling(player->world);
    while (hole != UINT64_MAX && player->filled_ticks < 4 * player->cache.reach &&
           !ls_seek_cache_is_full(&player->cache, ls_replay_player_tick(player))) {
        if (ticks-- == 0)
            return true;
        player->filled_ticks++;
        restore_nearest(player, player->filler, hole);
        if (ls_world_tick(player->filler) < hole && advance(player, player->filler, NULL) != LS_OK)
            return false;
        if (ls_world_tick(player->filler) < hole)
            continue;
        ls_seek_cache_put(&player->cache, player->filler, ls_replay_player_tick(player));
        hole = find_hole(player);
    }
    return false;
}

/* Creates the state before the first tick: from the match, or from a keyframe. */
static ls_status make_start(ls_replay_player *player, ls_error *error)
{
    uint64_t first = ls_replay_player_first(player);
    const ls_recording_keyframe *keyframe =
        ls_recording_find_full(player->keyframes, player->keyframe_count, first);
    if (first > 0 && !keyframe && player->end_status) {
        *error = player->end_text; /* describes the bytes where the keyframe should be */
        return player->end_status;
    }
    if (first > 0 && !keyframe)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "lacks its first state, that before tick %" PRIu64 "", first);
    const ls_match *match = &ls_replay_player_header(player)->match;
    ls_status status = ls_world_create(player->config.program, match, &player->world, error);
    if (status) /* the header is intact, so the match is of another build */
        return LS_ERROR_INCOMPATIBLE;
    if (first > 0)
        status = unpack_full(player, player->world, keyframe, error);
    if (!status)
        status = compare(player, player->world, error);
    /* Tools can inspect a first state that differs, like any other state. */
    if (status == LS_ERROR_DIVERGED)
        status = LS_OK;
    if (!status)
        player->start = ls_world_snapshot(player->world);
    return status;
}

ls_status ls_replay_player_create(ls_recording *recording, const ls_replay_player_config *config,
                                  ls_replay_player **player, ls_error *error)
{
    *player = NULL;
    ls_recording_simulation simulation = ls_recording_simulation_of(config->program);
    ls_status status = ls_recording_check_simulation(recording, &simulation, error);
    if (status && !config->allows_any_build)
        return status;
    ls_replay_player *made = ls_alloc(sizeof *made);
    made->config = *config;
    made->config.bytes_max = config->bytes_max ? config->bytes_max : LS_REPLAY_PLAYER_BYTES_DEFAULT;
    made->config.spacing = config->spacing ? config->spacing : LS_REPLAY_PLAYER_SPACING_DEFAULT;
    made->recording = recording;
    made->keyframe_count = ls_recording_keyframes(recording, &made->keyframes);
    made->end_status = ls_recording_read_end(recording, &made->end_text);
    made->next_tick = UINT64_MAX;
    made->is_unusable = ls_alloc(made->keyframe_count + 1);
    status = make_start(made, error);
    if (status) {
        made->recording = NULL; /* the caller keeps it */
        ls_replay_player_close(made);
        return status;
    }
    made->cache = (ls_seek_cache){.world = made->world,
                                  .bytes_max = made->config.bytes_max,
                                  .reach = (uint64_t)FILL_SECONDS *
                                           ls_replay_player_header(made)->match.tick_rate};
    *player = made;
    return LS_OK;
}

void ls_replay_player_close(ls_replay_player *player)
{
    if (!player)
        return;
    ls_seek_cache_reset(&player->cache);
    ls_snapshot_destroy(player->full);
    ls_snapshot_destroy(player->start);
    ls_world_destroy(player->filler);
    ls_world_destroy(player->world);
    ls_recording_close(player->recording);
    ls_free(player->is_unusable);
    ls_free(player);
}

ls_world *ls_replay_player_world(ls_replay_player *player)
{
    return player->world;
}

uint64_t ls_replay_player_tick(const ls_replay_player *player)
{
    return ls_world_tick(player->world);
}

uint64_t ls_replay_player_first(const ls_replay_player *player)
{
    return ls_replay_player_header(player)->first_tick;
}

uint64_t ls_replay_player_last(const ls_replay_player *player)
{
    return ls_replay_player_first(player) + ls_recording_find_end(player->recording)->tick_count;
}

const ls_frame *ls_replay_player_frame(ls_replay_player *player, uint64_t tick)
{
    const ls_recording_tick *found;
    LS_ASSERT(tick >= ls_replay_player_first(player) && tick < ls_replay_player_last(player));
    /* The recording was read completely when it was opened, so this cannot fail. */
    if (tick != player->next_tick)
        LS_ASSERT(ls_recording_seek(player->recording, tick, NULL) == LS_OK);
    LS_ASSERT(ls_recording_next(player->recording, &found, NULL) == LS_OK && found);
    player->next_tick = tick + 1;
    return &found->frame;
}

bool ls_replay_player_root(const ls_replay_player *player, uint64_t tick, uint64_t *root)
{
    return ls_recording_find_root(player->recording, tick, root);
}

const ls_root_difference *ls_replay_player_divergence(const ls_replay_player *player)
{
    return player->has_diverged ? &player->divergence : NULL;
}

const ls_recording_header *ls_replay_player_header(const ls_replay_player *player)
{
    return ls_recording_get_header(player->recording);
}

ls_status ls_replay_player_end(const ls_replay_player *player, ls_recording_end *end,
                               ls_error *text)
{
    *end = *ls_recording_find_end(player->recording);
    if (text)
        *text = player->end_text;
    return player->end_status;
}

ls_replay_player_stats ls_replay_player_get_stats(const ls_replay_player *player)
{
    ls_replay_player_stats stats = player->stats;
    stats.snapshots = player->cache.count;
    stats.memory_bytes = ls_world_memory(player->world);
    return stats;
}
