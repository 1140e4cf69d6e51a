/* Parents before children: `.parents_first` of a sequential system. It visits each match of query 0
 * after the parent of that match, in one run and to any depth, without recursion.
 *   order   by depth, then lane, then slot, all as when the system begins. An entity without the
 *           component, or with a null reference, has the depth 0; every other one has the depth of
 *           its parent plus 1, whether or not the parent matches
 *   cost    two steps for each entity with the component; none if neither matches nor references
 *           can have changed since the last run
 *   source  docs/ecs-reference.md, "Parents first" */
#ifndef LS_HIERARCHY_H
#define LS_HIERARCHY_H

#include <lockstep/component.h>

/* The system reads this reference of all entities: {LS_KEY(joint, parent)}. */
typedef struct ls_hierarchy {
    const ls_component *component; /* NULL: the matches have canonical order */
    uint32_t offset;               /* offset of the reference in it; its field has LS_PARENT */
} ls_hierarchy;

#endif
