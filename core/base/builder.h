/* A growing text buffer, for printing. */
#ifndef LS_BUILDER_H
#define LS_BUILDER_H

#include <lockstep/base.h>

#include <stdarg.h>

/* Initialize it with {0}. `data` is zero-terminated after the first addition.
 *   owns    ls_free(data) by the code that takes the text */
typedef struct ls_builder {
    char *data;
    size_t count, capacity;
} ls_builder;

void ls_builder_add(ls_builder *text, const char *format, ...) LS_PRINTF(2, 3);
void ls_builder_add_list(ls_builder *text, const char *format, va_list arguments) LS_PRINTF(2, 0);
/* Adds `count` bytes unchanged. */
void ls_builder_put(ls_builder *text, const char *bytes, size_t count);
/* The length in bytes of the UTF-8 character at `text`, a zero-terminated string; 0 if the
 * character is malformed, or at the end of the string.
 *   source  RFC 3629 */
uint32_t ls_utf8_bytes(const char *text);
/* Returns a copy of the text; NULL for NULL.
 *   owns    ls_free() by the caller */
char *ls_text_duplicate(const char *text);
/* Removes the last `count` bytes. */
void ls_builder_cut(ls_builder *text, size_t count);

#endif
