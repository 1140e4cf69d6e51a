#include "core/check/check_laws.h"

#include "core/base/grow.h"
#include "core/check/findings.h"
#include "core/run/command_walk.h"
#include "core/run/scratch.h"
#include "core/schedule/value_text.h"
#include <lockstep/random.h>

#include <string.h>

enum { TRIALS_MAX = 256, VALUE_TEXT_BYTES = 90 };

/* The operation of one term, and the values on which its laws are tested. */
typedef struct law_test {
    ls_check *check;
    const ls_operation *operation;
    const ls_component *component;
    const void **values;
    uint32_t count, capacity;
} law_test;

static void add_value(law_test *test, const void *value)
{
    if (!value)
        return;
    test->values = ls_grow(test->values, test->count, &test->capacity, sizeof *test->values);
    test->values[test->count++] = value;
}

static const void *find_cell(const ls_world *world, uint32_t column, ls_entity entity)
{
    if (world->sources[column].component->is_singleton)
        return ls_page_cells(ls_world_page(world, column, 0, 0));
    return ls_store_find(world, column, entity);
}

static void gather(law_test *test, uint32_t term)
{
    const ls_world *world = test->check->world;
    ls_commands_walk walk = {.commands = &world->scratch->runs[test->check->position].commands,
                             .stream = LS_STREAM_VALUES,
                             .left = UINT32_MAX};
    uint32_t column = test->check->plan->terms[term].column;
    for (ls_entry *record; (record = ls_commands_next(&walk));) {
        if (record->at != term)
            continue;
        add_value(test, ls_entry_value(record));
        add_value(test, find_cell(world, column, record->entity));
    }
}

static void shuffle(law_test *test, uint64_t seed)
{
    ls_random_stream stream = ls_random_root(seed);
    for (uint32_t i = test->count; i > 1; i--) {
        uint32_t other = (uint32_t)(ls_random_draw(stream, i) % i);
        const void *value = test->values[i - 1];
        test->values[i - 1] = test->values[other];
        test->values[other] = value;
    }
}

static void print_value(const law_test *test, ls_builder *text, const void *value)
{
    size_t begin = text->count;
    ls_builder_add(text, "{");
    for (uint32_t i = 0; i < test->component->field_count; i++) {
        const ls_field *field = &test->component->fields[i];
        ls_builder_add(text, "%s%s ", i ? ", " : "", field->name);
        ls_value_text_print(text, test->check->world->program, field,
                            (const uint8_t *)value + field->offset);
    }
    if (text->count - begin > VALUE_TEXT_BYTES) {
        ls_builder_cut(text, begin + VALUE_TEXT_BYTES);
        ls_builder_add(text, " ...");
    }
    ls_builder_add(text, "}");
}

/* Reports that the operation breaks a law: the values give two results that should be equal.
 * Returns false. */
static bool report(const law_test *test, const char *law, const void *const *values,
                   uint32_t value_count, const void *results[2])
{
    ls_builder text = {0};
    for (uint32_t i = 0; i < value_count; i++) {
        ls_builder_add(&text, "%s", i == 0 ? "" : i + 1 == value_count ? " and " : ", ");
        print_value(test, &text, values[i]);
    }
    ls_builder_add(&text, " give ");
    print_value(test, &text, results[0]);
    ls_builder_add(&text, " or ");
    print_value(test, &text, results[1]);
    ls_check_add(test->check, "combines \"%.60s\" by \"%.60s\", which is not %s: %s",
                 test->component->name, test->operation->name, law, text.data);
    ls_free(text.data);
    return false;
}

/* `to` becomes the combination of both. */
static void combine(const law_test *test, void *to, const void *one, const void *other)
{
    memcpy(to, one, test->component->bytes);
    test->operation->combine(to, other);
}

/* Whether the laws hold for these three values; `memory` has room for three more. */
static bool holds(const law_test *test, const void *const values[3], uint8_t *memory)
{
    size_t bytes = test->component->bytes;
    void *first = memory, *second = memory + bytes, *part = memory + 2 * bytes;
    const void *results[2] = {first, second};
    combine(test, first, values[0], values[1]);
    combine(test, second, values[1], values[0]);
    if (memcmp(first, second, bytes) != 0)
        return report(test, "commutative", values, 2, results);
    combine(test, part, values[1], values[2]);
    combine(test, second, values[0], part);
    memcpy(part, first, bytes);
    combine(test, first, part, values[2]);
    return memcmp(first, second, bytes) == 0 || report(test, "associative", values, 3, results);
}

/* Tries each value with the two after it in the shuffled list, at most TRIALS_MAX times, until a
 * law is broken. */
static void try_values(const law_test *test)
{
    uint8_t *memory = ls_alloc((size_t)test->component->bytes * 3);
    uint32_t trials = test->count < TRIALS_MAX ? test->count : TRIALS_MAX;
    for (uint32_t i = 0; i < trials; i++) {
        const void *values[3];
        for (uint32_t j = 0; j < 3; j++)
            values[j] = test->values[(i + j) % test->count];
        if (!holds(test, values, memory))
            break;
    }
    ls_free(memory);
}

void ls_check_laws(ls_check *check, uint64_t seed)
{
    const ls_program *program = check->world->program;
    for (uint32_t i = 0; i < check->plan->term_count; i++) {
        const ls_plan_term *term = &check->plan->terms[i];
        if (term->kind != LS_ACCUMULATED || term->access != LS_COMBINE)
            continue;
        law_test test = {.check = check,
                         .operation = program->operations[term->column],
                         .component = program->components[term->column]};
        gather(&test, i);
        shuffle(&test, seed);
        try_values(&test);
        ls_free(test.values);
    }
}
