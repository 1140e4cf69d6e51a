/* The order of depths: the matches of a sequential system that has `.parents_first`, each after its
 * parent. An entity without the component, or with a null reference, has the depth 0; every other
 * one has the depth of its parent plus 1. Entities of one depth are in canonical order. Within a
 * stage there may be cycles, which the sync point refuses: entities in or below a cycle come last.
 *   source  docs/ecs-reference.md, "Parents first" */
#ifndef LS_DEPTH_ORDER_H
#define LS_DEPTH_ORDER_H
#include "core/run/scratch.h"

typedef struct ls_depth_match {
    uint32_t place; /* index in the list of pages * LS_PAGE_SLOTS + slot of the page */
    uint32_t depth;
} ls_depth_match;

typedef struct ls_depth_lane {
    uint32_t *depths; /* by slot, of entities with the component */
    uint32_t capacity;
} ls_depth_lane;

typedef struct ls_depth_order {
    uint32_t *places; /* of the matches, by depth */
    uint32_t count, capacity;
    ls_depth_match *matches; /* in canonical order */
    uint32_t *starts; /* scratch of the sort, by depth: where in `places` the next match goes */
    uint32_t start_capacity;
    /* `seen` of the list, and the version of the column, when the order was made. */
    uint64_t seen, version;
    ls_depth_lane lanes[];
} ls_depth_order;

ls_depth_order *ls_depth_order_create(const ls_program *program);
void ls_depth_order_destroy(ls_depth_order *order, const ls_program *program);
/* Orders the matches of query 0, which are listed. No recursion: a chain may be of any length.
 *   cost  two steps for each entity with the component at most, and none if neither matches nor
 *         references can have changed */
void ls_depth_order_find(const ls_world *world, const ls_plan_system *plan, ls_run *run);

#endif
