/* Opens a recording to play it: the file, its simulation, threads, and the player. Every command
 * that shows states of a recording uses it. */
#ifndef LS_MATCH_PLAYBACK_H
#define LS_MATCH_PLAYBACK_H

#include "cli/common/match_options.h"
#include "cli/common/progress_bar.h"
#include "cli/module/sim_load.h"
#include <lockstep/replay_player.h>

/* The caller zeroes it before it parses the arguments. */
typedef struct ls_match_playback_options {
    ls_match_options match; /* only --sim, --threads and --pin */
    bool allows_any_build;
} ls_match_playback_options;

/* --any-build, --sim, --threads and their parts. */
extern const ls_arguments ls_match_playback_arguments;

typedef struct ls_match_playback {
    const char *path;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_replay_player *player;
    ls_tick_progress progress; /* of ls_match_playback_seek_shown() */
} ls_match_playback;

/* Refuses a folder or a device, which is a mistyped argument and no fault of the machine.
 *   errors  USAGE */
ls_status ls_match_playback_check_path(const char *path, ls_error *error) LS_MUST_USE;
/* Opens a recording for reading.
 *   errors  as ls_recording_open; USAGE */
ls_status ls_match_playback_open_recording(const char *path, ls_recording **recording,
                                           ls_error *error) LS_MUST_USE;

/* Opens a recording and the later files of its match, as one recording (ls_series_join). `rest`
 * names a part of the match that is not included, because of a gap or a file that cannot be read;
 * otherwise it is "".
 *   errors  as ls_match_playback_open_recording */
ls_status ls_match_playback_open_match(const char *path, ls_recording **recording, ls_error *rest,
                                       ls_error *error) LS_MUST_USE;

/* Loads the simulation that --sim names, or else the built-in one of the recording's name.
 *   errors  as ls_sim_load; INCOMPATIBLE: the recording's simulation is not built in */
ls_status ls_match_playback_load_sim(const char *path, const ls_recording *recording,
                                     const char *sim, ls_loaded_sim *loaded,
                                     ls_error *error) LS_MUST_USE;
/* Whether the recording is of this version of its simulation. With --any-build another version is
 * no error, but a `warning`, which is "" otherwise; the second function prints it.
 *   errors  as ls_recording_check_simulation */
ls_status ls_match_playback_check_build(const ls_recording *recording, const ls_loaded_sim *loaded,
                                        bool allows_any_build, ls_error *warning,
                                        ls_error *error) LS_MUST_USE;
void ls_match_playback_warn_of_build(const char *command, const ls_error *warning);

/* Warns on stderr when a signature of the recording is wrong: findings in it may come from a
 * forger's change. */
void ls_match_playback_warn_of_forgery(const char *command, const ls_recording *recording);

/* For callers that run the ticks themselves: opens the file and the later files of its match as one
 * recording, and loads the simulation that --sim or the file names.
 *   errors  as ls_match_playback_open; `*recording` is then NULL
 *   owns    ls_recording_close, ls_sim_unload */
ls_status ls_match_playback_load(const char *path, const ls_match_playback_options *options,
                                 ls_loaded_sim *loaded, ls_recording **recording,
                                 ls_error *error) LS_MUST_USE;
/* Opens the file, and later files of its match if there are any (after a disk failed); loads the
 * simulation that --sim or the file names. The player then shows the state before the first tick.
 * Damage after the last playable tick is reported on stderr.
 *   errors  as ls_recording_open, ls_sim_load and ls_replay_player_create; INCOMPATIBLE for a
 *           simulation that is not built in
 *   owns    ls_match_playback_close, also after an error; the caller zeroes *playback first */
ls_status ls_match_playback_open(const char *path, const ls_match_playback_options *options,
                                 ls_match_playback *playback, ls_error *error) LS_MUST_USE;
/* Like ls_match_playback_open(), for one recording that is open already; `name` is for messages.
 * Says nothing of damage.
 *   owns    also the recording, also after an error */
ls_status ls_match_playback_open_of(const char *name, ls_recording *recording,
                                    const ls_match_playback_options *options,
                                    ls_match_playback *playback, ls_error *error) LS_MUST_USE;
/* Like ls_match_playback_open(), for a second recording, which is played with the simulation that
 * `first` has loaded. Both players have one program, so their states can be compared. The caller
 * closes `playback` before `first`. */
ls_status ls_match_playback_open_beside(const char *path, const ls_match_playback_options *options,
                                        const ls_match_playback *first, ls_match_playback *playback,
                                        ls_error *error) LS_MUST_USE;
/* The same as ls_replay_player_seek() and ls_replay_player_step(), but an error message also has
 * the file and a remedy.
 *   errors  those of these functions */
ls_status ls_match_playback_seek(ls_match_playback *playback, uint64_t tick,
                                 ls_error *error) LS_MUST_USE;
/* Like ls_match_playback_seek(), with a progress bar if it takes long. */
ls_status ls_match_playback_seek_shown(ls_match_playback *playback, uint64_t tick,
                                       ls_error *error) LS_MUST_USE;
ls_status ls_match_playback_step(ls_match_playback *playback, ls_error *error) LS_MUST_USE;
void ls_match_playback_close(ls_match_playback *playback);

#endif
