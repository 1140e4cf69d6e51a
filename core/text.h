/* A text that grows: what prints a state writes into one. */
#ifndef LS_TEXT_H
#define LS_TEXT_H

#include "core/base.h"

/* Starts as {0}; `data` is always terminated once something was added.
 *   owns  ls_free(data) by whoever ends up with it */
typedef struct ls_text {
    char *data;
    size_t count, capacity;
} ls_text;

void ls_text_add(ls_text *text, const char *format, ...) LS_PRINTF(2, 3);
/* Drops the last `count` bytes. */
void ls_text_cut(ls_text *text, size_t count);

#endif
