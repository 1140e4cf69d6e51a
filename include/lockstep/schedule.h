/* The schedule of a simulation besides its systems: stages that run one after another, sets of
 * systems, and pairs whose order does not matter. Constant data; docs/scheduler.md has examples.
 *   source  Bevy's stages and sets; the relations of the ECS scheduling article */
#ifndef LS_SCHEDULE_H
#define LS_SCHEDULE_H

#include <lockstep/system.h>

#define LS_STAGES_MAX        64
#define LS_SETS_MAX          256
#define LS_INDEPENDENCES_MAX 256
#define LS_PARS_MAX          64
#define LS_PAR_SIDES_MAX     64

/* The answer of a run criterion: whether the set or stage runs now (YES), and whether the criterion
 * is asked again after this run (AGAIN). */
typedef enum ls_decision {
    LS_NO = 0,
    LS_YES,
    LS_NO_AND_AGAIN,
    LS_YES_AND_AGAIN,
} ls_decision;

/* Decides whether a set or stage runs. All zeros: it always runs. */
typedef struct ls_condition {
    /* A sequential system without a query that only reads. It calls ls_decide() once, before
     * anything that depends on it runs. NULL: always yes. */
    const ls_system *criterion;
    /* Not 0: the criterion may ask for further runs, at most iterations_max runs in all. Asking for
     * more fails the tick, and the world is unchanged. */
    uint32_t iterations_max;
    /* Not 0: runs only in ticks where tick % every == phase. */
    uint32_t every, phase;
} ls_condition;

/* A stage runs in this order: exclusive systems of LS_AT_START, parallel systems, exclusive systems
 * of LS_BEFORE_COMMANDS, the sync point, exclusive systems of LS_AT_END, the stages within it. Then
 * the next stage begins. */
typedef struct ls_stage {
    const char *name;
    const char *within; /* the parent stage; NULL: a top-level stage */
    /* At most one of these: places this stage directly before or after another stage with the same
     * parent. Without either, it follows the stage listed before it. */
    const char *before, *after;
    /* Asked when the stage begins. A repeated stage runs again from its start, with all stages
     * within it. */
    ls_condition when;
    bool insertion_order; /* conflicting systems without another order run as they are listed */
    bool main_thread;     /* its systems run in turn, on the thread that advances the world */
} ls_stage;

/* A label with properties. They apply to each system that has the set's name among its labels, and
 * to each set that does. A system runs when all its sets run. A system that does not run keeps its
 * place: systems after it still wait for those before it. */
typedef struct ls_set {
    const char *name;
    /* Asked when the stage of a member begins. If the answer asks for another run, the stage's own
     * systems and sync point repeat. In a repetition only members whose sets all say yes run. */
    ls_condition when;
    /* Lists of names, as in ls_system. */
    const char *labels;
    const char *before, *after;
    const char *weakly_before, *weakly_after;
} ls_set;

/* The answer when two sides of a par change one cell. The cells depend on what players do, so a
 * valid input may lead there. */
typedef enum ls_par_clash {
    LS_PAR_FAILS = 0, /* the tick fails with LS_ERROR_REFUSED, and the match ends */
    /* The change of the side that is listed first stays. The others are dropped and counted among
     * the dropped values, which the root covers. */
    LS_PAR_FIRST_WINS,
} ls_par_clash;

/* The paper's par: sides that run in parallel and do not see each other's changes, even to the same
 * components. All sides start with the same state; at the end the merge combines their changes,
 * cell by cell. An order with one member, or with the par's name, holds for all members. Two sides
 * that change one cell (value or presence of one component of one entity) fail the tick, unless
 * `clash` says otherwise: LS_ERROR_REFUSED names both systems, and the world is unchanged. Sides
 * must be parallel systems of one stage, and spawn into different lanes. */
typedef struct ls_par {
    const char *name;
    const char *sides; /* names of systems, labels or sets, at most LS_PAR_SIDES_MAX */
    ls_par_clash clash;
} ls_par;

/* The paper's algebra of schedules: another notation for orders. It orders every system that it
 * names; a system may have further orders elsewhere. LS_CONC and LS_SEQ name a system and its mode.
 * LS_THEN runs each part after all of the previous part. LS_PAR makes its parts the sides of a par,
 * LS_PAR_FIRST those of one with LS_PAR_FIRST_WINS. At file scope, for `.schedule = &schedule`:
 *   static const ls_algebra schedule =
 *       LS_THEN(LS_CONC("move"), LS_PAR(LS_CONC("up"), LS_CONC("down"))); */
typedef enum ls_algebra_kind {
    LS_ALGEBRA_CONC = 0,
    LS_ALGEBRA_SEQ,
    LS_ALGEBRA_THEN,
    LS_ALGEBRA_PAR,
    LS_ALGEBRA_PAR_FIRST,
} ls_algebra_kind;

#define LS_ALGEBRA_DEPTH_MAX 64

typedef struct ls_algebra {
    ls_algebra_kind kind;
    uint32_t part_count;
    const char *system;             /* for LS_CONC and LS_SEQ */
    const struct ls_algebra *parts; /* for the other kinds */
} ls_algebra;

#define LS_CONC(name)                                                                              \
    {                                                                                              \
        LS_ALGEBRA_CONC, 0, name, NULL                                                             \
    }
#define LS_SEQ(name)                                                                               \
    {                                                                                              \
        LS_ALGEBRA_SEQ, 0, name, NULL                                                              \
    }
#ifdef __cplusplus
/* C++ has no array literals that last. The initialisation is dynamic: not for constexpr. */
#define LS_ALGEBRA_OF(what, ...)                                                                   \
    []() {                                                                                         \
        static const ls_algebra parts_[] = {__VA_ARGS__};                                          \
        return ls_algebra{what, (uint32_t)LS_COUNT_OF(parts_), NULL, parts_};                      \
    }()
#else
#define LS_ALGEBRA_OF(what, ...)                                                                   \
    {                                                                                              \
        .kind = what,                                                                              \
        .part_count = sizeof((const ls_algebra[]){__VA_ARGS__}) / sizeof(ls_algebra),              \
        .parts = (const ls_algebra[])                                                              \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#endif
#define LS_THEN(...)      LS_ALGEBRA_OF(LS_ALGEBRA_THEN, __VA_ARGS__)
#define LS_PAR(...)       LS_ALGEBRA_OF(LS_ALGEBRA_PAR, __VA_ARGS__)
#define LS_PAR_FIRST(...) LS_ALGEBRA_OF(LS_ALGEBRA_PAR_FIRST, __VA_ARGS__)

/* Declares that conflicts between these systems, labels or sets have no visible effect, and why.
 * Such systems never run at the same time, and their order is unspecified. A par with conflicting
 * sides cannot be declared independent: it needs an order. */
typedef struct ls_independence {
    const char *one, *other;
    const char *reason; /* not empty */
    /* Not 0: the number of pairs without an order that it was declared for. `lockstep schedule
     * check` hints when there is another number, because a system joined a label or left it. */
    uint32_t pairs;
} ls_independence;
#endif
