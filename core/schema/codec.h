/* Cells as little-endian bytes, on every machine: the form that is hashed, sent and stored. Also
 * functions that need only the field table and a cell. */
#ifndef LS_CODEC_H
#define LS_CODEC_H
#include <lockstep/component.h>
#include <lockstep/entity.h>

#include <string.h>

/* Copies `count` cells and converts between the machine's byte order and little-endian, in either
 * direction. */
void ls_cells_convert(const ls_component *component, const void *from, void *to, size_t count);
/* The hash of `count` cells, as if they were little-endian: the same on all machines. */
uint64_t ls_cells_hash(const ls_component *component, const void *cells, size_t count);
/* The hash of `count` numbers, at most 16, as if they were little-endian. */
uint64_t ls_words_hash(const uint64_t *words, size_t count);
#define LS_READ_AS_(c_type)                                                                        \
    {                                                                                              \
        c_type value;                                                                              \
        memcpy(&value, item, sizeof value);                                                        \
        return (uint64_t)value;                                                                    \
    }

/* Reads one number or reference as a uint64_t; signed numbers are sign-extended. For a vector only
 * the first eight bytes, which have no meaning as a number. */
static inline uint64_t ls_value_read(ls_type type, const void *item)
{
    switch (type) {
    case LS_TYPE_I8:
        LS_READ_AS_(int8_t)
    case LS_TYPE_U16:
    case LS_TYPE_ANGLE:
        LS_READ_AS_(uint16_t)
    case LS_TYPE_I16:
        LS_READ_AS_(int16_t)
    case LS_TYPE_U32:
        LS_READ_AS_(uint32_t)
    case LS_TYPE_I32:
    case LS_TYPE_FIX:
        LS_READ_AS_(int32_t)
    case LS_TYPE_U8:
    case LS_TYPE_BOOL:
    case LS_TYPE_ENUM:
        LS_READ_AS_(uint8_t)
    case LS_TYPE_U64:
    case LS_TYPE_I64:
    case LS_TYPE_ENTITY:
    case LS_TYPE_FIX2:
    case LS_TYPE_FIX3:
        LS_READ_AS_(uint64_t)
    }
    return 0;
}
#define LS_WRITE_AS_(c_type)                                                                       \
    {                                                                                              \
        c_type bits = (c_type)value;                                                               \
        memcpy(item, &bits, sizeof bits);                                                          \
        return;                                                                                    \
    }
/* Writes the lowest bytes of `value`. */
static inline void ls_value_write(ls_type type, uint64_t value, void *item)
{
    switch (type) {
    case LS_TYPE_U8:
    case LS_TYPE_I8:
    case LS_TYPE_BOOL:
    case LS_TYPE_ENUM:
        LS_WRITE_AS_(uint8_t)
    case LS_TYPE_U16:
    case LS_TYPE_I16:
    case LS_TYPE_ANGLE:
        LS_WRITE_AS_(uint16_t)
    case LS_TYPE_U32:
    case LS_TYPE_I32:
    case LS_TYPE_FIX:
        LS_WRITE_AS_(uint32_t)
    case LS_TYPE_U64:
    case LS_TYPE_I64:
    case LS_TYPE_ENTITY:
    case LS_TYPE_FIX2:
    case LS_TYPE_FIX3:
        LS_WRITE_AS_(uint64_t)
    }
}

/* Returns the first field of the cell with an invalid value, NULL when there is none. Valid are: 0
 * and 1 in an LS_TYPE_BOOL, since C defines no other bytes; named values in an LS_TYPE_ENUM; and
 * values up to the field's maximum, including counts of items. */
const ls_field *ls_cell_fault(const ls_component *component, const void *cell);

/* The number of items of the field in use: for LS_FIELD_ITEMS its count, at most the capacity;
 * otherwise the array size, or 1. */
uint32_t ls_field_items(const ls_component *component, const ls_field *field, const void *cell);

bool ls_component_has_entities(const ls_component *component);

/* ls_cells_convert(), ls_cells_hash() and ls_words_hash() for a machine with the given byte order,
 * so that a test on one machine covers both. */
typedef enum ls_byte_order { LS_ORDER_LITTLE, LS_ORDER_BIG } ls_byte_order;
void ls_cells_convert_as(ls_byte_order order, const ls_component *component, const void *from,
                         void *to, size_t count);
uint64_t ls_cells_hash_as(ls_byte_order order, const ls_component *component, const void *cells,
                          size_t count);
uint64_t ls_words_hash_as(ls_byte_order order, const uint64_t *words, size_t count);

#endif
