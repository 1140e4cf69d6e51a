#include "core/run/match_loop.h"

#include "core/run/depth_order.h"
#include "core/run/key_join_internal.h"
#include "core/run/query.h"
#include "core/state/store.h"

/* Gets the current key of query 0's entity for the join that drives a query. False when the entity
 * lacks the component with the key. */
static bool find_key(const ls_world *world, const ls_plan_system *plan, uint32_t join,
                     ls_entity entity, uint64_t *key)
{
    const ls_plan_join *from = &plan->join_from[join];
    *key = entity;
    if (from->column == UINT32_MAX)
        return true;
    const void *cell = ls_store_find(world, from->column, entity);
    if (cell)
        *key = ls_join_key(from, cell);
    return cell;
}

/* Stores the current keys of query 0's matches, for a sequential system that writes the keys
 * itself. */
void ls_match_loop_keep_keys(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    const ls_page_list *list = &run->queries[0];
    uint32_t keys_of_page = LS_PAGE_SLOTS * plan->join_count;
    if (list->count > run->key_capacity) {
        run->key_capacity = list->count * 2;
        run->keys =
            ls_realloc(run->keys, sizeof *run->keys * keys_of_page * (size_t)run->key_capacity);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t lane = list->keys[i] >> 16, first = (list->keys[i] & 0xffff) * LS_PAGE_SLOTS;
        const uint32_t *generations =
            ls_page_generations(ls_table_page(world->state.lives[lane], first / LS_PAGE_SLOTS));
        for (uint32_t slot = ls_mask_next_set(list->masks[i], 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(list->masks[i], slot + 1)) {
            ls_entity entity = ls_entity_make(lane, first + slot, generations[slot]);
            uint64_t *keys = run->keys + (size_t)i * keys_of_page + (size_t)slot * plan->join_count;
            for (uint32_t join = 0; join < plan->join_count; join++) {
                if (plan->system->joins[join].query)
                    find_key(world, plan, join, entity, &keys[join]);
            }
        }
    }
}

static bool keys_agree(const ls_context *context, uint32_t query, const ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    uint32_t join = plan->query_joins[query] - 1;
    const ls_plan_join *found = &context->world->program->joins[plan->joins[join]];
    uint64_t key;
    if (!find_key(context->world, plan, join, entities[0], &key))
        return false;
    /* Other invocations of this concurrent system may change the column that it joins by. So the
     * key from the system's start is used, as in the index. */
    if (plan->system->mode == LS_CONCURRENT)
        return key == context->keys[join];
    const void *cell = ls_store_find(context->world, found->column, entities[query]);
    bool is_null = found->type == LS_TYPE_ENTITY && key == LS_ENTITY_NULL;
    return cell && !is_null && ls_join_key(found, cell) == key;
}

bool ls_match_loop_holds(const ls_context *context, uint32_t query, ls_entity entity)
{
    const ls_plan_system *plan = context->plan;
    return ls_query_matches(context->world, plan->terms, plan->term_count, query,
                            ls_entity_lane(entity), ls_entity_slot(entity)) &&
           (!(plan->alternatives >> query & 1) ||
            ls_query_has_choice(context->world, plan->terms, plan->term_count, query,
                                ls_entity_lane(entity), ls_entity_slot(entity)));
}

/* Whether the entity still matches. Liveness needs no check: entities do not die within a stage,
 * and entities that a sequential system despawned are removed from its masks. */
static bool still_matches(const ls_context *context, uint32_t query, const ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    ls_entity entity = entities[query];
    bool is_own = query == 0 && plan->system->mode == LS_CONCURRENT;
    return ls_match_loop_holds(context, query, entity) &&
           (is_own || ls_page_list_has(&context->run->queries[query], entity)) &&
           (plan->query_joins[query] == 0 || keys_agree(context, query, entities));
}

static void roll(ls_context *context, uint32_t query, ls_entity *entities);

/* Tries one candidate for a query of the vector. Each entity of a match is checked again before the
 * invocation if earlier invocations may have changed it. */
static inline void roll_over(ls_context *context, uint32_t query, ls_entity *entities,
                             ls_entity entity)
{
    LS_ASSERT(query < LS_QUERIES_MAX);
    entities[query] = entity;
    if (!context->has_ended_matches || still_matches(context, query, entities))
        roll(context, query + 1, entities);
}

/* Tries the candidates that had the key of query 0's entity when the system began, and matched
 * then. */
static void roll_join(ls_context *context, uint32_t query, ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    uint32_t join = plan->query_joins[query] - 1;
    ls_join_walk walk;
    ls_join_index_begin(&context->world->indexes->joins[plan->joins[join]], context->keys[join],
                        &walk);
    for (ls_entity entity; ls_join_next(&walk, &entity);) {
        if (ls_page_list_has(&context->run->queries[query], entity))
            roll_over(context, query, entities, entity);
    }
}

/* Sets the keys that `entity`, a match of query 0, had when the system began. They differ from the
 * current keys only if a sequential system writes keys. */
static void take_keys(ls_context *context, ls_entity entity, uint32_t page_index)
{
    const ls_plan_system *plan = context->plan;
    const ls_run *run = context->run;
    for (uint32_t i = 0; i < plan->join_count; i++) {
        if (plan->keeps_keys)
            context->keys[i] = run->keys[((size_t)page_index * LS_PAGE_SLOTS +
                                          ls_entity_slot(entity) % LS_PAGE_SLOTS) *
                                             plan->join_count +
                                         i];
        else if (plan->system->joins[i].query)
            find_key(context->world, plan, i, entity, &context->keys[i]);
    }
}

/* Tries the entity in a slot of a listed page. */
static void roll_slot(ls_context *context, uint32_t query, ls_entity *entities, uint32_t index,
                      uint32_t slot)
{
    uint32_t key = context->run->queries[query].keys[index];
    ls_entity entity =
        ls_store_entity_at(context->world, key >> 16, (key & 0xffff) * LS_PAGE_SLOTS + slot);
    if (query == 0 && context->plan->join_count)
        take_keys(context, entity, index);
    roll_over(context, query, entities, entity);
}

static void roll_pages(ls_context *context, uint32_t query, ls_entity *entities)
{
    const ls_page_list *list = &context->run->queries[query];
    for (uint32_t i = 0; i < list->count; i++) {
        /* Reads the mask anew each time, because a despawn by this system clears later bits. */
        for (uint32_t slot = ls_mask_next_set(list->masks[i], 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(list->masks[i], slot + 1))
            roll_slot(context, query, entities, i, slot);
    }
}

static void roll_by_depth(ls_context *context, ls_entity *entities)
{
    const ls_depth_order *order = context->run->depth_order;
    for (uint32_t i = 0; i < order->count; i++)
        roll_slot(context, 0, entities, order->places[i] / LS_PAGE_SLOTS,
                  order->places[i] % LS_PAGE_SLOTS);
}

/* The paper's roll: visits the product of the matches frozen at the start. */
static void roll(ls_context *context, uint32_t query, ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    if (query < plan->query_count && plan->query_joins[query]) {
        roll_join(context, query, entities);
        return;
    }
    if (query < plan->query_count) {
        roll_pages(context, query, entities);
        return;
    }
    /* The entity of the last query has just been checked. */
    for (uint32_t i = 0; context->has_ended_matches && i + 1 < plan->query_count; i++) {
        if (!still_matches(context, i, entities))
            return;
    }
    plan->system->match(context, entities);
}

void ls_match_loop(ls_context *context)
{
    ls_entity entities[LS_QUERIES_MAX] = {0};
    context->has_ended_matches = context->plan->ends_matches;
    if (context->plan->is_parents_first)
        roll_by_depth(context, entities);
    else
        roll(context, 0, entities);
}

void ls_match_loop_others(ls_context *context, ls_entity *entities)
{
    context->has_ended_matches = context->plan->ends_matches;
    take_keys(context, entities[0], 0);
    roll(context, 1, entities);
}
