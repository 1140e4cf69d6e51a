/* The schedule of a simulation beyond its systems: stages that run one after the other, sets of
 * systems with something in common, pairs whose order does not matter. Constant data.
 * docs/scheduler.md shows each with an example.
 *   source  Bevy's stages and sets; the relations of the ECS scheduling article */
#ifndef LS_SCHEDULE_H
#define LS_SCHEDULE_H

#include <lockstep/system.h>

#define LS_STAGES_MAX       64
#define LS_SETS_MAX         256
#define LS_INDEPENDENCE_MAX 256
#define LS_PARS_MAX         64

/* The answer of a run criterion: whether the set or stage runs now, and whether the criterion wants
 * to be asked again after this run. */
typedef enum ls_decision {
    LS_NO = 0,
    LS_YES,
    LS_NO_AND_AGAIN,
    LS_YES_AND_AGAIN,
} ls_decision;

/* Whether something runs. All zero is always. */
typedef struct ls_condition {
    /* A sequential system without a query. It reads, and calls ls_decide() once, before anything
     * that depends on it runs. NULL: always yes. */
    const ls_system *criterion;
    /* Not 0: the criterion may ask for further runs, at most iterations_max in all. Asking for more
     * is an error of the tick, which then has not happened. */
    uint32_t iterations_max;
    /* Not 0: runs only in ticks with tick % every == phase. */
    uint32_t every, phase;
} ls_condition;

/* A stage runs its exclusive systems of LS_AT_START, then all parallel ones, then the exclusive
 * ones of LS_BEFORE_COMMANDS. Then follow its sync point and the exclusive systems of LS_AT_END,
 * and after its own systems the stages within it. The next stage begins only after all of that. */
typedef struct ls_stage {
    const char *name;
    const char *within; /* a stage: the two are one schedule inside another */
    /* At most one of them: places this stage right before or right after a stage with the same
     * parent. Without either, it follows the stage that is listed before it. */
    const char *before, *after;
    /* Asked when the stage begins. A stage that wants to run again does so from the start, with all
     * stages within it. */
    ls_condition when;
    /* Conflicting systems without another order run as the simulation lists them. */
    bool insertion_order;
} ls_stage;

/* A label with properties: they hold for each system that carries the set's name among its labels,
 * and for each set that does. A system runs when all its sets run. A system that does not run keeps
 * its place: systems after it still wait for those before it. */
typedef struct ls_set {
    const char *name;
    /* Asked when the stage of a member begins. An answer that asks for another run makes a loop of
     * the stage's own systems with their sync point: only members whose sets all say yes run again.
     */
    ls_condition when;
    const char *labels[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *before[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *after[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *weakly_before[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
    const char *weakly_after[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)];
} ls_set;

/* The paper's par: sides that run beside each other and do not see each other's changes, even to
 * the same components. All begin with the same state. After the last one their changes are merged,
 * cell by cell. An order before or after one member holds for all of them, and so does one that
 * names the par. A cell that two sides changed (one component of one entity: its value or its
 * presence) fails the tick with LS_ERROR_REFUSED, which names both systems; the tick then has not
 * happened. Sides are of one stage, parallel, and spawn into different lanes. */
typedef struct ls_par {
    const char *name;
    const char *sides[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)]; /* systems, labels or sets */
} ls_par;

/* The paper's algebra of schedules, another notation for the same: it orders every system that it
 * names, and a system may have further orders elsewhere. LS_CONC and LS_SEQ name a system and its
 * mode; LS_THEN runs each part after all of the one before it; LS_PAR makes its parts the sides of
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

/* Systems, labels or sets whose conflicts have no visible effect, and the reason. They never run at
 * the same time, and their order is unspecified. A par with sides that conflict cannot be
 * independent: it needs an order. */
typedef struct ls_independence {
    const char *one, *other;
    const char *reason; /* not empty */
} ls_independence;

#endif
