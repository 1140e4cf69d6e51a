/* A text that grows: what prints a state writes into one. */
#ifndef LS_BUILDER_H
#define LS_BUILDER_H

#include <lockstep/base.h>

#include <stdarg.h>

/* Starts as {0}; `data` is always terminated once something was added.
 *   owns    ls_free(data) by the final owner of the text */
typedef struct ls_builder {
    char *data;
    size_t count, capacity;
} ls_builder;

void ls_builder_add(ls_builder *text, const char *format, ...) LS_PRINTF(2, 3);
void ls_builder_add_list(ls_builder *text, const char *format, va_list arguments) LS_PRINTF(2, 0);
/* Adds `count` bytes as they are. */
void ls_builder_put(ls_builder *text, const char *bytes, size_t count);
/* How long the UTF-8 character at `text`, which ends with a 0, is; 0 when there is none.
 *   source  RFC 3629 */
uint32_t ls_utf8_bytes(const char *text);
/* Drops the last `count` bytes. */
void ls_builder_cut(ls_builder *text, size_t count);

#endif
