/* The join by key: a counting sort of entities into buckets. If the keys are close together, each
 * has a bucket of its own. If not, a hash chooses the bucket, and a walk skips other keys in it.
 * Entries of one bucket keep canonical order, so the order of a walk does not depend on the kind of
 * bucket. */
#include "core/run/key_join_internal.h"

#include "core/run/index_build.h"
#include "core/schema/codec.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUCKET_BITS_MIN = 4, BUCKETS_PER_ENTRY = 2, BUCKETS_MIN = 64 };

uint64_t ls_join_key(const ls_plan_join *join, const void *cell)
{
    return ls_value_read(join->type, (const uint8_t *)cell + join->offset);
}

/* The least and the greatest key. Both are signed: only their distance counts. */
typedef struct key_range {
    int64_t least, most;
} key_range;

typedef struct key_build {
    ls_index_build base;
    const ls_plan_join *join;
    ls_join_index *index;
    uint32_t least_before;                 /* the low half of the least key of the last build */
    bool may_be_same;                      /* the last build had entries of this form */
    key_range ranges[LS_INDEX_PIECES_MAX]; /* by piece; not for references */
} key_build;

/* Where the next entry goes, and the range of the keys so far. `difference` is not 0 if an entry so
 * far differs from the entry that the last build wrote in its place. */
typedef struct key_place {
    uint8_t *entry;
    uint32_t *cell;
    uint8_t *value; /* NULL: there are none */
    size_t value_step;
    uint64_t difference;
    key_range range;
} key_place;

/* The form of the entries. It is a constant where the function that takes it is inlined. */
typedef struct key_form {
    ls_type type;
    bool is_mixed;
    bool is_array; /* of references; then there are no values */
    bool has_values;
} key_form;

/* Replaces a word by another, and notes whether that changed it. A word that is not used stays as
 * it was. */
LS_INLINE void put_word(key_place *to, size_t offset, uint64_t word, bool is_used)
{
    uint64_t before;
    memcpy(&before, to->entry + offset, sizeof before);
    word = is_used ? word : before;
    to->difference |= word ^ before;
    memcpy(to->entry + offset, &word, sizeof word);
}

/* Writes the entry of a key, unless the key is a null reference. Entries of buckets that are not
 * mixed do not store the key: their cell is its distance from the least key of the last build. */
LS_INLINE void put(key_place *to, uint64_t key, ls_entity entity, const key_build *build,
                   key_form form)
{
    bool is_used = form.type != LS_TYPE_ENTITY || key != LS_ENTITY_NULL;
    if (form.is_array && !is_used)
        return; /* count_items() has counted no room for it */
    put_word(to, offsetof(ls_join_entry, entity), entity, is_used);
    if (form.is_mixed) {
        put_word(to, offsetof(ls_join_entry, key), key, is_used);
    } else {
        uint32_t cell = (uint32_t)key - build->least_before;
        to->difference |= *to->cell ^ cell;
        *to->cell = cell;
    }
    to->entry += is_used ? build->index->base.entry_bytes : 0;
    if (form.has_values)
        to->value += is_used ? to->value_step : 0;
    to->cell += is_used;
    if (form.type == LS_TYPE_ENTITY)
        return;
    to->range.least = (int64_t)key < to->range.least ? (int64_t)key : to->range.least;
    to->range.most = (int64_t)key > to->range.most ? (int64_t)key : to->range.most;
}

LS_INLINE key_place collect_page(const key_build *build, const ls_index_page *from, key_place to,
                                 key_form form)
{
    const ls_plan_join *join = build->join;
    const uint8_t *cells = ls_page_cells(from->source), *with = ls_page_cells(from->with);
    size_t cell_bytes = build->base.world->sources[join->column].cell_bytes;
    size_t value_bytes = build->index->base.value_bytes;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = from->source->present[word] & from->with->present[word];
        for (; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint8_t *cell = cells + cell_bytes * slot;
            if (form.has_values)
                ls_index_copy_value(to.value, with + value_bytes * slot, value_bytes);
            ls_entity entity =
                ls_entity_make(from->lane, from->first_slot + slot, from->generations[slot]);
            const uint8_t *key = cell + join->offset;
            uint32_t items = form.is_array ? ls_join_items(join, cell) : 1;
            for (; items > 0; items--, key += sizeof(ls_entity))
                put(&to, ls_value_read(form.type, key), entity, build, form);
        }
    }
    return to;
}

static key_place collect_form(const key_build *build, const ls_index_page *from, key_place to)
{
    ls_type type = build->join->type;
    bool is_mixed = build->index->is_mixed;
    if (to.value)
        return collect_page(build, from, to, (key_form){type, is_mixed, .has_values = true});
    if (type == LS_TYPE_ENTITY && build->join->items > 1)
        return collect_page(build, from, to, (key_form){LS_TYPE_ENTITY, true, .is_array = true});
    if (type == LS_TYPE_ENTITY)
        return collect_page(build, from, to, (key_form){LS_TYPE_ENTITY, true});
    if (is_mixed)
        return collect_page(build, from, to, (key_form){type, true});
    if (type == LS_TYPE_U32)
        return collect_page(build, from, to, (key_form){LS_TYPE_U32, false});
    return collect_page(build, from, to, (key_form){type, false});
}

static void collect_piece(void *argument, uint32_t number)
{
    key_build *build = argument;
    const ls_index *index = &build->index->base;
    ls_index_piece *piece = &build->base.pieces[number];
    key_place to = {.range = {INT64_MAX, INT64_MIN}};
    if (piece->first < piece->end) {
        to.entry = index->unsorted + (size_t)index->entry_bytes * piece->first;
        to.cell = index->cells + piece->first;
    }
    if (piece->first < piece->end && index->value_bytes) {
        to.value = ls_index_unsorted_values(index, &to.value_step);
        to.value += to.value_step * piece->first;
    }
    const uint32_t *first = to.cell;
    for (uint32_t i = piece->page_first; i < piece->page_end; i++)
        to = collect_form(build, &index->pages[i], to);
    piece->end = piece->first + (uint32_t)(to.cell - first);
    /* Values are not compared, so entries with values never count as the same. */
    piece->is_same = build->may_be_same && to.difference == 0 && index->value_bytes == 0;
    build->ranges[number] = to.range;
}

/* Arrays of references can be long and almost empty, so their items are counted first. */
static uint32_t count_items(const ls_index_build *base, const ls_index_page *page)
{
    const key_build *build = (const key_build *)(const void *)base;
    const uint8_t *cells = ls_page_cells(page->source);
    size_t cell_bytes = base->world->sources[base->column].cell_bytes;
    uint32_t count = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = page->source->present[word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint8_t *cell = cells + cell_bytes * slot;
            uint32_t items = ls_join_items(build->join, cell);
            for (uint32_t i = 0; i < items; i++)
                count += ls_value_read(LS_TYPE_ENTITY, cell + build->join->offset +
                                                           sizeof(ls_entity) * i) != LS_ENTITY_NULL;
        }
    }
    return count;
}

/* Collects the entries for mixed buckets or, if not `is_mixed`, for a bucket per key. Returns
 * whether their keys are close together. */
static bool collect(key_build *build, bool is_mixed)
{
    ls_join_index *index = build->index;
    build->may_be_same = index->is_mixed == is_mixed;
    build->least_before = (uint32_t)index->least;
    index->is_mixed = is_mixed;
    ls_index_set_layout(&build->base, is_mixed ? sizeof(ls_join_entry) : sizeof(ls_entity));
    ls_index_list_pages(&build->base);
    ls_index_collect(&build->base, collect_piece, build);
    key_range all = build->ranges[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < build->base.piece_count; i++) {
        const ls_index_piece *piece = &build->base.pieces[i];
        key_range range = build->ranges[i];
        count += piece->end - piece->first;
        all.least = range.least < all.least ? range.least : all.least;
        all.most = range.most > all.most ? range.most : all.most;
    }
    index->base.count = count;
    index->least = (uint64_t)all.least;
    uint64_t distance = (uint64_t)all.most - (uint64_t)all.least;
    index->buckets = (uint32_t)distance + 1;
    return build->join->type != LS_TYPE_ENTITY &&
           distance < (uint64_t)count * BUCKETS_PER_ENTRY + BUCKETS_MIN;
}

static void mix(ls_join_index *index)
{
    index->bucket_bits = BUCKET_BITS_MIN;
    while (index->bucket_bits < 31 && (uint32_t)1 << index->bucket_bits < index->base.count)
        index->bucket_bits++;
    index->buckets = (uint32_t)1 << index->bucket_bits;
}

static void count_piece(void *argument, uint32_t number)
{
    const key_build *build = argument;
    const ls_index_piece *piece = ls_index_begin_counts(&build->base, number);
    const ls_join_index *index = build->index;
    uint32_t *cells = index->base.cells, *counts = piece->counts;
    uint32_t shift = (uint32_t)index->least - build->least_before, end = piece->end;
    if (!index->is_mixed) {
        for (uint32_t i = piece->first; i < end; i++) {
            cells[i] -= shift;
            counts[cells[i]]++;
        }
        return;
    }
    size_t bytes = index->base.entry_bytes;
    const uint8_t *entry = index->base.unsorted + bytes * piece->first;
    for (uint32_t i = piece->first; i < end; i++, entry += bytes) {
        const ls_join_entry *from = (const ls_join_entry *)(const void *)entry;
        cells[i] = (uint32_t)ls_join_bucket(index, from->key);
        counts[cells[i]]++;
    }
}

static key_build build_of(const ls_world *world, const ls_plan_join *join, ls_join_index *index)
{
    return (key_build){.base = {.world = world,
                                .index = &index->base,
                                .column = join->column,
                                .with = join->with,
                                .carries = join->carries,
                                .has_unsorted = true,
                                .count_page = join->items > 1 ? count_items : NULL},
                       .join = join,
                       .index = index};
}

static void build_index(key_build *build)
{
    ls_join_index *index = build->index;
    bool is_close = collect(build, index->will_be_mixed || build->join->type == LS_TYPE_ENTITY);
    if (!is_close && !index->is_mixed)
        (void)collect(build, true);
    index->will_be_mixed = !is_close;
    if (index->is_mixed)
        mix(index);
    if (index->base.count == 0)
        index->buckets = 0;
    if (!ls_index_is_sorted(&build->base))
        ls_index_sort(&build->base, index->buckets, count_piece, ls_index_place, build);
    ls_index_finish(&build->base);
}

void ls_join_index_build(const ls_world *world, const ls_plan_join *join, ls_join_index *index)
{
    key_build build = build_of(world, join, index);
    build_index(&build);
}

/* As in ls_grid_prepare(): the column cannot change while a system uses the index, because the
 * index counts as a read of it. */
const ls_join_index *ls_join_prepare(ls_world *world, uint32_t join)
{
    ls_join_index *index = &world->indexes->joins[join];
    key_build build = build_of(world, &world->program->joins[join], index);
    ls_mutex_lock(&world->indexes->lock);
    if (!ls_index_is_current(&build.base))
        build_index(&build);
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}

uint32_t ls_join_index_count(const ls_join_index *index, uint64_t key)
{
    uint64_t bucket = ls_join_bucket(index, key);
    if (bucket >= index->buckets)
        return 0;
    if (!index->is_mixed)
        return index->base.starts[bucket + 1] - index->base.starts[bucket];
    ls_join_walk walk;
    uint32_t count = 0;
    for (ls_join_index_begin(index, key, &walk); ls_join_take_(&walk); count++)
        ;
    return count;
}

const void *ls_join_value_far_(const ls_join_walk *walk, const ls_join_entry *entry)
{
    const ls_index *index = &walk->index->base;
    if (LS_UNLIKELY(index->value_bytes == 0)) {
        fputs("lockstep: ls_join_next_with(): the join has no values; name a component that is "
              "no tag in its `with`, and list OTHERS_READ(...) or OTHERS_START(...) of it, or call "
              "ls_join_next()\n",
              stderr);
        abort();
    }
    return ls_index_value(index, entry);
}
