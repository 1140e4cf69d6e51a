#include "tests/model/invocation.h"

#include <string.h>

/* The number of walked entities that cost as much as one invocation. */
enum { WALKED_AT_ONCE = 16 };

static void add(model_invocation *invocation, model_kind kind, uint32_t component, ls_entity entity,
                const uint8_t *value)
{
    model_step step = {.kind = kind, .component = component, .entity = entity};
    if (value)
        memcpy(step.value, value, MODEL_CELL_BYTES);
    model_append(invocation->out, &step);
}

const uint8_t *model_read(const model_invocation *invocation, uint32_t component, ls_entity entity)
{
    if (model_is_pending(
            entity)) /* a pending handle can receive components and be stored, but reads as dead */
        return NULL;
    for (uint32_t i = invocation->out->count; i-- > invocation->from;) {
        const model_step *step = &invocation->out->steps[i];
        if (step->component != component || step->entity != entity)
            continue;
        if (step->kind == MODEL_ATTACH)
            return step->value;
        if (step->kind == MODEL_DETACH)
            return NULL;
    }
    return model_find(invocation->seen, component, entity);
}

const uint8_t *model_read_start(const model_invocation *invocation, uint32_t component,
                                ls_entity entity)
{
    return model_find(invocation->begun, component, entity);
}

static bool is_marked(const model_mutation *mutation, uint32_t from, ls_entity entity)
{
    for (uint32_t i = from; i < mutation->count; i++) {
        if (mutation->steps[i].kind == MODEL_MARK && mutation->steps[i].entity == entity)
            return true;
    }
    return false;
}

static bool has_choice(const model_invocation *invocation, const model_query *query, uint32_t first,
                       ls_entity entity)
{
    bool has = model_read(invocation, query->terms[first].component, entity) != NULL;
    for (uint32_t i = first + 1; i < query->count && query->terms[i].filter == LS_FILTER_OR; i++)
        has |= model_read(invocation, query->terms[i].component, entity) != NULL;
    return has;
}

bool model_still_matches(const model_invocation *invocation, const model_query *query,
                         ls_entity entity)
{
    if (invocation->marks && (is_marked(invocation->marks, 0, entity) ||
                              is_marked(invocation->out, invocation->from, entity)))
        return false;
    for (uint32_t i = 0; i < query->count; i++) {
        const model_term *term = &query->terms[i];
        bool has = model_read(invocation, term->component, entity) != NULL;
        if ((term->kind == LS_INCLUDE && !has) || (term->kind == LS_EXCLUDE && has) ||
            (term->filter == LS_FILTER_ANY && !has_choice(invocation, query, i, entity)))
            return false;
    }
    return true;
}

bool model_looks_again(const model_invocation *invocation, uint32_t component,
                       ls_cell_change *change)
{
    if (change->kind == LS_CELL_DESPAWNED)
        return true;
    change->now = model_read(invocation, component, change->entity);
    if (change->kind == LS_CELL_ATTACHED)
        return change->now != NULL;
    change->kind = change->now ? LS_CELL_CHANGED : LS_CELL_DETACHED;
    return !change->now || memcmp(change->before, change->now,
                                  invocation->begun->schema->components[component]->bytes) != 0;
}

bool model_afford_walk(const model_invocation *invocation, uint32_t count)
{
    uint64_t cost = 1 + count / WALKED_AT_ONCE, *budget = invocation->budget;
    *budget = *budget > cost ? *budget - cost : 0;
    return *budget > 0;
}

bool model_sees_alive(const model_invocation *invocation, ls_entity entity)
{
    return model_is_alive(invocation->seen, entity);
}

bool model_attach(model_invocation *invocation, uint32_t component, ls_entity entity,
                  const uint8_t *value)
{
    if (!model_is_pending(entity) && !model_sees_alive(invocation, entity))
        return false;
    add(invocation, MODEL_ATTACH, component, entity, value);
    return true;
}

bool model_detach(model_invocation *invocation, uint32_t component, ls_entity entity)
{
    if (!model_read(invocation, component, entity))
        return false;
    add(invocation, MODEL_DETACH, component, entity, NULL);
    return true;
}

ls_entity model_new(model_invocation *invocation, uint32_t lane)
{
    model_step step = {.kind = MODEL_NEW, .lane = lane};
    if (invocation->system->is_concurrent) {
        step.entity =
            (ls_entity)1 << 63 | (ls_entity)invocation->page << 38 | invocation->spawned++;
    } else {
        step.entity = model_fresh(invocation->seen, lane, 0);
        model_apply(invocation->seen, &(model_mutation){.steps = &step, .count = 1});
    }
    model_append(invocation->out, &step);
    return step.entity;
}

void model_mark(model_invocation *invocation, ls_entity entity)
{
    if (model_sees_alive(invocation, entity))
        add(invocation, MODEL_MARK, 0, entity, NULL);
}

bool model_accumulate(model_invocation *invocation, uint32_t component, ls_access access,
                      ls_entity entity, const uint8_t *value)
{
    if (!model_read(invocation, component, entity))
        return false;
    add(invocation, MODEL_ACCUMULATE, component, entity, value);
    invocation->out->steps[invocation->out->count - 1].access = access;
    return true;
}

void model_send(model_invocation *invocation, uint32_t event, const uint8_t *value)
{
    add(invocation, MODEL_SEND, event, LS_ENTITY_NULL, value);
}

void model_enter(model_invocation *invocation, uint8_t state)
{
    model_step step = {.kind = MODEL_ENTER, .lane = state};
    model_append(invocation->out, &step);
}

void model_command(model_invocation *invocation, model_kind kind, uint32_t component,
                   ls_entity entity, const uint8_t *value)
{
    add(invocation, kind, component, entity, value);
}

ls_entity model_command_new(model_invocation *invocation, uint32_t lane)
{
    static uint32_t ordinal; /* names a variable of the mutation; no result depends on the number */
    model_step step = {.kind = MODEL_COMMAND_NEW, .lane = lane};
    step.entity = (ls_entity)3 << 62 | ++ordinal;
    model_append(invocation->out, &step);
    return step.entity;
}

bool model_is_reference(const ls_component *component, uint32_t at)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        if (field->type == LS_TYPE_ENTITY && at >= field->offset &&
            at < field->offset + field->bytes)
            return true;
    }
    return false;
}

void model_settle(model_births *births, void *reference)
{
    ls_entity entity;
    memcpy(&entity, reference, sizeof entity);
    for (uint32_t i = 0; model_is_pending(entity) && i < births->count; i++) {
        uint32_t at = (births->near + i) % births->count;
        if (births->pending[at] != entity)
            continue;
        births->near = at;
        memcpy(reference, &births->entities[at], sizeof entity);
        return;
    }
}
