#include "core/state/image.h"

#include "core/base/grow.h"

#include <string.h>

bool ls_page_place_next(const ls_world *world, ls_page_place *place)
{
    uint32_t end = place->has_baselines ? ls_column_total(world) : ls_liveness(world) + 1;
    for (; place->column < end; place->column++, place->lane = 0) {
        for (; place->lane < world->state.lanes; place->lane++, place->next = 0) {
            const ls_table *table = *ls_world_table(world, place->column, place->lane);
            place->page = ls_table_next(table, place->next);
            if (place->page == LS_PAGE_NONE)
                continue;
            place->live = ls_table_page(table, place->page);
            place->next = place->page + 1;
            return true;
        }
    }
    return false;
}

/* Skips missing tables: a view has no baselines of its own, but uses the baselines of its world. */
static void own_baselines(ls_world *world)
{
    for (uint32_t column = ls_liveness(world) + 1; column < ls_column_total(world); column++) {
        for (uint32_t lane = 0; lane < world->state.lanes; lane++) {
            ls_table **table = ls_world_table(world, column, lane);
            if (*table)
                ls_table_own(table, 0, &world->sources[column]);
        }
    }
}

void ls_pages_own(ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    own_baselines(world);
    for (ls_page_place place = {.has_baselines = true}; ls_page_place_next(world, &place);)
        ls_table_unshare(*ls_world_table(world, place.column, place.lane), place.page,
                         &world->sources[place.column]);
}

void ls_image_init(ls_image *image, ls_world *world)
{
    uint32_t columns = ls_column_total(world);
    *image = (ls_image){.world = world};
    image->state.refused_spawns = ls_alloc(sizeof(uint64_t) * world->state.lanes);
    image->hints = ls_alloc(sizeof *image->hints * world->state.lanes);
    image->counts = ls_alloc(sizeof *image->counts * ls_program_table_total(world->program));
    image->pages = ls_alloc(sizeof *image->pages * ls_program_table_total(world->program));
    image->nothing = ls_alloc(sizeof *image->nothing * columns);
    image->pools = ls_alloc(sizeof *image->pools * columns);
    ls_arena_init(&image->arena);
    for (uint32_t column = 0; column < columns; column++) {
        const ls_page_source *source = &world->sources[column];
        size_t bytes = LS_PAGE_CELLS_OFFSET + source->cell_bytes * source->cells;
        ls_pool_init(&image->pools[column], &image->arena, bytes);
        image->nothing[column] = ls_pool_take(&image->pools[column]);
        memset(image->nothing[column], 0, bytes);
    }
}

void ls_image_reset(ls_image *image)
{
    for (size_t i = 0; i < ls_program_table_total(image->world->program); i++)
        ls_free(image->pages[i]);
    ls_arena_reset(&image->arena);
    ls_free(image->state.refused_spawns);
    ls_free(image->hints);
    ls_free(image->counts);
    ls_free(image->pages);
    ls_free(image->nothing);
    ls_free(image->pools);
    *image = (ls_image){0};
}

/* Compares the spawn fields of liveness pages; `spawned` is undefined while the epoch is 0.
 * Relaxed, here and below: only one thread uses the world. */
static bool spawns_differ(const ls_page *a, const ls_page *b)
{
    uint64_t epoch = atomic_load_explicit(&a->spawn_epoch, memory_order_relaxed);
    bool differs = epoch != atomic_load_explicit(&b->spawn_epoch, memory_order_relaxed);
    for (uint32_t word = 0; epoch && word < LS_PAGE_WORDS; word++)
        differs |= atomic_load_explicit(&a->spawned[word], memory_order_relaxed) !=
                   atomic_load_explicit(&b->spawned[word], memory_order_relaxed);
    return differs;
}

bool ls_page_differs(const ls_page_source *source, const ls_page *a, const ls_page *b)
{
    return memcmp(a->present, b->present, sizeof a->present) != 0 || spawns_differ(a, b) ||
           memcmp(ls_page_cell(source, a, 0), ls_page_cell(source, b, 0),
                  source->cell_bytes * source->cells) != 0;
}

/* Copies everything except the reference count and the open flag. */
static void copy_page(const ls_page_source *source, ls_page *to, const ls_page *from)
{
    atomic_store_explicit(&to->spawn_epoch,
                          atomic_load_explicit(&from->spawn_epoch, memory_order_relaxed),
                          memory_order_relaxed);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        atomic_store_explicit(&to->spawned[word],
                              atomic_load_explicit(&from->spawned[word], memory_order_relaxed),
                              memory_order_relaxed);
    memcpy(to->present, from->present, sizeof to->present);
    memcpy(ls_page_cells(to), ls_page_cell(source, from, 0), source->cell_bytes * source->cells);
}

static void copy_heads(const ls_world *world, ls_state *to, const ls_state *from)
{
    to->tick = from->tick;
    memcpy(to->refused_spawns, from->refused_spawns, sizeof(uint64_t) * world->state.lanes);
    memcpy(to->dropped, from->dropped, sizeof to->dropped);
}

static size_t table_of(const ls_image *image, const ls_page_place *place)
{
    return (size_t)place->column * image->world->state.lanes + place->lane;
}

const ls_page *ls_image_page(const ls_image *image, const ls_page_place *place)
{
    size_t table = table_of(image, place);
    const ls_page *page =
        place->page < image->counts[table] ? image->pages[table][place->page] : NULL;
    return page ? page : image->nothing[place->column];
}

static ls_page **entry_of(ls_image *image, const ls_page_place *place)
{
    size_t table = table_of(image, place);
    uint32_t count = image->counts[table], wanted = place->page + 1;
    if (wanted > count) {
        wanted = wanted < count * 2 ? count * 2 : wanted;
        image->pages[table] = ls_realloc(image->pages[table], sizeof(ls_page *) * wanted);
        memset(image->pages[table] + count, 0, sizeof(ls_page *) * (wanted - count));
        image->counts[table] = wanted;
    }
    return &image->pages[table][place->page];
}

/* Empties image pages that the world no longer has. */
static void drop_unused_pages(ls_image *image)
{
    for (size_t table = 0; table < ls_program_table_total(image->world->program); table++) {
        uint32_t column = (uint32_t)(table / image->world->state.lanes);
        for (uint32_t i = 0; i < image->counts[table]; i++) {
            ls_page **page = &image->pages[table][i];
            if (!*page || ls_table_page(image->world->state.tables[table], i))
                continue;
            ls_pool_give(&image->pools[column], *page);
            *page = NULL;
        }
    }
}

void ls_image_take(ls_image *image)
{
    ls_world *world = image->world;
    copy_heads(world, &image->state, &world->state);
    memcpy(image->hints, world->free_hints, sizeof *image->hints * world->state.lanes);
    drop_unused_pages(image);
    for (ls_page_place place = {.has_baselines = true}; ls_page_place_next(world, &place);) {
        const ls_page_source *source = &world->sources[place.column];
        ls_page **page = entry_of(image, &place);
        if (*page && !ls_page_differs(source, *page, place.live))
            continue;
        if (!*page)
            *page = ls_pool_take(&image->pools[place.column]);
        copy_page(source, *page, place.live);
    }
}

/* Recreates pages that the world has given back since the image was taken. */
static void remake_pages(const ls_image *image)
{
    ls_world *world = image->world;
    for (size_t table = 0; table < ls_program_table_total(world->program); table++) {
        for (uint32_t i = 0; i < image->counts[table]; i++) {
            if (!image->pages[table][i] || ls_table_page(world->state.tables[table], i))
                continue;
            const ls_page_source *source = &world->sources[table / world->state.lanes];
            if (!world->state.tables[table]) /* a baseline or kept events may lack one */
                ls_table_own(&world->state.tables[table], 0, source);
            ls_table_write(world->state.tables[table], i, source);
        }
    }
}

void ls_image_restore(const ls_image *image)
{
    ls_world *world = image->world;
    copy_heads(world, &world->state, &image->state);
    memcpy(world->free_hints, image->hints, sizeof *image->hints * world->state.lanes);
    remake_pages(image);
    for (ls_page_place place = {.has_baselines = true}; ls_page_place_next(world, &place);) {
        const ls_page_source *source = &world->sources[place.column];
        const ls_page *page = ls_image_page(image, &place);
        if (!ls_page_differs(source, page, place.live))
            continue;
        /* A baseline or a column of kept events may have another table than when the image was
         * taken, with another hash of the page. So the page is opened, which makes that hash
         * stale. */
        if (place.column > ls_liveness(world))
            place.live = ls_table_write(*ls_world_table(world, place.column, place.lane),
                                        place.page, source);
        copy_page(source, place.live, page);
        ls_table_settle(*ls_world_table(world, place.column, place.lane), place.page);
        if (place.column > ls_liveness(world))
            continue;
        world->versions[place.column]++;
        world->presences[place.column]++;
    }
}

static ls_page *make_twin(const ls_page_source *source, const ls_page *page)
{
    ls_page *made = ls_pool_take(source->pages);
    memset(made, 0, LS_PAGE_CELLS_OFFSET);
    atomic_init(&made->refs, 1);
    made->is_open = page->is_open && atomic_load_explicit(&page->refs, memory_order_relaxed) == 1;
    copy_page(source, made, page);
    return made;
}

static _Atomic(ls_page *) *entry_in(const ls_table *table, uint32_t page)
{
    return &ls_table_directory(table, page)->entries[page % LS_DIRECTORY_PAGES].page;
}

void ls_pages_move(ls_world *world, ls_moved_pages *moved)
{
    moved->count = 0;
    for (ls_page_place place = {0}; ls_page_place_next(world, &place);) {
        moved->list = ls_grow(moved->list, moved->count, &moved->capacity, sizeof *moved->list);
        ls_moved_page *page = &moved->list[moved->count++];
        *page = (ls_moved_page){.table = *ls_world_table(world, place.column, place.lane),
                                .page = place.page,
                                .home = place.live,
                                .source = &world->sources[place.column]};
        atomic_store_explicit(entry_in(page->table, page->page),
                              make_twin(page->source, place.live), memory_order_relaxed);
        atomic_fetch_add_explicit(page->source->moves, 1, memory_order_relaxed);
    }
}

/* Recomputes the summaries, which writes to the copies may have changed. The reference is
 * dropped as in core/state/table.c: release hands over what was written, acquire receives it. */
void ls_pages_return(ls_moved_pages *moved)
{
    for (uint32_t i = 0; i < moved->count; i++) {
        const ls_moved_page *page = &moved->list[i];
        ls_page *away = atomic_exchange_explicit(entry_in(page->table, page->page), page->home,
                                                 memory_order_relaxed);
        atomic_fetch_add_explicit(page->source->moves, 1, memory_order_relaxed);
        if (atomic_fetch_sub_explicit(&away->refs, 1, memory_order_acq_rel) == 1)
            ls_pool_give(page->source->pages, away);
        ls_table_settle(page->table, page->page);
    }
    moved->count = 0;
}
