/* Snapshots and their byte form.
 *
 * Bytes, little-endian: "LSSN", u16 version, 16 bytes fingerprint, u64 hash of the match, u64 tick,
 * u64 refused spawns of each lane, u64 dropped commands, events and values; then for liveness and
 * for each column in canonical order: u32 number of pages, and for each page u32 lane << 16 | page,
 * u64 presence[4], the cells of the set bits in slot order (for liveness instead: u16 count and
 * that number of generations from slot 0; presence follows from them), and the same for each
 * baseline (core/state/baseline.h) and each column of kept events (core/run/kept_events.h); at the
 * end the u64 root. Pages ascend and none is empty, so equal states give equal bytes. If you change
 * these bytes, raise LS_SNAPSHOT_VERSION (world_state.h) and change snapshot_decode.c. */
#include <lockstep/snapshot.h>

#include "core/schema/codec.h"
#include "core/state/snapshot_internal.h"
#include "core/state/state_internal.h"
#include "core/state/world_state.h"

#include <string.h>

ls_snapshot *ls_world_snapshot(ls_world *world)
{
    ls_snapshot *snapshot = world->spare_snapshots;
    if (snapshot) {
        world->spare_snapshots = snapshot->next;
    } else {
        snapshot = ls_alloc(sizeof *snapshot);
        snapshot->world = world;
        ls_state_init(&snapshot->state, world->program);
    }
    /* Hashes before sharing, because a shared directory's hashes are immutable, too. */
    snapshot->root = ls_world_root(world);
    ls_state_share(world, &world->state, &snapshot->state);
    world->owns_written = false;
    memset(world->is_owned, 0, sizeof *world->is_owned * (ls_liveness(world) + 1));
    return snapshot;
}

void ls_snapshot_destroy(ls_snapshot *snapshot)
{
    if (!snapshot)
        return;
    ls_world *world = snapshot->world;
    ls_state_empty(world, &snapshot->state);
    snapshot->next = world->spare_snapshots;
    world->spare_snapshots = snapshot;
}

void ls_snapshot_free_spare(ls_world *world)
{
    while (world->spare_snapshots) {
        ls_snapshot *snapshot = world->spare_snapshots;
        world->spare_snapshots = snapshot->next;
        ls_state_release(world, &snapshot->state);
        ls_free(snapshot);
    }
}

uint64_t ls_snapshot_tick(const ls_snapshot *snapshot)
{
    return snapshot->state.tick;
}

void ls_world_restore(ls_world *world, const ls_snapshot *snapshot)
{
    const ls_world *from = snapshot->world;
    LS_ASSERT(from->pool_owner == world->pool_owner);
    ls_state_share(world, &snapshot->state, &world->state);
    /* Each page has the epoch of its last spawn, which must not be later than the world's. */
    if (world->spawn_epoch < from->spawn_epoch)
        world->spawn_epoch = from->spawn_epoch;
    ls_world_state_changed(world);
}

void ls_world_copy(ls_world *to, ls_world *from)
{
    ls_snapshot *state = ls_world_snapshot(from);
    ls_world_restore(to, state);
    ls_snapshot_destroy(state);
}

/* Output of the encoder, which runs twice: first to count the bytes, then to write them. */
struct sink {
    ls_writer writer;
    size_t bytes;
    bool is_counting;
};

static void put(struct sink *sink, const void *data, size_t count)
{
    sink->bytes += count;
    if (!sink->is_counting)
        ls_write_bytes(&sink->writer, data, count);
}

static void put_number(struct sink *sink, uint64_t value, size_t bytes)
{
    uint8_t little[8];
    for (size_t i = 0; i < bytes; i++)
        little[i] = (uint8_t)(value >> (8 * i));
    put(sink, little, bytes);
}

static void put_cells(struct sink *sink, const ls_component *component, const uint8_t *cells,
                      size_t count)
{
    sink->bytes += component->bytes * count;
    if (sink->is_counting || component->bytes == 0)
        return;
    ls_writer *writer = &sink->writer;
    LS_ASSERT(component->bytes * count <= writer->capacity - writer->count);
    ls_cells_convert(component, cells, writer->data + writer->count, count);
    writer->count += component->bytes * count;
}

static void put_present_cells(struct sink *sink, const ls_page_source *source, ls_page *page)
{
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        put_number(sink, page->present[word], 8);
    uint32_t first = ls_mask_next_set(page->present, 0);
    while (first < source->cells) {
        uint32_t end = ls_mask_next_clear(page->present, first);
        put_cells(sink, source->component, ls_page_cells(page) + source->cell_bytes * first,
                  end - first);
        first = end < LS_PAGE_SLOTS ? ls_mask_next_set(page->present, end) : LS_PAGE_SLOTS;
    }
}

static void put_generations(struct sink *sink, const ls_page_source *source, ls_page *page)
{
    uint32_t count = ls_page_used_generations(page);
    put_number(sink, count, 2);
    put_cells(sink, source->component, ls_page_cells(page), count);
}

/* The first page from `from` on that is encoded: a page with a present slot; for liveness, a page
 * with a generation that is not 0, even if all its entities are dead. */
static uint32_t next_page(const ls_table *table, uint32_t from, bool is_liveness)
{
    if (!is_liveness)
        return ls_table_next_occupied(table, from);
    from = ls_table_next(table, from);
    while (from != LS_PAGE_NONE && ls_page_used_generations(ls_table_page(table, from)) == 0)
        from = ls_table_next(table, from + 1);
    return from;
}

static void put_column(struct sink *sink, const ls_world *world, const ls_state *state,
                       uint32_t column)
{
    uint32_t lanes = world->program->lane_count, count = 0;
    bool is_liveness = column == ls_liveness(world);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            put_number(sink, count, 4);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const ls_table *table = state->tables[(size_t)column * lanes + lane];
            for (uint32_t i = next_page(table, 0, is_liveness); i != LS_PAGE_NONE;
                 i = next_page(table, i + 1, is_liveness)) {
                ls_page *page = ls_table_page(table, i);
                count++;
                if (pass == 0)
                    continue;
                put_number(sink, lane << 16 | i, 4);
                if (is_liveness)
                    put_generations(sink, &world->sources[column], page);
                else
                    put_present_cells(sink, &world->sources[column], page);
            }
        }
    }
}

static void put_state(struct sink *sink, const ls_snapshot *snapshot)
{
    const ls_world *world = snapshot->world;
    put(sink, "LSSN", 4);
    put_number(sink, LS_SNAPSHOT_VERSION, 2);
    put(sink, world->program->fingerprint, LS_FINGERPRINT_BYTES);
    put_number(sink, world->match_hash, 8);
    put_number(sink, snapshot->state.tick, 8);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        put_number(sink, snapshot->state.refused_spawns[lane], 8);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        put_number(sink, snapshot->state.dropped[i], 8);
    for (uint32_t place = 0; place < ls_column_total(world); place++)
        put_column(sink, world, &snapshot->state, ls_column_at(world, place));
    put_number(sink, snapshot->root, 8);
}

void ls_snapshot_encode(const ls_snapshot *snapshot, uint8_t **bytes, size_t *count)
{
    struct sink counting = {.is_counting = true};
    put_state(&counting, snapshot);
    struct sink filling = {0};
    *bytes = ls_alloc(counting.bytes);
    *count = counting.bytes;
    ls_writer_init(&filling.writer, *bytes, *count);
    put_state(&filling, snapshot);
    LS_ASSERT(!filling.writer.failed && filling.writer.count == *count);
}

void ls_world_encode(ls_world *world, uint8_t **bytes, size_t *count)
{
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_snapshot_encode(snapshot, bytes, count);
    ls_snapshot_destroy(snapshot);
}
