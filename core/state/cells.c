#include "core/state/cells.h"

#include "core/schema/codec.h"
#include "core/state/facts.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"
#include <lockstep/bytes.h>

#include <string.h>

static uint32_t lives_of(const ls_program *program)
{
    return program->column_count;
}

static uint32_t head_of(const ls_program *program)
{
    return program->column_count + 1;
}

uint32_t ls_cells_column_count(const ls_program *program)
{
    return program->column_count + 2;
}

/* Size of the head, little-endian words: the tick, refused spawns by lane, counts of dropped
 * items. */
static size_t head_bytes(const ls_state *state)
{
    return sizeof(uint64_t) * (1 + state->lanes + LS_DROPPED_COUNT);
}

static void put_head(ls_writer *writer, const ls_state *state)
{
    ls_write_u64(writer, state->tick);
    for (uint32_t lane = 0; lane < state->lanes; lane++)
        ls_write_u64(writer, state->refused_spawns[lane]);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        ls_write_u64(writer, state->dropped[i]);
}

static uint64_t head_hash(const ls_state *state)
{
    uint64_t chain[2] = {0, state->tick};
    chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    for (uint32_t i = 0; i < state->lanes + LS_DROPPED_COUNT; i++) {
        chain[1] = i < state->lanes ? state->refused_spawns[i] : state->dropped[i - state->lanes];
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    return chain[0] | 1;
}

void ls_cells_columns(const ls_snapshot *snapshot, uint64_t *hashes)
{
    const ls_program *program = snapshot->world->program;
    for (uint32_t column = 0; column <= lives_of(program); column++)
        hashes[column] = ls_state_column_hash(&snapshot->state, column);
    hashes[head_of(program)] = head_hash(&snapshot->state);
}

uint32_t ls_cells_pages(const ls_snapshot *snapshot, uint32_t column, ls_cells_page *pages,
                        uint32_t capacity)
{
    const ls_state *state = &snapshot->state;
    const ls_program *program = snapshot->world->program;
    uint32_t count = 0;
    if (column == head_of(program) && capacity)
        pages[0] = (ls_cells_page){0, head_hash(state)};
    if (column > lives_of(program))
        return column == head_of(program);
    for (uint32_t lane = 0; lane < state->lanes; lane++) {
        const ls_table *table = state->tables[(size_t)column * state->lanes + lane];
        for (uint32_t page = ls_table_next(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next(table, page + 1)) {
            uint64_t hash = ls_table_page_hash(table, page);
            if (hash && count < capacity)
                pages[count] = (ls_cells_page){lane << 16 | page, hash};
            count += hash != 0;
        }
    }
    return count;
}

static void put_cells(ls_writer *writer, const ls_component *component, const uint8_t *cells,
                      uint32_t count)
{
    size_t bytes = (size_t)component->bytes * count;
    if (writer->failed || bytes > writer->capacity - writer->count) {
        writer->failed = true;
        return;
    }
    if (bytes)
        ls_cells_convert(component, cells, writer->data + writer->count, count);
    writer->count += bytes;
}

static void put_page(ls_writer *writer, const ls_page_source *source, ls_page *page, bool is_lives)
{
    if (is_lives) {
        uint32_t count = LS_PAGE_SLOTS;
        while (count && !ls_page_generations(page)[count - 1])
            count--;
        put_cells(writer, source->component, ls_page_cells(page), count);
        return;
    }
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        ls_write_u64(writer, page->present[word]);
    for (uint32_t first = ls_mask_next_set(page->present, 0); first < source->cells;) {
        uint32_t end = ls_mask_next_clear(page->present, first);
        put_cells(writer, source->component, ls_page_cells(page) + source->cell_bytes * first,
                  end - first);
        first = ls_mask_next_set(page->present, end);
    }
}

bool ls_cells_look_up(const ls_snapshot *snapshot, uint32_t column, uint32_t key,
                      ls_cells_page *page)
{
    const ls_state *state = &snapshot->state;
    const ls_program *program = snapshot->world->program;
    uint32_t lane = key >> 16;
    *page = (ls_cells_page){.key = key};
    if (column == head_of(program) && key == 0)
        page->hash = head_hash(state);
    else if (column <= lives_of(program) && lane < state->lanes)
        page->hash =
            ls_table_page_hash(state->tables[(size_t)column * state->lanes + lane], key & 0xffff);
    return page->hash != 0;
}

size_t ls_cells_encode(const ls_snapshot *snapshot, uint32_t column, uint32_t key, uint8_t *bytes,
                       size_t capacity)
{
    const ls_state *state = &snapshot->state;
    const ls_program *program = snapshot->world->program;
    ls_cells_page found;
    ls_writer writer;
    ls_writer_init(&writer, bytes, capacity);
    if (!ls_cells_look_up(snapshot, column, key, &found))
        return 0;
    if (column == head_of(program)) {
        put_head(&writer, state);
    } else {
        const ls_table *table = state->tables[(size_t)column * state->lanes + (key >> 16)];
        put_page(&writer, &snapshot->world->sources[column], ls_table_page(table, key & 0xffff),
                 column == lives_of(program));
    }
    return writer.failed ? 0 : writer.count;
}

static bool read_lives(ls_page *page, const ls_page_source *source, ls_reader *reader)
{
    size_t unit = source->cell_bytes, count = ls_reader_left(reader) / unit;
    const uint8_t *bytes = ls_read_view(reader, count * unit);
    if (count > LS_PAGE_SLOTS || !bytes)
        return false;
    ls_cells_convert(source->component, bytes, ls_page_cells(page), count);
    const uint32_t *generations = ls_page_generations(page);
    for (uint32_t slot = 0; slot < count; slot++)
        page->present[slot / 64] |= (uint64_t)(generations[slot] & 1) << (slot % 64);
    return count > 0 && generations[count - 1] != 0;
}

static bool read_cells(ls_page *page, const ls_page_source *source, ls_reader *reader)
{
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        page->present[word] = ls_read_u64(reader);
    if (source->cells == 1 &&
        (page->present[0] >> 1 | page->present[1] | page->present[2] | page->present[3]) != 0) {
        memset(page->present, 0, sizeof page->present);
        return false;
    }
    for (uint32_t slot = ls_mask_next_set(page->present, 0); slot < source->cells;
         slot = ls_mask_next_set(page->present, slot + 1)) {
        const uint8_t *bytes = ls_read_view(reader, source->cell_bytes);
        if (bytes && source->cell_bytes)
            ls_cells_convert(source->component, bytes,
                             ls_page_cells(page) + source->cell_bytes * slot, 1);
        if (slot + 1 == LS_PAGE_SLOTS)
            break;
    }
    return !reader->failed && !ls_page_is_empty(page);
}

static bool read_head(ls_state *state, ls_reader *reader)
{
    if (ls_reader_left(reader) != head_bytes(state) || ls_read_u64(reader) != state->tick)
        return false;
    for (uint32_t lane = 0; lane < state->lanes; lane++)
        state->refused_spawns[lane] = ls_read_u64(reader);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        state->dropped[i] = ls_read_u64(reader);
    return true;
}

/* Whether the page is near the existing ones: a claimed page far beyond them would make the world
 * allocate much memory. */
static bool is_near(const ls_world *world, uint32_t lane, uint32_t page)
{
    const ls_table *lives = world->state.lives[lane];
    return page < ls_table_page_count(lives) + LS_DIRECTORY_PAGES;
}

static bool apply(ls_world *world, const ls_cells_claim *claim)
{
    const ls_program *program = world->program;
    uint32_t lane = claim->key >> 16, at = claim->key & 0xffff, column = claim->column;
    ls_reader reader;
    ls_reader_init(&reader, claim->bytes, claim->count);
    if (column == head_of(program))
        return claim->key == 0 && read_head(&world->state, &reader);
    if (column > lives_of(program) || lane >= world->state.lanes || !is_near(world, lane, at))
        return false;
    const ls_page_source *source = &world->sources[column];
    if (source->cells == 1 && claim->key != 0)
        return false;
    ls_store_own(world, column);
    ls_table_own(ls_world_table(world, column, lane), at + 1, source);
    ls_table *table = *ls_world_table(world, column, lane);
    ls_page *page = ls_table_write(table, at, source);
    memset(page->present, 0, sizeof page->present);
    memset(ls_page_cells(page), 0, source->cell_bytes * source->cells);
    bool is_read =
        claim->count == 0 || (column == lives_of(program) ? read_lives(page, source, &reader)
                                                          : read_cells(page, source, &reader));
    ls_table_settle(table, at);
    return is_read && ls_reader_done(&reader);
}

static ls_world *make_world(ls_world *world, const ls_snapshot *snapshot)
{
    ls_world *made = ls_world_create_sibling(world);
    ls_world_restore(made, snapshot);
    return made;
}

static ls_status place(ls_world *world, const ls_cells_claim *claims, uint32_t claim_count,
                       ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; i < claim_count && status == LS_OK; i++)
        if (!apply(world, &claims[i]))
            status = ls_error_set(error, LS_ERROR_CORRUPT, "what it says of column %u is no page",
                                  claims[i].column);
    ls_world_state_changed(world);
    return status;
}

ls_status ls_cells_place(ls_world *world, const ls_cells_claim *claims, uint32_t claim_count,
                         ls_error *error)
{
    ls_snapshot *before = ls_world_snapshot(world);
    ls_status status = place(world, claims, claim_count, error);
    if (status == LS_OK)
        status = ls_facts_check_incompatibilities(world, error);
    if (status != LS_OK)
        ls_world_restore(world, before);
    ls_snapshot_destroy(before);
    return status;
}

ls_status ls_cells_compare(ls_world *world, const ls_snapshot *snapshot,
                           const ls_cells_claim *claims, uint32_t claim_count,
                           ls_difference_visit *visit, void *argument, uint64_t *root,
                           ls_error *error)
{
    ls_world *ours = make_world(world, snapshot), *theirs = make_world(world, snapshot);
    ls_status status = place(theirs, claims, claim_count, error);
    if (status == LS_OK) {
        *root = ls_world_root(theirs);
        ls_world_diff(ours, theirs, visit, argument);
    }
    ls_world_destroy(theirs);
    ls_world_destroy(ours);
    return status;
}
