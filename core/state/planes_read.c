/* Reads a state from hostile planes: the reverse of core/state/planes.c. As in
 * core/state/snapshot_decode.c, the state is built separately, and replaces the world's state only
 * when everything is valid, including the root. */
#include "core/schema/codec.h"
#include "core/state/planes_internal.h"
#include "core/state/snapshot_decode.h"
#include "core/state/state_head.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"
#include <lockstep/bytes.h>

#include <string.h>

struct reading {
    ls_world *world;
    ls_reader reader;
    size_t page_bytes;    /* memory for pages allocated so far */
    const uint8_t *lives; /* keys of the listed pages of liveness */
    uint32_t live_count;
    uint8_t *cells; /* cells of one page */
    ls_error fault; /* a message about a cell; empty: report the byte position */
};

/* The listed pages of a column, in the order of the bytes. */
struct listed {
    uint32_t column, count;
    bool is_liveness, is_singleton, is_baseline; /* is_baseline: or a column of kept events */
    const uint8_t *keys, *masks;
    const uint8_t *planes; /* plane 0 of the next page's first cell */
    size_t cells;          /* cells of all pages: the distance between planes */
};

static uint64_t number_at(const uint8_t *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static uint32_t key_at(const uint8_t *keys, uint32_t i)
{
    return (uint32_t)number_at(keys + 4 * (size_t)i, 4);
}

static ls_page *page_of(const ls_world *world, uint32_t column, uint32_t key)
{
    return ls_world_page(world, column, key >> 16, key & 0xffff);
}

static bool check_key(struct reading *self, const struct listed *listed, uint32_t i)
{
    const ls_world *world = self->world;
    uint32_t key = key_at(listed->keys, i);
    if (key >> 16 >= world->program->lane_count || (listed->is_singleton && key != 0) ||
        (i > 0 && key <= key_at(listed->keys, i - 1)))
        return false;
    self->page_bytes += ls_store_page_cost(world, listed->column, key >> 16, key & 0xffff);
    return self->page_bytes <= ls_store_page_budget(self->reader.count);
}

/* Finds the slots that have cells: for liveness the given number, otherwise all that will be
 * present. False when such a page is impossible. */
static bool read_slots(const struct reading *self, const struct listed *listed, uint32_t i,
                       uint64_t slots[LS_PAGE_WORDS])
{
    uint32_t key = key_at(listed->keys, i);
    if (listed->is_liveness) {
        uint32_t count = (uint32_t)number_at(listed->masks + 2 * (size_t)i, 2);
        ls_planes_first_slots(slots, count);
        return count > 0 && count <= LS_PAGE_SLOTS;
    }
    const ls_page *base = page_of(self->world, listed->column, key);
    const ls_page *lives =
        listed->is_singleton ? NULL : page_of(self->world, ls_liveness(self->world), key);
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        const uint8_t *mask = listed->masks + 8 * (LS_PAGE_WORDS * (size_t)i + word);
        uint64_t allowed = listed->is_baseline    ? UINT64_MAX
                           : listed->is_singleton ? word == 0
                           : lives                ? lives->present[word]
                                                  : 0;
        slots[word] = number_at(mask, 8) ^ (base ? base->present[word] : 0);
        if (slots[word] & ~allowed)
            return false;
    }
    return true;
}

/* Finds the four parts of a column, and counts its cells. */
static bool find_column(struct reading *self, struct listed *listed)
{
    ls_reader *reader = &self->reader;
    uint64_t slots[LS_PAGE_WORDS];
    listed->count = ls_read_u32(reader);
    listed->keys = ls_read_view(reader, 4 * (size_t)listed->count);
    listed->masks =
        ls_read_view(reader, (listed->is_liveness ? 2 : sizeof slots) * (size_t)listed->count);
    for (uint32_t i = 0; i < listed->count && !reader->failed; i++) {
        if (!check_key(self, listed, i) || !read_slots(self, listed, i, slots))
            return false;
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
            listed->cells += (uint32_t)__builtin_popcountll(slots[word]);
    }
    listed->planes =
        ls_read_view(reader, listed->cells * self->world->sources[listed->column].cell_bytes);
    return !reader->failed;
}

/* Recomputes presence from generations. Slots after the last listed generation keep the generations
 * of the base. False when a listed generation is invalid. */
static bool set_liveness(ls_page *page, uint32_t count)
{
    const uint32_t *generations = ls_page_generations(page);
    memset(page->present, 0, sizeof page->present);
    for (uint32_t slot = 0; slot < LS_PAGE_SLOTS; slot++) {
        if (slot < count && generations[slot] > LS_GENERATION_RETIRED)
            return false;
        page->present[slot / 64] |= (uint64_t)(generations[slot] & 1) << (slot % 64);
    }
    return true;
}

/* Sets the new presence, and zeroes the cells that are removed. True when presence changes. */
static bool set_present(const ls_page_source *source, ls_page *page, const uint64_t *slots)
{
    uint64_t changed = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        ls_cells_zero(page, source->cell_bytes, word, page->present[word] & ~slots[word]);
        changed |= page->present[word] ^ slots[word];
        page->present[word] = slots[word];
    }
    return changed != 0;
}

/* Copies the listed cells from their planes and returns their number. Sets `*any` if one of them
 * differs from the base, `*last` if the last one does. */
static uint32_t take_cells(struct reading *self, struct listed *listed, ls_page *page,
                           const uint64_t *slots, uint8_t *any, uint8_t *last)
{
    const ls_page_source *source = &self->world->sources[listed->column];
    uint8_t list[LS_PAGE_SLOTS];
    uint32_t count = ls_planes_list_slots(slots, list);
    const uint8_t *plane = listed->planes;
    size_t bytes = source->cell_bytes;
    if (count == 0 || bytes == 0)
        return count;
    ls_cells_convert(source->component, ls_page_cells(page), self->cells, source->cells);
    for (size_t byte = 0; byte < bytes; byte++, plane += listed->cells) {
        for (uint32_t i = 0; i < count; i++) {
            self->cells[bytes * list[i] + byte] ^= plane[i];
            *any |= plane[i];
        }
        *last |= plane[count - 1];
    }
    ls_cells_convert(source->component, self->cells, ls_page_cells(page), source->cells);
    listed->planes += count;
    return count;
}

/* Reads one page. Refuses a listed page that equals the base, so that each state has exactly one
 * form. */
static bool read_page(struct reading *self, struct listed *listed, uint32_t i)
{
    ls_world *world = self->world;
    const ls_page_source *source = &world->sources[listed->column];
    uint32_t key = key_at(listed->keys, i), at = key & 0xffff;
    uint64_t slots[LS_PAGE_WORDS];
    uint8_t any = 0, last = 0;
    if (!read_slots(self, listed, i, slots))
        return false;
    ls_table *table = *ls_world_table(world, listed->column, key >> 16);
    ls_page *page = ls_table_write(table, at, source);
    bool is_changed = !listed->is_liveness && set_present(source, page, slots);
    uint32_t count = take_cells(self, listed, page, slots, &any, &last);
    bool is_good = listed->is_liveness
                       ? last && set_liveness(page, count)
                       : (is_changed || any) &&
                             ls_state_check_cells(world, listed->column, key, page, &self->fault);
    ls_table_settle(table, at);
    return is_good;
}

static bool read_column(struct reading *self, uint32_t column)
{
    ls_world *world = self->world;
    bool is_liveness = column == ls_liveness(world);
    struct listed listed = {.column = column,
                            .is_liveness = is_liveness,
                            .is_baseline = column > ls_liveness(world),
                            .is_singleton =
                                !is_liveness && world->sources[column].component->is_singleton};
    if (!find_column(self, &listed))
        return false;
    if (is_liveness) {
        self->lives = listed.keys;
        self->live_count = listed.count;
    }
    uint32_t lane = UINT32_MAX;
    for (uint32_t i = 0; i < listed.count; i++) {
        if (lane != key_at(listed.keys, i) >> 16) {
            lane = key_at(listed.keys, i) >> 16;
            ls_table_own(ls_world_table(world, column, lane), 0, &world->sources[column]);
        }
        if (!read_page(self, &listed, i))
            return false;
    }
    const ls_page *single = listed.is_singleton ? page_of(world, column, 0) : NULL;
    return !listed.is_singleton || (single && single->present[0] == 1);
}

/* Where liveness changed, checks that unlisted pages have cells of living entities only. */
static bool check_lives(const struct reading *self, uint32_t column)
{
    const ls_world *world = self->world;
    for (uint32_t i = 0; i < self->live_count && !world->sources[column].component->is_singleton;
         i++) {
        uint32_t key = key_at(self->lives, i);
        const ls_page *lives = page_of(world, ls_liveness(world), key);
        const ls_page *page = page_of(world, column, key);
        for (uint32_t word = 0; page && word < LS_PAGE_WORDS; word++) {
            if (page->present[word] & ~lives->present[word])
                return false;
        }
    }
    return true;
}

static const ls_state_form form = {"keyframe", LS_PLANES_MAGIC, LS_PLANES_VERSION, true};

ls_status ls_planes_read(ls_world *world, const ls_snapshot *base, const ls_reader *bytes,
                         uint64_t *root, ls_error *error)
{
    struct reading self = {.world = world, .reader = *bytes};
    uint64_t base_root = 0;
    ls_status status = ls_state_head_read(world, &form, &self.reader, &base_root, error);
    if (status == LS_OK && base_root != (base ? base->root : 0))
        status =
            ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                         "the keyframe says what changed since another state than the one given");
    if (status != LS_OK)
        return status;
    self.cells = ls_alloc(ls_planes_page_bytes(world));
    bool is_good = true;
    for (uint32_t place = 0; is_good && place < ls_column_total(world); place++) {
        uint32_t column = ls_column_at(world, place);
        bool is_component = column < ls_liveness(world);
        is_good = read_column(&self, column) && (!is_component || check_lives(&self, column));
    }
    ls_free(self.cells);
    *root = ls_read_u64(&self.reader);
    if (self.fault.text[0])
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s", self.fault.text);
    if (!is_good || !ls_reader_done(&self.reader))
        return ls_error_set(error, LS_ERROR_CORRUPT, "the keyframe is damaged at byte %zu of %zu",
                            self.reader.offset, self.reader.count);
    return LS_OK;
}

ls_status ls_planes_decode(ls_world *world, const ls_snapshot *base, const uint8_t *bytes,
                           size_t count, ls_error *error)
{
    ls_reader reader;
    uint64_t root = 0;
    ls_reader_init(&reader, bytes, count);
    LS_ASSERT(!base || base->world->pool_owner == world->pool_owner);
    ls_state before = world->state;
    ls_state_init(&world->state, world->program);
    if (base)
        ls_state_share(world, &base->state, &world->state);
    ls_status status = ls_planes_read(world, base, &reader, &root, error);
    status = ls_state_accept(world, &form, &before, status, root, error);
    if (status != LS_OK)
        return status;
    /* Pages shared with the base have epochs of its world, none of which may be later than this
     * world's. */
    if (base && world->spawn_epoch < base->world->spawn_epoch)
        world->spawn_epoch = base->world->spawn_epoch;
    ls_world_state_changed(world);
    return LS_OK;
}
