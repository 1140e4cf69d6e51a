/* Incompatible components: a fact about all entities that the engine checks and builds on. Constant
 * data. */
#ifndef LS_INCOMPATIBILITY_H
#define LS_INCOMPATIBILITY_H

#include <lockstep/component.h>

#define LS_INCOMPATIBILITIES_MAX 256

/* No entity has both components when a system has ended. Two systems that conflict in a third
 * component of their own entities then need no order, if one requires the first component and the
 * other the second.
 *   errors  a tick after which an entity has both fails, and so does a setup: the message names the
 *           entity, both components and the system. A snapshot of such a state is refused */
typedef struct ls_incompatibility {
    const ls_component *one, *other;
} ls_incompatibility;

/* An item of .incompatibilities, from two components of include/lockstep/define.h. */
#define LS_NEVER_BOTH(one, other)                                                                  \
    {                                                                                              \
        &one##_component, &other##_component                                                       \
    }

#endif
