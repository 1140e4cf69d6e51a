/* The first tick in which two recordings of a match, or two builds of a simulation, are not the
 * same, and what in that tick made the difference.
 *   memory  two worlds, and a root a tick; nothing else grows with the ticks */
#ifndef LS_BISECT_H
#define LS_BISECT_H

#include "desync/divergence.h"
#include "desync/first_difference.h"
#include <lockstep/recording.h>
#include <lockstep/root_ring.h>

typedef enum ls_bisect_kind {
    LS_BISECT_SAME,    /* no difference in `ticks` ticks */
    LS_BISECT_INPUTS,  /* the recordings have other inputs in the tick: `texts` */
    LS_BISECT_START,   /* the states differ before the first tick */
    LS_BISECT_STATE,   /* the tick ends in two states */
    LS_BISECT_FAILURE, /* one of the builds refuses the tick: `texts` */
    LS_BISECT_CRASH,   /* or takes its process with it, as whoever waited for that says: `texts` */
} ls_bisect_kind;

/* How the roots of a build that replays a recording compare with the recorded ones. */
typedef enum ls_bisect_recorded {
    LS_BISECT_UNCOMPARED = 0,
    LS_BISECT_AGREES,
    LS_BISECT_DEPARTS_START, /* its first state is another */
    LS_BISECT_DEPARTS,       /* in a tick */
} ls_bisect_recorded;

typedef struct ls_bisect {
    ls_bisect_kind kind;
    uint64_t ticks; /* that are the same */
    uint64_t tick;  /* the first that is not */
    bool has_roots;
    uint64_t roots[2];      /* behind it */
    char *texts[2];         /* of inputs and failures; NULL: nothing to say of this side */
    char variants[2][40];   /* by which the tick was run here as that side ran it; "" for none */
    uint32_t variant_count; /* how many were tried */
    bool is_guess; /* the culprit is of two runs here, of which one does not end as recorded */
    bool has_difference;
    ls_first_difference difference;
    ls_error trouble; /* why the tick could not be run here as a side ran it; "" when it could */
    bool has_recorded_diff;      /* what the two files hold after the tick was compared: */
    ls_divergence recorded_diff; /* `expected` is the first side's, `found` the second's */
    /* Said by whoever ran each build in a process of its own: */
    bool is_apart; /* they differ earlier than in one process, where they may never do: */
    uint64_t apart_tick;
    ls_bisect_recorded recorded[2];
    uint64_t recorded_ticks[2];
    const char *floats[2]; /* what loading it changes of how a process computes with floats */
} ls_bisect;

/* Is told before a side runs a tick: for progress, and for whoever asks which one it died of. */
typedef struct ls_bisect_watch {
    void *argument;
    void (*tell)(void *argument, uint32_t side, uint64_t tick);
    void (*hunt)(void *argument); /* and before a search that has no steps */
} ls_bisect_watch;

/* Two recordings of one match, `watch` or NULL. Both are replayed from the last keyframe up to
 * where they part, each by its program, which may be one for both; that tick is then run in several
 * ways (as ever, in other legal orders, with other bytes in unused stack), until one ends as the
 * one recording says and one as the other. Where no way leads there, what the files themselves hold
 * after the tick is compared; first tick and roots are known from the files in any case.
 *   errors  INCOMPATIBLE: two matches, programs whose cells cannot be compared; CORRUPT: a
 *           damage, and no difference before it
 *   owns    ls_bisect_reset() by the caller, not after an error; programs outlive it
 *   thread  as ls_write_watch_begin() */
ls_status ls_bisect_recordings(ls_recording *const recordings[2],
                               const ls_program *const programs[2], const ls_bisect_watch *watch,
                               ls_bisect *bisect, ls_error *error) LS_MUST_USE;
/* Two programs that replay one recording side by side. The recorded roots do not matter.
 *   errors  INCOMPATIBLE: programs whose cells cannot be compared, a recording that begins in the
 *           middle of its match with a state that the program cannot read; those of
 *           ls_world_advance() and ls_first_difference_find() */
ls_status ls_bisect_builds(ls_recording *recording, const ls_program *const programs[2],
                           const ls_bisect_watch *watch, ls_bisect *bisect,
                           ls_error *error) LS_MUST_USE;
/* One recording, and a program whose replay of it comes to another root: the first side is what was
 * recorded, the second what `difference` found; the tick is run in the same ways as above.
 *   errors  INCOMPATIBLE: replayed once more, the match takes another way before that tick
 *           already; USAGE: the recording says nothing of the tick before; asserts that it is
 *           not the first state that differs */
ls_status ls_bisect_replay(ls_recording *recording, const ls_program *program,
                           const ls_root_difference *difference, ls_bisect *bisect,
                           ls_error *error) LS_MUST_USE;
void ls_bisect_reset(ls_bisect *bisect);

/* Lines for people, and one JSON object; `names` are what the two sides are called. */
void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_builder *text);
void ls_bisect_json(const ls_bisect *bisect, const char *const names[2], ls_builder *text);

#endif
