/* Counts allocations in ticks of a warm world, by wrapping the allocation functions at link time.
 * The world has three stages, conditional and repeated sets, events, commands, accumulated values,
 * spawns and despawns. */
#include "benches/core/scene.h"
#include "benches/schedule/groups.h"

#include "benches/bench.h"
#include "tests/support/counted_memory.h"
#include <lockstep/base.h>

enum { ENTITIES = 4096, WARMING = 300, TICKS = 100 };

uint32_t bench_memory_calls(void)
{
    return atomic_load(&calls);
}

static const ls_field number_fields[] = {LS_FIELD(scene_load, low, LS_TYPE_U64),
                                         LS_FIELD(scene_load, high, LS_TYPE_U64)};
static const ls_field news_fields[] = {LS_FIELD(scene_place, x, LS_TYPE_FIX),
                                       LS_FIELD(scene_place, y, LS_TYPE_FIX)};
static const ls_component sums = LS_SINGLETON_TABLE(scene_load, "sum", number_fields);
static const ls_component news = LS_EVENT_TABLE(scene_place, "news", news_fields);
static const ls_component *const components[] = {&scene_places, &scene_motions, &scene_marks,
                                                 &sums,         &news,          NULL};

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_place place = {(ls_fix)i, 0};
    ls_cell_attach(context, 0, entity, &place);
}

static void decide(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_decide(context, ls_tick(context) % 3 ? LS_YES : LS_NO);
}

static void decide_twice(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_decide(context, ls_iteration(context) < 1 ? LS_YES_AND_AGAIN : LS_YES);
}

static const ls_system often = {.name = "often", .mode = LS_SEQUENTIAL, .match = decide};
static const ls_system twice = {.name = "twice", .mode = LS_SEQUENTIAL, .match = decide_twice};
static const ls_set sets[] = {
    {.name = "at times", .when = {.criterion = &often}},
    {.name = "solver", .when = {.criterion = &twice, .iterations_max = 4}},
    {.name = "slow", .when = {.every = 4, .phase = 1}}};
static const ls_stage stages[] = {{.name = "main"}, {.name = "middle"}, {.name = "late"}};

static void drift(ls_context *context, const ls_span *span)
{
    scene_place *place = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        place[i].x++;
}

static void tell(ls_context *context, const ls_entity *entities)
{
    const scene_place *place = ls_cell_find(context, 0, entities[0]);
    if (place->x % 8 == 0)
        ls_event_send(context, 1, place);
    ls_accumulate(context, 2, LS_ENTITY_NULL, &(scene_load){1, 0});
    if (place->x % 16 == 0)
        ls_spawn(context, 0);
}

static void receive_events(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_event_walk walk;
    ls_event_begin(context, 0, &walk);
    for (const scene_place *received; (received = ls_event_next(&walk));)
        bench_consume((uint64_t)received->x);
}

static void mark(ls_context *context, const ls_entity *entities)
{
    const scene_place *place = ls_cell_find(context, 0, entities[0]);
    if (place->x % 2)
        ls_command_attach(context, 1, entities[0], NULL);
    else
        ls_command_detach(context, 1, entities[0]);
}

static void bury(ls_context *context, const ls_entity *entities)
{
    ls_despawn(context, entities[0]);
}

static const ls_system systems[] = {
    {.name = "drift",
     .span = drift,
     .terms = LS_TERM_LIST(LS_WRITES(scene_places)),
     .before = "tell"},
    {.name = "tell",
     .match = tell,
     .terms = LS_TERM_LIST(LS_READS(scene_places), LS_SENDS(news), LS_ACCUMULATES(sums, LS_ADD)),
     .lanes = "young",
     .before = "receive"},
    {.name = "receive",
     .mode = LS_SEQUENTIAL,
     .match = receive_events,
     .terms = LS_TERM_LIST(LS_RECEIVES(news))},
    {.name = "mark",
     .stage = "middle",
     .match = mark,
     .terms = LS_TERM_LIST(LS_READS(scene_places), LS_COMMANDED(scene_marks)),
     .labels = "at times"},
    {.name = "solve",
     .stage = "middle",
     .span = drift,
     .terms = LS_TERM_LIST(LS_WRITES(scene_places)),
     .after = "mark",
     .labels = "solver"},
    {.name = "bury",
     .stage = "late",
     .match = bury,
     .terms = LS_TERM_LIST(LS_WITHOUT(scene_places))},
    {.name = "settle",
     .stage = "late",
     .span = drift,
     .terms = LS_TERM_LIST(LS_WRITES(scene_places)),
     .labels = "slow",
     .after = "bury"},
};

static void measure_steady(const bench_options *options, const void *variant, bench_result *results)
{
    scene at;
    (void)options;
    (void)variant;
    const scene_plan plan = {.adapts = true,
                             .components = components,
                             .systems = systems,
                             .system_count = LS_COUNT_OF(systems),
                             .stages = stages,
                             .stage_count = LS_COUNT_OF(stages),
                             .sets = sets,
                             .set_count = LS_COUNT_OF(sets),
                             .entities = ENTITIES,
                             .furnish = furnish,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places))};
    scene_begin(&at, &plan);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        for (uint32_t i = 0; i < WARMING; i++)
            scene_tick(&at, threads);
        calls = 0;
        for (uint32_t i = 0; i < TICKS; i++)
            scene_tick(&at, threads);
        results[threads - 1].ours = (double)calls / TICKS;
    }
    scene_end(&at);
}

const bench_group bench_steady = {
    .rows = {{"calls for memory in a tick", "", BENCH_AT_MOST, 0, NULL},
             {"calls for memory in a tick, 2 threads", "", BENCH_AT_MOST, 0, NULL}},
    .whole = measure_steady,
};
