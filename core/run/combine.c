#include "core/run/combine.h"

#include "core/base/platform.h"
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

static void combine_whole(const ls_program *program, const ls_plan_term *term, void *cell,
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

/* Signed values are sign-extended to 64 bits, so that they compare correctly. */
static inline uint64_t combine(ls_access operation, bool is_signed, uint64_t a, uint64_t b)
{
    bool is_a_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (operation) {
    case LS_ADD:
        return a + b;
    case LS_OR:
        return a | b;
    case LS_MIN:
        return is_a_less ? a : b;
    default: /* LS_MAX */
        return is_a_less ? b : a;
    }
}

/* Combines numbers of one type, `bytes` bytes in all, with the numbers of a cell. There is a
 * function for each width and sign, so that the type is tested once for a value and not for each of
 * its numbers. */
#define COMBINE_NUMBERS(name, type, is_signed)                                                     \
    static inline void name(ls_access operation, uint8_t *cell, const uint8_t *value,              \
                            uint32_t bytes)                                                        \
    {                                                                                              \
        for (uint32_t at = 0; at < bytes; at += sizeof(type)) {                                    \
            type a, b;                                                                             \
            memcpy(&a, cell + at, sizeof a);                                                       \
            memcpy(&b, value + at, sizeof b);                                                      \
            a = (type)combine(operation, is_signed, (uint64_t)a, (uint64_t)b);                     \
            memcpy(cell + at, &a, sizeof a);                                                       \
        }                                                                                          \
    }
COMBINE_NUMBERS(combine_u8, uint8_t, false)
COMBINE_NUMBERS(combine_i8, int8_t, true)
COMBINE_NUMBERS(combine_u16, uint16_t, false)
COMBINE_NUMBERS(combine_i16, int16_t, true)
COMBINE_NUMBERS(combine_u32, uint32_t, false)
COMBINE_NUMBERS(combine_i32, int32_t, true)
COMBINE_NUMBERS(combine_u64, uint64_t, false)
COMBINE_NUMBERS(combine_i64, int64_t, true)

static LS_NOINLINE void combine_field(ls_type type, ls_access operation, uint8_t *cell,
                                      const uint8_t *value, uint32_t bytes)
{
    switch (type) {
    case LS_TYPE_U8:
    case LS_TYPE_BOOL:
    case LS_TYPE_ENUM:
        combine_u8(operation, cell, value, bytes);
        break;
    case LS_TYPE_I8:
        combine_i8(operation, cell, value, bytes);
        break;
    case LS_TYPE_U16:
    case LS_TYPE_ANGLE:
        combine_u16(operation, cell, value, bytes);
        break;
    case LS_TYPE_I16:
        combine_i16(operation, cell, value, bytes);
        break;
    case LS_TYPE_U32:
        combine_u32(operation, cell, value, bytes);
        break;
    case LS_TYPE_I32:
    case LS_TYPE_FIX:
    case LS_TYPE_FIX2:
    case LS_TYPE_FIX3:
        combine_i32(operation, cell, value, bytes);
        break;
    case LS_TYPE_U64:
    case LS_TYPE_ENTITY:
        combine_u64(operation, cell, value, bytes);
        break;
    case LS_TYPE_I64:
        combine_i64(operation, cell, value, bytes);
        break;
    }
}

void ls_combine_any(const ls_program *program, const ls_plan_term *term, uint8_t *cell,
                    const uint8_t *value)
{
    ls_access operation = (ls_access)term->access;
    if (LS_UNLIKELY(operation > LS_OR)) {
        combine_whole(program, term, cell, value);
        return;
    }
    if (term->combines_as) { /* all fields have this type, and leave no hole */
        combine_field((ls_type)term->combines_as, operation, cell, value, term->cell_bytes);
        return;
    }
    const ls_component *component = program->components[term->column];
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        combine_field(field->type, operation, cell + field->offset, value + field->offset,
                      field->bytes);
    }
}
