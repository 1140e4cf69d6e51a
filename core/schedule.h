/* What a simulation may say about when its systems run, besides the systems themselves: stages one
 * after the other, sets of systems with something in common, pairs whose order is nobody's
 * business. Constant data. docs/scheduler.md shows each with an example.
 *   source  Bevy's stages and sets; the relations of the ECS scheduling article */
#ifndef LS_SCHEDULE_H
#define LS_SCHEDULE_H

#include "core/system.h"

#define LS_STAGES_MAX       64
#define LS_SETS_MAX         256
#define LS_INDEPENDENCE_MAX 256

/* What a run criterion says: whether the set or stage runs now, and whether it wants to be asked
 * again after this run. */
typedef enum ls_decision {
    LS_NO = 0,
    LS_YES,
    LS_NO_AND_AGAIN,
    LS_YES_AND_AGAIN,
} ls_decision;

/* Whether something runs. All zero is always. */
typedef struct ls_condition {
    /* A sequential system without a query that reads, and calls ls_decide() once, before anything
     * that depends on it runs. NULL is always yes. */
    const ls_system *criterion;
    /* Not 0: the criterion may ask to be asked again, and has at most so many runs. More is an
     * error of the tick, which then has not happened. */
    uint32_t iterations_max;
    /* Not 0: only in ticks whose number leaves `phase` when divided by it. */
    uint32_t every, phase;
} ls_condition;

/* A stage runs its exclusive systems of LS_AT_START, then all parallel ones, then the exclusive
 * ones of LS_BEFORE_COMMANDS, has its sync point, and ends with those of LS_AT_END. Behind its own
 * systems come the stages within it. Nothing of the next stage begins before. */
typedef struct ls_stage {
    const char *name;
    const char *within; /* a stage: the two are one schedule inside another */
    /* At most one: its place is right before or right behind that stage, which is within the same.
     * Else it comes behind the one of those listed before it. */
    const char *before, *after;
    /* Asked when the stage begins. What wants to run again does so from the start, all stages
     * within included. */
    ls_condition when;
    /* Conflicting systems without another order run as the simulation lists them. */
    bool insertion_order;
} ls_stage;

/* A label with properties: all that is said of the set holds for each system that carries its name
 * among its labels, and for each set that does. A system runs when all sets that it is in do. One
 * that does not run keeps its place: who comes behind it still waits for those before it. */
typedef struct ls_set {
    const char *name;
    /* Asked when the stage of a member begins. What wants to be asked again makes the stage's own
     * systems, with their sync point, a loop: those members run again whose sets all say yes, and
     * nobody else. */
    ls_condition when;
    const char *labels[LS_SYSTEM_NAMES_MAX];
    const char *before[LS_SYSTEM_NAMES_MAX];
    const char *after[LS_SYSTEM_NAMES_MAX];
    const char *weakly_before[LS_SYSTEM_NAMES_MAX];
    const char *weakly_after[LS_SYSTEM_NAMES_MAX];
} ls_set;

/* Systems, labels or sets whose conflicts do not show, and why that is so. They never run at the
 * same time, in no order that anybody may rely on. */
typedef struct ls_independence {
    const char *one, *other;
    const char *reason; /* not empty */
} ls_independence;

#endif
