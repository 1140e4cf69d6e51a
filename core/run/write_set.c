#include "core/run/write_set.h"

static uint64_t key_of(uint32_t column, uint32_t index)
{
    return (uint64_t)column << 32 | index;
}

void ls_write_set_reset(ls_write_set *asked)
{
    ls_free(asked->items);
    *asked = (ls_write_set){0};
}

void ls_write_set_note(ls_write_set *asked, uint32_t column, ls_entity entity)
{
    if (!asked)
        return;
    uint64_t key = key_of(column, (uint32_t)entity);
    if (asked->count && asked->items[asked->count - 1].key == key)
        return;
    if (asked->count == asked->capacity) {
        asked->capacity = asked->capacity ? asked->capacity * 2 : 256;
        asked->items = ls_realloc(asked->items, sizeof *asked->items * asked->capacity * 2);
    }
    asked->items[asked->count++] = (ls_sort_item){.key = key};
}

void ls_write_set_sort(ls_write_set *asked)
{
    if (asked->count)
        ls_sort(asked->items, asked->items + asked->capacity, asked->count);
}

bool ls_write_set_has(const ls_write_set *asked, uint32_t column, uint32_t index)
{
    return ls_sort_has(asked->items, asked->count, key_of(column, index));
}
