/* Prints stores: the item, and where in the source it was stored. */
#include "core/base/builder.h"
#include "core/run/run.h"
#include "core/schedule/value_text.h"
#include "desync/write_log.h"

#include <inttypes.h>
#include <string.h>

enum { PLACES_MAX = 64 };

/* The places of a store's frames, the innermost first. */
struct places {
    ls_source_place list[PLACES_MAX];
    uint32_t count;
};

char *ls_write_log_print(const ls_write_log *store, const ls_program *program)
{
    const ls_suspect at = {.component = store->component,
                           .field = store->field,
                           .item = store->item,
                           .entity = store->entity};
    char *place = ls_suspect_place(&at, program);
    ls_builder text = {0};
    ls_builder_add(&text, "%s%s%s -> %s", place, place[0] ? ": " : "", store->old_text,
                   store->now_text);
    ls_free(place);
    return text.data;
}

static bool is_at(const ls_source_place *place, uintptr_t address, uintptr_t function)
{
    return place->function && address - place->offset == function;
}

/* Finds the places of a store's frames. A return address follows its call, so the byte before it is
 * looked up. The last place is the system's own function, since its caller is the engine; it is
 * missing when the system's last act is a call. */
static void find_places(const ls_stores *stores, const ls_write_log *store, ls_sources *sources,
                        struct places *places)
{
    places->count = 0;
    for (uint32_t i = 0; i < store->frame_count && places->count < PLACES_MAX; i++) {
        uintptr_t address = store->frames[i] - (i > 0);
        ls_source_place *first = &places->list[places->count];
        uint32_t count = ls_sources_find(sources, address, first, PLACES_MAX - places->count);
        if (is_at(first, address, (uintptr_t)ls_run_chunk) ||
            is_at(first, address, (uintptr_t)ls_run_alone))
            return;
        places->count += count;
        if (is_at(first, address, stores->function))
            return;
    }
}

static bool begins_with(const char *text, const char *start, size_t count)
{
    return text && strncmp(text, start, count) == 0;
}

/* Whether the place belongs to the engine, judged by names and by the folder of its sources. Also
 * true for the compiler, a library or a sanitizer, which clang links into the program. */
static bool is_foreign(const ls_source_place *place, const char *module)
{
    static const char own[] = __FILE__;
    static const char core[] = "core/";
    size_t root = sizeof own - sizeof "desync/write_log_print.c";
    if (!place->function || begins_with(place->function, "ls_", 3) ||
        begins_with(place->function, "__interceptor_", sizeof "__interceptor_" - 1))
        return true;
    if (begins_with(place->file, own, root) &&
        begins_with(place->file + root, core, sizeof core - 1))
        return true;
    return begins_with(place->file, "/usr/", 5) || !module || !place->module ||
           strcmp(place->module, module) != 0;
}

ls_source_place ls_write_log_line(const ls_stores *stores, const ls_write_log *store,
                                  ls_sources *sources)
{
    struct places places;
    ls_source_place system;
    (void)ls_sources_find(sources, stores->function, &system, 1);
    find_places(stores, store, sources, &places);
    uint32_t at = places.count;
    while (at > 0 && is_foreign(&places.list[at - 1], system.module))
        at--;
    if (at == 0)
        return system;
    while (at > 1 && !is_foreign(&places.list[at - 2], system.module))
        at--;
    return places.list[at - 1];
}

static void add_place(ls_builder *text, const ls_source_place *place)
{
    char words[LS_SOURCE_PLACE_BYTES];
    ls_source_place_print(place, words, sizeof words);
    ls_builder_add(text, "%s%s\n", words, place->is_inlined ? " (inlined)" : "");
}

char *ls_write_log_trace(const ls_stores *stores, const ls_write_log *store, ls_sources *sources)
{
    struct places places;
    ls_builder text = {0};
    ls_source_place line = ls_write_log_line(stores, store, sources), system;
    find_places(stores, store, sources, &places);
    (void)ls_sources_find(sources, stores->function, &system, 1);
    bool is_there = false;
    for (uint32_t i = 0; i < places.count; i++) {
        const ls_source_place *place = &places.list[i];
        ls_builder_add(&text, "#%" PRIu32 " ", i);
        add_place(&text, place);
        is_there |=
            place->function && system.function && strcmp(place->function, system.function) == 0;
    }
    if (!is_there) {
        ls_builder_add(&text, "called at the end of ");
        add_place(&text, &system);
    }
    const char *remedy = ls_source_remedy(&line);
    if (remedy)
        ls_builder_add(&text, "(%s)\n", remedy);
    return text.data;
}
