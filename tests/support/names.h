/* Lists of names that a test puts together. */
#ifndef LS_SUPPORT_NAMES_H
#define LS_SUPPORT_NAMES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_names {
    char text[400];
} test_names;

/* Adds a name to the list. Returns the list, for a member such as ls_system.after. */
static inline const char *test_names_add(test_names *list, const char *name)
{
    size_t used = strlen(list->text);
    int added =
        snprintf(list->text + used, sizeof list->text - used, "%s%s", used ? ", " : "", name);
    if (added < 0 || (size_t)added >= sizeof list->text - used)
        abort();
    return list->text;
}

#endif
