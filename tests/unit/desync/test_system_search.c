/* Each test plants one fault and asserts which system and cell the search blames. */
#include "plants.h"

#include "core/run/despawn.h"

static int32_t calls; /* state outside every world */

static void walk(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].x++;
}

static const ls_system walker = {
    .name = "walk", .mode = LS_CONCURRENT, .span = walk, .terms = LS_TERM_LIST(LS_WRITES(places))};

static void heal(ls_context *context, const ls_span *span)
{
    health *cells = ls_span_write(context, span, 0);
    const place *from = ls_span_read(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].left += from[i].x;
}

static const ls_system healer = {.name = "heal",
                                 .mode = LS_CONCURRENT,
                                 .span = heal,
                                 .terms = LS_TERM_LIST(LS_WRITES(healths), LS_READS(places)),
                                 .after = "walk"};

TEST(test_system_search_blames_no_system_without_a_fault)
{
    plants self;
    const ls_system systems[] = {walker, healer};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_NONE);
    for (self.runs[1].shuffle_seed = 1; self.runs[1].shuffle_seed < 10; self.runs[1].shuffle_seed++)
        assert_int_equal(plants_find(&self), LS_BLAME_NONE);
    assert_null(self.suspect.system);
    plants_end(&self);
}

static void count(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].y += ls_span_entity(span, i) == ls_entity_make(LANE_A, 270, 1) ? calls++ : 0;
}

/* The healer that reads the result is not to blame. */
TEST(test_system_search_blames_a_static_variable)
{
    plants self;
    const ls_system counter = {.name = "count",
                               .mode = LS_CONCURRENT,
                               .span = count,
                               .terms = LS_TERM_LIST(LS_WRITES(places)),
                               .after = "walk",
                               .before = "heal"};
    const ls_system systems[] = {walker, counter, healer};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_CELL, "count", "place.y of a/270:1");
    assert_string_equal(self.suspect.stage, "main");
    assert_ptr_equal(self.suspect.component, &places);
    assert_string_equal(self.suspect.field->name, "y");
    assert_int_equal(self.suspect.entity, ls_entity_make(LANE_A, 270, 1));
    assert_int_equal(atoi(self.suspect.b), atoi(self.suspect.a) + 1);
    plants_end(&self);
}

/* Reads an uninitialised variable; the asm hides this from the compiler. */
__attribute__((noinline)) static uint32_t unset_local(void)
{
    uint32_t locals[512];
    __asm__ volatile("" : "=m"(locals));
    return locals[7];
}

static void forget(ls_context *context, const ls_span *span)
{
    health *cells = ls_span_write(context, span, 0);
    cells[0].left = (int32_t)unset_local();
}

TEST(test_system_search_blames_an_uninitialised_local)
{
    plants self;
    const ls_system systems[] = {walker,
                                 {.name = "forget",
                                  .mode = LS_CONCURRENT,
                                  .span = forget,
                                  .terms = LS_TERM_LIST(LS_WRITES(healths))}};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_CELL, "forget", "health.left of a/0:1");
    /* The noise has the seeds 0x11 and 0x22. */
    long a = strtol(self.suspect.a, NULL, 10), b = strtol(self.suspect.b, NULL, 10);
    assert_int_equal((uint32_t)a ^ (uint32_t)b, 0x33333333);
    self.runs[1].stack_fill = self.runs[0].stack_fill;
    assert_int_equal(plants_find(&self), LS_BLAME_NONE);
    plants_end(&self);
}

static float plain(float a, float b, float c)
{
    volatile float product = a * b;
    return product + c;
}

static void drift(place *cells, uint32_t index, float (*combine)(float, float, float))
{
    float value = combine(1.0f + 1.0f / 4096, 1.0f + 1.0f / 4096, -1.0f);
    cells[index].x += (int32_t)(value * 16777216.0f * (index == 7 ? 4.0f : 0.0f));
}

static float fused(float a, float b, float c)
{
    return (float)((double)a * b + c); /* the result of a fused multiply-add here */
}

static void drift_plain(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count && i < 16; i++)
        drift(ls_span_write(context, span, 0), i, plain);
}

static void drift_fused(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count && i < 16; i++)
        drift(ls_span_write(context, span, 0), i, fused);
}

/* An entity of page 1 has the same index in its span; the search must name the entity of the first
 * page. */
TEST(test_system_search_blames_a_contraction_in_one_of_two_builds)
{
    plants self;
    ls_system one[] = {walker, healer, walker}, other[3];
    one[2].name = "drift";
    one[2].span = drift_plain;
    one[2].before = "walk";
    memcpy(other, one, sizeof other);
    other[2].span = drift_fused;
    const ls_sim a = check_sim(one, 3), b = check_sim(other, 3);
    plants_begin(&self, &a, &b);
    assert_int_equal(plants_find(&self), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_CELL, "drift", "place.x of a/7:1");
    plants_end(&self);
}

static void spoil(ls_context *context, const ls_span *span)
{
    place *cells = unconst(ls_span_read(context, span, 0));
    cells[3].y = calls++;
}

TEST(test_system_search_blames_an_undeclared_write)
{
    plants self;
    const ls_system systems[] = {{.name = "spoil",
                                  .mode = LS_CONCURRENT,
                                  .span = spoil,
                                  .terms = LS_TERM_LIST(LS_READS(places))}};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_UNDECLARED, "spoil", "place.y of a/3:1");
    plants_end(&self);
}

static void take_from_walker(ls_context *context, const ls_span *span)
{
    const place *from = unconst(ls_span_read(context, span, 0));
    health *cells = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].left = from[i].x;
}

static uint64_t shuffle_that_turns(plants *self)
{
    for (uint64_t seed = 1; seed < 64; seed++) {
        self->runs[1].shuffle_seed = seed;
        if (plants_find(self) != LS_BLAME_NONE)
            return seed;
    }
    fail_msg("no seed of 63 turns the order");
    return 0;
}

/* No single system is to blame: `take` read another state, because `walk`, which wrote it, ran
 * after it on the other side. */
TEST(test_system_search_tells_of_an_order_that_was_declared_away)
{
    plants self;
    static const ls_independence independence = {"walk", "take", "a test"};
    const ls_system systems[] = {walker,
                                 {.name = "take",
                                  .mode = LS_CONCURRENT,
                                  .span = take_from_walker,
                                  .terms = LS_TERM_LIST(LS_READS(places), LS_WRITES(healths))}};
    ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    sim.independences = &independence;
    sim.independence_count = 1;
    plants_begin(&self, &sim, NULL);
    shuffle_that_turns(&self);
    assert_int_equal(self.suspect.blame, LS_BLAME_ORDER);
    plants_expect(&self, LS_SITE_CELL, "take", "place.x of a/0:1");
    bool is_first = self.suspect.others[0] != NULL;
    assert_string_equal(self.suspect.others[!is_first], "walk");
    assert_null(self.suspect.others[is_first]);
    assert_false(self.suspect.is_undeclared);
    plants_end(&self);
}

static void write_undeclared(ls_context *context, const ls_span *span)
{
    ((place *)unconst(ls_span_read(context, span, 0)))[0].x = 77;
}

/* The same with an undeclared write: both systems declare reads, so they have no order. */
TEST(test_system_search_tells_of_an_undeclared_write_in_another_order)
{
    plants self;
    const ls_system systems[] = {{.name = "sneak",
                                  .mode = LS_CONCURRENT,
                                  .span = write_undeclared,
                                  .terms = LS_TERM_LIST(LS_READS(places))},
                                 {.name = "take",
                                  .mode = LS_CONCURRENT,
                                  .span = take_from_walker,
                                  .terms = LS_TERM_LIST(LS_READS(places), LS_WRITES(healths))}};
    const ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    plants_begin(&self, &sim, NULL);
    shuffle_that_turns(&self);
    assert_int_equal(self.suspect.blame, LS_BLAME_ORDER);
    plants_expect(&self, LS_SITE_CELL, "take", "place.x of a/0:1");
    assert_true(self.suspect.is_undeclared);
    plants_end(&self);
}

TEST(test_system_search_tells_of_states_that_differ_before)
{
    plants self;
    const ls_sim sim = check_sim(&walker, 1);
    char what[96];
    plants_begin(&self, &sim, NULL);
    assert_true(ls_world_flip_bit(self.b.world, 2, what, sizeof what));
    assert_int_equal(plants_find(&self), LS_BLAME_START);
    assert_int_equal(strncmp(self.suspect.place, what, strlen(what)), 0);
    assert_null(self.suspect.system);
    plants_end(&self);
}

/* Flips a bit of `flipped` while no system runs. The linker's --wrap puts it around
 * ls_despawn_sweep(), which the tick calls at each sync point. */
static ls_world *flipped;
void __real_ls_despawn_sweep(ls_world *world);
void __wrap_ls_despawn_sweep(ls_world *world);
void __wrap_ls_despawn_sweep(ls_world *world)
{
    __real_ls_despawn_sweep(world);
    const place *cell =
        world == flipped ? ls_world_cell(world, &places, ls_entity_make(LANE_A, 9, 1)) : NULL;
    if (cell)
        ((place *)unconst(cell))->y ^= 1;
}

TEST(test_system_search_tells_of_a_bit_that_flips_between_systems)
{
    plants self;
    const ls_sim sim = check_sim(&walker, 1);
    plants_begin(&self, &sim, NULL);
    flipped = self.b.world;
    assert_int_equal(plants_find(&self), LS_BLAME_OUTSIDE);
    assert_null(self.suspect.system);
    assert_string_equal(self.suspect.place, "place.y of a/9:1");
    assert_string_equal(self.suspect.a, "18");
    assert_string_equal(self.suspect.b, "19");
    flipped = NULL;
    plants_end(&self);
}

static void command(ls_context *context, const ls_entity *entities)
{
    ls_command_attach(context, 0, ls_entity_make(LANE_A, 1, 1), &(tally){5, 6});
    ls_command_attach(context, 0, ls_entity_make(LANE_A, 2, 1), &(tally){7, (uint32_t)calls++});
}

TEST(test_system_search_blames_a_command)
{
    plants self;
    const ls_system systems[] = {{.name = "order",
                                  .mode = LS_SEQUENTIAL,
                                  .match = command,
                                  .terms = LS_TERM_LIST(LS_COMMANDED(notes))},
                                 walker};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_COMMANDS, "order", "note.spare of a/2:1");
    assert_int_equal(self.suspect.stream, LS_STREAM_COMMANDS);
    assert_int_equal(self.suspect.record, 1);
    plants_end(&self);
}

static void ring(ls_context *context, const ls_entity *entities)
{
    ls_event_send(context, 0, &(tally){(uint32_t)calls++, 0});
}

static void hear(ls_context *context, const ls_entity *entities)
{
    ls_event_walk events;
    tally *sum = ls_singleton_write(context, 1);
    ls_event_begin(context, 0, &events);
    for (const tally *event; (event = ls_event_next(&events));)
        sum->sum += event->sum;
}

/* A system that receives a different event is not to blame. */
TEST(test_system_search_blames_an_event)
{
    plants self;
    const ls_system systems[] = {
        {.name = "ring",
         .mode = LS_SEQUENTIAL,
         .match = ring,
         .terms = LS_TERM_LIST(LS_SENDS(bells))},
        {.name = "receive",
         .mode = LS_SEQUENTIAL,
         .match = hear,
         .terms = LS_TERM_LIST(LS_RECEIVES(bells), LS_OTHERS_WRITE(tallies)),
         .after = "ring"}};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_COMMANDS, "ring", "bell.sum");
    assert_int_equal(self.suspect.stream, LS_STREAM_EVENTS);
    plants_end(&self);
}

static void despawn(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) == 40 + (uint32_t)(calls++ / 300 % 2))
        ls_despawn(context, entities[0]);
}

TEST(test_system_search_blames_a_despawn)
{
    plants self;
    const ls_system systems[] = {{.name = "kill",
                                  .mode = LS_SEQUENTIAL,
                                  .match = despawn,
                                  .terms = LS_TERM_LIST(LS_WITH(places))}};
    calls = 0;
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_MARKS, "kill", "a/40:1");
    plants_end(&self);
}

static void decide(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, calls++ % 2 ? LS_YES : LS_NO);
}

TEST(test_system_search_blames_a_criterion)
{
    plants self;
    static const ls_system criterion = {.name = "whether", .mode = LS_SEQUENTIAL, .match = decide};
    static const ls_set set = {.name = "moving", .when = {.criterion = &criterion}};
    ls_system moved = walker;
    moved.labels = "moving";
    ls_sim sim = check_sim(&moved, 1);
    sim.sets = &set;
    sim.set_count = 1;
    calls = 0;
    plants_begin(&self, &sim, NULL);
    assert_int_equal(plants_find(&self), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_DECISION, "whether", "what it decides");
    plants_end(&self);
}

static void spawn(ls_context *context, const ls_entity *entities)
{
    for (int32_t i = 0; i <= calls % 2; i++)
        ls_spawn(context, 0);
    calls++;
}

TEST(test_system_search_blames_a_spawner)
{
    plants self;
    const ls_system systems[] = {
        {.name = "bear", .mode = LS_SEQUENTIAL, .match = spawn, .lanes = "a"}};
    calls = 0;
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_expect(&self, LS_SITE_LIVENESS, "bear", "life of a/301");
    plants_end(&self);
}

TEST(test_system_search_refuses_worlds_that_cannot_be_compared)
{
    plants self;
    const ls_sim sim = check_sim(&walker, 1);
    ls_sim small = check_sim(&walker, 1);
    const ls_frame frame = {.tick = 0}, late = {.tick = 1};
    ls_error error;
    ls_suspect suspect;
    small.component_count--; /* the last one is unused */
    plants_begin(&self, &sim, &small);
    assert_int_equal(ls_desync_find_system(&self.runs[0], &self.runs[1], &frame, &suspect, &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_int_equal(ls_desync_find_system(&self.runs[0], &self.runs[0], &frame, &suspect, &error),
                     LS_ERROR_USAGE);
    assert_int_equal(ls_desync_find_system(&self.runs[0], &self.runs[1], &late, &suspect, &error),
                     LS_ERROR_USAGE);
    plants_end(&self);
}
