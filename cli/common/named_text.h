/* Messages that begin with a name, as in "match.lsr: no such file". */
#ifndef LS_NAMED_TEXT_H
#define LS_NAMED_TEXT_H

#include <stdbool.h>
#include <string.h>

/* The message without the name, for a reader who has it; the whole message if it begins with
 * another one. */
static inline const char *ls_named_text_rest(const char *message, const char *name)
{
    size_t length = strlen(name);
    bool has_name = strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    return message + (has_name ? length + 2 : 0);
}

#endif
