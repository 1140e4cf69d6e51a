#include "core/run/access_fault.h"

#include "core/schedule/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void add_term(ls_builder *text, const ls_context *context, uint32_t term)
{
    const ls_plan_system *plan = context->plan;
    if (term == LS_NO_TERM)
        return;
    ls_builder_add(text, ", term %" PRIu32, term);
    if (term >= plan->term_count)
        return;
    const ls_plan_term *found = &plan->terms[term];
    const ls_program *program = context->world->program;
    if (found->kind == LS_WORLD)
        return;
    ls_builder_add(text, " (\"%s\")",
                   found->kind == LS_EVENTS ? program->events[found->column]->name
                   : found->kind == LS_LANE ? program->lanes[found->column]
                                            : program->components[found->column]->name);
}

/* The living entity at `place`, a handle without its generation. */
static ls_entity alive_at(const ls_context *context, uint32_t place)
{
    const ls_page *lives = ls_table_page(context->world->state.lives[ls_entity_lane(place)],
                                         ls_entity_slot(place) / LS_PAGE_SLOTS);
    return ls_entity_make(ls_entity_lane(place), ls_entity_slot(place),
                          lives ? ls_page_generations(lives)[place % LS_PAGE_SLOTS] : 0);
}

static void add_entities(ls_builder *text, const ls_context *context, ls_entity entity)
{
    const ls_program *program = context->world->program;
    bool has_own = context->front.own_count != LS_OWNS_ALL && context->front.own_count > 0;
    if (entity == LS_ENTITY_NULL && !has_own)
        return;
    if (entity == LS_ENTITY_NULL)
        entity = alive_at(context, context->front.own_first);
    else
        has_own = false;
    if (has_own && context->front.own_count > 1)
        ls_builder_add(text, ", one of the %" PRIu32 " slots from", context->front.own_count);
    else
        ls_builder_add(text, ", entity");
    ls_builder_add(text, " ");
    ls_entity_print(text, program, entity);
}

_Noreturn void ls_access_fault(const ls_context *context, uint32_t term, ls_entity entity,
                               const char *why)
{
    ls_builder text = {0};
    ls_builder_add(&text, "lockstep: system \"%s\"", context->plan->system->name);
    add_term(&text, context, term);
    add_entities(&text, context, entity);
    ls_builder_add(&text, ", tick %" PRIu64 ": %s\n", context->world->state.tick, why);
    fputs(text.data, stderr);
    abort();
}
