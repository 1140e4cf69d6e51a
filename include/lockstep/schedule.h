/* What a simulation may say about when its systems run, besides the systems themselves: stages one
 * after the other, sets of systems with something in common, pairs whose order is nobody's
 * business. Constant data. docs/scheduler.md shows each with an example.
 *   source  Bevy's stages and sets; the relations of the ECS scheduling article */
#ifndef LS_SCHEDULE_H
#define LS_SCHEDULE_H

#include <lockstep/system.h>

#define LS_STAGES_MAX       64
#define LS_SETS_MAX         256
#define LS_INDEPENDENCE_MAX 256
#define LS_PARS_MAX         64

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
    const char *labels[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *before[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *after[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *weakly_before[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *weakly_after[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
} ls_set;

/* The paper's par: sides beside each other, none of which sees what another does, even where they
 * touch the same components. All begin with the same state; behind the last one their changes are
 * put together, cell by cell. What comes before or behind one member does so for all of them, and
 * so does what names the par. A cell that two sides changed (one component of one entity: its value
 * or whether it is there) fails the tick with LS_ERROR_REFUSED, which names both systems; the tick
 * then has not happened. Sides are of one stage, parallel, and spawn into different lanes. */
typedef struct ls_par {
    const char *name;
    const char *sides[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)]; /* systems, labels or sets */
} ls_par;

/* The paper's algebra of schedules, another way to say the same: every system that it names has its
 * place by it, and may have more said of it elsewhere. LS_CONC and LS_SEQ name a system and its
 * mode; LS_THEN runs each part behind all of the one before it; LS_PAR makes its parts the sides of
 * a par. At file scope:
 *   static const ls_algebra schedule = LS_THEN(LS_CONC("move"), LS_PAR(LS_CONC("up"),
 *                                                                      LS_CONC("down")));
 * is `.schedule = &schedule` of the simulation. */
typedef enum ls_algebra_kind {
    LS_ALGEBRA_CONC = 0,
    LS_ALGEBRA_SEQ,
    LS_ALGEBRA_THEN,
    LS_ALGEBRA_PAR,
} ls_algebra_kind;

#define LS_ALGEBRA_DEPTH_MAX 64

typedef struct ls_algebra {
    ls_algebra_kind kind;
    uint32_t part_count;
    const char *system;             /* of LS_CONC and LS_SEQ */
    const struct ls_algebra *parts; /* of LS_THEN and LS_PAR */
} ls_algebra;

#define LS_CONC(name)                                                                              \
    {                                                                                              \
        .kind = LS_ALGEBRA_CONC, .system = name                                                    \
    }
#define LS_SEQ(name)                                                                               \
    {                                                                                              \
        .kind = LS_ALGEBRA_SEQ, .system = name                                                     \
    }
#define LS_ALGEBRA_OF(what, ...)                                                                   \
    {                                                                                              \
        .kind = what,                                                                              \
        .part_count = sizeof((const ls_algebra[]){__VA_ARGS__}) / sizeof(ls_algebra),              \
        .parts = (const ls_algebra[])                                                              \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define LS_THEN(...) LS_ALGEBRA_OF(LS_ALGEBRA_THEN, __VA_ARGS__)
#define LS_PAR(...)  LS_ALGEBRA_OF(LS_ALGEBRA_PAR, __VA_ARGS__)

/* Systems, labels or sets whose conflicts do not show, and why that is so. They never run at the
 * same time, in no order that anybody may rely on. A par whose sides have something to keep apart
 * is independent of nobody: it needs an order. */
typedef struct ls_independence {
    const char *one, *other;
    const char *reason; /* not empty */
} ls_independence;

#endif
