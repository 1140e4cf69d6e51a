/* Access by the names of LS_USES against access by the index of a term: the same work in two worlds
 * of one simulation. The reference is by index. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"

#include <lockstep/base.h>

#include <string.h>

enum { PASSES = 20, COUNT = 50000 };

LS_COMPONENT_OF(scene_place, place, "place", FIX(x), FIX(y));
LS_COMPONENT_OF(scene_motion, motion, "motion", FIX(x), FIX(y));
LS_COMPONENT_OF(scene_load, load, "load", U64(low), U64(high));
LS_TERMS(reaching, OTHERS_READ(place), OTHERS_WRITE(motion), OTHERS_STRUCTURE(load));
LS_TERMS(moving, WRITES(place), READS(motion));
enum { PLACE, MOTION, LOAD }; /* indexes in `reaching` */

static struct {
    scene by_index, by_name;
    uint32_t *order;
    const ls_entity *entities; /* of the world that runs */
} at;

static void read_by_index(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        sum +=
            (uint32_t)((const scene_place *)ls_cell_find(context, PLACE, at.entities[at.order[i]]))
                ->x;
    bench_consume(sum);
}

static void read_by_name(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    LS_USES(context, reaching);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        sum += (uint32_t)LS_READ(context, place, at.entities[at.order[i]])->x;
    bench_consume(sum);
}

static void write_by_index(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < COUNT; i++)
        ((scene_motion *)ls_cell_write(context, MOTION, at.entities[at.order[i]]))->x++;
}

static void write_by_name(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    LS_USES(context, reaching);
    for (uint32_t i = 0; i < COUNT; i++)
        LS_WRITE(context, motion, at.entities[at.order[i]])->x++;
}

static void attach_by_index(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < COUNT; i++) {
        const scene_load value = {i, 1};
        ls_cell_attach(context, LOAD, at.entities[at.order[i]], &value);
    }
}

static void attach_by_name(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    LS_USES(context, reaching);
    for (uint32_t i = 0; i < COUNT; i++)
        LS_ATTACH(context, load, at.entities[at.order[i]], i, 1);
}

static void move_by_index(ls_context *context, const ls_span *span)
{
    scene_place *to = ls_span_write(context, span, 0);
    const scene_motion *by = ls_span_read(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        to[i].x += by[i].x;
        to[i].y += by[i].y;
    }
}

static void move_by_name(ls_context *context, const ls_span *span)
{
    LS_USES(context, moving);
    scene_place *to = LS_WRITE_SPAN(context, place, span);
    const scene_motion *by = LS_READ_SPAN(context, motion, span);
    for (uint32_t i = 0; i < span->count; i++) {
        to[i].x += by[i].x;
        to[i].y += by[i].y;
    }
}

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(const scene_place){(ls_fix)i, 0});
    ls_cell_attach(context, 1, entity, &(const scene_motion){1, (ls_fix)i & 7});
}

/* A system of each kind: by index, and by name. */
typedef struct pair {
    ls_system by_index, by_name;
} pair;

static void *begin(const bench_options *options, const void *variant)
{
    static const ls_component *const components[] = {&scene_places, &scene_motions, &scene_loads,
                                                     NULL};
    const pair *systems = variant;
    (void)options;
    scene_plan plan = {.components = components,
                       .systems = &systems->by_index,
                       .system_count = 1,
                       .entities = COUNT,
                       .furnish = furnish,
                       .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places),
                                             LS_OTHERS_STRUCTURE(scene_motions))};
    scene_begin(&at.by_index, &plan);
    plan.systems = &systems->by_name;
    scene_begin(&at.by_name, &plan);
    at.order = ls_alloc(sizeof *at.order * COUNT);
    scene_shuffle(at.order, COUNT);
    return &at;
}

static void end(void *state)
{
    (void)state;
    LS_ASSERT(ls_world_root(at.by_index.world) == ls_world_root(at.by_name.world));
    scene_end(&at.by_index);
    scene_end(&at.by_name);
    ls_free(at.order);
}

static double measure(scene *world)
{
    double took = 0;
    at.entities = world->entities;
    for (uint32_t pass = 0; pass < PASSES; pass++)
        took += scene_tick(world, 1);
    return took / PASSES / COUNT;
}

static void by_index(void *state, double *figures)
{
    (void)state;
    figures[0] = measure(&at.by_index);
}

static void by_name(void *state, double *figures)
{
    (void)state;
    figures[0] = measure(&at.by_name);
}

#define ROLL(function)                                                                             \
    {                                                                                              \
        .name = "reach", .mode = LS_SEQUENTIAL, .match = function, .terms = reaching               \
    }
#define SPANS(function)                                                                            \
    {                                                                                              \
        .name = "move", .span = function, .terms = moving                                          \
    }
#define GROUP(row, kind, verb)                                                                     \
    const bench_group bench_names_##verb = {                                                       \
        .rows = {{row " by name (bare: by index)", "ns", BENCH_RATIO_AT_MOST, 1.05, NULL}},        \
        .variant = &(const pair){kind(verb##_by_index), kind(verb##_by_name)},                     \
        .begin = begin,                                                                            \
        .bare = by_index,                                                                          \
        .ours = by_name,                                                                           \
        .end = end,                                                                                \
    }

GROUP("names: read by handle", ROLL, read);
GROUP("names: write by handle", ROLL, write);
GROUP("names: attach by handle", ROLL, attach);
GROUP("names: move a span", SPANS, move);
