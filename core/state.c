/* States: made, shared with snapshots, released, hashed. */
#include "core/codec.h"
#include "core/world_internal.h"

#include <string.h>

static size_t table_count(const ls_program *program)
{
    return ((size_t)program->column_count + 1) * program->lane_count;
}

void ls_state_init(ls_state *state, const ls_program *program)
{
    *state = (ls_state){0};
    state->tables = ls_alloc(sizeof(ls_table *) * table_count(program));
    state->refused_spawns = ls_alloc(sizeof(uint64_t) * program->lane_count);
}

void ls_state_share(const ls_world *world, const ls_state *from, ls_state *to)
{
    const ls_program *program = world->program;
    to->tick = from->tick;
    memcpy(to->refused_spawns, from->refused_spawns, sizeof(uint64_t) * program->lane_count);
    memcpy(to->dropped, from->dropped, sizeof to->dropped);
    for (size_t i = 0; i < table_count(program); i++)
        to->tables[i] = ls_table_share(from->tables[i]);
}

void ls_state_release(const ls_world *world, ls_state *state)
{
    uint32_t lanes = world->program->lane_count;
    for (size_t i = 0; state->tables && i < table_count(world->program); i++)
        ls_table_release(state->tables[i], &world->sources[i / lanes]);
    ls_free(state->tables);
    ls_free(state->refused_spawns);
    *state = (ls_state){0};
}

void ls_world_state_changed(ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        world->versions[column]++;
        world->presences[column]++;
        world->is_owned[column] = false;
    }
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        world->free_hints[lane] = 0;
    for (uint32_t i = 0; i < world->program->system_count; i++)
        world->runs[i].journal.count = 0; /* events of another tick */
}

/* A page's hash binds presence and the present cells, run by run, as the snapshot's bytes hold
 * them; of liveness every generation counts. What lies in an absent cell does not show. */
static uint64_t page_hash(const ls_page_source *source, ls_page *page, bool is_liveness)
{
    uint64_t parts[LS_PAGE_WORDS + 1];
    memcpy(parts, page->present, sizeof page->present);
    if (is_liveness) {
        parts[LS_PAGE_WORDS] = ls_cells_hash(source->component, ls_page_cells(page), source->cells);
        return ls_words_hash(parts, LS_COUNT_OF(parts));
    }
    uint64_t hash = ls_words_hash(parts, LS_PAGE_WORDS);
    uint32_t first = source->cell_bytes ? ls_mask_next_set(page->present, 0) : LS_PAGE_SLOTS;
    while (first < LS_PAGE_SLOTS) {
        uint32_t end = ls_mask_next_clear(page->present, first);
        parts[0] = hash;
        parts[1] = ls_cells_hash(source->component,
                                 ls_page_cells(page) + source->cell_bytes * first, end - first);
        hash = ls_words_hash(parts, 2);
        first = end < LS_PAGE_SLOTS ? ls_mask_next_set(page->present, end) : LS_PAGE_SLOTS;
    }
    return hash;
}

/* A lane's page without a living slot still remembers its generations. */
static bool is_counted(const ls_page_source *source, ls_page *page, bool is_liveness)
{
    if (!page)
        return false;
    if (!is_liveness)
        return !ls_page_is_empty(page);
    const uint8_t *cells = ls_page_cells(page);
    for (size_t i = 0; i < source->cell_bytes * source->cells; i++) {
        if (cells[i])
            return true;
    }
    return false;
}

static uint64_t column_hash(ls_world *world, uint32_t column)
{
    const ls_page_source *source = &world->sources[column];
    bool is_liveness = column == ls_liveness(world);
    uint64_t chain[3] = {column, 0, 0};
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        ls_table *table = *ls_world_table(world, column, lane);
        for (uint32_t i = ls_table_next(table, 0); i != LS_PAGE_NONE;
             i = ls_table_next(table, i + 1)) {
            ls_page *page = ls_table_page(table, i);
            if (!page->hash_is_valid) {
                /* 0 says that the page is the same as none. */
                page->hash = is_counted(source, page, is_liveness)
                                 ? page_hash(source, page, is_liveness) | 1
                                 : 0;
                page->hash_is_valid = 1;
            }
            if (page->hash == 0)
                continue;
            chain[1] = (uint64_t)lane << 32 | i;
            chain[2] = page->hash;
            chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
        }
    }
    return chain[0];
}

uint64_t ls_world_root(ls_world *world)
{
    uint32_t lanes = world->program->lane_count;
    uint64_t chain[3] = {LS_ENGINE_RULES, world->match_hash, world->state.tick};
    chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        chain[1] = column;
        chain[2] = column_hash(world, column);
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        chain[1] = lane;
        chain[2] = world->state.refused_spawns[lane];
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++) {
        chain[1] = i;
        chain[2] = world->state.dropped[i];
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    return chain[0];
}

void ls_world_column_hashes(ls_world *world, uint64_t *hashes)
{
    for (uint32_t column = 0; column < world->program->column_count; column++)
        hashes[column] = column_hash(world, column);
}
