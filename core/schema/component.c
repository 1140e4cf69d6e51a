#include <lockstep/component.h>

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} type_table[] = {
    [LS_TYPE_U8] = {"u8", 1},     [LS_TYPE_I8] = {"i8", 1},       [LS_TYPE_U16] = {"u16", 2},
    [LS_TYPE_I16] = {"i16", 2},   [LS_TYPE_U32] = {"u32", 4},     [LS_TYPE_I32] = {"i32", 4},
    [LS_TYPE_U64] = {"u64", 8},   [LS_TYPE_I64] = {"i64", 8},     [LS_TYPE_BOOL] = {"bool", 1},
    [LS_TYPE_FIX] = {"fix", 4},   [LS_TYPE_ANGLE] = {"angle", 2}, [LS_TYPE_ENTITY] = {"entity", 8},
    [LS_TYPE_ENUM] = {"enum", 1}, [LS_TYPE_FIX2] = {"fix2", 8},   [LS_TYPE_FIX3] = {"fix3", 12},
};

uint32_t ls_type_bytes(ls_type type)
{
    return (uint32_t)type < LS_COUNT_OF(type_table) ? type_table[type].bytes : 0;
}

bool ls_type_is_vector(ls_type type)
{
    return type == LS_TYPE_FIX2 || type == LS_TYPE_FIX3;
}

uint32_t ls_type_unit(ls_type type)
{
    return ls_type_bytes(ls_type_is_vector(type) ? LS_TYPE_FIX : type);
}

bool ls_type_is_signed(ls_type type)
{
    return type == LS_TYPE_I8 || type == LS_TYPE_I16 || type == LS_TYPE_I32 ||
           type == LS_TYPE_I64 || type == LS_TYPE_FIX;
}

const char *ls_type_name(ls_type type)
{
    return ls_type_bytes(type) ? type_table[type].name : "no type";
}

static ls_status check_place(const ls_component *component, const ls_field *field, uint32_t covered,
                             ls_error *error)
{
    uint32_t unit = ls_type_bytes(field->type);
    if (!field->name || !field->name[0])
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": the field at offset %u has no name; list it by the "
                            "name of the member",
                            component->name, field->offset);
    if (!unit || field->bytes == 0 || field->bytes % unit != 0)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\" has %u bytes, which is no whole "
                            "number of %s; give the type of the member",
                            component->name, field->name, field->bytes, ls_type_name(field->type));
    if (field->offset > covered)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": hole of %u bytes before field \"%s\" (offset "
                            "%u); reorder the members or add a field that fills it",
                            component->name, field->offset - covered, field->name, covered);
    if (field->offset < covered)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\" at offset %u overlaps or comes "
                            "before the one ahead of it; list fields in order of offset",
                            component->name, field->name, field->offset);
    if (field->bytes > component->bytes || covered > component->bytes - field->bytes)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\" at offset %u has %u bytes and so "
                            "reaches beyond the %u of the component",
                            component->name, field->name, field->offset, field->bytes,
                            component->bytes);
    return LS_OK;
}

/* Checks that an enum, and nothing else, has a name for each value, and no two alike: text formats
 * identify a value by its name. */
static ls_status check_names(const ls_component *component, const ls_field *field, ls_error *error)
{
    if ((field->type == LS_TYPE_ENUM) != (field->names != NULL) ||
        (field->type == LS_TYPE_ENUM && field->max > UINT8_MAX))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\": an enum, and nothing else, has names, "
                            "at most 256; list it as ENUM(...)",
                            component->name, field->name);
    for (uint64_t i = 0; field->names && i <= field->max; i++) {
        if (!field->names[i] || !field->names[i][0])
            return ls_error_set(error, LS_ERROR_USAGE,
                                "component \"%s\": field \"%s\": value %u has no name; name every "
                                "value from 0 on",
                                component->name, field->name, (unsigned)i);
        for (uint64_t j = 0; j < i; j++) {
            if (strcmp(field->names[i], field->names[j]) == 0)
                return ls_error_set(error, LS_ERROR_USAGE,
                                    "component \"%s\": field \"%s\": values %u and %u are both "
                                    "named \"%s\"; rename one",
                                    component->name, field->name, (unsigned)j, (unsigned)i,
                                    field->names[i]);
        }
    }
    return LS_OK;
}

/* Checks that only unsigned integers and enums have a maximum, and that it fits their bits. Readers
 * would not agree on the meaning of a maximum of another type. */
static ls_status check_max(const ls_component *component, const ls_field *field, ls_error *error)
{
    bool is_unsigned = field->type == LS_TYPE_U8 || field->type == LS_TYPE_U16 ||
                       field->type == LS_TYPE_U32 || field->type == LS_TYPE_U64 ||
                       field->type == LS_TYPE_ENUM;
    if (field->max == 0 ||
        (is_unsigned && field->max <= UINT64_MAX >> (64 - 8 * ls_type_bytes(field->type))))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "component \"%s\": field \"%s\" of type %s cannot have the largest value "
                        "%" PRIu64 "; only unsigned integers have one, within their bits",
                        component->name, field->name, ls_type_name(field->type), field->max);
}

static ls_status check_count(const ls_component *component, const ls_field *field, ls_error *error)
{
    uint32_t items = field->bytes / ls_type_bytes(field->type);
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *count = &component->fields[i];
        if (!count->name || strcmp(count->name, field->count) != 0)
            continue;
        if (count->type == LS_TYPE_U16 && count->bytes == 2 && !count->count && count->max == items)
            return LS_OK;
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\" counts the %u items of \"%s\", so list "
                            "it with LS_FIELD_UP_TO as one LS_TYPE_U16 up to %u",
                            component->name, count->name, items, field->name, items);
    }
    return ls_error_set(error, LS_ERROR_USAGE,
                        "component \"%s\": field \"%s\" is counted by \"%s\", which is no field of "
                        "the component; add it as a uint16_t",
                        component->name, field->name, field->count);
}

static ls_status check_attributes(const ls_component *component, uint32_t at, ls_error *error)
{
    const ls_field *field = &component->fields[at];
    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(component->fields[i].name, field->name) == 0)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "component \"%s\": two fields are named \"%s\"; rename one",
                                component->name, field->name);
    }
    if ((uint32_t)field->on_despawn > LS_PARENT ||
        (field->on_despawn != LS_KEEP && field->type != LS_TYPE_ENTITY))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\" says what a death does to it, but is "
                            "of type %s; only an entity dies",
                            component->name, field->name, ls_type_name(field->type));
    if (component->event_ticks > 1 && field->on_despawn != LS_KEEP)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "event \"%s\": field \"%s\" says what a death does to it, but an "
                            "event stays as it was sent; say LS_KEEP",
                            component->name, field->name);
    if (component->is_singleton && field->on_despawn >= LS_CASCADE)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "singleton \"%s\": field \"%s\" says %s, but a singleton "
                            "does not die; say LS_NULL or LS_KEEP",
                            component->name, field->name,
                            field->on_despawn == LS_PARENT ? "LS_PARENT" : "LS_CASCADE");
    if (field->on_despawn == LS_PARENT && field->bytes > ls_type_bytes(field->type))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": field \"%s\" has several parents, and a child has "
                            "one; say LS_CASCADE, or give each parent a field",
                            component->name, field->name);
    ls_status status = check_names(component, field, error);
    if (status == LS_OK)
        status = check_max(component, field, error);
    if (status == LS_OK && field->count)
        status = check_count(component, field, error);
    return status;
}

static ls_status check_fields(const ls_component *component, ls_error *error)
{
    uint32_t covered = 0;
    for (uint32_t i = 0; i < component->field_count; i++) {
        ls_status status = check_place(component, &component->fields[i], covered, error);
        if (status == LS_OK)
            status = check_attributes(component, i, error);
        if (status != LS_OK)
            return status;
        covered += component->fields[i].bytes;
    }
    if (covered != component->bytes)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": hole of %u bytes at its end (offset %u of %u); add "
                            "a field that fills it",
                            component->name, component->bytes - covered, covered, component->bytes);
    return LS_OK;
}

/* A component's name without the names of its modules. */
static const char *own_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static bool is_same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

static bool has_same_names(const ls_field *one, const ls_field *other)
{
    if (one->names == other->names)
        return true;
    if (!one->names || !other->names)
        return false;
    for (uint64_t i = 0; i <= one->max; i++) {
        if (!is_same_text(one->names[i], other->names[i]))
            return false;
    }
    return true;
}

static bool is_same_field(const ls_field *one, const ls_field *other)
{
    return is_same_text(one->name, other->name) && one->type == other->type &&
           one->offset == other->offset && one->bytes == other->bytes && one->max == other->max &&
           one->on_despawn == other->on_despawn && is_same_text(one->count, other->count) &&
           has_same_names(one, other);
}

bool ls_component_is_twin(const ls_component *one, const ls_component *other)
{
    if (!one->name || !other->name || strcmp(own_name(one->name), own_name(other->name)) != 0 ||
        one->bytes != other->bytes || one->field_count != other->field_count ||
        one->is_singleton != other->is_singleton || one->event_ticks != other->event_ticks)
        return false;
    for (uint32_t i = 0; i < one->field_count; i++) {
        if (!is_same_field(&one->fields[i], &other->fields[i]))
            return false;
    }
    return true;
}

bool ls_component_is(const ls_component *one, const ls_component *other)
{
    return one == other ||
           (one && other &&
            (strcmp(one->name, other->name) == 0 || ls_component_is_twin(one, other)));
}

ls_status ls_component_check(const ls_component *component, ls_error *error)
{
    if (!component->name || !component->name[0])
        return ls_error_set(error, LS_ERROR_USAGE, "a component has no name");
    uint32_t max = component->is_singleton ? LS_SINGLETON_BYTES_MAX : LS_COMPONENT_BYTES_MAX;
    if (component->bytes > max)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\" has %u bytes, at most %u are allowed; split it",
                            component->name, component->bytes, max);
    if (component->is_singleton && component->event_ticks)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\" is a singleton and an event; a singleton stays and "
                            "an event is gone with its tick, so make it one of the two",
                            component->name);
    if (component->event_ticks > LS_EVENT_TICKS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "event \"%s\" lives for %u ticks, at most %u are allowed; keep what "
                            "lasts longer in a component",
                            component->name, component->event_ticks, LS_EVENT_TICKS_MAX);
    if (component->is_singleton && component->bytes == 0)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "singleton \"%s\" has no fields; a tag says nothing there",
                            component->name);
    if (component->field_count > LS_COMPONENT_FIELDS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\" has %u fields, at most %u are allowed; split it",
                            component->name, component->field_count, LS_COMPONENT_FIELDS_MAX);
    return check_fields(component, error);
}
