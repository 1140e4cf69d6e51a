/* Finds the first tick in which two recordings of a match, or two builds of a simulation, differ,
 * and the cause of the difference.
 *   memory  two worlds, and a root per tick */
#ifndef LS_BISECT_H
#define LS_BISECT_H

#include "desync/divergence.h"
#include "desync/first_difference.h"
#include "desync/match_run.h"
#include <lockstep/recording.h>
#include <lockstep/root_ring.h>

typedef enum ls_bisect_kind {
    LS_BISECT_SAME,    /* no difference in `ticks` ticks */
    LS_BISECT_INPUTS,  /* the recordings have different inputs in the tick: `texts` */
    LS_BISECT_START,   /* the states differ before the first tick */
    LS_BISECT_STATE,   /* the tick ends in two states */
    LS_BISECT_FAILURE, /* one of the builds refuses the tick: `texts` */
    LS_BISECT_CRASH,   /* one of the builds crashes in the tick: `texts`; set by the process that
                          started the search */
} ls_bisect_kind;

/* How a build's replay of a recording compares with the recorded roots. */
typedef enum ls_bisect_recorded {
    LS_BISECT_UNCOMPARED = 0,
    LS_BISECT_AGREES,
    LS_BISECT_DIVERGES_AT_START, /* the first state already differs */
    LS_BISECT_DIVERGES,          /* a later state differs */
} ls_bisect_recorded;

typedef struct ls_bisect {
    ls_bisect_kind kind;
    uint64_t ticks; /* ticks without a difference */
    uint64_t tick;  /* the first tick that differs */
    bool has_roots;
    uint64_t roots[2];      /* after `tick`; for LS_BISECT_START before it */
    char *texts[2];         /* each side's inputs or failure; NULL: none */
    char variants[2][40];   /* the variant of the tick that gives this side's root; "" for none */
    uint32_t variant_count; /* variants tried for the side that took more of them */
    /* `difference` compares two runs made here, one of which does not reach its recorded root. */
    bool is_guess;
    bool has_difference;
    ls_first_difference difference;
    ls_error trouble;            /* why the tick could not be examined here; "" if it could */
    bool has_recorded_diff;      /* the states in the two files after the tick were compared */
    ls_divergence recorded_diff; /* of these states: `expected` is the first side's */
    /* The following is set by a caller that ran each build in a process of its own. */
    /* In separate processes the builds differ at `apart_tick`: earlier than in one process, or only
     * there. */
    bool is_apart;
    uint64_t apart_tick;
    ls_bisect_recorded recorded[2];
    uint64_t recorded_ticks[2];
    const char *floats[2]; /* the float mode that loading each build changed; NULL or "": none */
} ls_bisect;

/* Compares two recordings of one match; `watch` may be NULL. Each is replayed by its program, which
 * may be the same, from the last keyframe before their first difference. That tick is then run in
 * variants (serial, other legal orders, different bytes in unused stack) until one gives the root
 * of each recording. When none does, the states in the files after the tick are compared. The first
 * tick and its roots come from the files in any case.
 *   errors  INCOMPATIBLE: recordings of two matches, or programs whose cells cannot be compared;
 *           CORRUPT: the file is damaged, and has no difference before the damage
 *   owns    ls_bisect_reset() by the caller, not after an error; programs outlive it
 *   thread  as ls_write_watch_begin() */
ls_status ls_bisect_recordings(ls_recording *const recordings[2],
                               const ls_program *const programs[2], const ls_run_watch *watch,
                               ls_bisect *bisect, ls_error *error) LS_MUST_USE;
/* Replays one recording with two programs side by side. Recorded roots are ignored.
 *   errors  INCOMPATIBLE: programs whose cells cannot be compared, a recording that begins in the
 *           middle of its match with a state that the program cannot read; those of
 *           ls_world_advance() and ls_first_difference_find() */
ls_status ls_bisect_builds(ls_recording *recording, const ls_program *const programs[2],
                           const ls_run_watch *watch, ls_bisect *bisect,
                           ls_error *error) LS_MUST_USE;
/* Compares a recording with its replay, whose root differs at `difference`. The first side is the
 * recording, the second the replay. The tick is run in the variants of ls_bisect_recordings(). If
 * none reproduces the recorded root, the replay is compared with the states and hashes that the
 * file holds after the tick. If the file holds the state right after the tick, the store is
 * searched too. `trouble` says why a step failed. */
void ls_bisect_replay(ls_recording *recording, const ls_program *program,
                      const ls_root_difference *difference, ls_bisect *bisect);
void ls_bisect_reset(ls_bisect *bisect);

#endif
