/* Plays a match from its recording, in one or several files: gives the state before any tick,
 * forward and backward. Every tool that inspects a recording uses it. A seek begins at the nearest
 * known state: a keyframe of the file, a kept snapshot or the current state. From there it
 * simulates, and compares its roots with the recorded ones. */
#ifndef LS_REPLAY_PLAYER_H
#define LS_REPLAY_PLAYER_H

#include <lockstep/recording_series.h>
#include <lockstep/root_ring.h>
#include <lockstep/world.h>

typedef struct ls_replay_player ls_replay_player;

/* Defaults: ticks between two kept snapshots; memory of all states, including the worlds. */
#define LS_REPLAY_PLAYER_SPACING_DEFAULT 16
#define LS_REPLAY_PLAYER_BYTES_DEFAULT   ((size_t)28 << 20)

typedef struct ls_replay_player_config {
    const ls_program *program; /* must outlive the player */
    ls_executor *executor;     /* NULL: serial; must outlive the player */
    bool allows_any_build;     /* also accept a recording of another version of the simulation */
    size_t bytes_max;          /* 0: LS_REPLAY_PLAYER_BYTES_DEFAULT */
    uint32_t spacing;          /* 0: LS_REPLAY_PLAYER_SPACING_DEFAULT */
} ls_replay_player_config;

/* Counters of a player, for measurements. */
typedef struct ls_replay_player_stats {
    uint64_t simulated_ticks;    /* including those of ls_replay_player_fill() */
    uint64_t keyframes;          /* unpacked */
    uint64_t keyframes_unusable; /* unusable keyframes: they do not give their tick's state */
    uint32_t snapshots;          /* snapshots kept now */
    size_t memory_bytes;         /* memory of all states, without the recording's bytes */
} ls_replay_player_stats;

/* Reads the recording once and stops before its first tick. On success the player owns the
 * recording. A damaged recording can be played up to the damage: see ls_replay_player_end().
 * ls_series_join() gives the recording of a match in several files.
 *   errors  INCOMPATIBLE: another simulation; CORRUPT: the recording begins within a match and has
 *           no valid state of its first tick. `*player` is then NULL
 *   owns    ls_replay_player_close() by the caller; the program must outlive the player
 *   thread  one at a time */
LS_API ls_status ls_replay_player_create(ls_recording *recording,
                                         const ls_replay_player_config *config,
                                         ls_replay_player **player, ls_error *error) LS_MUST_USE;
LS_API void ls_replay_player_close(ls_replay_player *player); /* NULL is allowed */

/* Goes to the state before `tick`.
 *   errors  USAGE: `tick` is not within ls_replay_player_first() to ls_replay_player_last();
 *           DIVERGED: a root differs from the recorded one. The player stops at that tick, see
 *           ls_replay_player_divergence(), and the next call continues from there; those of
 *           ls_world_advance(): the player stops before the tick that failed */
LS_API ls_status ls_replay_player_seek(ls_replay_player *player, uint64_t tick,
                                       ls_error *error) LS_MUST_USE;
/* Simulates the next tick, even if the file or the player knows the state after it. So stepping
 * through a recording proves every tick of it.
 *   errors  USAGE at the end; the others of ls_replay_player_seek() */
LS_API ls_status ls_replay_player_step(ls_replay_player *player, ls_error *error) LS_MUST_USE;

/* Call it when idle: simulates up to `ticks` ticks around the current tick, on a separate world, so
 * that later seeks within ten seconds are fast. False when nothing is left to do. The player's tick
 * does not change. */
LS_API bool ls_replay_player_fill(ls_replay_player *player, uint32_t ticks);

/* The state before ls_replay_player_tick(); to be read, not advanced. Valid until the next call. */
LS_API ls_world *ls_replay_player_world(ls_replay_player *player);
LS_API uint64_t ls_replay_player_tick(const ls_replay_player *player);
LS_API uint64_t ls_replay_player_first(const ls_replay_player *player);
LS_API uint64_t
ls_replay_player_last(const ls_replay_player *player); /* the tick after the last frame */

/* The frame of `tick`, which must be before ls_replay_player_last(); valid until the next call. */
LS_API const ls_frame *ls_replay_player_frame(ls_replay_player *player, uint64_t tick);
/* The recorded root of the world before `tick`; false when it is not recorded. */
LS_API bool ls_replay_player_root(const ls_replay_player *player, uint64_t tick,
                                  uint64_t *root) LS_MUST_USE;
/* The difference of the last LS_ERROR_DIVERGED; NULL when there was none. */
LS_API const ls_root_difference *ls_replay_player_divergence(const ls_replay_player *player);

LS_API const ls_recording_header *ls_replay_player_header(const ls_replay_player *player);
/* How the recording ends; `text` may be NULL. `end` has no roots.
 *   errors  CORRUPT or INCOMPATIBLE: bytes follow the last tick that can be played */
LS_API ls_status ls_replay_player_end(const ls_replay_player *player, ls_recording_end *end,
                                      ls_error *text);
LS_API ls_replay_player_stats ls_replay_player_get_stats(const ls_replay_player *player);

#endif
