/* Writes JSON into a text. `name` is the key; NULL for an item of an array or the outermost value.
 * Commas are added automatically. */
#ifndef LS_JSON_WRITER_H
#define LS_JSON_WRITER_H

#include "core/base/builder.h"

/* `bracket` is '{' or '[' to open, '}' or ']' to close. */
void ls_json_open(ls_builder *text, const char *name, char bracket);
void ls_json_close(ls_builder *text, char bracket);

/* Writes only the key; the caller then writes the value. */
void ls_json_key(ls_builder *text, const char *name);
/* `json` is a value in JSON form. */
void ls_json_raw(ls_builder *text, const char *name, const char *json);

/* Writes a quoted string, or null for NULL. Bytes that are not UTF-8 become U+FFFD. */
void ls_json_string(ls_builder *text, const char *name, const char *value);
/* Like ls_json_string(), and writes null also for an empty string. */
void ls_json_words(ls_builder *text, const char *name, const char *value);
void ls_json_bool(ls_builder *text, const char *name, bool value);
void ls_json_u64(ls_builder *text, const char *name, uint64_t value);
void ls_json_i64(ls_builder *text, const char *name, int64_t value);
/* Writes a number in units of 10^-decimals: 1500 with 3 decimals is 1.500. */
void ls_json_decimal(ls_builder *text, const char *name, uint64_t units, int decimals);
/* Writes a string of decimal digits, because many readers keep only 53 bits of a number. */
void ls_json_u64_string(ls_builder *text, const char *name, uint64_t value);
void ls_json_i64_string(ls_builder *text, const char *name, int64_t value);
/* Writes a string of 16 hexadecimal digits. */
void ls_json_root(ls_builder *text, const char *name, uint64_t value);

/* Begins a new line for the next value, indented by two blanks for each level of `depth`. */
void ls_json_line(ls_builder *text, uint32_t depth);
/* Closes an object or array written with ls_json_line(): on a line of its own unless it is
 * empty. */
void ls_json_close_lines(ls_builder *text, uint32_t depth, char bracket);

#endif
