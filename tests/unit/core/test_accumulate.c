/* Compares accumulated values with a plain model: every type and operation, from many systems at
 * once. */
#include "mutation_sim.h"

#include "core/run/merge.h"

/* One member of every integer type, and arrays, ordered by size to avoid padding. */
typedef struct sample {
    uint64_t u64;
    int64_t i64;
    ls_fix2 fix2;
    uint32_t u32[3];
    int32_t i32;
    ls_fix fix;
    ls_fix3 fix3;
    uint16_t u16;
    int16_t i16;
    ls_angle angle[2];
    uint8_t u8[3];
    int8_t i8[13];
} sample;

static const ls_field sample_fields[] = {
    LS_FIELD(sample, u64, LS_TYPE_U64),   LS_FIELD(sample, i64, LS_TYPE_I64),
    LS_FIELD(sample, fix2, LS_TYPE_FIX2), LS_FIELD(sample, u32, LS_TYPE_U32),
    LS_FIELD(sample, i32, LS_TYPE_I32),   LS_FIELD(sample, fix, LS_TYPE_FIX),
    LS_FIELD(sample, fix3, LS_TYPE_FIX3), LS_FIELD(sample, u16, LS_TYPE_U16),
    LS_FIELD(sample, i16, LS_TYPE_I16),   LS_FIELD(sample, angle, LS_TYPE_ANGLE),
    LS_FIELD(sample, u8, LS_TYPE_U8),     LS_FIELD(sample, i8, LS_TYPE_I8)};
/* One component per operation: systems with the same operation need no order. */
static const ls_component samples[4] = {LS_COMPONENT_TABLE(sample, "sum", sample_fields),
                                        LS_COMPONENT_TABLE(sample, "least", sample_fields),
                                        LS_COMPONENT_TABLE(sample, "most", sample_fields),
                                        LS_COMPONENT_TABLE(sample, "bits", sample_fields)};
static const ls_component holders = LS_TAG_TABLE("holder");
static const ls_component singles = LS_SINGLETON_TABLE(sample, "single", sample_fields);
static const ls_component *const components[] = {&samples[0], &samples[1], &samples[2],
                                                 &samples[3], &holders,    &singles};
enum { HOLDERS = 700, TARGETS = 40, CALLS = 3 };

/* Draws random bits, which are a valid sample of every type; some samples are extreme values. */
static sample draw(uint64_t key)
{
    sample drawn;
    uint8_t bytes[sizeof drawn];
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        key += i;
        bytes[i] = (uint8_t)test_random(&key);
    }
    if (key % 4 == 0)
        memset(bytes, key % 8 ? 0xff : 0, sizeof bytes);
    memcpy(&drawn, bytes, sizeof drawn);
    return drawn;
}

static uint64_t key_of(uint32_t system, uint32_t slot, uint32_t call, uint64_t tick)
{
    return ((uint64_t)system << 48 | (uint64_t)slot << 24 | call << 16) + tick * 7919;
}

static uint32_t target_of(uint32_t slot, uint32_t call)
{
    return (slot * 31 + call * 7) % TARGETS * (HOLDERS / TARGETS);
}

static void spread(ls_context *context, const ls_entity *entities)
{
    uint32_t system = *(const uint32_t *)ls_system_data(context);
    uint32_t slot = ls_entity_slot(entities[0]);
    for (uint32_t call = 0; call < CALLS; call++) {
        sample value = draw(key_of(system, slot, call, ls_tick(context)));
        for (uint32_t term = 0; term < 4; term++)
            assert_true(
                ls_accumulate(context, term, ls_entity_make(1, target_of(slot, call), 1), &value));
        assert_true(ls_accumulate(context, 4, LS_ENTITY_NULL, &value));
    }
}

static void make_holders(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < HOLDERS; i++) {
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, 4, entity, NULL);
        sample value = draw(i);
        for (uint32_t term = 0; term < 4; term++)
            ls_cell_attach(context, term, entity, &value);
    }
}

static const uint32_t system_numbers[] = {1, 2, 3};
#define SPREAD_TERMS                                                                               \
    LS_TERM_LIST(LS_ACCUMULATES(samples[0], LS_ADD), LS_ACCUMULATES(samples[1], LS_MIN),           \
                 LS_ACCUMULATES(samples[2], LS_MAX), LS_ACCUMULATES(samples[3], LS_OR),            \
                 LS_ACCUMULATES(singles, LS_ADD), LS_WITH(holders))
static const ls_system spreading[] = {
    {.name = "a", .match = spread, .data = &system_numbers[0], .terms = SPREAD_TERMS},
    {.name = "b", .match = spread, .data = &system_numbers[1], .terms = SPREAD_TERMS},
    {.name = "c",
     .mode = LS_SEQUENTIAL,
     .match = spread,
     .data = &system_numbers[2],
     .terms = SPREAD_TERMS}};
static const ls_system make = {
    .name = "make",
    .mode = LS_SEQUENTIAL,
    .match = make_holders,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(samples[0]), LS_OTHERS_STRUCTURE(samples[1]),
                          LS_OTHERS_STRUCTURE(samples[2]), LS_OTHERS_STRUCTURE(samples[3]),
                          LS_OTHERS_STRUCTURE(holders)),
    .lanes = "a"};

/* Computes in the types themselves. Sums wrap around in the unsigned type. */
#define COMBINE(operation, unsigned_type, to, from)                                                \
    (to) = (operation) == 0   ? (__typeof__(to))((unsigned_type)(to) + (unsigned_type)(from))      \
           : (operation) == 1 ? ((from) < (to) ? (from) : (to))                                    \
           : (operation) == 2 ? ((from) > (to) ? (from) : (to))                                    \
                              : (__typeof__(to))((to) | (from))

static void model_combine(uint32_t operation, sample *to, const sample *from)
{
    COMBINE(operation, uint64_t, to->u64, from->u64);
    COMBINE(operation, uint64_t, to->i64, from->i64);
    COMBINE(operation, uint32_t, to->fix2.x, from->fix2.x);
    COMBINE(operation, uint32_t, to->fix2.y, from->fix2.y);
    for (uint32_t i = 0; i < 3; i++)
        COMBINE(operation, uint32_t, to->u32[i], from->u32[i]);
    COMBINE(operation, uint32_t, to->i32, from->i32);
    COMBINE(operation, uint32_t, to->fix, from->fix);
    COMBINE(operation, uint32_t, to->fix3.x, from->fix3.x);
    COMBINE(operation, uint32_t, to->fix3.y, from->fix3.y);
    COMBINE(operation, uint32_t, to->fix3.z, from->fix3.z);
    COMBINE(operation, uint16_t, to->u16, from->u16);
    COMBINE(operation, uint16_t, to->i16, from->i16);
    for (uint32_t i = 0; i < 2; i++)
        COMBINE(operation, uint16_t, to->angle[i], from->angle[i]);
    for (uint32_t i = 0; i < 3; i++)
        COMBINE(operation, uint8_t, to->u8[i], from->u8[i]);
    for (uint32_t i = 0; i < 13; i++)
        COMBINE(operation, uint8_t, to->i8[i], from->i8[i]);
}

static void check_spread(ls_world *world)
{
    static sample wanted[4][HOLDERS];
    sample single = {0};
    for (uint32_t slot = 0; slot < HOLDERS; slot++) {
        for (uint32_t operation = 0; operation < 4; operation++)
            wanted[operation][slot] = draw(slot);
    }
    for (uint64_t tick = 0; tick < ls_world_tick(world); tick++) {
        for (uint32_t i = 0; i < 3 * HOLDERS * CALLS; i++) {
            uint32_t slot = i / CALLS % HOLDERS, call = i % CALLS;
            sample value = draw(key_of(1 + i / CALLS / HOLDERS, slot, call, tick));
            for (uint32_t operation = 0; operation < 4; operation++)
                model_combine(operation, &wanted[operation][target_of(slot, call)], &value);
            model_combine(0, &single, &value);
        }
    }
    for (uint32_t slot = 0; slot < HOLDERS; slot++) {
        for (uint32_t operation = 0; operation < 4; operation++)
            assert_memory_equal(
                ls_world_cell(world, &samples[operation], ls_entity_make(1, slot, 1)),
                &wanted[operation][slot], sizeof(sample));
    }
    assert_memory_equal(ls_world_singleton(world, &singles), &single, sizeof single);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_accumulate_agrees_with_a_model_in_every_type)
{
    static const char *const lanes[] = {"a"};
    ls_sim sim = HARNESS_SIM(components, lanes, spreading);
    sim.setup = &make;
    mutation_agree(&sim, 3, check_spread);
}

/* Values arrive when the system ends; until then every entity reads the old ones. */
static void hurt_next(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    ls_entity next = mutation_entity((slot + 1) % population.count);
    assert_int_equal(((const tally *)ls_cell_find(context, 1, next))->value,
                     ls_entity_slot(next) + 10 * ls_tick(context));
    assert_true(ls_accumulate(context, 0, next, &(tally){10}));
    assert_int_equal(((const tally *)ls_cell_find(context, 1, next))->value,
                     ls_entity_slot(next) + 10 * ls_tick(context));
}

static void see_hurt(ls_context *context, const ls_entity *entities)
{
    assert_int_equal(((const tally *)ls_cell_find(context, 0, entities[0]))->value,
                     ls_entity_slot(entities[0]) + 10 * (ls_tick(context) + 1));
}

static const ls_system hurting[] = {
    {.name = "hurt",
     .match = hurt_next,
     .terms =
         LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_OTHERS_READ(counts), LS_WITH(counts))},
    {.name = "see", .match = see_hurt, .terms = LS_TERM_LIST(LS_READS(counts)), .after = "hurt"}};

TEST(test_accumulate_shows_when_the_system_ends)
{
    population.count = 1000;
    mutations_agree(hurting, 3, NULL);
}

/* Writes the own cell in place, and adds to other cells of the same column. */
static void write_and_add(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t slot = span->first_slot + i;
        own[i].value = slot;
        ls_accumulate(context, 1, mutation_entity((slot + 300) % population.count), &(tally){slot});
    }
}

static const ls_system writing[] = {
    {.name = "write",
     .span = write_and_add,
     .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ACCUMULATES(counts, LS_ADD))}};

static void check_written(ls_world *world)
{
    uint32_t n = population.count;
    for (uint32_t slot = 0; slot < n; slot++)
        assert_int_equal(((const tally *)mutation_cell(world, &counts, slot))->value,
                         slot + (slot + n - 300) % n);
}

TEST(test_accumulate_onto_what_the_system_writes)
{
    population.count = 1400;
    mutations_agree(writing, 2, check_written);
}

/* Handles without an entity: the call returns false and nothing is counted. */
static void miss(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0];
    tally one = {1};
    assert_false(ls_accumulate(context, 0, LS_ENTITY_NULL, &one));
    assert_false(ls_accumulate(context, 0, UINT64_MAX, &one));
    assert_false(ls_accumulate(context, 0, LS_PENDING_BIT | self, &one));
    assert_false(ls_accumulate(context, 0, self + ((ls_entity)2 << 32), &one));
    assert_false(ls_accumulate(context, 0, ls_entity_make(LANE_C, 0, 1), &one));
    assert_false(ls_accumulate(context, 0, ls_entity_make(200, 0, 1), &one));
    assert_false(ls_accumulate(context, 1, self, &(total){1, 1, 1}));
    bool has = ls_entity_slot(self) % 2;
    assert_int_equal(ls_accumulate(context, 0, self, &one), has);
    /* A despawn mark is not visible yet. */
    ls_despawn(context, self);
    assert_int_equal(ls_accumulate(context, 0, self, NULL), has);
}

static void give_odd(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (i % 2)
        ls_cell_attach(context, 1, entity, &(tally){i});
}

static const ls_system missing[] = {
    {.name = "miss",
     .match = miss,
     .terms = LS_TERM_LIST(LS_ACCUMULATES(extras, LS_ADD), LS_ACCUMULATES(totals, LS_ADD),
                           LS_WITH(counts))}};

static void check_missed(ls_world *world)
{
    static const total zero;
    assert_memory_equal(ls_world_singleton(world, &totals), &zero, sizeof zero);
    assert_int_equal(world->state.dropped[LS_DROPPED_VALUES], 0);
    assert_int_equal(ls_world_entity_count(world), 0);
}

TEST(test_accumulate_says_when_nobody_is_there)
{
    population.count = 600;
    population.with = give_odd;
    mutations_agree(missing, 2, check_missed);
}

/* A sequential system may detach a cell after accumulating into it, and attach it again. */
static void take_back(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0];
    uint32_t slot = ls_entity_slot(self);
    assert_true(ls_accumulate(context, 0, self, &(tally){100}));
    if (slot % 3 == 0)
        ls_cell_detach(context, 1, self);
    if (slot % 3 == 1) {
        ls_cell_detach(context, 1, self);
        assert_false(ls_accumulate(context, 0, self, &(tally){1000}));
        ls_cell_attach(context, 1, self, &(tally){5});
    }
}

static const ls_system taking[] = {
    {.name = "take",
     .mode = LS_SEQUENTIAL,
     .match = take_back,
     .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_DETACHES(counts))}};

static void check_taken(ls_world *world)
{
    for (uint32_t slot = 0; slot < population.count; slot++) {
        const tally *cell = ls_world_cell(world, &counts, mutation_entity(slot));
        assert_int_equal(cell != NULL, slot % 3 != 0);
        if (cell)
            assert_int_equal(cell->value, slot % 3 == 1 ? 105 : slot + 100);
    }
    assert_int_equal(world->state.dropped[LS_DROPPED_VALUES], (population.count + 2) / 3);
}

TEST(test_accumulate_onto_what_is_then_detached_is_dropped)
{
    population.count = 300;
    mutations_agree(taking, 1, check_taken);
}

static void add_too_many(ls_context *context, const ls_entity *entities)
{
    uint32_t count = ls_entity_slot(entities[0]) == 0 ? LS_RECORDS_MAX + 3 : 0;
    for (uint32_t i = 0; i < count; i++)
        ls_accumulate(context, 0, mutation_entity(i < LS_RECORDS_MAX - 1), &(tally){1});
}

static void run_too_many(ls_mode mode)
{
    const ls_system many[] = {
        {.name = "many",
         .mode = mode,
         .match = add_too_many,
         .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_WITH(counts))}};
    population.count = 2;
    harness self;
    harness_begin(&self, mutation_sim(many, 1), 1);
    harness_tick(self.world, NULL);
    assert_int_equal(((const tally *)mutation_cell(self.world, &counts, 0))->value, 1);
    assert_int_equal(((const tally *)mutation_cell(self.world, &counts, 1))->value,
                     1 + LS_RECORDS_MAX - 1);
    assert_int_equal(self.world->state.dropped[LS_DROPPED_VALUES], 3);
    uint64_t root = ls_world_root(self.world);
    self.world->state.dropped[LS_DROPPED_VALUES] = 0;
    assert_true(ls_world_root(self.world) != root); /* the counter is part of the state */
    harness_end(&self);
}

/* Concurrent: the system adds at once. */
TEST(test_accumulate_drops_the_last_beyond_the_maximum)
{
    run_too_many(LS_SEQUENTIAL);
    run_too_many(LS_CONCURRENT);
}

static void add_to_next(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    assert_true(ls_accumulate(context, 0, mutation_entity((slot + 1) % population.count),
                              &(tally){slot + 1}));
}

/* The cell of slot 0, which begins with 0, after `ticks` ticks. */
static void check_first(ls_world *world, uint32_t ticks)
{
    assert_int_equal(((const tally *)mutation_cell(world, &counts, 0))->value,
                     population.count * ticks);
}

static void add_beside_a_snapshot(ls_mode mode, uint32_t threads)
{
    const ls_system adding[] = {
        {.name = "add",
         .mode = mode,
         .match = add_to_next,
         .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_WITH(counts))}};
    population.count = 600;
    harness self;
    harness_begin(&self, mutation_sim(adding, 1), 1);
    ls_executor *executor = harness_executor(threads, 0);
    harness_tick(self.world, executor);
    ls_snapshot *snapshot = ls_world_snapshot(self.world);
    harness_tick(self.world, executor);
    check_first(self.world, 2);
    ls_world_restore(self.world, snapshot);
    check_first(self.world, 1);
    ls_snapshot_destroy(snapshot);
    ls_executor_destroy(executor);
    harness_end(&self);
}

/* On one thread a concurrent system adds at once. A sequential one, and one on two threads, add
 * when they end. */
TEST(test_accumulate_leaves_snapshots_as_they_are)
{
    add_beside_a_snapshot(LS_CONCURRENT, 1);
    add_beside_a_snapshot(LS_SEQUENTIAL, 1);
    add_beside_a_snapshot(LS_CONCURRENT, 2);
}

/* By the last slot, the term keeps the pages that it has added to. */
static void add_and_read(ls_context *context, const ls_entity *entities)
{
    add_to_next(context, entities);
    if (ls_entity_slot(entities[0]) == population.count - 1)
        (void)ls_cell_find(context, 0, entities[0]);
}

static void run_reading(void *unused)
{
    const ls_system reading[] = {
        {.name = "reading",
         .match = add_and_read,
         .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_ADD), LS_WITH(counts))}};
    harness self;
    harness_begin(&self, mutation_sim(reading, 1), 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_accumulate_refuses_to_read_through_the_term)
{
    population.count = 600;
    assert_dies(run_reading, NULL, "\"reading\"", "beyond the access that the term declares");
}

static void no_match(ls_context *context, const ls_entity *entities)
{
}

/* Refused, because which cells exist would depend on which entities were visited before. */
TEST(test_accumulate_refuses_a_column_that_the_system_reshapes)
{
    const ls_system attaching[] = {{.name = "it",
                                    .match = no_match,
                                    .terms = LS_TERM_LIST(LS_WITH(marks), LS_ATTACHES(counts),
                                                          LS_ACCUMULATES(counts, LS_ADD))}};
    const ls_system detaching[] = {
        {.name = "it",
         .match = no_match,
         .terms = LS_TERM_LIST(LS_ACCUMULATES(counts, LS_MAX), LS_DETACHES(counts))}};
    assert_refused(mutation_sim(attaching, 1), LS_ERROR_REFUSED, "\"it\"", "conflicts with itself",
                   "\"count\"");
    assert_refused(mutation_sim(detaching, 1), LS_ERROR_REFUSED, "\"it\"", "conflicts with itself",
                   "\"count\"");
}

/* Refused, because a sum may exceed the limit, and a snapshot with such a value would be
 * refused. */
TEST(test_accumulate_refuses_fields_with_a_limit)
{
    static const ls_field fields[] = {LS_FIELD_UP_TO(tally, value, LS_TYPE_U32, 9)};
    static const ls_component limited = LS_COMPONENT_TABLE(tally, "limited", fields);
    static const ls_component *const list[] = {&limited};
    static const char *const lanes[] = {"a"};
    for (int access = LS_ADD; access <= LS_OR; access++) {
        ls_system systems[] = {{.name = "it",
                                .mode = LS_SEQUENTIAL,
                                .match = no_match,
                                .terms = LS_TERM_LIST(LS_ACCUMULATES(limited, (ls_access)access))}};
        ls_sim sim = HARNESS_SIM(list, lanes, systems);
        if (access == LS_ADD || access == LS_OR) {
            assert_refused(&sim, LS_ERROR_USAGE, "\"it\"", "\"limited\"", "limit");
            continue;
        }
        ls_program *program;
        assert_int_equal(ls_program_create(&sim, &program, NULL), LS_OK);
        ls_program_destroy(program);
    }
}
