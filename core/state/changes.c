#include <lockstep/changes.h>

#include "core/base/bits.h"
#include "core/state/table.h"
#include "core/state/world_state.h"

#include <string.h>

/* One walk. The differences of the current page are kept as bits by column, so that an entity is
 * tested with one look at each column's bits. The last column is liveness. */
struct walk {
    const ls_world *before, *after;
    ls_change_visit *visit;
    void *argument;
    bool is_stopped;
    uint32_t lane, page;
    uint64_t changed[LS_COMPONENTS_MAX + 1][LS_PAGE_WORDS];
    uint64_t any[LS_PAGE_WORDS];
};

static void report(struct walk *walk, const ls_change *change)
{
    walk->is_stopped |= !walk->visit(walk->argument, change);
}

static void add_component(ls_change *change, uint32_t column)
{
    change->components[column / 64] |= (uint64_t)1 << (column % 64);
}

static void compare_singletons(struct walk *walk)
{
    ls_change change = {.entity = LS_ENTITY_NULL, .kind = LS_CHANGE_CELLS};
    bool differs = false;
    for (uint32_t column = 0; column < ls_liveness(walk->before); column++) {
        if (!walk->before->program->components[column]->is_singleton)
            continue;
        if (ls_page_changes(&walk->before->sources[column],
                            ls_world_page(walk->before, column, 0, 0),
                            ls_world_page(walk->after, column, 0, 0), 0)) {
            add_component(&change, column);
            differs = true;
        }
    }
    if (differs)
        report(walk, &change);
}

static uint32_t generation_at(const ls_world *world, const struct walk *walk, uint32_t slot)
{
    const ls_page *page = ls_world_page(world, ls_liveness(world), walk->lane, walk->page);
    return page ? ls_page_generations(page)[slot] : 0;
}

/* Reports an entity that is alive in `world` only. */
static void report_life(struct walk *walk, const ls_world *world, ls_change_kind kind,
                        uint32_t slot)
{
    uint32_t generation = generation_at(world, walk, slot);
    if (!(generation & 1) || walk->is_stopped)
        return;
    ls_change change = {
        .entity = ls_entity_make(walk->lane, walk->page * LS_PAGE_SLOTS + slot, generation),
        .kind = kind};
    for (uint32_t column = 0; column < ls_liveness(world); column++) {
        const ls_page *page = world->program->components[column]->is_singleton
                                  ? NULL
                                  : ls_world_page(world, column, walk->lane, walk->page);
        if (page && ls_page_has(page, slot))
            add_component(&change, column);
    }
    report(walk, &change);
}

static void report_slot(struct walk *walk, uint32_t slot)
{
    uint32_t before = generation_at(walk->before, walk, slot);
    if (before != generation_at(walk->after, walk, slot)) {
        report_life(walk, walk->before, LS_CHANGE_VANISHED, slot);
        report_life(walk, walk->after, LS_CHANGE_APPEARED, slot);
        return;
    }
    ls_change change = {.entity =
                            ls_entity_make(walk->lane, walk->page * LS_PAGE_SLOTS + slot, before),
                        .kind = LS_CHANGE_CELLS};
    for (uint32_t column = 0; column < ls_liveness(walk->before); column++) {
        if (walk->changed[column][slot / 64] >> (slot % 64) & 1)
            add_component(&change, column);
    }
    report(walk, &change);
}

/* Fills in the differing slots of the page in each column; false when there are none. */
static bool find_changes(struct walk *walk)
{
    uint64_t found = 0;
    memset(walk->any, 0, sizeof walk->any);
    for (uint32_t column = 0; column <= ls_liveness(walk->before); column++) {
        const ls_page_source *source = &walk->before->sources[column];
        bool is_skipped = source->cells < LS_PAGE_SLOTS;
        ls_page *one =
            is_skipped ? NULL : ls_world_page(walk->before, column, walk->lane, walk->page);
        ls_page *other =
            is_skipped ? NULL : ls_world_page(walk->after, column, walk->lane, walk->page);
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
            uint64_t changed = ls_page_changes(source, one, other, word);
            walk->changed[column][word] = changed;
            walk->any[word] |= changed;
            found |= changed;
        }
    }
    return found != 0;
}

static void compare_page(struct walk *walk)
{
    if (!find_changes(walk))
        return;
    for (uint32_t slot = ls_mask_next_set(walk->any, 0); slot < LS_PAGE_SLOTS && !walk->is_stopped;
         slot = ls_mask_next_set(walk->any, slot + 1))
        report_slot(walk, slot);
}

/* Finds the page numbers of a directory at which the worlds have different pages in at least one
 * column. */
static void find_pages(const struct walk *walk, uint32_t at, uint64_t *pages)
{
    memset(pages, 0, sizeof *pages * LS_DIRECTORY_WORDS);
    for (uint32_t column = 0; column <= ls_liveness(walk->before); column++) {
        const ls_table *one = *ls_world_table(walk->before, column, walk->lane);
        const ls_table *other = *ls_world_table(walk->after, column, walk->lane);
        const ls_directory *a = one ? ls_table_directory(one, at) : NULL;
        const ls_directory *b = other ? ls_table_directory(other, at) : NULL;
        if (one == other || a == b)
            continue;
        for (uint32_t page = 0; page < LS_DIRECTORY_PAGES; page++) {
            bool differs =
                (a ? ls_directory_page(a, page) : NULL) != (b ? ls_directory_page(b, page) : NULL);
            pages[page / 64] |= (uint64_t)differs << (page % 64);
        }
    }
}

static uint32_t directory_count(const struct walk *walk)
{
    uint32_t count = 0;
    for (uint32_t column = 0; column <= ls_liveness(walk->before); column++) {
        const ls_table *tables[2] = {*ls_world_table(walk->before, column, walk->lane),
                                     *ls_world_table(walk->after, column, walk->lane)};
        for (uint32_t i = 0; i < LS_COUNT_OF(tables) && tables[0] != tables[1]; i++) {
            if (tables[i] && tables[i]->directory_count > count)
                count = tables[i]->directory_count;
        }
    }
    return count;
}

void ls_world_changes(const ls_world *before, const ls_world *after, ls_change_visit *visit,
                      void *argument)
{
    struct walk walk = {.before = before, .after = after, .visit = visit, .argument = argument};
    LS_ASSERT(before->program == after->program);
    compare_singletons(&walk);
    for (; walk.lane < before->program->lane_count && !walk.is_stopped; walk.lane++) {
        uint32_t count = directory_count(&walk);
        for (uint32_t at = 0; at < count; at++) {
            uint64_t pages[LS_DIRECTORY_WORDS];
            find_pages(&walk, at * LS_DIRECTORY_PAGES, pages);
            for (uint32_t page = ls_bits_next(pages, LS_DIRECTORY_WORDS, 0);
                 page < LS_DIRECTORY_PAGES && !walk.is_stopped;
                 page = ls_bits_next(pages, LS_DIRECTORY_WORDS, page + 1)) {
                walk.page = at * LS_DIRECTORY_PAGES + page;
                compare_page(&walk);
            }
        }
    }
}
