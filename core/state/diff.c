#include <lockstep/diff.h>

#include "core/schedule/match_data.h"
#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/page.h"
#include "core/state/state_internal.h"
#include "core/state/table.h"

#include <inttypes.h>
#include <string.h>

/* One walk; the text buffers are reused for each difference. */
struct walk {
    const ls_world *a, *b;
    ls_difference_visit *visit;
    void *argument;
    bool is_stopped;
    ls_builder place, value_a, value_b;
};

static void report(struct walk *walk, ls_difference *difference)
{
    difference->place = walk->place.data;
    walk->is_stopped |= !walk->visit(walk->argument, difference);
}

static ls_builder *fresh(ls_builder *text)
{
    text->count = 0;
    ls_builder_add(text, "%s", "");
    return text;
}

static void compare_numbers(struct walk *walk, ls_difference_kind kind, const char *place,
                            const char *name, const uint64_t values[2], bool is_signed)
{
    if (walk->is_stopped || values[0] == values[1])
        return;
    ls_builder *texts[2] = {fresh(&walk->value_a), fresh(&walk->value_b)};
    for (uint32_t i = 0; i < 2; i++) {
        if (is_signed)
            ls_builder_add(texts[i], "%" PRId64, (int64_t)values[i]);
        else
            ls_builder_add(texts[i], "%" PRIu64, values[i]);
    }
    ls_builder_add(fresh(&walk->place), "%s%s", place, name);
    ls_difference difference = {
        .kind = kind, .name = name, .a = walk->value_a.data, .b = walk->value_b.data};
    report(walk, &difference);
}

#define COMPARE(walk, kind, place, name, member)                                                   \
    compare_numbers(walk, kind, place, name,                                                       \
                    (const uint64_t[2]){(uint64_t)(walk)->a->member, (uint64_t)(walk)->b->member}, \
                    false)

static void compare_heads(struct walk *walk)
{
    const ls_program *program = walk->a->program;
    COMPARE(walk, LS_DIFFERENCE_MATCH, "match: ", "seed", match.seed);
    COMPARE(walk, LS_DIFFERENCE_MATCH, "match: ", "tick_rate", match.tick_rate);
    COMPARE(walk, LS_DIFFERENCE_MATCH, "match: ", "players", match.player_count);
    for (uint32_t i = 0; i < program->sim->option_count; i++) {
        const uint64_t values[2] = {(uint64_t)walk->a->match.options[i],
                                    (uint64_t)walk->b->match.options[i]};
        compare_numbers(walk, LS_DIFFERENCE_MATCH, "match: option ", program->sim->options[i].name,
                        values, true);
    }
    COMPARE(walk, LS_DIFFERENCE_TICK, "", "tick", state.tick);
    for (uint32_t lane = 0; lane < program->lane_count; lane++)
        COMPARE(walk, LS_DIFFERENCE_COUNTER, "refused spawns in lane ", program->lanes[lane],
                state.refused_spawns[lane]);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        COMPARE(walk, LS_DIFFERENCE_COUNTER, "dropped ", ls_dropped_names[i], state.dropped[i]);
}

static uint32_t generation_of(const ls_world *world, uint32_t lane, uint32_t slot)
{
    ls_page *page = ls_world_page(world, ls_liveness(world), lane, slot / LS_PAGE_SLOTS);
    const uint32_t *generations = page ? (const uint32_t *)(void *)ls_page_cells(page) : NULL;
    return page ? generations[slot % LS_PAGE_SLOTS] : 0;
}

static void add_life(ls_builder *text, uint32_t generation)
{
    if (generation == 0)
        ls_builder_add(text, "never used");
    else
        ls_builder_add(text, "%s, generation %" PRIu32, generation & 1 ? "alive" : "free",
                       generation);
}

static void compare_lives(struct walk *walk, uint32_t lane, uint32_t slot)
{
    uint32_t a = generation_of(walk->a, lane, slot), b = generation_of(walk->b, lane, slot);
    if (a == b)
        return;
    add_life(fresh(&walk->value_a), a);
    add_life(fresh(&walk->value_b), b);
    ls_builder_add(fresh(&walk->place), "life of %s/%" PRIu32, walk->a->program->lanes[lane], slot);
    ls_difference difference = {.kind = LS_DIFFERENCE_LIFE,
                                .entity = ls_entity_make(lane, slot, a & 1 ? a : b),
                                .a = walk->value_a.data,
                                .b = walk->value_b.data};
    report(walk, &difference);
}

static void add_place(struct walk *walk, const ls_difference *difference)
{
    const ls_field *field = difference->field;
    ls_builder *text = fresh(&walk->place);
    bool is_row = difference->kind == LS_DIFFERENCE_ROW;
    if (!is_row)
        ls_builder_add(text, "%s%s", difference->component->name, field ? "." : "");
    if (field)
        ls_builder_add(text, "%s", field->name);
    if (field && (field->count || field->bytes > ls_type_bytes(field->type)))
        ls_builder_add(text, "[%" PRIu32 "]", difference->item);
    if (is_row)
        ls_builder_add(text, " in row %" PRIu32 " of match table %s", difference->row,
                       difference->component->name);
    if (difference->entity == LS_ENTITY_NULL)
        return;
    ls_builder_add(text, " of ");
    ls_entity_print(text, walk->a->program, difference->entity);
}

/* The item as text; NULL if it is not in use. A system that bypasses include/lockstep/items.h may
 * leave values after the items in use. Such values are part of the state, so they are reported. */
static const char *item_text(const struct walk *walk, const ls_difference *difference,
                             const uint8_t *cell, ls_builder *text)
{
    const ls_field *field = difference->field;
    uint32_t unit = ls_type_bytes(field->type);
    const uint8_t *item = cell + field->offset + (size_t)unit * difference->item;
    bool is_zero = true;
    for (uint32_t i = 0; i < unit; i++)
        is_zero &= item[i] == 0;
    if (is_zero && difference->item >= ls_field_items(difference->component, field, cell))
        return NULL;
    ls_value_text_print(fresh(text), walk->a->program, field, item);
    return text->data;
}

/* `base` names the cells; `a` and `b` are their bytes. */
static void compare_cells(struct walk *walk, const ls_difference *base, const uint8_t *a,
                          const uint8_t *b)
{
    const ls_component *component = base->component;
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_bytes(field->type);
        for (uint32_t at = 0; at < field->bytes && !walk->is_stopped; at += unit) {
            ls_difference difference = *base;
            difference.field = field;
            difference.item = at / unit;
            bool is_equal = memcmp(a + field->offset + at, b + field->offset + at, unit) == 0;
            if (is_equal && !field->count)
                continue;
            difference.a = item_text(walk, &difference, a, &walk->value_a);
            difference.b = item_text(walk, &difference, b, &walk->value_b);
            if (is_equal && !difference.a == !difference.b)
                continue;
            add_place(walk, &difference);
            report(walk, &difference);
        }
    }
}

static void compare_presence(struct walk *walk, const ls_component *component, ls_entity entity,
                             bool is_in_a)
{
    ls_difference difference = {.kind = LS_DIFFERENCE_PRESENCE,
                                .component = component,
                                .entity = entity,
                                .a = is_in_a ? "present" : NULL,
                                .b = is_in_a ? NULL : "present"};
    add_place(walk, &difference);
    report(walk, &difference);
}

static void compare_slot(struct walk *walk, uint32_t column, uint32_t lane, uint32_t slot,
                         ls_page *a, ls_page *b)
{
    const ls_component *component = walk->a->program->components[column];
    uint32_t generation = generation_of(walk->a, lane, slot);
    bool is_in_a = a && ls_page_has(a, slot), is_in_b = b && ls_page_has(b, slot);
    size_t offset = (size_t)component->bytes * (slot % LS_PAGE_SLOTS);
    ls_entity entity =
        component->is_singleton ? LS_ENTITY_NULL : ls_entity_make(lane, slot, generation);
    if (!component->is_singleton && generation != generation_of(walk->b, lane, slot))
        return;
    if (is_in_a != is_in_b)
        compare_presence(walk, component, entity, is_in_a);
    else if (is_in_a)
        compare_cells(
            walk,
            &(ls_difference){.kind = LS_DIFFERENCE_FIELD, .component = component, .entity = entity},
            ls_page_cells(a) + offset, ls_page_cells(b) + offset);
}

static void compare_rows(struct walk *walk, uint32_t table, const uint8_t *rows, uint32_t count)
{
    const ls_component *row = walk->a->program->sim->tables[table].row;
    const ls_match_data *data = walk->a->match_data;
    const uint8_t *own = data->rows[table];
    const uint64_t counts[2] = {data->counts[table], count};
    if (counts[0] != counts[1]) {
        ls_builder_add(fresh(&walk->value_a), "%" PRIu64, counts[0]);
        ls_builder_add(fresh(&walk->value_b), "%" PRIu64, counts[1]);
        ls_builder_add(fresh(&walk->place), "rows of match table %s", row->name);
        ls_difference difference = {.kind = LS_DIFFERENCE_ROWS,
                                    .name = row->name,
                                    .component = row,
                                    .a = walk->value_a.data,
                                    .b = walk->value_b.data};
        report(walk, &difference);
    }
    for (uint32_t i = 0; i < counts[0] && i < count && !walk->is_stopped; i++) {
        const ls_difference base = {
            .kind = LS_DIFFERENCE_ROW, .name = row->name, .component = row, .row = i};
        size_t offset = (size_t)row->bytes * i;
        if (memcmp(own + offset, rows + offset, row->bytes) != 0)
            compare_cells(walk, &base, own + offset, rows + offset);
    }
}

static void compare_tables(struct walk *walk)
{
    const ls_sim *sim = walk->a->program->sim, *other = walk->b->program->sim;
    for (uint32_t i = 0; walk->a->match_data != walk->b->match_data && i < sim->table_count; i++) {
        for (uint32_t j = 0; j < other->table_count && !walk->is_stopped; j++) {
            const ls_component *a = sim->tables[i].row, *b = other->tables[j].row;
            if (strcmp(a->name, b->name) == 0 && a->bytes == b->bytes)
                compare_rows(walk, i, walk->b->match_data->rows[j], walk->b->match_data->counts[j]);
        }
    }
}

static void free_texts(struct walk *walk)
{
    ls_free(walk->place.data);
    ls_free(walk->value_a.data);
    ls_free(walk->value_b.data);
}

void ls_world_diff_tables(const ls_world *a, const ls_world *b, ls_difference_visit *visit,
                          void *argument)
{
    struct walk walk = {.a = a, .b = b, .visit = visit, .argument = argument};
    compare_tables(&walk);
    free_texts(&walk);
}

void ls_world_diff_rows(const ls_world *a, uint32_t table, const void *rows, uint32_t count,
                        ls_difference_visit *visit, void *argument)
{
    struct walk walk = {.a = a, .b = a, .visit = visit, .argument = argument};
    LS_ASSERT(table < a->program->sim->table_count);
    compare_rows(&walk, table, rows, count);
    free_texts(&walk);
}

static bool is_equal_page(const ls_page_source *source, ls_page *a, ls_page *b)
{
    return a == b ||
           (memcmp(a->present, b->present, sizeof a->present) == 0 &&
            memcmp(ls_page_cells(a), ls_page_cells(b), source->cell_bytes * source->cells) == 0);
}

static void compare_page(struct walk *walk, uint32_t column, uint32_t lane, uint32_t page)
{
    ls_page *a = ls_world_page(walk->a, column, lane, page);
    ls_page *b = ls_world_page(walk->b, column, lane, page);
    const ls_page_source *source = &walk->a->sources[column];
    bool is_liveness = column == ls_liveness(walk->a);
    if (a == b || (a && b && is_equal_page(source, a, b)))
        return;
    for (uint32_t i = 0; i < source->cells && !walk->is_stopped; i++) {
        if (is_liveness)
            compare_lives(walk, lane, page * LS_PAGE_SLOTS + i);
        else
            compare_slot(walk, column, lane, page * LS_PAGE_SLOTS + i, a, b);
    }
}

static void compare_column(struct walk *walk, uint32_t column)
{
    for (uint32_t lane = 0; lane < walk->a->program->lane_count; lane++) {
        const ls_table *a = *ls_world_table(walk->a, column, lane);
        const ls_table *b = *ls_world_table(walk->b, column, lane);
        uint32_t page = 0;
        while (!walk->is_stopped) {
            uint32_t next_a = ls_table_next(a, page), next_b = ls_table_next(b, page);
            page = next_a < next_b ? next_a : next_b;
            if (page == LS_PAGE_NONE)
                break;
            compare_page(walk, column, lane, page++);
        }
    }
}

void ls_world_diff(ls_world *a, ls_world *b, ls_difference_visit *visit, void *argument)
{
    uint64_t hashes_a[LS_COMPONENTS_MAX], hashes_b[LS_COMPONENTS_MAX];
    struct walk walk = {.a = a, .b = b, .visit = visit, .argument = argument};
    LS_ASSERT(a->program == b->program);
    if (ls_world_root(a) == ls_world_root(b))
        return;
    compare_tables(&walk);
    compare_heads(&walk);
    compare_column(&walk, ls_liveness(a));
    ls_world_column_hashes(a, hashes_a);
    ls_world_column_hashes(b, hashes_b);
    for (uint32_t column = 0; column < a->program->column_count; column++) {
        if (hashes_a[column] != hashes_b[column])
            compare_column(&walk, column);
    }
    free_texts(&walk);
}

void ls_world_diff_column(const ls_world *a, const ls_world *b, uint32_t column,
                          ls_difference_visit *visit, void *argument)
{
    struct walk walk = {.a = a, .b = b, .visit = visit, .argument = argument};
    LS_ASSERT(ls_program_schema(a->program) == ls_program_schema(b->program));
    LS_ASSERT(a->state.lanes == b->state.lanes);
    compare_column(&walk, column);
    free_texts(&walk);
}

struct printing {
    ls_builder text;
    uint32_t lines, lines_max;
    uint64_t left_out;
};

static bool print_difference(void *argument, const ls_difference *difference)
{
    struct printing *printing = argument;
    bool is_one_sided = !difference->a || !difference->b;
    if (printing->lines == printing->lines_max) {
        printing->left_out++;
        return true;
    }
    printing->lines++;
    ls_builder_add(&printing->text, "%s: ", difference->place);
    if (is_one_sided && difference->kind == LS_DIFFERENCE_PRESENCE)
        ls_builder_add(&printing->text, "only in %s\n", difference->a ? "a" : "b");
    else
        ls_builder_add(&printing->text, "%s | %s\n", difference->a ? difference->a : "-",
                       difference->b ? difference->b : "-");
    return true;
}

char *ls_world_diff_print(ls_world *a, ls_world *b, uint32_t lines_max)
{
    struct printing printing = {.lines_max = lines_max};
    ls_builder_add(&printing.text, "%s", "");
    ls_world_diff(a, b, print_difference, &printing);
    if (printing.left_out)
        ls_builder_add(&printing.text, "and %" PRIu64 " more\n", printing.left_out);
    return printing.text.data;
}
