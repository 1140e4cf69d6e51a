#include "core/schedule/lists.h"

#include <string.h>

static const char blanks[] = " \n\t";

bool ls_name_list_next(ls_name_list *list)
{
    if (!list->rest)
        return false;
    list->rest += strspn(list->rest, ", \n\t");
    list->bytes = (uint32_t)strcspn(list->rest, ",");
    const char *name = list->rest;
    list->rest += list->bytes;
    while (list->bytes > 0 && strchr(blanks, name[list->bytes - 1]))
        list->bytes--;
    uint32_t copied = list->bytes < LS_NAME_BYTES_MAX ? list->bytes : LS_NAME_BYTES_MAX;
    memcpy(list->name, name, copied);
    list->name[copied] = '\0';
    return list->bytes > 0;
}

uint32_t ls_name_list_count(const char *text)
{
    ls_name_list list = ls_name_list_of(text);
    uint32_t count = 0;
    while (ls_name_list_next(&list))
        count++;
    return count;
}

bool ls_name_list_has(const char *text, const char *name)
{
    size_t bytes = strlen(name);
    for (ls_name_list list = ls_name_list_of(text); ls_name_list_next(&list);) {
        if (list.bytes == bytes && strcmp(list.name, name) == 0)
            return true;
    }
    return false;
}

bool ls_name_is_listable(const char *name)
{
    size_t bytes = strlen(name);
    return bytes <= LS_NAME_BYTES_MAX && !strchr(name, ',') &&
           !(bytes && (strchr(blanks, name[0]) || strchr(blanks, name[bytes - 1])));
}
