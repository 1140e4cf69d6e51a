#include "desync/statics.h"

#include "desync/module_pieces.h"
#include "desync/raw_copy.h"

#include <string.h>

struct ls_statics {
    ls_module_pieces module;
    uint8_t *bytes[LS_MODULE_PIECES_MAX]; /* copies of the pieces */
};

ls_statics *ls_statics_take(const void *inside)
{
    ls_module_pieces module;
    if (!ls_module_pieces_find(inside, &module))
        return NULL;
    ls_statics *statics = ls_alloc(sizeof *statics);
    statics->module = module;
    for (uint32_t i = 0; i < module.count; i++) {
        statics->bytes[i] = ls_alloc(module.pieces[i].count + 1);
        ls_raw_copy(statics->bytes[i], module.pieces[i].start, module.pieces[i].count);
    }
    return statics;
}

void ls_statics_destroy(ls_statics *statics)
{
    for (uint32_t i = 0; statics && i < statics->module.count; i++)
        ls_free(statics->bytes[i]);
    ls_free(statics);
}

void ls_statics_put(const ls_statics *statics)
{
    const ls_module_pieces *module = &statics->module;
    for (uint32_t i = 0; i < module->count; i++)
        ls_raw_copy(module->pieces[i].start, statics->bytes[i], module->pieces[i].count);
}

/* Adds the variable that holds the byte, unless it is there already. False when there is no room
 * for another. */
static bool add_place(const ls_source_place *place, ls_source_place *places, uint32_t *count,
                      uint32_t max)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(places[i].function, place->function) == 0 && places[i].line == place->line)
            return true;
    if (*count == max)
        return false;
    places[(*count)++] = *place;
    return true;
}

uint32_t ls_statics_find(const ls_statics *a, const ls_statics *b, ls_sources *sources,
                         ls_source_place *places, uint32_t max)
{
    uint32_t count = 0;
    LS_ASSERT(a->module.count == b->module.count);
    for (uint32_t i = 0; i < a->module.count; i++) {
        uintptr_t start = (uintptr_t)a->module.pieces[i].start;
        for (size_t at = 0; at < a->module.pieces[i].count; at++) {
            ls_source_place place;
            if (a->bytes[i][at] != b->bytes[i][at] &&
                ls_sources_variable(sources, a->module.base, start + at, &place) &&
                !add_place(&place, places, &count, max))
                return max + 1;
        }
    }
    return count;
}

void ls_statics_print(const ls_statics *a, const ls_statics *b, ls_sources *sources, uint32_t max,
                      ls_builder *text)
{
    ls_source_place places[32];
    LS_ASSERT(max <= LS_COUNT_OF(places));
    uint32_t count = ls_statics_find(a, b, sources, places, max);
    for (uint32_t i = 0; i < count && i < max; i++)
        ls_builder_add(text, "%s%s", i ? ", " : "", places[i].function);
    if (count > max)
        ls_builder_add(text, " and more");
}
