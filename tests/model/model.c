/* Model states: component maps, liveness, and the application of a mutation. */
#include "tests/model/model.h"

#include <string.h>

static void *grow(void *memory, uint32_t count, uint32_t *capacity, size_t bytes)
{
    if (count < *capacity)
        return memory;
    *capacity = *capacity ? *capacity * 2 : 16;
    return ls_realloc(memory, bytes * *capacity);
}

static void *copy_of(const void *memory, uint32_t count, uint32_t *capacity, size_t bytes)
{
    *capacity = count;
    if (count == 0)
        return NULL;
    void *copy = ls_alloc(bytes * count);
    memcpy(copy, memory, bytes * count);
    return copy;
}

void model_init(model_state *state, const model_schema *schema, uint64_t seed)
{
    *state = (model_state){.schema = schema, .seed = seed};
    state->maps = ls_alloc(sizeof *state->maps * (schema->component_count + 1));
    state->baselines = ls_alloc(sizeof *state->baselines * (schema->baseline_count + 1));
    for (uint32_t i = 0; i < schema->component_count; i++) {
        if (!schema->components[i]->is_singleton)
            continue;
        model_map *map = &state->maps[i];
        map->cells = grow(NULL, 0, &map->capacity, sizeof *map->cells);
        map->cells[map->count++] = (model_cell){.entity = MODEL_SINGLETON};
    }
}

void model_reset(model_state *state)
{
    for (uint32_t i = 0; i < state->schema->component_count; i++)
        ls_free(state->maps[i].cells);
    ls_free(state->maps);
    for (uint32_t i = 0; i < state->schema->baseline_count; i++)
        ls_free(state->baselines[i].cells);
    ls_free(state->baselines);
    for (uint32_t i = 0; i < MODEL_LANES_MAX; i++)
        ls_free(state->lanes[i].generations);
    ls_free(state->events.steps);
    ls_free(state->commands.steps);
    ls_free(state->marks.steps);
    *state = (model_state){0};
}

static void copy_mutation(const model_mutation *from, model_mutation *to)
{
    to->steps = copy_of(from->steps, from->count, &to->capacity, sizeof *to->steps);
}

static void copy_map(const model_map *from, model_map *to)
{
    *to = *from;
    to->cells = copy_of(from->cells, from->count, &to->capacity, sizeof *from->cells);
}

void model_copy(const model_state *from, model_state *to)
{
    *to = *from;
    uint32_t count = from->schema->component_count;
    to->maps = ls_alloc(sizeof *to->maps * (count + 1));
    for (uint32_t i = 0; i < count; i++)
        copy_map(&from->maps[i], &to->maps[i]);
    to->baselines = ls_alloc(sizeof *to->baselines * (from->schema->baseline_count + 1));
    for (uint32_t i = 0; i < from->schema->baseline_count; i++)
        copy_map(&from->baselines[i], &to->baselines[i]);
    for (uint32_t i = 0; i < MODEL_LANES_MAX; i++) {
        const model_lane *lane = &from->lanes[i];
        to->lanes[i].generations = copy_of(lane->generations, lane->count, &to->lanes[i].capacity,
                                           sizeof *lane->generations);
    }
    copy_mutation(&from->events, &to->events);
    copy_mutation(&from->commands, &to->commands);
    copy_mutation(&from->marks, &to->marks);
}

bool model_is_alive(const model_state *state, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    if (entity == MODEL_SINGLETON)
        return true;
    return lane < state->schema->lane_count && slot < state->lanes[lane].count &&
           (ls_entity_generation(entity) & 1) &&
           state->lanes[lane].generations[slot] == ls_entity_generation(entity);
}

/* The index where the entity is or would be in the map; only one entity of a slot lives at a
 * time. */
static uint32_t place_of(const model_map *map, ls_entity entity)
{
    uint32_t low = 0, high = map->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((uint32_t)map->cells[middle].entity < (uint32_t)entity)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const uint8_t *find_in(const model_map *map, ls_entity entity)
{
    uint32_t place = place_of(map, entity);
    return place < map->count && map->cells[place].entity == entity ? map->cells[place].value
                                                                    : NULL;
}

const uint8_t *model_find(const model_state *state, uint32_t component, ls_entity entity)
{
    return find_in(&state->maps[component], entity);
}

uint32_t model_find_index(const model_state *state, uint32_t component, ls_entity entity)
{
    const model_map *map = &state->maps[component];
    uint32_t place = place_of(map, entity);
    return place < map->count && map->cells[place].entity == entity ? place : map->count;
}

bool model_has_changed(const model_state *state, const model_query *query, uint32_t first_baseline,
                       ls_entity entity)
{
    for (uint32_t i = 0; i < query->count; i++) {
        const model_term *term = &query->terms[i];
        if (term->filter < LS_FILTER_CHANGED)
            continue;
        const uint8_t *now = model_find(state, term->component, entity);
        const uint8_t *before =
            find_in(&state->baselines[first_baseline + term->component], entity);
        uint32_t bytes = state->schema->components[term->component]->bytes;
        bool differs = now && (!before || memcmp(now, before, bytes) != 0);
        if (!(term->filter == LS_FILTER_CHANGED ? differs
              : term->filter == LS_FILTER_ADDED ? now && !before
                                                : !now && before))
            return false;
    }
    return true;
}

/* Adds the change of the entity, if there is one. `is_later`: the present map has the entity; else
 * the baseline has it. */
static void add_change(const model_state *state, const model_map *baseline, uint32_t component,
                       ls_entity entity, bool is_later, ls_cell_change *found, uint32_t *count)
{
    const uint8_t *before = find_in(baseline, entity), *now = model_find(state, component, entity);
    ls_cell_change change = {entity, LS_CELL_CHANGED, before, now};
    if (is_later && before)
        return;
    if (is_later)
        change.kind = LS_CELL_ATTACHED;
    else if (!now)
        change.kind = model_is_alive(state, entity) ? LS_CELL_DETACHED : LS_CELL_DESPAWNED;
    else if (memcmp(before, now, state->schema->components[component]->bytes) == 0)
        return;
    found[(*count)++] = change;
}

ls_cell_change *model_changes_of(const model_state *state, const model_system *system,
                                 uint32_t component, uint32_t *count)
{
    const model_map *baseline = &state->baselines[system->first_baseline + component];
    const model_map *map = &state->maps[component];
    ls_cell_change *found = ls_alloc(sizeof *found * (baseline->count + map->count + 1));
    *count = 0;
    for (uint32_t i = 0, j = 0; i < baseline->count || j < map->count;) {
        /* Handles without their generations are in order of lane and slot. */
        bool is_later = i == baseline->count ||
                        (j < map->count &&
                         (uint32_t)map->cells[j].entity < (uint32_t)baseline->cells[i].entity);
        ls_entity entity = is_later ? map->cells[j++].entity : baseline->cells[i++].entity;
        add_change(state, baseline, component, entity, is_later, found, count);
    }
    return found;
}

bool model_has_pair(const model_state *state)
{
    for (uint32_t i = 0; i < state->schema->pair_count; i++) {
        const model_map *map = &state->maps[state->schema->pairs[i].one];
        for (uint32_t j = 0; j < map->count; j++) {
            if (model_find(state, state->schema->pairs[i].other, map->cells[j].entity))
                return true;
        }
    }
    return false;
}

uint32_t model_live_count(const model_state *state)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < state->schema->lane_count; lane++) {
        for (uint32_t slot = 0; slot < state->lanes[lane].count; slot++)
            count += state->lanes[lane].generations[slot] & 1;
    }
    return count;
}

ls_entity model_fresh(const model_state *state, uint32_t lane, uint32_t index)
{
    const model_lane *lives = &state->lanes[lane];
    for (uint32_t slot = 0;; slot++) {
        uint32_t generation = slot < lives->count ? lives->generations[slot] : 0;
        if (!(generation & 1) && index-- == 0)
            return ls_entity_make(lane, slot, generation + 1);
    }
}

/* Whether the entity has a component of the choice that begins at the term. */
static bool has_any(const model_state *state, const model_query *query, uint32_t first,
                    ls_entity entity)
{
    bool has = false;
    for (uint32_t i = first; i < query->count; i++) {
        if (i > first && query->terms[i].filter != LS_FILTER_OR)
            break;
        has |= model_find(state, query->terms[i].component, entity) != NULL;
    }
    return has;
}

bool model_matches(const model_state *state, const model_query *query, ls_entity entity)
{
    if (!model_is_alive(state, entity) ||
        (query->lanes && !(query->lanes >> ls_entity_lane(entity) & 1)))
        return false;
    for (uint32_t i = 0; i < query->count; i++) {
        bool has = model_find(state, query->terms[i].component, entity) != NULL;
        if (query->terms[i].kind == LS_INCLUDE && !has)
            return false;
        if (query->terms[i].kind == LS_EXCLUDE && has)
            return false;
        if (query->terms[i].filter == LS_FILTER_ANY && !has_any(state, query, i, entity))
            return false;
    }
    return true;
}

void model_append(model_mutation *mutation, const model_step *step)
{
    mutation->steps =
        grow(mutation->steps, mutation->count, &mutation->capacity, sizeof *mutation->steps);
    mutation->steps[mutation->count++] = *step;
}

static void attach(model_state *state, const model_step *step)
{
    if (!model_is_alive(state, step->entity))
        return;
    model_map *map = &state->maps[step->component];
    uint32_t place = place_of(map, step->entity);
    if (place == map->count || map->cells[place].entity != step->entity) {
        map->cells = grow(map->cells, map->count, &map->capacity, sizeof *map->cells);
        memmove(map->cells + place + 1, map->cells + place,
                sizeof *map->cells * (map->count - place));
        map->cells[place].entity = step->entity;
        map->count++;
    }
    memcpy(map->cells[place].value, step->value, MODEL_CELL_BYTES);
}

static void detach(model_state *state, uint32_t component, ls_entity entity)
{
    if (!model_find(state, component, entity))
        return;
    model_map *map = &state->maps[component];
    uint32_t place = place_of(map, entity);
    map->count--;
    memmove(map->cells + place, map->cells + place + 1, sizeof *map->cells * (map->count - place));
}

static void give_birth(model_state *state, ls_entity entity)
{
    model_lane *lane = &state->lanes[ls_entity_lane(entity)];
    uint32_t slot = ls_entity_slot(entity);
    while (lane->count <= slot) {
        lane->generations =
            grow(lane->generations, lane->count, &lane->capacity, sizeof *lane->generations);
        lane->generations[lane->count++] = 0;
    }
    LS_ASSERT(lane->generations[slot] + 1 == ls_entity_generation(entity));
    lane->generations[slot]++;
}

/* A number of any type as 64 bits; signed types are sign-extended. */
static uint64_t load(const uint8_t *bytes, uint32_t size, bool is_signed)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    bool is_negative = is_signed && (bytes[size - 1] & 0x80);
    return is_negative && size < 8 ? value | UINT64_MAX << (8 * size) : value;
}

static uint64_t combine(ls_access access, uint64_t a, uint64_t b, bool is_signed)
{
    bool is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (access) {
    case LS_ADD:
        return a + b;
    case LS_MIN:
        return is_less ? a : b;
    case LS_MAX:
        return is_less ? b : a;
    default:
        return a | b;
    }
}

uint32_t model_unit_bytes(ls_type type)
{
    switch (type) {
    case LS_TYPE_U8:
    case LS_TYPE_I8:
        return 1;
    case LS_TYPE_U16:
    case LS_TYPE_I16:
        return 2;
    case LS_TYPE_U32:
    case LS_TYPE_I32:
    case LS_TYPE_FIX:
    case LS_TYPE_FIX2:
    case LS_TYPE_FIX3:
        return 4;
    default:
        return 8;
    }
}

static bool is_signed_type(ls_type type)
{
    return type == LS_TYPE_I8 || type == LS_TYPE_I16 || type == LS_TYPE_I32 ||
           type == LS_TYPE_I64 || type == LS_TYPE_FIX || type == LS_TYPE_FIX2 ||
           type == LS_TYPE_FIX3;
}

uint64_t model_number(const uint8_t *value, const ls_field *field)
{
    return load(value + field->offset, model_unit_bytes(field->type), is_signed_type(field->type));
}

/* Whether the value replaces the old one: it comes first in the order of its fields, or last. */
static bool is_chosen(const ls_component *component, ls_access access, const uint8_t *value,
                      const uint8_t *old)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = model_unit_bytes(field->type);
        bool is_signed = is_signed_type(field->type);
        for (uint32_t at = field->offset; at < field->offset + field->bytes; at += unit) {
            uint64_t a = load(value + at, unit, is_signed), b = load(old + at, unit, is_signed);
            bool is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
            if (a != b)
                return is_less == (access == LS_ARG_MIN);
        }
    }
    return false;
}

static void accumulate_whole(const ls_component *component, ls_access access, uint8_t *value,
                             const uint8_t *old)
{
    for (uint32_t i = 0; access == LS_COMBINE && i < component->bytes; i++)
        value[i] ^= old[i];
    if (access != LS_COMBINE && !is_chosen(component, access, value, old))
        memcpy(value, old, component->bytes);
}

static void accumulate(model_state *state, const model_step *step)
{
    const uint8_t *old = model_find(state, step->component, step->entity);
    if (!old)
        return;
    model_step made = *step;
    const ls_component *component = state->schema->components[step->component];
    if (step->access > LS_OR) {
        accumulate_whole(component, step->access, made.value, old);
        attach(state, &made);
        return;
    }
    memcpy(made.value, old, MODEL_CELL_BYTES);
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = model_unit_bytes(field->type);
        bool is_signed = is_signed_type(field->type);
        for (uint32_t at = field->offset; at < field->offset + field->bytes; at += unit) {
            uint64_t value = combine(step->access, load(old + at, unit, is_signed),
                                     load(step->value + at, unit, is_signed), is_signed);
            memcpy(made.value + at, &value, unit);
        }
    }
    attach(state, &made);
}

static void apply_step(model_state *state, const model_step *step)
{
    switch (step->kind) {
    case MODEL_ATTACH:
        attach(state, step);
        break;
    case MODEL_DETACH:
        detach(state, step->component, step->entity);
        break;
    case MODEL_NEW:
        give_birth(state, step->entity);
        break;
    case MODEL_ACCUMULATE:
        accumulate(state, step);
        break;
    case MODEL_MARK:
        model_append(&state->marks, step);
        break;
    case MODEL_ENTER:
        state->game_next = (uint8_t)step->lane;
        break;
    case MODEL_KEEP:
        ls_free(state->baselines[step->baseline].cells);
        copy_map(&state->maps[step->component], &state->baselines[step->baseline]);
        break;
    case MODEL_SEND:
        model_append(&state->events, step);
        break;
    default:
        model_append(&state->commands, step);
        break;
    }
}

void model_apply(model_state *state, const model_mutation *mutation)
{
    for (uint32_t i = 0; i < mutation->count; i++)
        apply_step(state, &mutation->steps[i]);
}
