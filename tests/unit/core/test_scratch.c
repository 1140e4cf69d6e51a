/* The scratch memory of invocations is zero each time, whatever ran before on the same worker. */
#include "harness.h"

#include <stddef.h>
#include <string.h>

typedef struct number {
    int32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_I32)};
static const ls_component firsts = LS_COMPONENT_TABLE(number, "first", number_fields);
static const ls_component seconds = LS_COMPONENT_TABLE(number, "second", number_fields);
static const ls_component *const components[] = {&firsts, &seconds};
static const char *const lanes[] = {"a"};

enum { SMALL = 48, LARGE = 5000, PAGES = 12, PAGE = 256, TICKS = 6 };

static void fill(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < PAGES * PAGE; i++) {
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, 0, entity, NULL);
        ls_cell_attach(context, 1, entity, NULL);
    }
}

static uint32_t count_soiled(const uint8_t *bytes, uint32_t count)
{
    uint32_t soiled = 0;
    for (uint32_t i = 0; i < count; i++)
        soiled += bytes[i] != 0;
    return soiled;
}

/* Adds one to each cell, and more if any byte of the scratch is not zero. */
static void soil(ls_context *context, const ls_span *span, uint32_t bytes)
{
    number *cells = ls_span_write(context, span, 0);
    uint8_t *scratch = ls_scratch_memory(context);
    uint32_t soiled = count_soiled(scratch, bytes) + (uintptr_t)scratch % _Alignof(max_align_t);
    memset(scratch, 0x5a, bytes);
    soiled += ls_scratch_memory(context) != scratch;
    soiled += count_soiled(scratch, bytes);
    memset(scratch, 0xa5, bytes);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value += 1 + (int32_t)soiled;
}

static void soil_small(ls_context *context, const ls_span *span)
{
    soil(context, span, SMALL);
}

static void soil_large(ls_context *context, const ls_span *span)
{
    soil(context, span, LARGE);
}

static const ls_system systems[] = {
    {.name = "large first",
     .span = soil_large,
     .terms = LS_TERM_LIST(LS_WRITES(firsts)),
     .scratch_bytes = LARGE},
    {.name = "small",
     .span = soil_small,
     .terms = LS_TERM_LIST(LS_WRITES(seconds)),
     .scratch_bytes = SMALL},
    {.name = "large again",
     .span = soil_large,
     .terms = LS_TERM_LIST(LS_WRITES(seconds)),
     .after = "small",
     .scratch_bytes = LARGE},
};

static const ls_system setup = {
    .name = "fill",
    .mode = LS_SEQUENTIAL,
    .match = fill,
    .lanes = "a",
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(firsts), LS_OTHERS_STRUCTURE(seconds))};

static ls_sim make_sim(void)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    return sim;
}

static int32_t value_of(ls_world *world, const ls_component *component, uint32_t i)
{
    const number *cell = ls_world_cell(world, component, ls_entity_make(1, i, 1));
    assert_non_null(cell);
    return cell->value;
}

static void expect_clean(uint32_t threads)
{
    const ls_sim sim = make_sim();
    harness self;
    ls_executor *executor;
    harness_begin(&self, &sim, 1);
    assert_int_equal(ls_executor_create(&(ls_executor_config){.threads = threads, .share_from = 1},
                                        &executor, NULL),
                     LS_OK);
    for (uint32_t i = 0; i < TICKS; i++)
        harness_tick(self.world, executor);
    for (uint32_t i = 0; i < PAGES * PAGE; i++) {
        assert_int_equal(value_of(self.world, &firsts, i), TICKS);
        assert_int_equal(value_of(self.world, &seconds, i), 2 * TICKS);
    }
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_scratch_is_zero_for_each_invocation)
{
    expect_clean(1);
    expect_clean(4);
}

TEST(test_scratch_has_a_limit)
{
    ls_system wanting[] = {systems[0]};
    ls_sim sim = make_sim();
    ls_program *program;
    ls_error error;
    wanting[0].scratch_bytes = LS_SCRATCH_BYTES_MAX + 1;
    sim.systems = wanting;
    sim.system_count = 1;
    assert_int_equal(ls_program_create(&sim, &program, &error), LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "system \"large first\" declares 16777217 scratch_bytes"));
    wanting[0].scratch_bytes = LS_SCRATCH_BYTES_MAX;
    assert_int_equal(ls_program_create(&sim, &program, &error), LS_OK);
    ls_program_destroy(program);
}
