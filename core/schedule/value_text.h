/* Values as text that can be read back exactly; shared by JSON and reports of differences. */
#ifndef LS_VALUE_TEXT_H
#define LS_VALUE_TEXT_H
#include "core/base/builder.h"
#include "core/schedule/program_data.h"
#include "core/schema/codec.h"

/* Prints five decimals, from which `value` can be read back: it is the ls_fix nearest to them. */
void ls_fix_print(ls_builder *text, ls_fix value);
/* Prints `lane/slot:generation` or `null`; a handle with an unknown lane as its bits in
 * hexadecimal. */
void ls_entity_print(ls_builder *text, const ls_program *program, ls_entity entity);
/* Prints one item of a field: numbers in decimal, fix without trailing zeros, fix2 as `(x, y)`,
 * fix3 as `(x, y, z)`, bool as true or false, an enum by its name or, without one, as a number. */
void ls_value_text_print(ls_builder *text, const ls_program *program, const ls_field *field,
                         const void *item);

/* Parses the text of a handle from ls_entity_print(), except `null`. False for any other text. */
bool ls_entity_parse(const ls_program *program, const char *text, ls_entity *entity);

/* Parses digits of `base` (10, or 16 with small letters) up to `end`: a number of at most `max`,
 * without a sign. A number of base 10 has no leading zeros. */
bool ls_number_parse(const char *text, const char *end, uint32_t base, uint64_t max,
                     uint64_t *value);

#endif
