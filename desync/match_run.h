/* One run of a recorded match, with states by tick. A recorded run is known only at the ticks for
 * which its file holds data; a replay by a program is known at every tick. A comparison uses two
 * runs: two recordings, two builds, or a recording and its replay. */
#ifndef LS_MATCH_RUN_H
#define LS_MATCH_RUN_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* Called before a side runs a tick, to show progress and to know the tick of a crash. */
typedef struct ls_run_watch {
    void *argument;
    void (*report_tick)(void *argument, uint32_t side, uint64_t tick);
    void (*begin_search)(void *argument); /* before a search that reports no ticks */
} ls_run_watch;

/* The caller sets all members but `world`, which is NULL at first. Runs may share a recording; its
 * reading position is unspecified after each call.
 *   owns    ls_match_run_reset(); recording, program and watch outlive the run */
typedef struct ls_match_run {
    ls_recording *recording;
    const ls_program *program;
    bool is_replay;            /* `world` is what the program reaches, not a state of the file */
    uint64_t from;             /* of a replay: states of the file after this tick are not used */
    const ls_run_watch *watch; /* or NULL */
    uint32_t side;             /* for `watch` */
    ls_world *world;           /* the last state that was asked for, or NULL */
} ls_match_run;

/* Brings run->world to the state before the tick, from the last state that the file holds up to
 * there. A replay continues from its present state instead, or from the setup's state if it starts
 * at tick 0.
 *   errors  those of ls_start_state_make(), ls_recording_next() and ls_world_advance(); NOT_FOUND:
 *           the file has fewer ticks */
ls_status ls_match_run_to(ls_match_run *run, uint64_t tick, ls_error *error) LS_MUST_USE;
/* Reads the frame of the tick that run->world runs next; ls_recording_next() says how long the
 * frame lives.
 *   errors  as ls_match_run_to() */
ls_status ls_match_run_frame(ls_match_run *run, const ls_frame **frame,
                             ls_error *error) LS_MUST_USE;
void ls_match_run_reset(ls_match_run *run);

/* Return the root, the state and the column hashes before the tick. False or NULL when unknown: a
 * replay cannot reach the tick, or the file holds nothing for it and the program's run from an
 * earlier state misses the recorded root. The returned world belongs to the run; the caller does
 * not change it. */
bool ls_match_run_root(ls_match_run *run, uint64_t tick, uint64_t *root);
ls_world *ls_match_run_state(ls_match_run *run, uint64_t tick);
/* `hashes` has room for one hash of each column of the program. */
bool ls_match_run_columns(ls_match_run *run, uint64_t tick, uint64_t *hashes);
/* Finds the first tick at or after `from` for which the file holds a state or, if `of_states` is
 * false, column hashes. */
bool ls_match_run_next(const ls_match_run *run, bool of_states, uint64_t from, uint64_t *tick);

#endif
