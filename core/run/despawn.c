/* The despawn sweep. Dying entities are kept as one mask per page. So neither the order nor the
 * repetition of marks matters, and each column's page is visited once.
 *
 * Each reference field with a rule finds its references to dying entities in one of two ways. A
 * column that changed since the last sweep with deaths is scanned: that costs a few instructions
 * per cell, where an index would cost many and soon be stale. An unchanged column is indexed, and
 * the cost then follows the number of deaths. The sweep itself does not invalidate such an index.
 * It only removes cells and nulls references to dead entities: a dead entity is never looked up
 * again, and a dead holder of a reference is recognised.
 *   source  docs/design.md section 3 */
#include "core/run/despawn.h"

#include "core/base/grow.h"
#include "core/run/key_join_internal.h"
#include "core/state/store.h"
#include <lockstep/cell.h>

#include <string.h>

typedef struct death_rule {
    ls_plan_join field;
    ls_on_despawn effect;
    bool is_singleton;
    ls_join_index index;
    uint64_t seen; /* the column's version at the last scan */
} death_rule;

typedef struct dying_page {
    uint32_t lane, page;
    uint64_t mask[LS_PAGE_WORDS];
} dying_page;

struct ls_despawn_scratch {
    death_rule *rules;
    uint32_t rule_count;
    uint32_t lane_count;
    struct {
        uint32_t *by_page; /* by page: 1 + index in `pages`; 0: no deaths */
        uint32_t capacity;
    } * places; /* by lane */
    dying_page *pages;
    uint32_t page_count, page_capacity;
    ls_despawn_marks queue; /* all dying entities, marked ones first */
};

static uint32_t field_at(const ls_component *component, const char *name)
{
    for (uint32_t i = 0; name && i < component->field_count; i++) {
        if (strcmp(component->fields[i].name, name) == 0)
            return component->fields[i].offset;
    }
    return UINT32_MAX;
}

static void add_rules(ls_despawn_scratch *despawn, const ls_component *component, uint32_t column)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        if (field->type != LS_TYPE_ENTITY || field->on_despawn == LS_KEEP)
            continue;
        despawn->rules =
            ls_realloc(despawn->rules, sizeof *despawn->rules * (despawn->rule_count + 1));
        despawn->rules[despawn->rule_count++] = (death_rule){
            .field = {.column = column,
                      .offset = field->offset,
                      .type = LS_TYPE_ENTITY,
                      .items = field->bytes / (uint32_t)sizeof(ls_entity),
                      .count_offset = field_at(component, field->count),
                      .with = UINT32_MAX},
            .effect = field->on_despawn == LS_PARENT ? LS_CASCADE : field->on_despawn,
            .is_singleton = component->is_singleton,
            .seen = UINT64_MAX,
        };
    }
}

ls_despawn_scratch *ls_despawn_scratch_create(const ls_program *program)
{
    ls_despawn_scratch *despawn = ls_alloc(sizeof *despawn);
    despawn->lane_count = program->lane_count;
    despawn->places = ls_alloc(sizeof *despawn->places * program->lane_count);
    for (uint32_t column = 0; column < program->column_count; column++)
        add_rules(despawn, program->components[column], column);
    return despawn;
}

void ls_despawn_scratch_destroy(ls_despawn_scratch *despawn)
{
    for (uint32_t i = 0; i < despawn->rule_count; i++)
        ls_index_reset(&despawn->rules[i].index.base);
    for (uint32_t lane = 0; lane < despawn->lane_count; lane++)
        ls_free(despawn->places[lane].by_page);
    ls_free(despawn->places);
    ls_free(despawn->rules);
    ls_free(despawn->pages);
    ls_free(despawn->queue.entities);
    ls_free(despawn);
}

void ls_despawn_marks_reserve(ls_despawn_marks *marks, uint32_t count)
{
    if (marks->capacity - marks->count >= count)
        return;
    marks->capacity = (marks->count + count) * 2 + 256;
    marks->entities = ls_realloc(marks->entities, sizeof(ls_entity) * marks->capacity);
}

static const uint32_t *generations_of(const ls_world *world, const dying_page *dying)
{
    return ls_page_generations(ls_world_page(world, ls_liveness(world), dying->lane, dying->page));
}

/* The entry of a page in the list of pages with deaths; adds it if it is new. */
static dying_page *enter_page(ls_despawn_scratch *despawn, uint32_t lane, uint32_t page)
{
    if (page >= despawn->places[lane].capacity) {
        uint32_t old = despawn->places[lane].capacity, capacity = (page + 64) * 2;
        uint32_t *by_page = ls_realloc(despawn->places[lane].by_page, sizeof *by_page * capacity);
        memset(by_page + old, 0, sizeof *by_page * (capacity - old));
        despawn->places[lane].by_page = by_page;
        despawn->places[lane].capacity = capacity;
    }
    uint32_t *place = &despawn->places[lane].by_page[page];
    if (*place == 0) {
        despawn->pages = ls_grow(despawn->pages, despawn->page_count, &despawn->page_capacity,
                                 sizeof *despawn->pages);
        despawn->pages[despawn->page_count++] = (dying_page){.lane = lane, .page = page};
        *place = despawn->page_count;
    }
    return &despawn->pages[*place - 1];
}

static void add_dying(ls_despawn_scratch *despawn, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity);
    dying_page *dying = enter_page(despawn, ls_entity_lane(entity), slot / LS_PAGE_SLOTS);
    dying->mask[slot % LS_PAGE_SLOTS / 64] |= (uint64_t)1 << (slot % 64);
}

/* Adds a list of marks. Marks usually come in runs of one presence word, so one lookup serves
 * several marks, and each word is written once. */
static void take_marks(ls_world *world, ls_despawn_marks *marks)
{
    uint64_t *word = NULL, taken = 0;
    const uint32_t *generations = NULL;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < marks->count; i++) {
        ls_entity entity = marks->entities[i];
        uint32_t slot = ls_entity_slot(entity), key = (uint32_t)entity / 64;
        if (key != last) {
            if (!ls_store_is_alive(world, entity))
                continue;
            if (word)
                *word |= taken;
            dying_page *dying =
                enter_page(world->scratch->despawn, ls_entity_lane(entity), slot / LS_PAGE_SLOTS);
            word = &dying->mask[slot % LS_PAGE_SLOTS / 64];
            generations = generations_of(world, dying);
            taken = 0;
            last = key;
        }
        uint32_t generation = ls_entity_generation(entity);
        uint64_t is_alive = generation & 1 & (generations[slot % LS_PAGE_SLOTS] == generation);
        taken |= is_alive << (slot % 64);
    }
    if (word)
        *word |= taken;
    marks->count = 0;
}

static void fill_queue(const ls_world *world)
{
    ls_despawn_scratch *despawn = world->scratch->despawn;
    despawn->queue.count = 0;
    for (uint32_t i = 0; i < despawn->page_count; i++) {
        const dying_page *dying = &despawn->pages[i];
        const uint32_t *generations = generations_of(world, dying);
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
            for (uint64_t bits = dying->mask[word]; bits; bits &= bits - 1) {
                uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
                ls_despawn_marks_add(&despawn->queue,
                                     ls_entity_make(dying->lane, dying->page * LS_PAGE_SLOTS + slot,
                                                    generations[slot]));
            }
        }
    }
}

/* The entry of a page, NULL when no entity dies there. */
static inline const dying_page *find_page(const ls_despawn_scratch *despawn, uint32_t lane,
                                          uint32_t page)
{
    if (lane >= despawn->lane_count || page >= despawn->places[lane].capacity)
        return NULL;
    uint32_t place = despawn->places[lane].by_page[page];
    return place ? &despawn->pages[place - 1] : NULL;
}

static inline bool is_dying(const ls_world *world, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    const dying_page *dying = find_page(world->scratch->despawn, lane, slot / LS_PAGE_SLOTS);
    return dying && (dying->mask[slot % LS_PAGE_SLOTS / 64] >> (slot % 64) & 1) &&
           ls_store_is_alive(world, entity); /* not an earlier generation of the slot */
}

/* Counts the change that the sweep makes to the column; an index that was up to date stays valid,
 * see the head of this file. */
static void note_change(ls_world *world, uint32_t column)
{
    uint64_t before = world->versions[column]++;
    world->presences[column]++;
    for (uint32_t i = 0; i < world->scratch->despawn->rule_count; i++) {
        death_rule *rule = &world->scratch->despawn->rules[i];
        if (rule->field.column != column)
            continue;
        rule->index.base.version += rule->index.base.version == before;
        rule->seen += rule->seen == before;
    }
}

static bool is_indexed(ls_world *world, death_rule *rule)
{
    uint64_t version = world->versions[rule->field.column];
    if (rule->index.base.is_built && rule->index.base.version == version)
        return true;
    if (rule->is_singleton || rule->seen != version) {
        rule->seen = version;
        return false;
    }
    ls_join_index_build(world, &rule->field, &rule->index);
    return true;
}

static bool refers_to_dying(const ls_world *world, const ls_plan_join *field, const uint8_t *cell)
{
    uint32_t items = ls_join_items(field, cell);
    for (uint32_t i = 0; i < items; i++) {
        ls_entity entity;
        memcpy(&entity, cell + field->offset + sizeof entity * i, sizeof entity);
        if (is_dying(world, entity))
            return true;
    }
    return false;
}

static void null_dying(const ls_world *world, const ls_plan_join *field, uint8_t *cell)
{
    uint32_t items = ls_join_items(field, cell);
    for (uint32_t i = 0; i < items; i++) {
        ls_entity entity;
        uint8_t *item = cell + field->offset + sizeof entity * i;
        memcpy(&entity, item, sizeof entity);
        if (is_dying(world, entity))
            memset(item, 0, sizeof entity);
    }
}

/* The first slot from `from` on whose cell refers to a dying entity; LS_PAGE_SLOTS when there is
 * none. It skips the page's own dying entities, `dying` (NULL: none). */
static uint32_t next_holder(const ls_world *world, const ls_plan_join *field, ls_page *page,
                            const dying_page *dying, uint32_t from)
{
    size_t bytes = world->sources[field->column].cell_bytes;
    for (uint32_t word = from / 64; word < LS_PAGE_WORDS; word++) {
        uint64_t bits = page->present[word] & ~(dying ? dying->mask[word] : 0);
        if (word == from / 64)
            bits &= UINT64_MAX << (from % 64);
        for (; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (refers_to_dying(world, field, ls_page_cells(page) + bytes * slot))
                return slot;
        }
    }
    return LS_PAGE_SLOTS;
}

/* Scans the column for references to dying entities: an LS_CASCADE rule stops at the first, an
 * LS_NULL rule sets all of them to null. Fields of dying entities do not count. False when there is
 * no such reference. */
static bool read_over(ls_world *world, const death_rule *rule)
{
    const ls_plan_join *field = &rule->field;
    const ls_page_source *source = &world->sources[field->column];
    bool is_any = false;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        ls_table **table = ls_world_table(world, field->column, lane);
        for (uint32_t i = ls_table_next_occupied(*table, 0); i != LS_PAGE_NONE;
             i = ls_table_next_occupied(*table, i + 1)) {
            /* A singleton's cell belongs to no entity, whatever its slot. */
            const dying_page *dying =
                rule->is_singleton ? NULL : find_page(world->scratch->despawn, lane, i);
            uint32_t slot = next_holder(world, field, ls_table_page(*table, i), dying, 0);
            if (slot == LS_PAGE_SLOTS)
                continue;
            is_any = true;
            if (rule->effect == LS_CASCADE)
                return true;
            ls_store_own(world, field->column);
            ls_page *page = ls_table_write(*table, i, source);
            for (; slot < LS_PAGE_SLOTS; slot = next_holder(world, field, page, dying, slot))
                null_dying(world, field, ls_page_cells(page) + source->cell_bytes * slot);
        }
    }
    return is_any;
}

static bool has_indexed_holder(const ls_world *world, const ls_join_index *index)
{
    const ls_despawn_marks *queue = &world->scratch->despawn->queue;
    for (uint32_t i = 0; i < queue->count; i++) {
        ls_join_walk walk;
        ls_entity holder;
        ls_join_index_begin(index, queue->entities[i], &walk);
        while (ls_join_next(&walk, &holder)) {
            if (ls_store_is_alive(world, holder) && !is_dying(world, holder))
                return true;
        }
    }
    return false;
}

static bool pulls_any(ls_world *world)
{
    for (uint32_t i = 0; i < world->scratch->despawn->rule_count; i++) {
        death_rule *rule = &world->scratch->despawn->rules[i];
        if (rule->effect == LS_CASCADE &&
            (is_indexed(world, rule) ? has_indexed_holder(world, &rule->index)
                                     : read_over(world, rule)))
            return true;
    }
    return false;
}

static void pull_holders(ls_world *world, const ls_join_index *index, ls_entity dead)
{
    ls_despawn_scratch *despawn = world->scratch->despawn;
    ls_join_walk walk;
    ls_entity holder;
    ls_join_index_begin(index, dead, &walk);
    while (ls_join_next(&walk, &holder)) {
        if (!ls_store_is_alive(world, holder) || is_dying(world, holder))
            continue;
        add_dying(despawn, holder);
        ls_despawn_marks_add(&despawn->queue, holder);
    }
}

/* Adds every entity that dies because its LS_CASCADE field refers to a dying one. Most deaths pull
 * no other entity along; that is tested before a changed column is indexed. */
static void close_over_cascades(ls_world *world)
{
    ls_despawn_scratch *despawn = world->scratch->despawn;
    if (!pulls_any(world))
        return;
    for (uint32_t i = 0; i < despawn->rule_count; i++) {
        death_rule *rule = &despawn->rules[i];
        uint64_t version = world->versions[rule->field.column];
        if (rule->effect == LS_CASCADE &&
            (!rule->index.base.is_built || rule->index.base.version != version))
            ls_join_index_build(world, &rule->field, &rule->index);
    }
    for (uint32_t i = 0; i < despawn->queue.count; i++) {
        for (uint32_t j = 0; j < despawn->rule_count; j++) {
            if (despawn->rules[j].effect == LS_CASCADE)
                pull_holders(world, &despawn->rules[j].index, despawn->queue.entities[i]);
        }
    }
}

static bool null_indexed(ls_world *world, const death_rule *rule)
{
    const ls_despawn_marks *queue = &world->scratch->despawn->queue;
    bool is_any = false;
    for (uint32_t i = 0; i < queue->count; i++) {
        ls_join_walk walk;
        ls_entity holder;
        ls_join_index_begin(&rule->index, queue->entities[i], &walk);
        while (ls_join_next(&walk, &holder)) {
            if (!ls_store_is_alive(world, holder) || is_dying(world, holder))
                continue;
            ls_store_own(world, rule->field.column);
            null_dying(world, &rule->field, ls_store_write(world, rule->field.column, holder));
            is_any = true;
        }
    }
    return is_any;
}

static void null_references(ls_world *world)
{
    for (uint32_t i = 0; i < world->scratch->despawn->rule_count; i++) {
        death_rule *rule = &world->scratch->despawn->rules[i];
        if (rule->effect == LS_NULL &&
            (is_indexed(world, rule) ? null_indexed(world, rule) : read_over(world, rule)))
            note_change(world, rule->field.column);
    }
}

/* Clears the cells of dying entities, from the last page to the first. Pages that become empty go
 * to the pool, which gives out first what it got last, so pages that are made afterwards have
 * ascending addresses. */
static void clear_column(ls_world *world, uint32_t column)
{
    bool is_any = false;
    for (uint32_t i = world->scratch->despawn->page_count; i-- > 0;) {
        const dying_page *dying = &world->scratch->despawn->pages[i];
        ls_table **table = ls_world_table(world, column, dying->lane);
        const ls_page *page = ls_table_page(*table, dying->page);
        uint64_t dead = 0;
        for (uint32_t word = 0; page && word < LS_PAGE_WORDS; word++)
            dead |= page->present[word] & dying->mask[word];
        if (!dead)
            continue;
        ls_store_own(world, column);
        ls_table_clear_page(*table, dying->page, dying->mask, &world->sources[column]);
        is_any = true;
    }
    if (is_any)
        note_change(world, column);
}

static void raise_generations(uint32_t *generations, uint64_t mask)
{
    if (mask == UINT64_MAX) {
        for (uint32_t i = 0; i < 64; i++)
            generations[i]++;
        return;
    }
    for (; mask; mask &= mask - 1)
        generations[__builtin_ctzll(mask)]++;
}

static void clear_liveness(ls_world *world)
{
    uint32_t column = ls_liveness(world);
    ls_store_own(world, column);
    for (uint32_t i = 0; i < world->scratch->despawn->page_count; i++) {
        const dying_page *dying = &world->scratch->despawn->pages[i];
        ls_page *page = ls_table_write(*ls_world_table(world, column, dying->lane), dying->page,
                                       &world->sources[column]);
        uint32_t *generations = ls_page_generations_write(page);
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
            page->present[word] &= ~dying->mask[word];
            raise_generations(generations + word * 64, dying->mask[word]);
        }
        ls_table_settle(*ls_world_table(world, column, dying->lane), dying->page);
        if (dying->page < world->free_hints[dying->lane])
            world->free_hints[dying->lane] = dying->page;
    }
    note_change(world, column);
}

/* Marks the living entities without a component. One pass is enough: the sweep takes components
 * only from entities that it ends, so it makes no other entity empty. */
static void take_empty(ls_world *world)
{
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *lives = *ls_world_table(world, ls_liveness(world), lane);
        for (uint32_t at = ls_table_next_occupied(lives, 0); at != LS_PAGE_NONE;
             at = ls_table_next_occupied(lives, at + 1)) {
            for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
                uint64_t empty = ls_store_empty_slots(world, lane, at, word);
                if (empty)
                    enter_page(world->scratch->despawn, lane, at)->mask[word] |= empty;
            }
        }
    }
}

void ls_despawn_sweep(ls_world *world)
{
    ls_despawn_scratch *despawn = world->scratch->despawn;
    ls_scratch *scratch = world->scratch;
    for (uint32_t worker = 0; worker < LS_THREADS_MAX && scratch->contexts[worker]; worker++)
        take_marks(world, &scratch->marks[worker]);
    if (world->program->sim->despawns_empty)
        take_empty(world);
    if (despawn->page_count == 0)
        return;
    if (despawn->rule_count) {
        fill_queue(world);
        close_over_cascades(world);
        null_references(world);
    }
    for (uint32_t column = 0; column < ls_liveness(world); column++) {
        if (!world->program->components[column]->is_singleton)
            clear_column(world, column);
    }
    clear_liveness(world);
    for (uint32_t i = 0; i < despawn->page_count; i++)
        despawn->places[despawn->pages[i].lane].by_page[despawn->pages[i].page] = 0;
    despawn->page_count = 0;
}
