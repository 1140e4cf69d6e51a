#include "core/run/combine.h"

#include "core/schema/codec.h"

#include <string.h>

/* Compares two numbers of one type: less than 0, 0 or greater. */
static int compare_numbers(ls_type type, const uint8_t *one, const uint8_t *other)
{
    uint32_t bytes = ls_type_unit(type);
    uint64_t a = 0, b = 0;
    for (uint32_t i = bytes; i-- > 0;) {
        a = a << 8 | one[i];
        b = b << 8 | other[i];
    }
    if (ls_type_is_vector(type) || ls_type_is_signed(type)) { /* negative numbers come first */
        a ^= (uint64_t)1 << (8 * bytes - 1);
        b ^= (uint64_t)1 << (8 * bytes - 1);
    }
    return (a > b) - (a < b);
}

static int compare_values(const ls_component *component, const uint8_t *one, const uint8_t *other)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_unit(field->type);
        for (uint32_t at = field->offset; at < field->offset + field->bytes; at += unit) {
            int order = compare_numbers(field->type, one + at, other + at);
            if (order)
                return order;
        }
    }
    return 0;
}

void ls_combine_whole(const ls_program *program, const ls_plan_term *term, void *cell,
                      const void *value)
{
    const ls_component *component = program->components[term->column];
    if (term->access == LS_COMBINE) {
        program->operations[term->column]->combine(cell, value);
        return;
    }
    int order = compare_values(component, value, cell);
    if (term->access == LS_ARG_MIN ? order < 0 : order > 0)
        memcpy(cell, value, component->bytes);
}
