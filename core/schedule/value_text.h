/* Values as text that can be read back exactly, shared by JSON and the report of differences. */
#ifndef LS_VALUE_TEXT_H
#define LS_VALUE_TEXT_H
#include "core/base/builder.h"
#include "core/schedule/program_data.h"
#include "core/schema/codec.h"

/* Five decimals, which tell neighbours apart: the nearest ls_fix is the one that was printed. */
void ls_fix_print(ls_builder *text, ls_fix value);
/* `lane/slot:generation`, `null`, or for a handle of no lane its bits in hexadecimal. */
void ls_entity_print(ls_builder *text, const ls_program *program, ls_entity entity);
/* One item of the field: numbers in decimal, fix without zeros at its end, fix2 as `(x, y)`, bool
 * as true and false, an enum by its name, or as a number if it has none. */
void ls_value_text_print(ls_builder *text, const ls_program *program, const ls_field *field,
                         const void *item);

/* Reads what ls_entity_print wrote of a handle that is not null. False when the text is anything
 * else. */
bool ls_entity_parse(const ls_program *program, const char *text, ls_entity *entity);

/* Digits of `base` up to `end`: a number of at most `max`, without sign or leading zeros. */
bool ls_number_parse(const char *text, const char *end, uint32_t base, uint64_t max,
                     uint64_t *value);

#endif
