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

/* A stage runs its exclusive systems of LS_AT_START, then all parallel ones, then the exclusive
 * ones of LS_BEFORE_COMMANDS, has its sync point, and ends with those of LS_AT_END. Nothing of the
 * next stage begins before. */
typedef struct ls_stage {
    const char *name;
    /* At most one: its place is right before or right behind that stage. Else it comes behind the
     * stage listed before it. */
    const char *before, *after;
    /* Conflicting systems without another order run as the simulation lists them. */
    bool insertion_order;
} ls_stage;

/* A label with properties: all that is said of the set holds for each system that carries its name
 * among its labels, and for each set that does. */
typedef struct ls_set {
    const char *name;
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
