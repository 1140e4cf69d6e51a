/* Pages that are kept stay right where several systems use the same columns: next to each other, in
 * the sides of a par, and while the host changes executors and goes back to snapshots. As in
 * test_page_cache.c, a world that keeps nothing runs the same ticks. */
#include "harness.h"
#include "kept_pages.h"

LS_COMPONENT(place, U32(x), U32(y));
LS_COMPONENT(speed, U32(value));
LS_COMPONENT(load, U32(value));
LS_COMPONENT(heat, U32(x), U32(y));
LS_TAG(mark);
LS_SINGLETON(total, U64(sum), U64(count));
static const ls_component *const components[] = {&place_component, &speed_component,
                                                 &load_component,  &heat_component,
                                                 &mark_component,  &total_component};

enum { COUNT = 4 * LS_PAGE_SLOTS + 70, TICKS = 600 };

/* Whole pages, pages of few spans, and pages of too many spans to keep. */
static bool has_speed(uint32_t i)
{
    uint32_t page = i / LS_PAGE_SLOTS;
    return page == 0 || (page == 2 && i % 3 == 0) || i % 97 == 5;
}

LS_TERMS(furnishing, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(speed), OTHERS_STRUCTURE(load),
         OTHERS_STRUCTURE(heat));
static void furnish(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, furnishing);
    for (uint32_t i = 0; i < COUNT; i++) {
        ls_entity made = ls_spawn(context, 0);
        LS_ATTACH(context, place, made, i, 0);
        LS_ATTACH(context, load, made, 1);
        LS_ATTACH(context, heat, made, 0, i);
        if (has_speed(i))
            LS_ATTACH(context, speed, made, i);
    }
}

static ls_entity draw(const ls_context *context, uint32_t number)
{
    return ls_entity_make(0, (uint32_t)(ls_random(context, LS_ENTITY_NULL, number) % COUNT), 1);
}

/* Changes presence, at times. */
LS_TERMS(building, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(speed), OTHERS_STRUCTURE(load));
static void build(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, building);
    LS_ATTACH(context, speed, draw(context, 0), 7);
    LS_DETACH(context, speed, draw(context, 1));
    LS_DETACH(context, load, draw(context, 2));
    ls_despawn(context, draw(context, 3));
    ls_entity made = ls_spawn(context, 0);
    LS_ATTACH(context, place, made, 3, 4);
    LS_ATTACH(context, load, made, 5);
}

/* Terms: writes place, reads speed. */
static void move(ls_context *context, const ls_span *span)
{
    place *own = ls_span_write(context, span, 0);
    const speed *by = ls_span_read(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].x += by[i].value * span->generations[i];
}

/* Writes place. */
static void turn(ls_context *context, const ls_span *span)
{
    place *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].y = own[i].y * 3 + own[i].x + span->first_slot + i;
}

/* Writes place or heat, which look alike. Each side changes one half of the entities. */
static void shift(ls_context *context, const ls_span *span)
{
    const uint32_t *half = ls_system_data(context);
    place *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].x += (span->first_slot + i) % 2 == *half ? 5 + *half : 0;
}

/* Asks for presence alone, beside the par that writes heat: the merge may not touch the counters
 * that this system reads. */
static void sense(ls_context *context, const ls_span *span)
{
    ls_accumulate(context, 1, LS_ENTITY_NULL,
                  &(total){.sum = span->first_slot, .count = span->count});
}

/* Writes load. */
static void fill(ls_context *context, const ls_span *span)
{
    load *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value += span->first_slot % 7 + 1;
}

/* Term 0: mark. The mark comes and goes. */
static void tag(ls_context *context, const ls_entity *entities)
{
    if (ls_random(context, entities[0], 0) % 64)
        return;
    if (ls_cell_has(context, 0, entities[0]))
        ls_cell_detach(context, 0, entities[0]);
    else
        ls_cell_attach(context, 0, entities[0], NULL);
}

static void add_up(ls_context *context, const ls_span *span, const uint32_t *cells, uint32_t step)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < span->count; i++)
        sum += cells[i * step] * (UINT64_C(3) + i) + span->first_slot;
    ls_accumulate(context, 2, LS_ENTITY_NULL, &(total){.sum = sum, .count = span->count});
}

static void sum_places(ls_context *context, const ls_span *span)
{
    add_up(context, span, &((const place *)ls_span_read(context, span, 0))->x, 2);
}

static void sum_loads(ls_context *context, const ls_span *span)
{
    add_up(context, span, &((const load *)ls_span_read(context, span, 0))->value, 1);
}

#define SUMS(...) LS_TERM_LIST(__VA_ARGS__, LS_ACCUMULATES(total_component, LS_ADD))
#define SHIFT(system, in, follows, label, half, component)                                         \
    {                                                                                              \
        .name = system, .span = shift, .stage = in, .after = follows, .labels = label,             \
        .data = &halves[half], .terms = LS_TERM_LIST(LS_WRITES(component))                         \
    }
static const uint32_t halves[2] = {0, 1};
static const ls_set sets[] = {{.name = "seldom", .when = {.every = 13}},
                              {.name = "often", .when = {.every = 3, .phase = 1}}};
static const ls_system systems[] = {
    {.name = "build",
     .stage = "work",
     .mode = LS_SEQUENTIAL,
     .match = build,
     .labels = "seldom",
     .lanes = "world",
     .terms = building},
    /* Next to each other: three systems that write the pages of one column. */
    {.name = "move",
     .stage = "work",
     .span = move,
     .after = "build",
     .terms = LS_TERM_LIST(LS_WRITES(place_component), LS_READS(speed_component))},
    {.name = "turn",
     .stage = "work",
     .span = turn,
     .after = "move",
     .labels = "often",
     .terms = LS_TERM_LIST(LS_WRITES(place_component))},
    {.name = "turn unmarked",
     .stage = "work",
     .span = turn,
     .after = "turn",
     .terms = LS_TERM_LIST(LS_WRITES(place_component), LS_WITHOUT(mark_component))},
    /* Its sides write heat, and one of them loads: no side attaches or detaches. */
    SHIFT("warm left", "work", "turn unmarked", "", 0, heat_component),
    SHIFT("warm right", "work", "turn unmarked", "right", 1, heat_component),
    {.name = "fill",
     .stage = "work",
     .span = fill,
     .labels = "right",
     .after = "turn unmarked",
     .terms = LS_TERM_LIST(LS_WRITES(load_component))},
    {.name = "sense",
     .span = sense,
     .stage = "work",
     .terms = LS_TERM_LIST(LS_WITH(heat_component), LS_ACCUMULATES(total_component, LS_ADD))},
    /* Its sides write places, and the second one attaches and detaches marks. */
    SHIFT("shift left", "marks", NULL, "", 0, place_component),
    SHIFT("shift right", "marks", NULL, "marker", 1, place_component),
    {.name = "tag",
     .match = tag,
     .stage = "marks",
     .labels = "marker",
     .terms = LS_TERM_LIST(LS_ATTACHES(mark_component), LS_WITH(speed_component))},
    {.name = "sum places",
     .span = sum_places,
     .stage = "sums",
     .terms = SUMS(LS_READS(place_component), LS_WITHOUT(speed_component))},
    {.name = "sum marked",
     .span = sum_places,
     .stage = "sums",
     .terms = SUMS(LS_READS(place_component), LS_WITH(mark_component))},
    {.name = "sum loads",
     .span = sum_loads,
     .stage = "sums",
     .terms = SUMS(LS_READS(load_component), LS_WITHOUT(mark_component))},
    {.name = "sum all loads",
     .span = sum_loads,
     .stage = "sums",
     .terms = SUMS(LS_READS(load_component), LS_WITH(place_component))},
};
static const ls_system setups[] = {{.name = "furnish",
                                    .mode = LS_SEQUENTIAL,
                                    .match = furnish,
                                    .lanes = "world",
                                    .terms = furnishing}};
static const ls_stage stages[] = {
    {.name = "work"}, {.name = "marks", .when = {.every = 9, .phase = 4}}, {.name = "sums"}};
/* A par that may fail would have a snapshot before each tick, and nothing would be kept. */
static const ls_par pars[] = {
    {.name = "each tick", .sides = "warm left, right", .clash = LS_PAR_FIRST_WINS},
    {.name = "at times", .sides = "shift left, marker", .clash = LS_PAR_FIRST_WINS}};
static const ls_sim sim = HARNESS_TABLES(
    components, systems, .player_count = 1, .stages = stages, .stage_count = LS_COUNT_OF(stages),
    .sets = sets, .set_count = LS_COUNT_OF(sets), .pars = pars, .par_count = LS_COUNT_OF(pars),
    .setup = setups, .setup_count = LS_COUNT_OF(setups));

/* One thread, several, and shuffled orders; the same worlds use them in turn. */
enum { EXECUTORS = 5 };
static void make_executors(ls_executor *made[EXECUTORS])
{
    made[0] = NULL;
    made[1] = harness_executor(1, 3);
    made[2] = harness_executor(2, 0);
    made[3] = harness_executor(4, 0);
    made[4] = harness_executor(3, 8);
}

static void destroy_executors(ls_executor *const made[EXECUTORS])
{
    for (uint32_t i = 0; i < EXECUTORS; i++)
        ls_executor_destroy(made[i]);
}

/* Rarely: takes a snapshot of each world, or goes back to it. After that the warm world still has
 * pages of ticks that were undone. */
static void disturb(ls_world *const worlds[2], ls_snapshot *held[2], uint64_t what)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (what == 0)
            ls_world_restore(worlds[i], held[i]);
        if (what != 1)
            continue;
        ls_snapshot_destroy(held[i]);
        held[i] = ls_world_snapshot(worlds[i]);
    }
}

TEST(test_page_cache_siblings_agree_with_a_world_that_keeps_nothing)
{
    static const char *const names[] = {"move",       "turn unmarked", "sum places",
                                        "sum marked", "sum loads",     "sum all loads"};
    uint32_t kept[LS_COUNT_OF(names)] = {0}, executor = 0;
    ls_executor *executors[EXECUTORS];
    harness self;
    make_executors(executors);
    harness_begin(&self, &sim, 4);
    ls_world *cold = harness_world(&self), *world = self.world;
    ls_snapshot *held[2] = {ls_world_snapshot(world), ls_world_snapshot(cold)};
    uint64_t random = harness_seed("page cache siblings");
    for (uint32_t i = 0; i < TICKS; i++) {
        if (test_random(&random) % 4 == 0)
            executor = (uint32_t)(test_random(&random) % EXECUTORS);
        harness_tick(world, executors[executor]);
        tick_cold(cold);
        for (uint32_t j = 0; j < LS_COUNT_OF(names); j++)
            kept[j] += count_kept(world, names[j]);
        assert_int_equal(ls_world_root(world), ls_world_root(cold));
        disturb((ls_world *[]){world, cold}, held, test_random(&random) % 24);
    }
    for (uint32_t j = 0; j < LS_COUNT_OF(names); j++)
        assert_true(kept[j] > TICKS); /* otherwise the test compares nothing */
    ls_snapshot_destroy(held[0]);
    ls_snapshot_destroy(held[1]);
    ls_world_destroy(cold);
    harness_end(&self);
    destroy_executors(executors);
}

/* A par whose members only write values leaves presence alone: systems after it keep their
 * pages. */
TEST(test_page_cache_siblings_keep_pages_that_a_side_writes)
{
    harness self;
    harness_begin(&self, &sim, 4);
    for (uint32_t i = 0; i < 9; i++)
        harness_tick(self.world, NULL);
    assert_true(count_kept(self.world, "sum all loads") > 0);
    harness_end(&self);
}
