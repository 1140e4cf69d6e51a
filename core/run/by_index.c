/* Calls for many handles. Handles are looked up in groups, and all memory of a group is prefetched
 * at once. A processor by itself looks only a few handles ahead. */
#include <lockstep/by_index.h>

#include "core/base/platform.h"
#include "core/run/term_lookup.h"

enum { GROUP = 64 };

/* Whether the term's declaration allows the use without further checks. All other calls go
 * one by one through the single-handle functions, which check the declaration. */
static inline bool cursor_covers(const ls_context *context, uint32_t term, ls_term_cursor_use use)
{
    if (LS_UNLIKELY(!context->has_cursors))
        ls_term_cursor_begin((ls_context *)(uintptr_t)context);
    return term < LS_TERMS_MAX && context->front.cursors[term].far_allowed >> use & 1;
}

static bool is_of_one_page(const ls_entity *entities, uint32_t count)
{
    uint64_t differs = entities[0] ^ entities[count - 1];
    if (LS_LIKELY((uint32_t)differs / LS_PAGE_SLOTS))
        return false;
    for (uint32_t i = 0; i < count; i++)
        differs |= entities[0] ^ entities[i];
    return (uint32_t)differs / LS_PAGE_SLOTS == 0;
}

/* Looks up and prefetches the cells of a group. True when all handles are in one page: then only
 * places[0] is set, otherwise there is one place per handle. In one page only the first cell is
 * prefetched: the handles usually ascend, and the processor itself prefetches memory that is
 * accessed in order. */
LS_INLINE bool find_places(const ls_context *context, const ls_term_cursor *cursor,
                           const ls_entity *entities, uint32_t count, size_t bytes,
                           ls_place *places)
{
    uint32_t looks = is_of_one_page(entities, count) ? 1 : count;
    for (uint32_t i = 0; i < looks; i++) {
        uint32_t slot = entities[i] % LS_PAGE_SLOTS;
        if (LS_UNLIKELY(!ls_term_cursor_find_far(context, cursor, entities[i], &places[i]))) {
            places[i].page = NULL;
            continue;
        }
        __builtin_prefetch(&places[i].page->present[slot / 64]);
        __builtin_prefetch(&places[i].generations[slot]);
        if (bytes)
            __builtin_prefetch(ls_page_cells(places[i].page) + bytes * slot);
    }
    return looks == 1;
}

static inline const void *find_at(ls_place place, ls_entity entity, size_t bytes)
{
    bool is_there = place.page && ls_place_has(&place, entity);
    return is_there ? ls_page_cells(place.page) + bytes * (entity % LS_PAGE_SLOTS) : NULL;
}

static uint32_t find_group(const ls_context *context, const ls_term_cursor *cursor,
                           const ls_entity *entities, uint32_t count, const void **cells)
{
    ls_place places[GROUP];
    uint32_t found = 0;
    size_t bytes = cursor->cell_bytes;
    bool is_one = find_places(context, cursor, entities, count, bytes, places);
    for (uint32_t i = 0; i < count; i++) {
        cells[i] = find_at(places[is_one ? 0 : i], entities[i], bytes);
        found += cells[i] != NULL;
    }
    return found;
}

uint32_t ls_cells_find(const ls_context *context, uint32_t term, const ls_entity *entities,
                       uint32_t count, const void **cells)
{
    uint32_t found = 0;
    bool is_covered = cursor_covers(context, term, LS_TERM_CURSOR_READ);
    for (uint32_t first = 0; is_covered && first < count; first += GROUP)
        found += find_group(context, &context->front.cursors[term], entities + first,
                            count - first < GROUP ? count - first : GROUP, cells + first);
    for (uint32_t i = 0; !is_covered && i < count; i++) {
        cells[i] = ls_cell_find_(context, term, entities[i]);
        found += cells[i] != NULL;
    }
    return found;
}

/* Whether cells of the page can be changed in place. If the page is missing or not open, a change
 * creates or replaces it, so handles of that page go through the single-handle functions. Places in
 * other pages stay valid. */
static inline bool is_open(ls_place place)
{
    return LS_LIKELY(place.page && place.page->is_open);
}

/* A presence word being changed. Consecutive handles usually hit the same word, so it is written
 * back only when a handle hits another word. */
typedef struct ls_word {
    uint64_t *present;
    uint64_t before, bits;
    uint32_t at; /* index of the word; LS_PAGE_WORDS: none yet */
} ls_word;

/* Writes the word back. True when the table's summary may have to change. */
LS_INLINE bool leave_word(ls_word *word)
{
    if (word->at == LS_PAGE_WORDS || word->bits == word->before)
        return false;
    word->present[word->at] = word->bits;
    return (word->before == 0 || word->bits == 0 || ~word->before == 0 || ~word->bits == 0) &&
           (!ls_presence_differs(word->present, word->at, 0) ||
            !ls_presence_differs(word->present, word->at, UINT64_MAX));
}

LS_INLINE bool enter_word(ls_word *word, uint32_t at)
{
    if (LS_LIKELY(word->at == at))
        return false;
    bool is_edge = leave_word(word);
    word->at = at;
    word->before = word->bits = word->present[at];
    return is_edge;
}

LS_INLINE uint32_t attach_run(ls_context *context, uint32_t term, ls_place place,
                              const ls_entity *entities, uint32_t count, const uint8_t *values,
                              size_t bytes)
{
    ls_word word = {.present = place.page->present, .at = LS_PAGE_WORDS};
    uint8_t *cells = ls_page_cells(place.page);
    uint32_t attached = 0;
    bool is_edge = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = entities[i] % LS_PAGE_SLOTS;
        uint32_t generation = ls_entity_generation(entities[i]);
        if (LS_UNLIKELY(place.generations[slot] != generation || !(generation & 1)))
            continue;
        is_edge |= enter_word(&word, slot / 64);
        word.bits |= ls_slot_bit(slot);
        if (bytes && values)
            ls_cell_copy(cells + bytes * slot, values + bytes * i, bytes);
        else if (bytes)
            ls_cell_zero(cells + bytes * slot, bytes);
        attached++;
    }
    if (leave_word(&word) || is_edge)
        ls_cell_settle_(context, term, entities[0]);
    return attached;
}

LS_INLINE uint32_t detach_run(ls_context *context, uint32_t term, ls_place place,
                              const ls_entity *entities, uint32_t count, size_t bytes)
{
    ls_word word = {.present = place.page->present, .at = LS_PAGE_WORDS};
    uint8_t *cells = ls_page_cells(place.page);
    uint32_t detached = 0;
    bool is_edge = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = entities[i] % LS_PAGE_SLOTS;
        is_edge |= enter_word(&word, slot / 64);
        if (LS_UNLIKELY(!(word.bits & ls_slot_bit(slot)) ||
                        place.generations[slot] != ls_entity_generation(entities[i])))
            continue;
        word.bits &= ~ls_slot_bit(slot);
        if (bytes)
            ls_cell_zero(cells + bytes * slot, bytes);
        detached++;
    }
    if (leave_word(&word) || is_edge)
        ls_cell_settle_(context, term, entities[0]);
    return detached;
}

LS_INLINE bool attach_at(ls_context *context, uint32_t term, ls_place place, ls_entity entity,
                         const uint8_t *value, size_t bytes)
{
    uint32_t slot = entity % LS_PAGE_SLOTS, generation = ls_entity_generation(entity);
    if (LS_UNLIKELY(place.generations[slot] != generation || !(generation & 1)))
        return false;
    if (LS_UNLIKELY(
            ls_cell_put(place.page->present, ls_page_cells(place.page), slot, bytes, value)))
        ls_cell_settle_(context, term, entity);
    return true;
}

LS_INLINE uint32_t attach_group(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count, const uint8_t *values, size_t bytes)
{
    ls_place places[GROUP];
    uint32_t attached = 0;
    bool is_one =
        find_places(context, &context->front.cursors[term], entities, count, bytes, places);
    if (is_one && is_open(places[0]))
        return attach_run(context, term, places[0], entities, count, values, bytes);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *value = values ? values + bytes * i : NULL;
        attached += !is_one && is_open(places[i])
                        ? attach_at(context, term, places[i], entities[i], value, bytes)
                        : ls_cell_attach_(context, term, entities[i], value);
    }
    return attached;
}

LS_INLINE uint32_t attach_all(ls_context *context, uint32_t term, const ls_entity *entities,
                              uint32_t count, const uint8_t *values, size_t bytes)
{
    uint32_t attached = 0;
    for (uint32_t first = 0; first < count; first += GROUP)
        attached += attach_group(context, term, entities + first,
                                 count - first < GROUP ? count - first : GROUP,
                                 values ? values + bytes * first : NULL, bytes);
    return attached;
}

uint32_t ls_cells_attach(ls_context *context, uint32_t term, const ls_entity *entities,
                         uint32_t count, const void *values)
{
    size_t bytes = term < context->plan->term_count ? context->plan->terms[term].cell_bytes : 0;
    const uint8_t *value = values;
    uint32_t attached = 0;
    /* The most common cell sizes have a loop of their own, with a constant size. */
    if (LS_LIKELY(cursor_covers(context, term, LS_TERM_CURSOR_STRUCTURE)))
        return bytes == 0    ? attach_all(context, term, entities, count, NULL, 0)
               : bytes == 8  ? attach_all(context, term, entities, count, value, 8)
               : bytes == 16 ? attach_all(context, term, entities, count, value, 16)
                             : attach_all(context, term, entities, count, value, bytes);
    for (uint32_t i = 0; i < count; i++)
        attached += ls_cell_attach_(context, term, entities[i], value ? value + bytes * i : NULL);
    return attached;
}

LS_INLINE bool detach_at(ls_context *context, uint32_t term, ls_place place, ls_entity entity,
                         size_t bytes)
{
    if (LS_UNLIKELY(!ls_place_has(&place, entity)))
        return false;
    if (LS_UNLIKELY(ls_cell_take(place.page->present, ls_page_cells(place.page),
                                 entity % LS_PAGE_SLOTS, bytes)))
        ls_cell_settle_(context, term, entity);
    return true;
}

LS_INLINE uint32_t detach_group(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count, size_t bytes)
{
    ls_place places[GROUP];
    uint32_t detached = 0;
    bool is_one =
        find_places(context, &context->front.cursors[term], entities, count, bytes, places);
    if (is_one && is_open(places[0]))
        return detach_run(context, term, places[0], entities, count, bytes);
    for (uint32_t i = 0; i < count; i++)
        detached += !is_one && is_open(places[i])
                        ? detach_at(context, term, places[i], entities[i], bytes)
                        : ls_cell_detach(context, term, entities[i]);
    return detached;
}

LS_INLINE uint32_t detach_all(ls_context *context, uint32_t term, const ls_entity *entities,
                              uint32_t count, size_t bytes)
{
    uint32_t detached = 0;
    for (uint32_t first = 0; first < count; first += GROUP)
        detached += detach_group(context, term, entities + first,
                                 count - first < GROUP ? count - first : GROUP, bytes);
    return detached;
}

uint32_t ls_cells_detach(ls_context *context, uint32_t term, const ls_entity *entities,
                         uint32_t count)
{
    size_t bytes = term < context->plan->term_count ? context->plan->terms[term].cell_bytes : 0;
    uint32_t detached = 0;
    if (LS_LIKELY(cursor_covers(context, term, LS_TERM_CURSOR_STRUCTURE)))
        return bytes == 0    ? detach_all(context, term, entities, count, 0)
               : bytes == 8  ? detach_all(context, term, entities, count, 8)
               : bytes == 16 ? detach_all(context, term, entities, count, 16)
                             : detach_all(context, term, entities, count, bytes);
    for (uint32_t i = 0; i < count; i++)
        detached += ls_cell_detach(context, term, entities[i]);
    return detached;
}
