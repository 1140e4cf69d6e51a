/* One run of a recorded match. The recorded run is known at the ticks of which its file holds
 * something; the run of a program with the recorded inputs is known at every tick. Two recordings,
 * two builds, or a recording and its replay are each two of these. */
#ifndef LS_MATCH_RUN_H
#define LS_MATCH_RUN_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* Called before a side runs a tick, for progress and to know the tick of a crash. */
typedef struct ls_run_watch {
    void *argument;
    void (*tell)(void *argument, uint32_t side, uint64_t tick);
    void (*hunt)(void *argument); /* before a search without steps */
} ls_run_watch;

/* The caller sets the first six members and zeroes the others. Runs may share a recording; its
 * reading position is unspecified after each call.
 *   owns    ls_match_run_reset(); recording, program and watch outlive the run */
typedef struct ls_match_run {
    ls_recording *recording;
    const ls_program *program;
    bool is_replay; /* states are those that the program reaches, whatever the file says */
    uint64_t from;  /* of a replay: no state of the file after this tick is used */
    const ls_run_watch *watch; /* or NULL */
    uint32_t side;             /* for `watch` */
    ls_world *world;           /* the last state that was asked for, or NULL */
} ls_match_run;

/* Leaves run->world before the tick. It begins with the last state that the file holds up to there;
 * a replay goes on from where it is, and the first state of one from tick 0 is that of the setup.
 *   errors  those of ls_start_state_make(), ls_recording_next() and ls_world_advance(); NOT_FOUND:
 *           the file has fewer ticks */
ls_status ls_match_run_to(ls_match_run *run, uint64_t tick, ls_error *error) LS_MUST_USE;
/* Reads the frame of the tick that the world is before; it lives as ls_recording_next() says.
 *   errors  as ls_match_run_to() */
ls_status ls_match_run_frame(ls_match_run *run, const ls_frame **frame,
                             ls_error *error) LS_MUST_USE;
void ls_match_run_reset(ls_match_run *run);

/* Root, state and column hashes before the tick. False or NULL when they are not known: a replay
 * ends there, or the file holds nothing and running the program from an earlier state does not lead
 * to the recorded root. The world is the run's, and is left as it is. */
bool ls_match_run_root(ls_match_run *run, uint64_t tick, uint64_t *root);
ls_world *ls_match_run_state(ls_match_run *run, uint64_t tick);
/* `hashes` has room for one of each column of the program. */
bool ls_match_run_columns(ls_match_run *run, uint64_t tick, uint64_t *hashes);
/* The first tick from `from` on of which the file holds a state, or else column hashes. */
bool ls_match_run_next(const ls_match_run *run, bool of_states, uint64_t from, uint64_t *tick);

#endif
