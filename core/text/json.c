/* Reads a state from JSON, which may be hostile. The state is built separately, and replaces the
 * world's state only when everything is valid. No other file of the libraries includes
 * Jansson. */
#include <lockstep/json.h>

#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/facts.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"
#include <lockstep/fix3.h>

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { QUOTE_BYTES = 64 };
struct source {
    ls_world *world;
    ls_error *error;
    const char *lane, *component, *entity, *field; /* current place, for messages; NULL outside */
    size_t page_bytes, page_bytes_max;
    uint8_t *cell;
};

/* Foreign text, made safe for a message that may be logged. */
struct quote {
    char text[QUOTE_BYTES];
};

static const char *quote(struct quote *copy, const char *text)
{
    snprintf(copy->text, sizeof copy->text, "%.63s", text);
    for (char *at = copy->text; *at; at++) {
        if ((uint8_t)*at < 0x20 || *at == 0x7f)
            *at = '?';
    }
    return copy->text;
}

static ls_status refuse(const struct source *source, ls_status status, const char *format, ...)
    LS_PRINTF(3, 4);

static ls_status refuse(const struct source *source, ls_status status, const char *format, ...)
{
    const char *names[] = {source->lane, source->component, source->entity, source->field};
    static const char *const kinds[] = {"lane", "component", "entity", "field"};
    char place[LS_COUNT_OF(kinds) * (QUOTE_BYTES + 16)] = "", message[256];
    size_t count = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(names); i++) {
        struct quote name;
        if (names[i])
            count += (size_t)snprintf(place + count, sizeof place - count, "%s%s \"%s\"",
                                      count ? ", " : "", kinds[i], quote(&name, names[i]));
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return ls_error_set(source->error, status, "%s%s%s", place, count ? ": " : "", message);
}

#define CORRUPT(source, ...) refuse(source, LS_ERROR_CORRUPT, __VA_ARGS__)

static bool is_among(const char *name, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Checks that the object has exactly the members `names`; `what` is the word for a member. */
static ls_status check_members(const struct source *source, json_t *object, const char *what,
                               const char *const *names, uint32_t count)
{
    struct quote key_quote;
    const char *key, *missing = NULL;
    json_t *value;
    if (!json_is_object(object))
        return CORRUPT(source, "this is no object with a member for each %s", what);
    for (uint32_t i = 0; i < count && !missing; i++)
        missing = json_object_get(object, names[i]) ? NULL : names[i];
    if (!missing && json_object_size(object) == count)
        return LS_OK;
    json_object_foreach(object, key, value)
    {
        if (!is_among(key, names, count))
            return CORRUPT(source, "there is no %s \"%s\"", what, quote(&key_quote, key));
    }
    return CORRUPT(source, "the %s \"%s\" is missing", what, missing);
}

/* Reads an integer; for 64-bit types also a string of digits. */
static bool read_digits(const json_t *json, ls_type type, bool *is_negative, uint64_t *magnitude)
{
    if (json_is_integer(json)) {
        json_int_t value = json_integer_value(json);
        *is_negative = value < 0;
        *magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        return true;
    }
    if (!json_is_string(json) || ls_type_bytes(type) != 8)
        return false;
    const char *text = json_string_value(json);
    *is_negative = text[0] == '-';
    text += *is_negative;
    return ls_number_parse(text, text + strlen(text), 10, UINT64_MAX, magnitude);
}

/* Reads a number. `max` 0 means the type's own maximum. A signed number is sign-extended. */
static ls_status read_number(const struct source *source, const json_t *json, ls_type type,
                             uint64_t max, uint64_t *value)
{
    bool is_negative, is_signed = ls_type_is_signed(type);
    uint64_t magnitude, top = UINT64_MAX >> (64 - 8 * ls_type_bytes(type));
    if (!read_digits(json, type, &is_negative, &magnitude))
        return CORRUPT(source, "this is no integer%s",
                       ls_type_bytes(type) == 8 ? ", as such or in a string" : "");
    if (is_signed)
        top = top / 2 + is_negative;
    else if (max)
        top = max;
    if (magnitude > top || (is_negative && !is_signed))
        return CORRUPT(source, "%s%" PRIu64 " is out of range, which ends at %s%" PRIu64,
                       is_negative ? "-" : "", magnitude, is_negative && is_signed ? "-" : "",
                       is_negative && !is_signed ? 0 : top);
    *value = is_negative ? 0 - magnitude : magnitude;
    return LS_OK;
}

/* Exact: five decimals determine the ls_fix, and multiplying a double by 65536 changes only its
 * exponent. */
static ls_status read_fix(const struct source *source, const json_t *json, ls_fix *value)
{
    if (!json_is_number(json))
        return CORRUPT(source, "this is no number");
    double scaled = json_number_value(json) * 65536.0;
    if (!(scaled > LS_FIX_MIN - 0.5 && scaled < LS_FIX_MAX + 0.5))
        return CORRUPT(source, "this is out of range, which is -32768 to 32767.99998");
    *value = (ls_fix)(scaled + (scaled < 0 ? -0.5 : 0.5));
    return LS_OK;
}

static ls_status read_vector(const struct source *source, ls_type type, const json_t *json,
                             uint8_t *item)
{
    uint32_t count = ls_type_bytes(type) / ls_type_unit(type);
    ls_status status = LS_OK;
    if (!json_is_array(json) || json_array_size(json) != count)
        return CORRUPT(source, "this is no array of %s numbers", count == 2 ? "two" : "three");
    for (uint32_t i = 0; i < count && status == LS_OK; i++) {
        ls_fix value = 0;
        status = read_fix(source, json_array_get(json, i), &value);
        memcpy(item + i * sizeof value, &value, sizeof value);
    }
    return status;
}

static ls_status read_entity(const struct source *source, const json_t *json, uint64_t *value)
{
    struct quote text;
    *value = LS_ENTITY_NULL;
    if (json_is_null(json))
        return LS_OK;
    if (!json_is_string(json))
        return CORRUPT(source, "this is neither null nor a string that names an entity");
    if (!ls_entity_parse(source->world->program, json_string_value(json), value))
        return CORRUPT(source, "\"%s\" names no entity; write lane/slot:generation",
                       quote(&text, json_string_value(json)));
    return LS_OK;
}

static ls_status read_enum(const struct source *source, const ls_field *field, const json_t *json,
                           uint64_t *value)
{
    struct quote text;
    if (!json_is_string(json))
        return CORRUPT(source, "this is no string with the name of a value");
    for (*value = 0; *value <= field->max; ++*value) {
        if (strcmp(field->names[*value], json_string_value(json)) == 0)
            return LS_OK;
    }
    return CORRUPT(source, "\"%s\" is not the name of a value",
                   quote(&text, json_string_value(json)));
}

static ls_status read_value(const struct source *source, const ls_field *field, const json_t *json,
                            uint8_t *item)
{
    uint64_t number = 0;
    ls_fix fix = 0;
    ls_status status = LS_OK;
    switch (field->type) {
    case LS_TYPE_FIX2:
    case LS_TYPE_FIX3:
        return read_vector(source, field->type, json, item);
    case LS_TYPE_FIX:
        status = read_fix(source, json, &fix);
        if (status == LS_OK)
            memcpy(item, &fix, sizeof fix);
        return status;
    case LS_TYPE_BOOL:
        if (!json_is_boolean(json))
            return CORRUPT(source, "this is neither true nor false");
        number = json_is_true(json);
        break;
    case LS_TYPE_ENTITY:
        status = read_entity(source, json, &number);
        break;
    case LS_TYPE_ENUM:
        status = read_enum(source, field, json, &number);
        break;
    default:
        status = read_number(source, json, field->type, field->max, &number);
    }
    if (status == LS_OK)
        ls_value_write(field->type, number, item);
    return status;
}

static ls_status read_field(const struct source *source, const ls_field *field, const json_t *json)
{
    uint32_t unit = ls_type_bytes(field->type), room = field->bytes / unit;
    uint8_t *first = source->cell + field->offset;
    if (room == 1 && !field->count)
        return read_value(source, field, json, first);
    if (!json_is_array(json))
        return CORRUPT(source, "this is no array");
    size_t count = json_array_size(json);
    if (count > room || (count < room && !field->count))
        return CORRUPT(source, "the array has %zu items, there are %s%u", count,
                       field->count ? "at most " : "", room);
    for (size_t i = 0; i < count; i++) {
        ls_status status = read_value(source, field, json_array_get(json, i), first + unit * i);
        if (status != LS_OK)
            return status;
    }
    return LS_OK;
}

/* Reads a cell into source->cell. */
static ls_status read_cell(struct source *source, const ls_component *component, json_t *json)
{
    const char *names[LS_COMPONENT_FIELDS_MAX];
    for (uint32_t i = 0; i < component->field_count; i++)
        names[i] = component->fields[i].name;
    ls_status status = check_members(source, json, "field", names, component->field_count);
    memset(source->cell, 0, component->bytes);
    for (uint32_t i = 0; i < component->field_count && status == LS_OK; i++) {
        source->field = names[i];
        status = read_field(source, &component->fields[i], json_object_get(json, names[i]));
    }
    for (uint32_t i = 0; i < component->field_count && status == LS_OK; i++) {
        const ls_field *field = &component->fields[i];
        size_t count = json_array_size(json_object_get(json, field->name));
        source->field = field->name;
        if (field->count && count < ls_field_items(component, field, source->cell))
            status = CORRUPT(source, "the array has %zu items, \"%s\" says %u", count, field->count,
                             ls_field_items(component, field, source->cell));
    }
    source->field = NULL;
    return status;
}

/* Accounts for a page to be created; refuses it when the text has asked for too much memory. */
static ls_status count_page(struct source *source, uint32_t column, uint32_t lane, uint32_t page)
{
    ls_world *world = source->world;
    if (ls_world_page(world, column, lane, page))
        return LS_OK;
    source->page_bytes += ls_store_page_cost(world, column, lane, page);
    if (source->page_bytes > source->page_bytes_max)
        return refuse(source, LS_ERROR_LIMIT, "too few entities for the highest slot");
    return LS_OK;
}

static ls_status read_column(struct source *source, uint32_t column, json_t *json)
{
    ls_world *world = source->world;
    const ls_component *component = world->program->components[column];
    const char *key;
    json_t *value;
    if (!json_is_object(json))
        return CORRUPT(source, "this is no object with a member for each entity");
    json_object_foreach(json, key, value)
    {
        ls_entity entity;
        source->entity = key;
        if (!ls_entity_parse(world->program, key, &entity))
            return CORRUPT(source, "this names no entity; write lane/slot:generation");
        if (!ls_store_is_alive(world, entity))
            return CORRUPT(source, "it is not alive; its lane has no such generation");
        uint32_t lane = ls_entity_lane(entity), page = ls_entity_slot(entity) / LS_PAGE_SLOTS;
        ls_status status = count_page(source, column, lane, page);
        if (status == LS_OK)
            status = read_cell(source, component, value);
        if (status != LS_OK)
            return status;
        ls_store_attach(world, column, entity, source->cell);
    }
    return LS_OK;
}

static ls_status read_singleton(struct source *source, uint32_t column, json_t *json)
{
    ls_world *world = source->world;
    const ls_component *component = world->program->components[column];
    ls_status status = read_cell(source, component, json);
    if (status != LS_OK)
        return status;
    ls_table *table = *ls_world_table(world, column, 0);
    ls_page *page = ls_table_write(table, 0, &world->sources[column]);
    ls_table_set(table, 0, page, 0, 1);
    memcpy(ls_page_cells(page), source->cell, component->bytes);
    return LS_OK;
}

static ls_status read_columns(struct source *source, json_t *json)
{
    const ls_program *program = source->world->program;
    const char *names[LS_COMPONENTS_MAX];
    uint32_t count = 0;
    for (uint32_t column = 0; column < program->column_count; column++)
        names[count++] = program->components[column]->name;
    ls_status status = check_members(source, json, "component", names, count);
    for (uint32_t column = 0; column < program->column_count && status == LS_OK; column++) {
        const ls_component *component = program->components[column];
        json_t *value = json_object_get(json, component->name);
        source->component = component->name;
        source->entity = NULL;
        status = component->is_singleton ? read_singleton(source, column, value)
                                         : read_column(source, column, value);
    }
    source->component = source->entity = NULL;
    return status;
}

static ls_status read_generations(struct source *source, uint32_t lane, const json_t *json)
{
    ls_world *world = source->world;
    uint32_t liveness = ls_liveness(world);
    if (!json_is_array(json) || json_array_size(json) > LS_SLOTS_MAX)
        return CORRUPT(source, "generations is no array of at most %u numbers", LS_SLOTS_MAX);
    for (uint32_t slot = 0; slot < json_array_size(json); slot++) {
        const json_t *value = json_array_get(json, slot);
        json_int_t generation = json_integer_value(value);
        if (!json_is_integer(value) || generation < 0 || generation > LS_GENERATION_RETIRED)
            return CORRUPT(source, "slot %u has no generation from 0 to %u", slot,
                           LS_GENERATION_RETIRED);
        if (generation == 0)
            continue;
        ls_status status = count_page(source, liveness, lane, slot / LS_PAGE_SLOTS);
        if (status != LS_OK)
            return status;
        ls_table *table = world->state.lives[lane];
        ls_page *page = ls_table_write(table, slot / LS_PAGE_SLOTS, &world->sources[liveness]);
        uint32_t *generations = ls_page_generations_write(page);
        generations[slot % LS_PAGE_SLOTS] = (uint32_t)generation;
        ls_table_set(table, slot / LS_PAGE_SLOTS, page, slot % LS_PAGE_SLOTS / 64,
                     (uint64_t)(generation & 1) << (slot % 64));
    }
    return LS_OK;
}

/* Reads a member that is a 64-bit number. */
static ls_status read_counter(struct source *source, json_t *object, const char *name, uint64_t max,
                              uint64_t *value)
{
    source->field = name;
    ls_status status = read_number(source, json_object_get(object, name), LS_TYPE_U64, max, value);
    source->field = NULL;
    return status;
}

static ls_status read_lanes(struct source *source, json_t *json)
{
    static const char *const members[] = {"refused_spawns", "generations"};
    ls_world *world = source->world;
    const ls_program *program = world->program;
    ls_status status = check_members(source, json, "lane", program->lanes, program->lane_count);
    for (uint32_t lane = 0; lane < program->lane_count && status == LS_OK; lane++) {
        source->lane = program->lanes[lane];
        json_t *value = json_object_get(json, source->lane);
        status = check_members(source, value, "member", members, LS_COUNT_OF(members));
        if (status == LS_OK)
            status = read_counter(source, value, members[0], 0, &world->state.refused_spawns[lane]);
        if (status == LS_OK)
            status = read_generations(source, lane, json_object_get(value, members[1]));
    }
    source->lane = NULL;
    return status;
}

/* Checks that a number of the match equals `wanted`, the number of the world's own match. */
static ls_status check_number(struct source *source, json_t *object, const char *name, ls_type type,
                              uint64_t wanted)
{
    uint64_t value = 0;
    source->field = name;
    ls_status status = read_number(source, json_object_get(object, name), type, 0, &value);
    source->field = NULL;
    if (status == LS_OK && value != wanted)
        status = refuse(source, LS_ERROR_INCOMPATIBLE,
                        "the state is of another match, with another %s", name);
    return status;
}

static ls_status check_match(struct source *source, json_t *json)
{
    static const char *const members[] = {"seed", "tick_rate", "players", "options"};
    const ls_match *match = &source->world->match;
    const uint64_t wanted[] = {match->seed, match->tick_rate, match->player_count};
    const ls_sim *sim = source->world->program->sim;
    const char *names[LS_OPTIONS_MAX];
    ls_status status =
        check_members(source, json, "member of the match", members, LS_COUNT_OF(members));
    for (uint32_t i = 0; i < LS_COUNT_OF(wanted) && status == LS_OK; i++)
        status = check_number(source, json, members[i], LS_TYPE_U64, wanted[i]);
    json_t *options = json_object_get(json, members[3]);
    for (uint32_t i = 0; i < sim->option_count; i++)
        names[i] = sim->options[i].name;
    if (status == LS_OK)
        status = check_members(source, options, "option", names, sim->option_count);
    for (uint32_t i = 0; i < sim->option_count && status == LS_OK; i++)
        status = check_number(source, options, names[i], LS_TYPE_I64, (uint64_t)match->options[i]);
    return status;
}

static ls_status check_head(const struct source *source, json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "simulation"));
    struct quote text;
    if (!json_is_object(json) || !name)
        return CORRUPT(source, "this is no state: it names no simulation");
    if (strcmp(name, source->world->program->sim->name) != 0)
        return refuse(source, LS_ERROR_INCOMPATIBLE,
                      "the state is of simulation \"%s\", not \"%s\"", quote(&text, name),
                      source->world->program->sim->name);
    if (json_integer_value(json_object_get(json, "format")) != LS_JSON_FORMAT)
        return refuse(source, LS_ERROR_INCOMPATIBLE, "the state is not of format %d",
                      LS_JSON_FORMAT);
    return LS_OK;
}

static ls_status read_state(struct source *source, json_t *json)
{
    static const char *const members[] = {"format",  "simulation", "match",     "tick",
                                          "dropped", "lanes",      "components"};
    ls_state *state = &source->world->state;
    ls_status status = check_head(source, json);
    if (status == LS_OK)
        status = check_members(source, json, "member of the state", members, LS_COUNT_OF(members));
    if (status == LS_OK)
        status = check_match(source, json_object_get(json, "match"));
    if (status == LS_OK)
        status = read_counter(source, json, "tick", UINT64_MAX / 2, &state->tick);
    json_t *dropped = json_object_get(json, "dropped");
    if (status == LS_OK)
        status = check_members(source, dropped, "counter", ls_dropped_names, LS_DROPPED_COUNT);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT && status == LS_OK; i++)
        status = read_counter(source, dropped, ls_dropped_names[i], 0, &state->dropped[i]);
    if (status == LS_OK)
        status = read_lanes(source, json_object_get(json, "lanes"));
    if (status == LS_OK)
        status = read_columns(source, json_object_get(json, "components"));
    return status == LS_OK ? ls_facts_check(source->world, source->error) : status;
}

ls_status ls_world_from_json(ls_world *world, const char *text, size_t bytes, ls_error *error)
{
    struct source source = {.world = world, .error = error};
    json_error_t trouble;
    struct quote reason;
    if (bytes > LS_JSON_BYTES_MAX)
        return refuse(&source, LS_ERROR_LIMIT, "the text has %zu bytes, at most %u are read", bytes,
                      LS_JSON_BYTES_MAX);
    json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &trouble);
    if (!json)
        return CORRUPT(&source, "line %d, column %d: %s", trouble.line, trouble.column,
                       quote(&reason, trouble.text));
    source.page_bytes_max = ls_store_page_budget(bytes);
    source.cell = ls_alloc(LS_SINGLETON_BYTES_MAX);
    ls_state before = world->state;
    ls_state_init(&world->state, world->program);
    ls_world_state_changed(world);
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    ls_status status = read_state(&source, json);
    json_decref(json);
    ls_free(source.cell);
    ls_state_release(world, status == LS_OK ? &before : &world->state);
    if (status != LS_OK)
        world->state = before;
    ls_world_state_changed(world);
    return status;
}
