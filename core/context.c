#include "core/death.h"
#include "core/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A wrong access is the simulation's bug and would make machines differ: stop, and say whose. */
static _Noreturn void stop(const ls_context *context, uint32_t term, const char *why)
{
    const ls_plan_system *plan = context->plan;
    const char *component = "?";
    if (term < plan->term_count)
        component = context->world->program->components[plan->terms[term].column]->name;
    fprintf(stderr, "lockstep: system \"%s\", term %" PRIu32 " (\"%s\"), tick %" PRIu64 ": %s\n",
            plan->system->name, term, component, context->world->state.tick, why);
    abort();
}

static inline const ls_plan_term *check_term(const ls_context *context, uint32_t term,
                                             ls_access access)
{
    if (LS_UNLIKELY(term >= context->plan->term_count))
        stop(context, term, "the system has no such term");
    const ls_plan_term *found = &context->plan->terms[term];
    if (LS_UNLIKELY(found->access < access))
        stop(context, term, "goes beyond the access that the term declares");
    return found;
}

/* Concurrent invocations reach others' cells only through LS_OTHERS terms, which are read-only. */
static inline void check_reach(const ls_context *context, uint32_t term, ls_entity entity)
{
    if (context->own_lane == UINT32_MAX || context->plan->terms[term].kind == LS_OTHERS ||
        entity == LS_ENTITY_NULL)
        return;
    if (LS_UNLIKELY(ls_entity_lane(entity) != context->own_lane ||
                    ls_entity_slot(entity) - context->own_first >= context->own_count))
        stop(context, term,
             "a concurrent system reached another entity than its own; declare LS_OTHERS_READ");
}

const void *ls_span_read(const ls_context *context, const ls_span *span, uint32_t term)
{
    check_term(context, term, LS_READ);
    return span->const_cells[term];
}

void *ls_span_write(const ls_context *context, const ls_span *span, uint32_t term)
{
    check_term(context, term, LS_WRITE);
    /* The engine made the page writable before it handed the span out. */
    return (void *)(uintptr_t)span->const_cells[term];
}

/* A sequential system that also writes the column could hold this pointer over a write. Whether
 * the write shows through it may not depend on somebody having taken a snapshot. */
static inline bool writes_anywhere(const ls_context *context, uint32_t column)
{
    return context->own_lane == UINT32_MAX && context->plan->access[column] > LS_READ + 1;
}

const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, LS_READ);
    check_reach(context, term, entity);
    const void *cell = ls_store_find(context->world, found->column, entity);
    if (!cell || !writes_anywhere(context, found->column))
        return cell;
    return ls_store_unshare(context->world, found->column, entity);
}

void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, LS_WRITE);
    check_reach(context, term, entity);
    return ls_store_write(context->world, found->column, entity);
}

bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, LS_PRESENCE);
    check_reach(context, term, entity);
    return ls_store_find(context->world, found->column, entity) != NULL;
}

/* What another system bears at this moment is not alive to a system that has no order with it: the
 * handle can be guessed, and timing must not decide. */
static bool is_alive_to(const ls_context *context, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity);
    return ls_store_is_alive(context->world, entity) &&
           (!(context->plan->unsettled_lanes[lane / 64] >> (lane % 64) & 1) ||
            !ls_store_is_newborn(context->world, entity));
}

bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    const ls_plan_term *found = check_term(context, term, LS_STRUCTURE);
    check_reach(context, term, entity);
    return is_alive_to(context, entity) &&
           ls_store_attach(context->world, found->column, entity, value);
}

bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity)
{
    const ls_plan_term *found = check_term(context, term, LS_STRUCTURE);
    check_reach(context, term, entity);
    return ls_store_detach(context->world, found->column, entity);
}

static const ls_plan_term *check_singleton(const ls_context *context, uint32_t term,
                                           ls_access access)
{
    const ls_plan_term *found = check_term(context, term, access);
    if (LS_UNLIKELY(!context->world->program->components[found->column]->is_singleton))
        stop(context, term, "is no singleton");
    return found;
}

const void *ls_singleton_read(const ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_singleton(context, term, LS_READ);
    ls_world *world = context->world;
    if (writes_anywhere(context, found->column))
        return ls_page_cells(ls_table_unshare(*ls_world_table(world, found->column, 0), 0,
                                              &world->sources[found->column]));
    return ls_page_cells(ls_world_page(world, found->column, 0, 0));
}

void *ls_singleton_write(ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_singleton(context, term, LS_WRITE);
    ls_table *table = *ls_world_table(context->world, found->column, 0);
    return ls_page_cells(ls_table_write(table, 0, &context->world->sources[found->column]));
}

ls_entity ls_spawn(ls_context *context, uint32_t lane)
{
    if (LS_UNLIKELY(lane >= context->plan->lane_count))
        stop(context, UINT32_MAX, "spawns into a lane that it does not list");
    return ls_store_spawn(context->world, context->plan->lanes[lane]);
}

void ls_despawn(ls_context *context, ls_entity entity)
{
    if (!is_alive_to(context, entity))
        return;
    ls_marks_add(context->marks, entity);
    if (context->plan->system->mode != LS_SEQUENTIAL)
        return;
    for (uint32_t i = 0; i < context->plan->query_count; i++)
        ls_page_list_drop(&context->run->queries[i], entity);
}

bool ls_is_alive(const ls_context *context, ls_entity entity)
{
    return is_alive_to(context, entity);
}

uint64_t ls_tick(const ls_context *context)
{
    return context->world->state.tick;
}

const ls_match *ls_match_of(const ls_context *context)
{
    return &context->world->match;
}

const ls_frame *ls_inputs(const ls_context *context)
{
    return context->frame;
}

uint64_t ls_random(const ls_context *context, ls_entity entity, uint32_t draw)
{
    return ls_random_draw(ls_random_child(context->random, entity), draw);
}
