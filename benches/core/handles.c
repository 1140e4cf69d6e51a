/* Access by handle from a sequential system: what a simulation pays that reaches for anybody. The
 * bare side has an index where ours has a handle, and so checks no generation. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"

#include "core/base.h"

#include <string.h>

enum phase { GET, ATTACH, DETACH, TAG_ON, TAG_OFF, PHASES };
enum { PLACE, LOAD, MARK }; /* terms */

static struct {
    scene scene;
    enum phase phase;
    uint32_t count;
    uint32_t *order;     /* bare: slots in the order of access */
    ls_entity *entities; /* ours: the same as handles */
    scene_place *places;
    scene_load *loads;
    uint64_t *has_load, *has_mark;
} at;

static void get_all(ls_context *context)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < at.count; i++) {
        const scene_place *place = ls_cell_find(context, PLACE, at.entities[i]);
        sum += (uint32_t)place->x;
    }
    bench_consume(sum);
}

static void reach(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    switch (at.phase) {
    case GET:
        get_all(context);
        break;
    case ATTACH:
        for (uint32_t i = 0; i < at.count; i++) {
            const scene_load load = {i, 1};
            ls_cell_attach(context, LOAD, at.entities[i], &load);
        }
        break;
    case DETACH:
        for (uint32_t i = 0; i < at.count; i++)
            ls_cell_detach(context, LOAD, at.entities[i]);
        break;
    case TAG_ON:
        for (uint32_t i = 0; i < at.count; i++)
            ls_cell_attach(context, MARK, at.entities[i], NULL);
        break;
    default:
        for (uint32_t i = 0; i < at.count; i++)
            ls_cell_detach(context, MARK, at.entities[i]);
        break;
    }
}

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_place place = {(ls_fix)i, 0};
    ls_cell_attach(context, 0, entity, &place);
}

static const ls_system systems[] = {{.name = "reach",
                                     .mode = LS_SEQUENTIAL,
                                     .match = reach,
                                     .terms = {[PLACE] = LS_OTHERS_READ(scene_places),
                                               [LOAD] = LS_OTHERS_STRUCTURE(scene_loads),
                                               [MARK] = LS_OTHERS_STRUCTURE(scene_marks)}}};
static const ls_component *const components[] = {&scene_places, &scene_loads, &scene_marks, NULL};

static const bool in_order = false, at_random = true;

static void *begin(const bench_options *options, const void *variant)
{
    uint32_t count = at.count = options->entities;
    const scene_plan plan = {.components = components,
                             .systems = systems,
                             .system_count = 1,
                             .entities = count,
                             .furnish = furnish,
                             .terms = {LS_OTHERS_STRUCTURE(scene_places)}};
    scene_begin(&at.scene, &plan);
    at.order = ls_alloc(sizeof *at.order * count);
    at.entities = ls_alloc(sizeof *at.entities * count);
    at.places = ls_alloc(sizeof *at.places * count);
    at.loads = ls_alloc(sizeof *at.loads * count);
    at.has_load = ls_alloc(count / 8 + 8);
    at.has_mark = ls_alloc(count / 8 + 8);
    scene_shuffle(at.order, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!*(const bool *)variant)
            at.order[i] = i;
        at.places[i].x = (ls_fix)i;
    }
    for (uint32_t i = 0; i < count; i++)
        at.entities[i] = at.scene.entities[at.order[i]];
    return &at;
}

static void end(void *state)
{
    (void)state;
    scene_end(&at.scene);
    ls_free(at.order);
    ls_free(at.entities);
    ls_free(at.places);
    ls_free(at.loads);
    ls_free(at.has_load);
    ls_free(at.has_mark);
}

static void bare_get(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < at.count; i++)
        sum += (uint32_t)at.places[at.order[i]].x;
    bench_consume(sum);
}

static void bare_attach(void)
{
    for (uint32_t i = 0; i < at.count; i++) {
        uint32_t slot = at.order[i];
        at.has_load[slot / 64] |= UINT64_C(1) << (slot % 64);
        at.loads[slot] = (scene_load){i, 1};
    }
    bench_consume(at.loads[0].low);
}

static void bare_detach(void)
{
    for (uint32_t i = 0; i < at.count; i++) {
        uint32_t slot = at.order[i];
        if (at.has_load[slot / 64] >> (slot % 64) & 1) {
            at.has_load[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
            at.loads[slot] = (scene_load){0};
        }
    }
    bench_consume(at.loads[0].low);
}

static void bare_tag_on(void)
{
    for (uint32_t i = 0; i < at.count; i++)
        at.has_mark[at.order[i] / 64] |= UINT64_C(1) << (at.order[i] % 64);
    bench_consume(at.has_mark[0]);
}

static void bare_tag_off(void)
{
    for (uint32_t i = 0; i < at.count; i++)
        at.has_mark[at.order[i] / 64] &= ~(UINT64_C(1) << (at.order[i] % 64));
    bench_consume(at.has_mark[0]);
}

static void bare(void *state, double *figures)
{
    static void (*const functions[PHASES])(void) = {bare_get, bare_attach, bare_detach, bare_tag_on,
                                                    bare_tag_off};
    (void)state;
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        uint64_t started = bench_now_ns();
        functions[phase]();
        figures[phase] = (double)(bench_now_ns() - started) / at.count;
    }
}

static void ours(void *state, double *figures)
{
    (void)state;
    for (at.phase = GET; at.phase < PHASES; at.phase++)
        figures[at.phase] = scene_tick(&at.scene, 1) / at.count;
}

const bench_group bench_handles_random = {
    .rows = {{"by handle, random order: get", "ns", BENCH_AT_MOST, 11, NULL},
             {"by handle, random order: attach 16 bytes", "ns", BENCH_AT_MOST, 13, NULL},
             {"by handle, random order: detach 16 bytes", "ns", BENCH_AT_MOST, 13, NULL},
             {"by handle, random order: tag on", "ns", BENCH_AT_MOST, 5, NULL},
             {"by handle, random order: tag off", "ns", BENCH_AT_MOST, 5, NULL}},
    .variant = &at_random,
    .begin = begin,
    .bare = bare,
    .ours = ours,
    .end = end,
};

const bench_group bench_handles_in_order = {
    .rows = {{"by handle, in order: get", "ns", BENCH_NO_TARGET, 0, NULL},
             {"by handle, in order: attach 16 bytes", "ns", BENCH_AT_MOST, 4, NULL},
             {"by handle, in order: detach 16 bytes", "ns", BENCH_AT_MOST, 2, NULL},
             {"by handle, in order: tag on", "ns", BENCH_AT_MOST, 2, NULL},
             {"by handle, in order: tag off", "ns", BENCH_AT_MOST, 2, NULL}},
    .variant = &in_order,
    .begin = begin,
    .bare = bare,
    .ours = ours,
    .end = end,
};
