/* Plays a match from its recording, also of several files: shows the state before any of its ticks,
 * forward and back. Every tool that looks into a recording uses it. A seek begins at the nearest
 * known state (a keyframe of the file, a kept snapshot, the present one) and simulates the rest,
 * comparing the roots of the file. */
#ifndef LS_REPLAY_PLAYER_H
#define LS_REPLAY_PLAYER_H

#include <lockstep/recording_series.h>
#include <lockstep/root_ring.h>
#include <lockstep/world.h>

typedef struct ls_replay_player ls_replay_player;

/* Ticks between two kept snapshots, and the memory of all, the worlds included. */
#define LS_REPLAY_PLAYER_SPACING_DEFAULT 16
#define LS_REPLAY_PLAYER_BYTES_DEFAULT   ((size_t)28 << 20)

typedef struct ls_replay_player_config {
    const ls_program *program; /* outlives the player */
    ls_executor *executor;     /* NULL: serial; outlives the player */
    bool takes_any_build;      /* also plays a recording of another version of the simulation */
    size_t bytes_max;          /* 0: LS_REPLAY_PLAYER_BYTES_DEFAULT */
    uint32_t spacing;          /* 0: LS_REPLAY_PLAYER_SPACING_DEFAULT */
} ls_replay_player_config;

/* Counters of a player, for measurements. */
typedef struct ls_replay_player_stats {
    uint64_t simulated_ticks; /* also those of ls_replay_player_fill() */
    uint64_t keyframes;       /* unpacked */
    uint64_t keyframes_unfit; /* that did not give the state of their tick, and are not used */
    uint32_t snapshots;       /* kept now */
    size_t memory_bytes;      /* of all states; the recording's own bytes are not in it */
} ls_replay_player_stats;

/* Reads the recording once; the player is then before its first tick. It takes the recording over
 * when it succeeds. A damaged recording can be played up to the damage: ls_replay_player_end().
 *   errors  INCOMPATIBLE for another simulation; CORRUPT for a recording that begins within a match
 *           without a valid state of that tick. `*player` is then NULL
 *   owns    ls_replay_player_close(); the program after it
 *   thread  one at a time */
ls_status ls_replay_player_create(ls_recording *recording, const ls_replay_player_config *config,
                                  ls_replay_player **player, ls_error *error) LS_MUST_USE;
/* The same with all files of a match up to the first gap; it takes the history over when it
 * succeeds. Header and end are those of the first and the last of these. */
ls_status ls_replay_player_create_history(ls_series *history, const ls_replay_player_config *config,
                                          ls_replay_player **player, ls_error *error) LS_MUST_USE;
void ls_replay_player_close(ls_replay_player *player); /* NULL is allowed */

/* Goes to the state before `tick`.
 *   errors  USAGE when it is not within ls_replay_player_first() to ls_replay_player_last();
 *           DIVERGED: the player stops at the first tick on the way with a root different from
 *           the recording's, see ls_replay_player_divergence(), and goes on from there when called
 *           again; those of ls_world_advance(): it stops before the tick that failed */
ls_status ls_replay_player_seek(ls_replay_player *player, uint64_t tick,
                                ls_error *error) LS_MUST_USE;
/* One tick on; USAGE at the end. */
ls_status ls_replay_player_step(ls_replay_player *player, ls_error *error) LS_MUST_USE;

/* For idle time: simulates at most `ticks` ticks around the cursor, on a separate world, so that a
 * later seek within ten seconds is quick. False when no work is left. The player's tick does not
 * change. */
bool ls_replay_player_fill(ls_replay_player *player, uint32_t ticks);

/* The state before ls_replay_player_tick(); to be read, not advanced. Lives until the next call. */
ls_world *ls_replay_player_world(ls_replay_player *player);
uint64_t ls_replay_player_tick(const ls_replay_player *player);
uint64_t ls_replay_player_first(const ls_replay_player *player);
uint64_t ls_replay_player_last(const ls_replay_player *player); /* the tick after the last frame */

/* The frame of a tick that is not the last; until the next call of any kind. */
const ls_frame *ls_replay_player_frame(ls_replay_player *player, uint64_t tick);
/* The recorded root of the world before a tick; false when there is none. */
bool ls_replay_player_root(const ls_replay_player *player, uint64_t tick,
                           uint64_t *root) LS_MUST_USE;
/* The difference of the last LS_ERROR_DIVERGED; NULL when there was none. */
const ls_root_difference *ls_replay_player_divergence(const ls_replay_player *player);

const ls_recording_header *ls_replay_player_header(const ls_replay_player *player);
/* How the recording ends, `text` (or NULL) in words: LS_OK, or CORRUPT or INCOMPATIBLE when bytes
 * follow the last tick that can be played. Without the roots. */
ls_status ls_replay_player_end(const ls_replay_player *player, ls_recording_end *end,
                               ls_error *text);
ls_replay_player_stats ls_replay_player_get_stats(const ls_replay_player *player);

#endif
