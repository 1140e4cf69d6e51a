/* Cells as little-endian bytes on every machine: the form that is hashed, sent and stored. Also
 * answers what a field table alone says about a cell. */
#ifndef LS_CODEC_H
#define LS_CODEC_H
#include <lockstep/component.h>
#include <lockstep/entity.h>

#include <string.h>

/* Copies `count` cells between the machine's order and little-endian; the same call goes both ways.
 */
void ls_cells_convert(const ls_component *component, const void *from, void *to, size_t count);
/* Hash of the little-endian bytes of `count` cells. */
uint64_t ls_cells_hash(const ls_component *component, const void *cells, size_t count);
/* Hash of `count` numbers as little-endian bytes. At most 16. */
uint64_t ls_words_hash(const uint64_t *words, size_t count);
#define LS_READ_AS_(c_type)                                                                        \
    {                                                                                              \
        c_type value;                                                                              \
        memcpy(&value, item, sizeof value);                                                        \
        return (uint64_t)value;                                                                    \
    }

/* The bits of one number or reference, sign-extended by the conversion for a signed type; all bits
 * of a vector. */
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
    default:
        LS_READ_AS_(uint64_t)
    }
}
/* The reverse: the lowest bytes of `value`. */
void ls_value_write(ls_type type, uint64_t value, void *item);

/* Gives the first field of the cell with an illegal value, NULL when there is none. Legal are: 0 or
 * 1 in an LS_TYPE_BOOL, the only bytes that C gives a meaning; named values in an LS_TYPE_ENUM; and
 * values up to the field's maximum, also in counts of items. */
const ls_field *ls_cell_fault(const ls_component *component, const void *cell);

/* How many items of the field are in use: for LS_FIELD_ITEMS the counted ones, at most its
 * capacity; otherwise all items of the array, or 1. */
uint32_t ls_field_items(const ls_component *component, const ls_field *field, const void *cell);

bool ls_component_has_entities(const ls_component *component);

/* The three above for a machine of a given order, so that a test on one kind plays the other. */
typedef enum ls_byte_order { LS_ORDER_LITTLE, LS_ORDER_BIG } ls_byte_order;
void ls_cells_convert_as(ls_byte_order order, const ls_component *component, const void *from,
                         void *to, size_t count);
uint64_t ls_cells_hash_as(ls_byte_order order, const ls_component *component, const void *cells,
                          size_t count);
uint64_t ls_words_hash_as(ls_byte_order order, const uint64_t *words, size_t count);

#endif
