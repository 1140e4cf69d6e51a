/* Writes JSON into a text. A `name` of NULL is for a value without a key: an item of an array, or
 * the outermost value. Commas are added automatically. */
#ifndef LS_JSON_WRITER_H
#define LS_JSON_WRITER_H

#include "core/base/builder.h"

/* `bracket` is '{' or '['; the one that closes is '}' or ']'. */
void ls_json_open(ls_builder *text, const char *name, char bracket);
void ls_json_close(ls_builder *text, char bracket);

/* Only the key: the caller adds the value. */
void ls_json_key(ls_builder *text, const char *name);
/* A value that is JSON already. */
void ls_json_raw(ls_builder *text, const char *name, const char *json);

/* A string in its quotes, null for NULL. A byte that belongs to no UTF-8 becomes U+FFFD. */
void ls_json_string(ls_builder *text, const char *name, const char *value);
/* The same, and null for an empty string. */
void ls_json_words(ls_builder *text, const char *name, const char *value);
void ls_json_bool(ls_builder *text, const char *name, bool value);
void ls_json_u64(ls_builder *text, const char *name, uint64_t value);
void ls_json_i64(ls_builder *text, const char *name, int64_t value);
/* A number in units of 10^-decimals: 1500 with 3 decimals is 1.500. */
void ls_json_decimal(ls_builder *text, const char *name, uint64_t units, int decimals);
/* As a string of decimal digits: many readers keep 53 bits of a number. */
void ls_json_u64_string(ls_builder *text, const char *name, uint64_t value);
void ls_json_i64_string(ls_builder *text, const char *name, int64_t value);
/* As a string of 16 hexadecimal digits. */
void ls_json_root(ls_builder *text, const char *name, uint64_t value);

/* The next value begins a line, indented by two blanks for each level of `depth`. */
void ls_json_line(ls_builder *text, uint32_t depth);
/* Closes what has lines: on a line of its own unless it is empty. */
void ls_json_close_lines(ls_builder *text, uint32_t depth, char bracket);

#endif
