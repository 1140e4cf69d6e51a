#include "core/component.h"

#include "core/codec.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} type_table[LS_TYPE_COUNT_] = {
    [LS_TYPE_U8] = {"u8", 1},     [LS_TYPE_I8] = {"i8", 1},       [LS_TYPE_U16] = {"u16", 2},
    [LS_TYPE_I16] = {"i16", 2},   [LS_TYPE_U32] = {"u32", 4},     [LS_TYPE_I32] = {"i32", 4},
    [LS_TYPE_U64] = {"u64", 8},   [LS_TYPE_I64] = {"i64", 8},     [LS_TYPE_BOOL] = {"bool", 1},
    [LS_TYPE_FIX] = {"fix", 4},   [LS_TYPE_ANGLE] = {"angle", 2}, [LS_TYPE_ENTITY] = {"entity", 8},
    [LS_TYPE_ENUM] = {"enum", 1}, [LS_TYPE_FIX2] = {"fix2", 8},
};

uint32_t ls_type_bytes(ls_type type)
{
    return (uint32_t)type < LS_TYPE_COUNT_ ? type_table[type].bytes : 0;
}

uint32_t ls_type_unit(ls_type type)
{
    return type == LS_TYPE_FIX2 ? ls_type_bytes(LS_TYPE_FIX) : ls_type_bytes(type);
}

bool ls_type_is_signed(ls_type type)
{
    return type == LS_TYPE_I8 || type == LS_TYPE_I16 || type == LS_TYPE_I32 ||
           type == LS_TYPE_I64 || type == LS_TYPE_FIX || type == LS_TYPE_FIX2;
}

bool ls_component_has_entities(const ls_component *component)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        if (component->fields[i].type == LS_TYPE_ENTITY)
            return true;
    }
    return false;
}

const char *ls_type_name(ls_type type)
{
    return ls_type_bytes(type) ? type_table[type].name : "no type";
}

static ls_status check_fields(const ls_component *component, ls_error *error)
{
    uint32_t covered = 0;
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_bytes(field->type);
        if (!field->name || !unit || field->bytes == 0 || field->bytes % unit != 0)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "component \"%s\": field \"%s\" has %u bytes, which is no whole "
                                "number of %s; give the type of the member",
                                component->name, field->name ? field->name : "?", field->bytes,
                                ls_type_name(field->type));
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
        if (component->is_singleton && field->on_death == LS_CASCADE)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "singleton \"%s\": field \"%s\" says LS_CASCADE, but a singleton "
                                "does not die; say LS_NULL or LS_KEEP",
                                component->name, field->name);
        covered += field->bytes;
    }
    if (covered != component->bytes)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "component \"%s\": hole of %u bytes at its end (offset %u of %u); add "
                            "a field that fills it",
                            component->name, component->bytes - covered, covered, component->bytes);
    return LS_OK;
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
