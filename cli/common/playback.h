/* A recording that is open to be played: the file, its simulation, threads, and the player. Every
 * subcommand that shows states of a recording begins with it. */
#ifndef LS_PLAYBACK_H
#define LS_PLAYBACK_H

#include "cli/common/match_options.h"
#include "cli/module/sim_load.h"
#include <lockstep/replay_player.h>

/* Zeroed before parsing. */
typedef struct ls_playback_options {
    ls_match_options match; /* --sim, --threads and --pin alone */
    bool takes_any_build;
} ls_playback_options;

/* --any-build, --sim, --threads and what goes with it. */
extern const ls_arguments ls_playback_arguments;

typedef struct ls_playback {
    const char *path;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_replay_player *player;
} ls_playback;

/* A folder or a device is a mistyped argument, no trouble of the machine.
 *   errors  USAGE */
ls_status ls_playback_check_path(const char *path, ls_error *error) LS_MUST_USE;
/* Opens a file to be read.
 *   errors  as ls_recording_open; USAGE */
ls_status ls_playback_open_recording(const char *path, ls_recording **recording,
                                     ls_error *error) LS_MUST_USE;

/* The same of a file and those in which its match goes on, as one (ls_series_as_one). `rest` says
 * where the match goes on that is not in it: behind a gap, or in a file that cannot be read; or "".
 *   errors  as ls_playback_open_recording */
ls_status ls_playback_open_match(const char *path, ls_recording **recording, ls_error *rest,
                                 ls_error *error) LS_MUST_USE;

/* Says on stderr when a signature of the recording is wrong: what is looked for in it may be what
 * was changed. */
void ls_playback_warn_of_forgery(const char *command, const ls_recording *recording);

/* Opens the file and those in which its match goes on, and loads the simulation that --sim or the
 * file names, for who plays them without a player.
 *   errors  as ls_playback_open; `*history` is then NULL
 *   owns    ls_series_close, ls_sim_unload */
ls_status ls_playback_load(const char *path, const ls_playback_options *options,
                           ls_loaded_sim *loaded, ls_series **history, ls_error *error) LS_MUST_USE;
/* Opens the file, and those in which its match goes on when the disk failed, loads the simulation
 * that --sim or the file names, and is before the first tick. Damage after the last
 * tick that can be played is said on stderr.
 *   errors  as ls_recording_open, ls_sim_load and ls_replay_player_create; INCOMPATIBLE for a
 *           simulation that is not built in
 *   owns    ls_playback_close, also after an error; zeroed before */
ls_status ls_playback_open(const char *path, const ls_playback_options *options,
                           ls_playback *playback, ls_error *error) LS_MUST_USE;
/* The same of a second file of the simulation that is loaded already in `first`; both players then
 * have one program, and states can be compared. Closed before `first`. */
ls_status ls_playback_open_beside(const char *path, const ls_playback_options *options,
                                  const ls_playback *first, ls_playback *playback,
                                  ls_error *error) LS_MUST_USE;
/* As ls_replay_player_seek(), and ls_replay_player_step(); the message names the file and what to
 * do.
 *   errors  theirs */
ls_status ls_playback_seek(ls_playback *playback, uint64_t tick, ls_error *error) LS_MUST_USE;
ls_status ls_playback_step(ls_playback *playback, ls_error *error) LS_MUST_USE;
void ls_playback_close(ls_playback *playback);

#endif
