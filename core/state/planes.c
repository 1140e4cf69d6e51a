/* Writes a snapshot as byte planes. First it lists the pages that differ from the base, so that the
 * size is known before bytes are written. */
#include "core/state/planes_internal.h"

#include "core/base/grow.h"
#include "core/schema/codec.h"
#include <lockstep/bytes.h>

#include <string.h>

/* A page that differs from the base; `page` or `base` is NULL if that side has none. */
struct entry {
    uint32_t key;
    uint32_t cells;
    ls_page *page, *base;
    uint64_t slots[LS_PAGE_WORDS]; /* slots whose cells are written */
};

struct planes {
    const ls_world *world;
    const ls_state *state, *base; /* `base` may be NULL */
    struct entry *entries;
    uint32_t count, capacity;
    uint32_t *starts;        /* by column, liveness first: its first entry; plus the end */
    uint8_t *cells, *others; /* cells of a page, and of its base */
};

static const ls_table *table_of(const ls_state *state, uint32_t column, uint32_t lane)
{
    return state ? state->tables[(size_t)column * state->lanes + lane] : NULL;
}

/* The page, or NULL if it is empty. */
static ls_page *nonempty_page(const ls_table *table, uint32_t at, bool is_liveness)
{
    ls_page *page = ls_table_page(table, at);
    if (!page || (is_liveness ? ls_page_used_generations(page) == 0 : ls_page_is_empty(page)))
        return NULL;
    return page;
}

static uint32_t differing_generations(const ls_page *page, const ls_page *base)
{
    uint32_t used = page ? ls_page_used_generations(page) : 0;
    uint32_t before = base ? ls_page_used_generations(base) : 0;
    uint32_t count = used > before ? used : before;
    while (count > 0 && page && base &&
           ls_page_generations(page)[count - 1] == ls_page_generations(base)[count - 1])
        count--;
    return count;
}

static bool is_same(const ls_page_source *source, ls_page *page, ls_page *base)
{
    return page == base ||
           (page && base && memcmp(page->present, base->present, sizeof page->present) == 0 &&
            memcmp(ls_page_cells(page), ls_page_cells(base), source->cell_bytes * source->cells) ==
                0);
}

static void add_entry(struct planes *self, uint32_t column, struct entry entry)
{
    if (entry.page == entry.base)
        return;
    if (column == ls_liveness(self->world)) {
        ls_planes_first_slots(entry.slots, differing_generations(entry.page, entry.base));
    } else if (is_same(&self->world->sources[column], entry.page, entry.base)) {
        return;
    } else if (entry.page) {
        memcpy(entry.slots, entry.page->present, sizeof entry.slots);
    }
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        entry.cells += (uint32_t)__builtin_popcountll(entry.slots[word]);
    if (column == ls_liveness(self->world) && entry.cells == 0)
        return;
    self->entries = ls_grow(self->entries, self->count, &self->capacity, sizeof *self->entries);
    self->entries[self->count++] = entry;
}

static void list_table(struct planes *self, uint32_t column, uint32_t lane)
{
    const ls_table *table = table_of(self->state, column, lane);
    const ls_table *base = table_of(self->base, column, lane);
    bool is_liveness = column == ls_liveness(self->world);
    if (table == base)
        return;
    for (uint32_t at = 0;; at++) {
        uint32_t next = ls_table_next(table, at), other = ls_table_next(base, at);
        at = next < other ? next : other;
        if (at == LS_PAGE_NONE)
            return;
        add_entry(self, column,
                  (struct entry){.key = lane << 16 | at,
                                 .page = nonempty_page(table, at, is_liveness),
                                 .base = nonempty_page(base, at, is_liveness)});
    }
}

/* Lists all differing pages, and returns the size of all columns in bytes. */
static size_t list_all(struct planes *self)
{
    uint32_t places = ls_column_total(self->world);
    size_t bytes = 0;
    for (uint32_t place = 0; place < places; place++) {
        uint32_t column = ls_column_at(self->world, place);
        self->starts[place] = self->count;
        for (uint32_t lane = 0; lane < self->state->lanes; lane++)
            list_table(self, column, lane);
        size_t mask_bytes = place == 0 ? 2 : sizeof(uint64_t) * LS_PAGE_WORDS;
        bytes += 4 + (4 + mask_bytes) * (self->count - self->starts[place]);
        for (uint32_t i = self->starts[place]; i < self->count; i++)
            bytes += self->world->sources[column].cell_bytes * self->entries[i].cells;
    }
    self->starts[places] = self->count;
    return bytes;
}

/* Writes the cells of a page as planes, each byte xor the byte in the base. Converts both pages to
 * little-endian first. */
static void put_cells(struct planes *self, const ls_page_source *source, const struct entry *entry,
                      uint8_t *bytes, size_t stride)
{
    uint8_t slots[LS_PAGE_SLOTS];
    size_t cell_bytes = source->cell_bytes, page_bytes = cell_bytes * source->cells;
    uint32_t count = ls_planes_list_slots(entry->slots, slots);
    if (cell_bytes == 0 || count == 0)
        return;
    if (entry->page)
        ls_cells_convert(source->component, ls_page_cells(entry->page), self->cells, source->cells);
    else
        memset(self->cells, 0, page_bytes);
    if (entry->base) {
        ls_cells_convert(source->component, ls_page_cells(entry->base), self->others,
                         source->cells);
        for (size_t i = 0; i < page_bytes; i++)
            self->cells[i] ^= self->others[i];
    }
    for (size_t plane = 0; plane < cell_bytes; plane++, bytes += stride) {
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = self->cells[cell_bytes * slots[i] + plane];
    }
}

static void put_column(struct planes *self, uint32_t place, ls_writer *writer)
{
    uint32_t count = self->starts[place + 1] - self->starts[place];
    const struct entry *entries = count ? &self->entries[self->starts[place]] : NULL;
    const ls_page_source *source = &self->world->sources[ls_column_at(self->world, place)];
    size_t cells = 0;
    ls_write_u32(writer, count);
    for (uint32_t i = 0; i < count; i++)
        ls_write_u32(writer, entries[i].key);
    for (uint32_t i = 0; i < count; i++) {
        const ls_page *page = entries[i].page, *base = entries[i].base;
        if (place == 0)
            ls_write_u16(writer, (uint16_t)entries[i].cells);
        for (uint32_t word = 0; place > 0 && word < LS_PAGE_WORDS; word++)
            ls_write_u64(writer,
                         (page ? page->present[word] : 0) ^ (base ? base->present[word] : 0));
        cells += entries[i].cells;
    }
    size_t bytes = source->cell_bytes * cells;
    LS_ASSERT(bytes <= writer->capacity - writer->count);
    uint8_t *first = writer->data + writer->count;
    for (uint32_t i = 0; i < count; first += entries[i++].cells)
        put_cells(self, source, &entries[i], first, cells);
    writer->count += bytes;
}

static void put_head(const ls_snapshot *snapshot, const ls_snapshot *base, ls_writer *writer)
{
    const ls_world *world = snapshot->world;
    ls_write_bytes(writer, LS_PLANES_MAGIC, sizeof LS_PLANES_MAGIC - 1);
    ls_write_u16(writer, LS_PLANES_VERSION);
    ls_write_bytes(writer, world->program->fingerprint, LS_FINGERPRINT_BYTES);
    ls_write_u64(writer, world->match_hash);
    ls_write_u64(writer, base ? base->root : 0);
    ls_write_u64(writer, snapshot->state.tick);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        ls_write_u64(writer, snapshot->state.refused_spawns[lane]);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        ls_write_u64(writer, snapshot->state.dropped[i]);
}

void ls_planes_encode(const ls_snapshot *snapshot, const ls_snapshot *base, uint8_t **bytes,
                      size_t *count)
{
    const ls_world *world = snapshot->world;
    LS_ASSERT(!base || base->world->pool_owner == world->pool_owner);
    uint32_t places = ls_column_total(world);
    size_t page_bytes = ls_planes_page_bytes(world);
    struct planes self = {.world = world,
                          .state = &snapshot->state,
                          .base = base ? &base->state : NULL,
                          .starts = ls_alloc(sizeof(uint32_t) * (places + 1)),
                          .cells = ls_alloc(2 * page_bytes)};
    self.others = self.cells + page_bytes;
    *count = 4 + 2 + LS_FINGERPRINT_BYTES + 8 * 3 +
             8 * ((size_t)world->program->lane_count + LS_DROPPED_COUNT) + list_all(&self) + 8;
    *bytes = ls_alloc(*count);
    ls_writer writer;
    ls_writer_init(&writer, *bytes, *count);
    put_head(snapshot, base, &writer);
    for (uint32_t place = 0; place < places; place++)
        put_column(&self, place, &writer);
    ls_write_u64(&writer, snapshot->root);
    LS_ASSERT(!writer.failed && writer.count == *count);
    ls_free(self.entries);
    ls_free(self.starts);
    ls_free(self.cells);
}
