/* Reads a state from hostile bytes: the reverse of core/state/snapshot.c. The state is built
 * separately, and replaces the world's state only when everything is valid, including the root. */
#include "core/state/snapshot_decode.h"

#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/state_head.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"
#include <lockstep/snapshot.h>
#include <lockstep/world.h>

#include <string.h>

struct restoring {
    ls_world *world;
    ls_reader *reader;
    size_t page_bytes;
    bool is_too_large;
    ls_error fault; /* a message about a cell; empty: report the byte position */
};

static bool read_generations(struct restoring *self, ls_page *page)
{
    ls_world *world = self->world;
    ls_reader *reader = self->reader;
    uint32_t count = ls_read_u16(reader);
    const ls_component *component = world->sources[ls_liveness(world)].component;
    const uint8_t *bytes = ls_read_view(reader, (size_t)count * component->bytes);
    if (!bytes || count == 0 || count > LS_PAGE_SLOTS)
        return false;
    ls_cells_convert(component, bytes, ls_page_cells(page), count);
    const uint32_t *generations = ls_page_generations(page);
    for (uint32_t slot = 0; slot < count; slot++) {
        if (generations[slot] > LS_GENERATION_RETIRED)
            return false;
        page->present[slot / 64] |= (uint64_t)(generations[slot] & 1) << (slot % 64);
    }
    return generations[count - 1] != 0;
}

/* Describes an invalid value, which comes from a hostile peer or from a system that wrote it. */
static bool refuse_cell(const ls_world *world, const ls_component *component, const ls_field *field,
                        ls_entity entity, ls_error *fault)
{
    ls_builder owner = {0};
    if (component->is_singleton)
        ls_builder_add(&owner, "the world");
    else
        ls_entity_print(&owner, world->program, entity);
    ls_error_set(fault, LS_ERROR_CORRUPT,
                 "the snapshot holds what cannot be: \"%s\" of %s has a value in field \"%s\" that "
                 "its type or limit does not allow",
                 component->name, owner.data, field->name);
    ls_free(owner.data);
    return false;
}

static const ls_component *lives_component(const ls_world *world)
{
    return world->sources[ls_liveness(world)].component;
}

/* Whether a baseline's cell is no generation that a living entity can have. */
static bool is_no_generation(const uint8_t *cell)
{
    uint32_t generation;
    memcpy(&generation, cell, sizeof generation);
    return !(generation & 1) || generation > LS_GENERATION_RETIRED;
}

bool ls_state_check_cells(const ls_world *world, uint32_t column, uint32_t key, ls_page *page,
                          ls_error *fault)
{
    const ls_page_source *source = &world->sources[column];
    const ls_component *component = source->component;
    uint32_t lane = key >> 16, at = key & 0xffff;
    for (uint32_t slot = ls_mask_next_set(page->present, 0); slot < source->cells;
         slot = ls_mask_next_set(page->present, slot + 1)) {
        const uint8_t *cell = ls_page_cells(page) + source->cell_bytes * slot;
        const ls_field *field = ls_cell_fault(component, cell);
        if (column > ls_liveness(world) && source->component == lives_component(world))
            field = is_no_generation(cell) ? &component->fields[0] : NULL;
        if (!field)
            continue;
        const ls_page *lives =
            component->is_singleton ? NULL : ls_world_page(world, ls_liveness(world), lane, at);
        return refuse_cell(world, component, field,
                           ls_entity_make(lane, at * LS_PAGE_SLOTS + slot,
                                          lives ? ls_page_generations(lives)[slot] : 0),
                           fault);
    }
    return true;
}

/* The slots of a word that may have cells: all in a column of a baseline or of kept events, where a
 * slot has an entity that may be dead by now, or an event. `lives` NULL: a singleton, with slot 0
 * only. */
static uint64_t allowed_slots(const ls_world *world, uint32_t column, const ls_page *lives,
                              uint32_t word)
{
    if (column > ls_liveness(world))
        return UINT64_MAX;
    return lives ? lives->present[word] : word == 0;
}

static bool read_present_cells(struct restoring *self, uint32_t column, uint32_t key,
                               const ls_page *lives)
{
    ls_reader *reader = self->reader;
    const ls_page_source *source = &self->world->sources[column];
    ls_page *page = ls_world_page(self->world, column, key >> 16, key & 0xffff);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        page->present[word] = ls_read_u64(reader);
        if (page->present[word] & ~allowed_slots(self->world, column, lives, word))
            return false;
    }
    if (ls_page_is_empty(page))
        return false;
    for (uint32_t slot = ls_mask_next_set(page->present, 0); slot < source->cells;
         slot = ls_mask_next_set(page->present, slot + 1)) {
        const uint8_t *bytes = ls_read_view(reader, source->cell_bytes);
        if (!bytes)
            return false;
        ls_cells_convert(source->component, bytes, ls_page_cells(page) + source->cell_bytes * slot,
                         1);
    }
    return ls_state_check_cells(self->world, column, key, page, &self->fault);
}

static bool read_column(struct restoring *self, uint32_t column)
{
    ls_world *world = self->world;
    ls_reader *reader = self->reader;
    size_t limit = ls_store_page_budget(reader->count);
    bool is_liveness = column == ls_liveness(world);
    bool is_baseline = column > ls_liveness(world);
    bool is_singleton = !is_liveness && world->sources[column].component->is_singleton;
    uint32_t count = ls_read_u32(reader);
    uint64_t previous = UINT64_MAX;
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        uint32_t key = ls_read_u32(reader), lane = key >> 16, at = key & 0xffff;
        if (reader->failed || lane >= world->program->lane_count || (is_singleton && key != 0) ||
            (previous != UINT64_MAX && key <= previous))
            return false;
        previous = key;
        self->page_bytes += ls_store_page_cost(world, column, lane, at);
        if (self->page_bytes > limit)
            return false;
        const ls_page *lives =
            is_liveness || is_singleton ? NULL : ls_world_page(world, ls_liveness(world), lane, at);
        if (!is_liveness && !is_singleton && !is_baseline && !lives)
            return false;
        ls_table **table = ls_world_table(world, column, lane);
        ls_table_own(table, 0, &world->sources[column]);
        ls_page *page = ls_table_write(*table, at, &world->sources[column]);
        if (world->memory_max && ls_world_memory(world) + reader->count > world->memory_max) {
            self->is_too_large = true;
            return false;
        }
        if (!(is_liveness ? read_generations(self, page)
                          : read_present_cells(self, column, key, lives)))
            return false;
        ls_table_settle(*table, at);
    }
    return !reader->failed && !(is_singleton && count != 1);
}

static const ls_state_form form = {"snapshot", "LSSN", LS_SNAPSHOT_VERSION, false};

ls_status ls_state_read(ls_world *world, ls_reader *reader, uint64_t *root, ls_error *error)
{
    ls_status status = ls_state_head_read(world, &form, reader, NULL, error);
    if (status != LS_OK)
        return status;
    struct restoring self = {.world = world, .reader = reader};
    bool is_good = true;
    for (uint32_t place = 0; is_good && place < ls_column_total(world); place++)
        is_good = read_column(&self, ls_column_at(world, place));
    *root = ls_read_u64(reader);
    if (self.fault.text[0])
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s", self.fault.text);
    if (self.is_too_large)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "its world takes more memory than the %zu bytes that are allowed",
                            world->memory_max);
    if (!is_good || !ls_reader_done(reader))
        return ls_error_set(error, LS_ERROR_CORRUPT, "the snapshot is damaged at byte %zu of %zu",
                            reader->offset, reader->count);
    return LS_OK;
}

ls_status ls_world_decode(ls_world *world, const uint8_t *bytes, size_t count, ls_error *error)
{
    ls_reader reader;
    uint64_t root = 0;
    ls_reader_init(&reader, bytes, count);
    ls_state before = world->state;
    ls_state_init(&world->state, world->program);
    ls_status status = ls_state_read(world, &reader, &root, error);
    status = ls_state_accept(world, &form, &before, status, root, error);
    if (status != LS_OK)
        return status;
    ls_world_state_changed(world);
    return LS_OK;
}
