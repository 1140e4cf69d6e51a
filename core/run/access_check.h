/* Checks before a running system gets a cell. */
#ifndef LS_ACCESS_CHECK_H
#define LS_ACCESS_CHECK_H
#include "core/run/access_fault.h"
#include "core/run/command_buffer.h"
#include "core/run/invocation.h"

static inline const ls_plan_term *ls_check_term(const ls_context *context, uint32_t term,
                                                ls_entity entity, ls_access access)
{
    if (LS_UNLIKELY(term >= context->plan->term_count))
        ls_access_fault(context, term, entity, "the system has no such term");
    const ls_plan_term *found = &context->plan->terms[term];
    if (LS_UNLIKELY(found->grant <= access))
        ls_access_fault(context, term, entity, "goes beyond the access that the term declares");
    return found;
}

static inline const ls_plan_term *ls_check_kind(const ls_context *context, uint32_t term,
                                                ls_entity entity, ls_match_kind kind,
                                                ls_access access)
{
    if (LS_UNLIKELY(term >= context->plan->term_count))
        ls_access_fault(context, term, entity, "the system has no such term");
    const ls_plan_term *found = &context->plan->terms[term];
    if (LS_UNLIKELY(found->kind != kind || found->access < access))
        ls_access_fault(context, term, entity, "the term does not declare this");
    return found;
}

/* Checks that a concurrent system uses a term of query 0 only for the entities of its own
 * invocation; another entity's handle ends the simulation. False for null, pending and free
 * handles, whatever slot they name: the caller then finds no cell. */
static inline bool ls_check_own(const ls_context *context, const ls_plan_term *found, uint32_t term,
                                ls_entity entity)
{
    uint32_t generation = ls_entity_generation(entity);
    if (context->front.own_count == LS_OWNS_ALL || found->kind > LS_OPTIONAL || found->query != 0)
        return true;
    if (!(generation & 1) || generation > LS_GENERATION_RETIRED)
        return false;
    if (LS_UNLIKELY((uint32_t)entity - context->front.own_first >= context->front.own_count))
        ls_access_fault(
            context, term, entity,
            "a concurrent system reached another entity than its own; declare OTHERS_READ(...)");
    return true;
}

/* Whether the entity is alive to this system. A system without an order with this one may be
 * spawning the entity at this very moment. The entity then counts as dead, because its handle can
 * be guessed and timing must not decide. */
static inline bool ls_is_alive_to(const ls_context *context, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity);
    return ls_store_is_alive(context->world, entity) &&
           (!(context->plan->unsettled_lanes[lane / 64] >> (lane % 64) & 1) ||
            !ls_store_is_spawned(context->world, entity));
}

/* Whether a system without an order with this one spawns entities with the term's component. Such
 * entities count as dead, so every handle is checked with ls_is_alive_to(). Entities that a query
 * matches are not checked: a query over the lanes that the other system spawns into conflicts with
 * that system, so the two have an order unless they are declared independent. */
static inline bool ls_is_beside_spawner(const ls_context *context, const ls_plan_term *found)
{
    return context->plan->has_unsettled && found->kind >= LS_OTHERS &&
           ls_bit_has(context->plan->unsettled_columns, found->column);
}

static inline bool ls_is_reachable(const ls_context *context, const ls_plan_term *found,
                                   ls_entity entity)
{
    return LS_LIKELY(!ls_is_beside_spawner(context, found)) || ls_is_alive_to(context, entity);
}

#endif
