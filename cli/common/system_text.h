/* Prints the access of a system in words: for lists, tooltips and JSON. */
#ifndef LS_SYSTEM_TEXT_H
#define LS_SYSTEM_TEXT_H

#include "core/base/builder.h"
#include <lockstep/system.h>

#include <stdio.h>

/* Prints access number `index` of a system to `text`, as "read others' Position"; false after the
 * last. */
bool ls_system_touch(const ls_system *system, uint32_t index, char *text, size_t bytes);
/* Adds the title, the names as "a, b, c" and a line break; nothing if there are no names. */
void ls_system_text_names(ls_builder *text, const char *title, const char *names);

#endif
