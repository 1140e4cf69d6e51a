#include "core/run/depth_order.h"

#include "core/run/query.h"
#include "core/state/store.h"

#include <string.h>

_Static_assert((uint64_t)LS_LANES_MAX *LS_SLOTS_MAX - 1 <= UINT32_MAX,
               "a place has room for every page and slot");
/* Two values that are no depth: not computed yet, and in or below a cycle. No hierarchy is that
 * deep. */
static const uint32_t unknown = UINT32_MAX, endless = UINT32_MAX - 1;

ls_depth_order *ls_depth_order_create(const ls_program *program)
{
    return ls_alloc(sizeof(ls_depth_order) + sizeof(ls_depth_lane) * program->lane_count);
}

void ls_depth_order_destroy(ls_depth_order *order, const ls_program *program)
{
    for (uint32_t lane = 0; order && lane < program->lane_count; lane++)
        ls_free(order->lanes[lane].depths);
    if (order) {
        ls_free(order->places);
        ls_free(order->matches);
        ls_free(order->starts);
    }
    ls_free(order);
}

/* Forgets the depths of all entities that have the component now. */
static void forget_depths(const ls_world *world, uint32_t column, ls_depth_order *order)
{
    for (uint32_t at = 0; at < world->program->lane_count; at++) {
        const ls_table *table = *ls_world_table(world, column, at);
        ls_depth_lane *lane = &order->lanes[at];
        uint32_t slots = ls_table_page_count(table) * LS_PAGE_SLOTS;
        if (slots > lane->capacity) {
            lane->capacity = slots;
            lane->depths = ls_realloc(lane->depths, sizeof *lane->depths * slots);
        }
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1))
            memset(lane->depths + (size_t)page * LS_PAGE_SLOTS, 0xff,
                   sizeof *lane->depths * LS_PAGE_SLOTS);
    }
}

typedef struct forest {
    const ls_world *world;
    const ls_plan_system *plan;
    ls_depth_order *order;
} forest;

/* The place for the depth of an entity with the component, and its parent; NULL for others. */
static uint32_t *find_depth(const forest *self, ls_entity entity, ls_entity *parent)
{
    const uint8_t *cell = ls_store_find(self->world, self->plan->parent_column, entity);
    if (!cell)
        return NULL;
    memcpy(parent, cell + self->plan->parent_offset, sizeof *parent);
    return &self->order->lanes[ls_entity_lane(entity)].depths[ls_entity_slot(entity)];
}

/* Climbs to an entity without a parent, or to one of known depth, then gives each entity on the way
 * its depth. Until then the entities on the way are marked `endless`, so a way that returns to
 * itself keeps the mark. */
static uint32_t depth_of(const forest *self, ls_entity entity)
{
    uint32_t steps = 0, *depth;
    ls_entity at = entity, parent = LS_ENTITY_NULL;
    for (; (depth = find_depth(self, at, &parent)) && *depth == unknown; at = parent) {
        *depth = endless;
        steps++;
    }
    if (steps == 0)
        return depth ? *depth : 0;
    if (depth && *depth == endless)
        return endless;
    uint32_t top = depth ? *depth + 1 : at != LS_ENTITY_NULL;
    at = entity;
    for (uint32_t left = steps; left-- > 0; at = parent) {
        depth = find_depth(self, at, &parent);
        *depth = top + left;
    }
    return top + steps - 1;
}

static void add_match(ls_depth_order *order, uint32_t place, uint32_t depth)
{
    if (order->count == order->capacity) {
        order->capacity = order->capacity ? order->capacity * 2 : LS_PAGE_SLOTS;
        order->matches = ls_realloc(order->matches, sizeof *order->matches * order->capacity);
        order->places = ls_realloc(order->places, sizeof *order->places * order->capacity);
    }
    order->matches[order->count++] = (ls_depth_match){place, depth};
}

/* Collects the matches in canonical order, and returns the number of depths, endless ones left
 * out. */
static uint32_t collect(const forest *self, const ls_page_list *list)
{
    uint32_t depths = 0;
    self->order->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t lane = list->keys[i] >> 16, first = (list->keys[i] & 0xffff) * LS_PAGE_SLOTS;
        for (uint32_t slot = ls_mask_next_set(list->masks[i], 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(list->masks[i], slot + 1)) {
            uint32_t depth = depth_of(self, ls_store_entity_at(self->world, lane, first + slot));
            add_match(self->order, i * LS_PAGE_SLOTS + slot, depth);
            if (depth != endless && depth >= depths)
                depths = depth + 1;
        }
    }
    return depths;
}

/* A counting sort, which keeps the order within a depth. */
static void sort_by_depth(ls_depth_order *order, uint32_t depths)
{
    if (depths + 2 > order->start_capacity) {
        order->start_capacity = (depths + 2) * 2;
        order->starts = ls_realloc(order->starts, sizeof *order->starts * order->start_capacity);
    }
    memset(order->starts, 0, sizeof *order->starts * (depths + 2));
    for (uint32_t i = 0; i < order->count; i++) {
        ls_depth_match *match = &order->matches[i];
        match->depth = match->depth == endless ? depths : match->depth;
        order->starts[match->depth + 1]++;
    }
    for (uint32_t depth = 1; depth <= depths; depth++)
        order->starts[depth] += order->starts[depth - 1];
    for (uint32_t i = 0; i < order->count; i++)
        order->places[order->starts[order->matches[i].depth]++] = order->matches[i].place;
}

void ls_depth_order_find(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    ls_depth_order *order = run->depth_order;
    const forest self = {world, plan, order};
    const ls_page_list *list = &run->queries[0];
    uint64_t version = world->versions[plan->parent_column];
    if (list->seen && list->seen == order->seen && version == order->version)
        return;
    order->seen = list->seen;
    order->version = version;
    forget_depths(world, plan->parent_column, order);
    sort_by_depth(order, collect(&self, list));
}
