/* Queries, and the mutation that a schedule produces: conc, seq with its roll, z || z', z ; z'. */
#include "tests/model/invocation.h"

#include <string.h>

/* Matches in canonical order: `width` entities per match. */
struct matches {
    ls_entity *entities;
    uint32_t width, count;
    bool is_reordered; /* parents first is not their canonical order */
};

ls_entity *model_matches_of(const model_state *state, const model_system *system,
                            const model_query *query, uint32_t *count)
{
    ls_entity *found = ls_alloc(sizeof *found * (model_live_count(state) + 1));
    *count = 0;
    for (uint32_t lane = 0; lane < state->schema->lane_count; lane++) {
        for (uint32_t slot = 0; slot < state->lanes[lane].count; slot++) {
            ls_entity entity = ls_entity_make(lane, slot, state->lanes[lane].generations[slot]);
            if (model_matches(state, query, entity) &&
                model_has_changed(state, query, system->first_baseline, entity))
                found[(*count)++] = entity;
        }
    }
    return found;
}

/* True if the system's joins hold for the match in the state that the invocation sees. */
static bool joins_hold(const model_invocation *invocation, const ls_entity *entities)
{
    for (uint32_t i = 0; i < invocation->system->join_count; i++) {
        const model_join *join = &invocation->system->joins[i];
        uint64_t key = entities[0];
        const uint8_t *from =
            join->from_field ? model_read(invocation, join->from, entities[0]) : NULL;
        /* A concurrent system matches other entities by their state when it began. */
        const uint8_t *found =
            invocation->system->is_concurrent
                ? model_read_start(invocation, join->component, entities[join->query])
                : model_read(invocation, join->component, entities[join->query]);
        if (!found || (join->from_field && !from))
            return false;
        if (from)
            key = model_number(from, join->from_field);
        if (model_number(found, join->field) != key ||
            (join->field->type == LS_TYPE_ENTITY && key == LS_ENTITY_NULL))
            return false;
    }
    return true;
}

static void drop_unjoined(const model_state *state, const model_system *system,
                          struct matches *matches)
{
    model_mutation nothing = {0};
    const model_invocation before = {
        .system = system, .begun = state, .seen = (model_state *)(uintptr_t)state, .out = &nothing};
    uint32_t count = 0;
    for (uint32_t i = 0; system->join_count && i < matches->count; i++) {
        const ls_entity *entities = matches->entities + i * matches->width;
        if (joins_hold(&before, entities))
            memmove(matches->entities + count++ * matches->width, entities,
                    sizeof *entities * matches->width);
    }
    matches->count = system->join_count ? count : matches->count;
}

/* How many steps lead from the entity to its root; UINT32_MAX if they never end. */
static uint32_t depth_of(const model_state *state, uint32_t component, ls_entity entity)
{
    const ls_field *field = &state->schema->components[component]->fields[0];
    const uint8_t *value;
    uint32_t depth = 0;
    while ((value = model_find(state, component, entity)) &&
           (entity = model_number(value, field)) != LS_ENTITY_NULL) {
        if (depth++ == state->maps[component].count)
            return UINT32_MAX;
    }
    return depth;
}

/* Parents first: a stable sort by depth. True if an entity has moved. */
static bool sort_by_depth(const model_state *state, uint32_t component, ls_entity *entities,
                          uint32_t count)
{
    uint32_t *depths = ls_alloc(sizeof *depths * (count + 1));
    bool has_moved = false;
    for (uint32_t i = 0; i < count; i++) {
        ls_entity entity = entities[i];
        uint32_t depth = depth_of(state, component, entity), at = i;
        for (; at > 0 && depths[at - 1] > depth; at--) {
            depths[at] = depths[at - 1];
            entities[at] = entities[at - 1];
        }
        has_moved |= at < i;
        depths[at] = depth;
        entities[at] = entity;
    }
    ls_free(depths);
    return has_moved;
}

/* [[q vector]]_c: the product of the queries, in which the last one varies fastest. An empty vector
 * has one match. */
static bool matches_of(const model_state *state, const model_system *system, uint64_t budget,
                       struct matches *matches)
{
    ls_entity *lists[LS_QUERIES_MAX];
    uint32_t counts[LS_QUERIES_MAX];
    uint64_t count = 1;
    for (uint32_t i = 0; i < system->query_count; i++) {
        lists[i] = model_matches_of(state, system, &system->queries[i], &counts[i]);
        count = count * counts[i] > budget ? budget + 1 : count * counts[i];
        for (uint32_t j = 0; count > budget && counts[i] && j < i; j++)
            count = counts[j] ? count : 0;
    }
    *matches = (struct matches){.width = system->query_count};
    if (system->parents_first)
        matches->is_reordered =
            sort_by_depth(state, system->parents_first - 1, lists[0], counts[0]);
    if (count <= budget) {
        matches->count = (uint32_t)count;
        matches->entities = ls_alloc(sizeof(ls_entity) * (count * matches->width + 1));
    }
    for (uint32_t i = 0; i < matches->count; i++) {
        uint32_t rest = i;
        for (uint32_t j = matches->width; j-- > 0; rest /= counts[j])
            matches->entities[i * matches->width + j] = lists[j][rest % counts[j]];
    }
    for (uint32_t i = 0; i < system->query_count; i++)
        ls_free(lists[i]);
    drop_unjoined(state, system, matches);
    return count <= budget;
}

/* Moves accumulated values to the end: they arrive when the system ends, after all its immediate
 * steps. */
static void put_accumulated_last(model_mutation *mutation, uint32_t from)
{
    model_mutation late = {0};
    uint32_t count = from;
    for (uint32_t i = from; i < mutation->count; i++) {
        if (mutation->steps[i].kind == MODEL_ACCUMULATE)
            model_append(&late, &mutation->steps[i]);
        else
            mutation->steps[count++] = mutation->steps[i];
    }
    mutation->count = count;
    for (uint32_t i = 0; i < late.count; i++)
        model_append(mutation, &late.steps[i]);
    ls_free(late.steps);
}

/* Assigns ids to the entities that a concurrent system spawned. It does so when the system ends, in
 * the order of matches. */
static void number_newborns(const model_state *state, model_mutation *mutation, uint32_t from)
{
    uint32_t born[MODEL_LANES_MAX] = {0};
    size_t bytes = sizeof(ls_entity) * (mutation->count - from + 1);
    model_births births = {.pending = ls_alloc(bytes), .entities = ls_alloc(bytes)};
    for (uint32_t i = from; i < mutation->count; i++) {
        const model_step *step = &mutation->steps[i];
        if (step->kind != MODEL_NEW)
            continue;
        births.pending[births.count] = step->entity;
        births.entities[births.count++] = model_fresh(state, step->lane, born[step->lane]++);
    }
    for (uint32_t i = from; births.count && i < mutation->count; i++) {
        model_step *step = &mutation->steps[i];
        model_settle(&births, &step->entity);
        bool has_value = step->kind == MODEL_ATTACH || step->kind == MODEL_SEND ||
                         step->kind == MODEL_COMMAND_ATTACH || step->kind == MODEL_ACCUMULATE;
        const ls_component *component = state->schema->components[step->component];
        for (uint32_t at = 0; has_value && at < component->bytes; at += sizeof(ls_entity)) {
            if (model_is_reference(component, at))
                model_settle(&births, step->value + at);
        }
    }
    ls_free(births.pending);
    ls_free(births.entities);
}

/* True if the own entity still matches query 0 after earlier invocations with the same own
 * entity. */
static bool own_still_matches(const model_invocation *invocation, ls_entity own)
{
    const model_query *query = &invocation->system->queries[0];
    for (uint32_t i = 0; i < query->count; i++) {
        bool has = model_read(invocation, query->terms[i].component, own) != NULL;
        if (query->terms[i].kind != LS_OPTIONAL && has != (query->terms[i].kind == LS_INCLUDE))
            return false;
    }
    return true;
}

/* Whether the invocation may write a component of the entity. */
static bool reaches(const model_invocation *invocation, uint32_t components, ls_entity entity)
{
    for (uint32_t i = 0; components >> i; i++) {
        if ((components >> i & 1) && model_read(invocation, i, entity))
            return true;
    }
    return false;
}

/* Whether the influence of match `index` meets that of another one: case 3 of theorem 4.7. */
static bool partners_meet(const model_invocation *invocation, const struct matches *matches,
                          const ls_entity *partners, uint32_t index)
{
    const model_partner *partner = &invocation->system->partner;
    ls_entity found = partners[index];
    bool meets = false;
    for (uint32_t i = 0; i < matches->count; i++) {
        meets |= i < index && partners[i] == found && reaches(invocation, partner->given, found);
        meets |= i != index && matches->entities[i] == found &&
                 reaches(invocation, partner->given & partner->own, found);
    }
    return meets;
}

/* The partner of each match; null for those that lose it to another one. */
static ls_entity *find_partners(const model_invocation *invocation, const struct matches *matches,
                                model_mutation *mutation)
{
    const model_partner *partner = &invocation->system->partner;
    ls_entity *partners = ls_alloc(sizeof *partners * (matches->count + 1));
    for (uint32_t i = 0; partner->is_set && i < matches->count; i++)
        memcpy(&partners[i],
               model_read(invocation, partner->component, matches->entities[i]) + partner->offset,
               sizeof *partners);
    for (uint32_t i = 0; partner->is_set && i < matches->count; i++) {
        if (reaches(invocation, partner->given, partners[i]))
            mutation->coverage |= MODEL_PARTNERED;
        if (!partners_meet(invocation, matches, partners, i))
            continue;
        partners[i] = LS_ENTITY_NULL;
        mutation->breaks |= !partner->first_wins;
        mutation->dropped_values++;
        mutation->coverage |= partner->first_wins ? MODEL_FIRST_WON : MODEL_CLASHED;
    }
    return partners;
}

/* s([[q_s]]_c): every invocation sees c. Invocations with the same own entity run in order, and see
 * the effects of the earlier ones. */
static void concurrent_production(const model_state *state, const model_system *system,
                                  const struct matches *matches, model_mutation *mutation,
                                  uint64_t *budget)
{
    uint32_t from = mutation->count;
    model_invocation invocation = {.system = system,
                                   .begun = state,
                                   .seen = (model_state *)(uintptr_t)state,
                                   .out = mutation,
                                   .budget = budget};
    invocation.from = mutation->count;
    ls_entity *partners = find_partners(&invocation, matches, mutation);
    for (uint32_t i = 0; i < matches->count; i++) {
        const ls_entity *entities = matches->entities + i * matches->width;
        invocation.partner = partners[i];
        uint32_t page = (uint32_t)entities[0] >> 24 << 16 | ls_entity_slot(entities[0]) / 256;
        if (i == 0 || page != invocation.page)
            invocation.spawned = invocation.commanded = 0;
        if (i == 0 || entities[0] != entities[-(ptrdiff_t)matches->width])
            invocation.from = mutation->count;
        invocation.page = page;
        if (own_still_matches(&invocation, entities[0]) && joins_hold(&invocation, entities))
            system->invoke(&invocation, entities);
    }
    ls_free(partners);
    number_newborns(state, mutation, from);
    put_accumulated_last(mutation, from);
}

/* True if the match still holds and the roll has despawned none of its entities. */
static bool still_matches(const model_invocation *invocation, const ls_entity *entities,
                          const model_mutation *marks)
{
    const model_system *system = invocation->system;
    for (uint32_t i = 0; i < system->query_count; i++) {
        if (!model_matches(invocation->seen, &system->queries[i], entities[i]))
            return false;
        for (uint32_t j = 0; j < marks->count; j++) {
            if (marks->steps[j].entity == entities[i])
                return false;
        }
    }
    return joins_hold(invocation, entities);
}

/* Makes an invocation's steps visible to later ones of the roll. A new entity is alive from its
 * spawn on. */
static void see_own_steps(model_invocation *invocation, model_mutation *marks)
{
    for (uint32_t i = invocation->from; i < invocation->out->count; i++) {
        model_step *step = &invocation->out->steps[i];
        if (step->kind == MODEL_ATTACH || step->kind == MODEL_DETACH)
            model_apply(invocation->seen, &(model_mutation){.steps = step, .count = 1});
        if (step->kind == MODEL_MARK)
            model_append(marks, step);
    }
}

/* s(roll_s(c, [[q_s]]_c)): looks up every match again in the state that earlier invocations left,
 * and skips it if its query no longer matches. */
static void sequential_production(const model_state *state, const model_system *system,
                                  const struct matches *matches, model_mutation *mutation,
                                  uint64_t *budget)
{
    uint32_t from = mutation->count;
    model_state seen;
    model_copy(state, &seen);
    model_mutation marks = {0};
    model_invocation invocation = {.system = system,
                                   .begun = state,
                                   .seen = &seen,
                                   .marks = &marks,
                                   .out = mutation,
                                   .budget = budget};
    for (uint32_t i = 0; i < matches->count; i++) {
        const ls_entity *entities = matches->entities + i * matches->width;
        invocation.from = mutation->count;
        if (!still_matches(&invocation, entities, &marks))
            continue;
        system->invoke(&invocation, entities);
        see_own_steps(&invocation, &marks);
    }
    ls_free(marks.steps);
    model_reset(&seen);
    put_accumulated_last(mutation, from);
}

/* Appends the last effect of a system: it keeps what its filters and its walks over changes compare
 * with. */
static void keep_baselines(const model_system *system, model_mutation *mutation)
{
    for (uint32_t i = 0; system->observed >> i; i++) {
        if (system->observed >> i & 1)
            model_append(mutation, &(model_step){.kind = MODEL_KEEP,
                                                 .component = i,
                                                 .baseline = system->first_baseline + i});
    }
    for (uint32_t i = 0; i < LS_QUERIES_MAX; i++) {
        for (uint32_t j = 0; j < system->queries[i].count; j++) {
            const model_term *term = &system->queries[i].terms[j];
            if (term->filter >= LS_FILTER_CHANGED)
                model_append(mutation,
                             &(model_step){.kind = MODEL_KEEP,
                                           .component = term->component,
                                           .baseline = system->first_baseline + term->component});
        }
    }
}

/* Whether the state of the game lets the system run. The first state is entered in tick 0. */
static bool runs_in_state(const model_state *state, const program_states *when)
{
    bool is_new = state->tick == 0 || state->game != state->game_before;
    switch (when->use) {
    case USE_IN_STATE:
        return state->game == when->state;
    case USE_ON_ENTER:
        return is_new && state->game == when->state;
    case USE_ON_EXIT:
        return is_new && state->tick > 0 && state->game_before == when->state;
    default:
        return true;
    }
}

static bool produce_system(const model_state *state, const model_schedule *schedule,
                           model_mutation *mutation, uint64_t *budget)
{
    const model_system *system = schedule->system;
    struct matches matches;
    uint32_t from = mutation->count;
    if (!runs_in_state(state, &system->states)) {
        mutation->coverage |= MODEL_PAUSED;
        return true;
    }
    if (!matches_of(state, system, *budget, &matches))
        return false;
    *budget -= matches.count;
    mutation->coverage |= matches.is_reordered ? MODEL_REORDERED : 0;
    if (schedule->form == MODEL_CONC)
        concurrent_production(state, system, &matches, mutation, budget);
    else
        sequential_production(state, system, &matches, mutation, budget);
    keep_baselines(system, mutation);
    for (uint32_t i = from; i < mutation->count; i++)
        mutation->steps[i].by = system;
    ls_free(matches.entities);
    return *budget > 0;
}

bool model_produce(const model_state *state, const model_schedule *schedule,
                   model_mutation *mutation, uint64_t *budget)
{
    if (schedule->form == MODEL_CONC || schedule->form == MODEL_SEQ)
        return produce_system(state, schedule, mutation, budget);
    uint32_t from = mutation->count;
    if (!model_produce(state, schedule->first, mutation, budget))
        return false;
    if (schedule->form == MODEL_PAR)
        return model_produce(state, schedule->second, mutation, budget);
    model_state between;
    model_copy(state, &between);
    if (mutation->count > from)
        model_apply(&between, &(model_mutation){.steps = mutation->steps + from,
                                                .count = mutation->count - from});
    mutation->breaks |= model_has_pair(&between);
    bool is_done = model_produce(&between, schedule->second, mutation, budget);
    model_reset(&between);
    return is_done;
}

bool model_advance(model_state *state, const model_schedule *schedule, uint64_t *budget)
{
    model_mutation mutation = {0};
    bool is_done = model_produce(state, schedule, &mutation, budget);
    if (is_done) {
        model_apply(state, &mutation);
        state->coverage |= mutation.coverage;
        state->dropped_values += mutation.dropped_values;
        state->is_broken = mutation.breaks || model_has_pair(state);
        model_sync(state);
        state->coverage |= state->game_next != state->game ? MODEL_CHANGED : 0;
        state->game_before = state->game;
        state->game = state->game_next;
        state->tick++;
    }
    ls_free(mutation.steps);
    return is_done;
}
