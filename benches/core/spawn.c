/* Spawns and despawns, by a sequential system and in a concurrent one. For each slot the bare side
 * keeps a live bit, a generation, and presence and cells of two components. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/core/words.h"
#include "benches/pair.h"

#include <lockstep/base.h>

enum phase { SPAWN, BURY, PHASES };
enum { BATCH = 256 }; /* entities per call */

static struct {
    scene scene;
    enum phase phase;
    uint32_t count;
    ls_entity *young;
    uint64_t *all; /* bare: mask of all entities */
    uint64_t *is_alive, *has_place, *has_motion;
    uint32_t *generations;
    scene_place *places;
    scene_motion *motions;
} at;

static void make_bare(uint32_t count)
{
    at.count = count;
    at.young = bench_alloc(sizeof *at.young * count);
    at.all = bench_alloc(count / 8 + 8);
    for (uint32_t i = 0; i < count; i++)
        at.all[i / 64] |= UINT64_C(1) << (i % 64);
    at.is_alive = bench_alloc(count / 8 + 8);
    at.has_place = bench_alloc(count / 8 + 8);
    at.has_motion = bench_alloc(count / 8 + 8);
    at.generations = bench_alloc(sizeof *at.generations * count);
    at.places = bench_alloc(sizeof *at.places * count);
    at.motions = bench_alloc(sizeof *at.motions * count);
}

static void bare_spawn(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        uint64_t bit = UINT64_C(1) << (i % 64);
        at.is_alive[i / 64] |= bit;
        at.generations[i]++;
        at.has_place[i / 64] |= bit;
        at.places[i] = (scene_place){(ls_fix)i, 1};
        at.has_motion[i / 64] |= bit;
        at.motions[i] = (scene_motion){1, (ls_fix)i};
    }
}

static void bare_bury(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        uint64_t rest = ~(UINT64_C(1) << (i % 64));
        at.is_alive[i / 64] &= rest;
        at.generations[i]++;
        at.has_place[i / 64] &= rest;
        at.places[i] = (scene_place){0};
        at.has_motion[i / 64] &= rest;
        at.motions[i] = (scene_motion){0};
    }
}

/* Works on whole presence words, like the engine's batch calls. Slots are consecutive. */
static void bare_spawn_many(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    words_set(at.is_alive, at.all, first, last);
    words_set(at.has_place, at.all, first, last);
    words_set(at.has_motion, at.all, first, last);
    for (uint32_t i = first; i < last; i++) {
        at.generations[i]++;
        at.places[i] = (scene_place){(ls_fix)i, 1};
        at.motions[i] = (scene_motion){1, (ls_fix)i};
    }
}

static void bare_bury_many(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    words_clear(at.is_alive, at.all, first, last);
    words_clear(at.has_place, at.all, first, last);
    words_clear(at.has_motion, at.all, first, last);
    for (uint32_t i = first; i < last; i++) {
        at.generations[i]++;
        at.places[i] = (scene_place){0};
        at.motions[i] = (scene_motion){0};
    }
}

static void measure_bare(uint32_t threads, bench_half *spawn, bench_half *bury, double *figures)
{
    uint64_t started = bench_now_ns();
    bench_split(threads, spawn, NULL, at.count);
    uint64_t middle = bench_now_ns();
    bench_split(threads, bury, NULL, at.count);
    figures[SPAWN] = (double)(middle - started) / at.count;
    figures[BURY] = (double)(bench_now_ns() - middle) / at.count;
    bench_consume(at.generations[at.count - 1]);
}

static void bare(void *state, double *figures)
{
    (void)state;
    measure_bare(1, bare_spawn, bare_bury, figures);
}

static void bare_many(void *state, double *figures)
{
    (void)state;
    measure_bare(1, bare_spawn_many, bare_bury_many, figures);
}

static void bare_own(void *state, double *figures)
{
    (void)state;
    measure_bare(1, bare_spawn, bare_bury, figures);
    measure_bare(2, bare_spawn, bare_bury, figures + PHASES);
}

static void measure_ours(uint32_t threads, double *figures)
{
    for (at.phase = SPAWN; at.phase < PHASES; at.phase++)
        figures[at.phase] = scene_tick(&at.scene, threads) / at.count;
}

static void ours(void *state, double *figures)
{
    (void)state;
    measure_ours(1, figures);
}

static void ours_own(void *state, double *figures)
{
    (void)state;
    measure_ours(1, figures);
    measure_ours(2, figures + PHASES);
}

static void work(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < at.count; i++) {
        if (at.phase == BURY) {
            ls_despawn(context, at.young[i]);
            continue;
        }
        const scene_place place = {(ls_fix)i, 1};
        const scene_motion motion = {1, (ls_fix)i};
        at.young[i] = ls_spawn(context, 0);
        ls_cell_attach(context, 0, at.young[i], &place);
        ls_cell_attach(context, 1, at.young[i], &motion);
    }
}

static void spawn_batch(ls_context *context, ls_entity *young, uint32_t first, uint32_t count)
{
    scene_place places[BATCH];
    scene_motion motions[BATCH];
    for (uint32_t i = 0; i < count; i++) {
        places[i] = (scene_place){(ls_fix)(first + i), 1};
        motions[i] = (scene_motion){1, (ls_fix)(first + i)};
    }
    ls_spawn_many(context, 0, count, young);
    ls_cells_attach(context, 0, young, count, places);
    ls_cells_attach(context, 1, young, count, motions);
}

static void work_in_batches(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    for (uint32_t first = 0; first < at.count; first += BATCH) {
        uint32_t count = at.count - first < BATCH ? at.count - first : BATCH;
        if (at.phase == BURY)
            ls_despawn_many(context, at.young + first, count);
        else
            spawn_batch(context, at.young + first, first, count);
    }
}

#define SYSTEM(function)                                                                           \
    {                                                                                              \
        {                                                                                          \
            .name = "work", .mode = LS_SEQUENTIAL, .match = function,                              \
            .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places),                               \
                                  LS_OTHERS_STRUCTURE(scene_motions)),                             \
            .lanes = "young"                                                                       \
        }                                                                                          \
    }
static const ls_system one_by_one[] = SYSTEM(work), in_batches[] = SYSTEM(work_in_batches);
static const ls_component *const components[] = {&scene_places, &scene_motions, &scene_marks, NULL};

static void *begin(const bench_options *options, const void *chosen)
{
    make_bare(options->entities);
    const scene_plan plan = {.components = components, .systems = chosen, .system_count = 1};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

const bench_group bench_spawn = {
    .rows = {{"spawn with two components", "ns", BENCH_AT_MOST, 20, NULL},
             {"despawn", "ns", BENCH_AT_MOST, 5, NULL}},
    .variant = one_by_one,
    .begin = begin,
    .bare = bare,
    .ours = ours,
    .end = scene_end,
};
const bench_group bench_batch_spawn = {
    .rows = {{"many per call: spawn with two components", "ns", BENCH_AT_MOST, 20, NULL},
             {"many per call: despawn", "ns", BENCH_AT_MOST, 5, NULL}},
    .variant = in_batches,
    .begin = begin,
    .bare = bare_many,
    .ours = ours,
    .end = scene_end,
};

/* Every parent spawns one child; only parents have the mark. */
static void spawn(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; at.phase == SPAWN && i < span->count; i++) {
        const scene_place place = {(ls_fix)i, 1};
        const scene_motion motion = {1, (ls_fix)i};
        ls_entity young = ls_spawn(context, 0);
        ls_cell_attach(context, 1, young, &place);
        ls_cell_attach(context, 2, young, &motion);
    }
}

static void bury(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; at.phase == BURY && i < span->count; i++)
        ls_despawn(context, ls_span_entity(span, i));
}

static const ls_system own_systems[] = {
    {.name = "spawn",
     .span = spawn,
     .terms = LS_TERM_LIST(LS_WITH(scene_marks), LS_SPAWNS_WITH(scene_places),
                           LS_SPAWNS_WITH(scene_motions)),
     .lanes = "young"},
    {.name = "bury",
     .span = bury,
     .terms = LS_TERM_LIST(LS_READS(scene_places)),
     .after = "spawn"}};

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    (void)i;
    ls_cell_attach(context, 0, entity, NULL);
}

static void *begin_own(const bench_options *options, const void *unused)
{
    (void)unused;
    make_bare(options->entities);
    const scene_plan plan = {.components = components,
                             .systems = own_systems,
                             .system_count = LS_COUNT_OF(own_systems),
                             .entities = options->entities,
                             .adapts = true,
                             .furnish = furnish,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_marks))};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

const bench_group bench_own_spawn = {
    .rows = {{"concurrent: spawn with two components", "ns", BENCH_AT_MOST, 25, NULL},
             {"concurrent: despawn", "ns", BENCH_NO_TARGET, 0, NULL},
             {"concurrent: spawn with two components, 2 threads", "ns", BENCH_AT_MOST, 15, NULL},
             {"concurrent: despawn, 2 threads", "ns", BENCH_NO_TARGET, 0, NULL}},
    .threads = BENCH_THREADS_ROWS,
    .begin = begin_own,
    .bare = bare_own,
    .ours = ours_own,
    .end = scene_end,
};
