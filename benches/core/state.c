/* Snapshots, hashes and memory of a world with eight components per entity. The bare side has one
 * array per component. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"

#include <lockstep/base.h>
#include <lockstep/hash.h>

#include <string.h>

enum {
    COLUMNS = 3 + SCENE_EXTRAS,
    PAGE_SLOTS = 256,
    SMALLER = 16,
    SNAPSHOTS = 100,
};

static const ls_component *const components[] = {
    &scene_places,    &scene_motions,   &scene_loads,
    &scene_extras[0], &scene_extras[1], &scene_extras[2],
    &scene_extras[3], &scene_extras[4], NULL};

static struct {
    scene scene;
    scene small; /* a scene with 1 / SMALLER of the entities */
    uint32_t count;
    uint32_t page_step; /* one page in `page_step` is written */
    uint8_t *arrays[COLUMNS];
    uint8_t *copies[COLUMNS];
    uint8_t *presence;     /* presence of one component */
    uint32_t *generations; /* a world's hash covers generations, too */
} at;

static size_t array_bytes(uint32_t column)
{
    return (size_t)components[column]->bytes * at.count;
}

#define EACH_COLUMN(term)                                                                          \
    LS_TERM_LIST(term(scene_places), term(scene_motions), term(scene_loads),                       \
                 term(scene_extras[0]), term(scene_extras[1]), term(scene_extras[2]),              \
                 term(scene_extras[3]), term(scene_extras[4]))

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_load value = {i, i * UINT64_C(0x9e3779b97f4a7c15)};
    for (uint32_t column = 0; column < COLUMNS; column++)
        ls_cell_attach(context, column, entity, &value);
}

/* Adds 1 to every word; the same loop for spans and for bare arrays. */
static void raise_words(void *cells, size_t bytes)
{
    uint32_t *words = cells;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        words[i]++;
}

static void rewrite(ls_context *context, const ls_span *span)
{
    for (uint32_t column = 0; column < COLUMNS; column++)
        raise_words(ls_span_write(context, span, column),
                    (size_t)components[column]->bytes * span->count);
}

static void touch(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < at.count; i += PAGE_SLOTS * at.page_step) {
        for (uint32_t column = 0; column < COLUMNS; column++)
            raise_words(ls_cell_write(context, column, at.scene.entities[i]),
                        components[column]->bytes);
    }
}

static const ls_system rewrite_system = {
    .name = "rewrite", .span = rewrite, .terms = EACH_COLUMN(LS_WRITES)};
static const ls_system touch_system = {
    .name = "touch", .mode = LS_SEQUENTIAL, .match = touch, .terms = EACH_COLUMN(LS_OTHERS_WRITE)};

static void make_scene(scene *made, const ls_system *system, uint32_t count)
{
    const scene_plan plan = {.components = components,
                             .systems = system,
                             .system_count = system ? 1 : 0,
                             .entities = count,
                             .furnish = furnish,
                             .terms = EACH_COLUMN(LS_OTHERS_STRUCTURE)};
    scene_begin(made, &plan);
}

static void *begin(const bench_options *options, const void *variant)
{
    at.count = options->entities;
    make_scene(&at.scene, variant, at.count);
    for (uint32_t column = 0; column < COLUMNS; column++) {
        at.arrays[column] = bench_alloc(array_bytes(column));
        at.copies[column] = bench_alloc(array_bytes(column));
        memset(at.arrays[column], (int)column + 1, array_bytes(column));
        memset(at.copies[column], 0, array_bytes(column));
    }
    at.presence = bench_alloc(at.count / 8);
    at.generations = bench_alloc(sizeof *at.generations * at.count);
    memset(at.presence, 0xff, at.count / 8);
    memset(at.generations, 1, sizeof *at.generations * at.count);
    return &at.scene;
}

static double hash_bare(void)
{
    uint64_t started = bench_now_ns(), hash = 0;
    for (uint32_t column = 0; column < COLUMNS; column++)
        hash += ls_hash_bytes(at.arrays[column], array_bytes(column)) +
                ls_hash_bytes(at.presence, at.count / 8);
    hash += ls_hash_bytes(at.presence, at.count / 8) +
            ls_hash_bytes(at.generations, sizeof *at.generations * at.count);
    bench_consume(hash);
    return (double)(bench_now_ns() - started) / at.count;
}

static double hash_ours(uint32_t page_step)
{
    at.page_step = page_step;
    scene_tick(&at.scene, 1);
    uint64_t started = bench_now_ns();
    bench_consume(ls_world_root(at.scene.world));
    return (double)(bench_now_ns() - started) / at.count;
}

static void bare_hash(void *state, double *figures)
{
    (void)state;
    figures[0] = hash_bare();
    figures[1] = hash_ours(1); /* the second row compares with the engine's own full hash */
}

static void ours_hash(void *state, double *figures)
{
    (void)state;
    figures[0] = hash_ours(1);
    figures[1] = hash_ours(100);
}

const bench_group bench_hash = {
    .rows = {{"hash, all pages written (bare: XXH3 of the bytes)", "ns", BENCH_RATIO_AT_MOST, 1.2,
              NULL},
             {"hash, 1 % of the pages written (bare: all, ours)", "ns", BENCH_RATIO_AT_MOST, 0.03,
              NULL}},
    .variant = &touch_system,
    .begin = begin,
    .bare = bare_hash,
    .ours = ours_hash,
    .end = scene_end,
};

static void bare_rewritten(void *state, double *figures)
{
    (void)state;
    uint64_t started = bench_now_ns();
    for (uint32_t column = 0; column < COLUMNS; column++)
        memcpy(at.copies[column], at.arrays[column], array_bytes(column));
    for (uint32_t column = 0; column < COLUMNS; column++)
        raise_words(at.arrays[column], array_bytes(column));
    figures[0] = (double)(bench_now_ns() - started) / at.count;
    bench_consume(at.copies[0][at.count] + (uint64_t)at.arrays[0][at.count]);
}

static void ours_rewritten(void *state, double *figures)
{
    (void)state;
    bench_consume(ls_world_root(at.scene.world)); /* hashes, as after every tick of a match */
    uint64_t started = bench_now_ns();
    ls_snapshot *snapshot = ls_world_snapshot(at.scene.world);
    scene_tick(&at.scene, 1);
    ls_snapshot_destroy(snapshot);
    figures[0] = (double)(bench_now_ns() - started) / at.count;
}

const bench_group bench_snapshot_rewritten = {
    .rows = {{"snapshot, then all rewritten (bare: memcpy, the same)", "ns", BENCH_RATIO_AT_MOST,
              1.3, NULL}},
    .variant = &rewrite_system,
    .begin = begin,
    .bare = bare_rewritten,
    .ours = ours_rewritten,
    .end = scene_end,
};

static void *begin_unchanged(const bench_options *options, const void *unused)
{
    (void)unused;
    make_scene(&at.scene, NULL, options->entities);
    make_scene(&at.small, NULL, options->entities / SMALLER);
    return &at.scene;
}

static void end_unchanged(void *state)
{
    (void)state;
    scene_end(&at.scene);
    scene_end(&at.small);
}

static double snapshot_unchanged(scene *measured)
{
    bench_consume(ls_world_root(measured->world));
    uint64_t started = bench_now_ns();
    for (uint32_t i = 0; i < SNAPSHOTS; i++)
        ls_snapshot_destroy(ls_world_snapshot(measured->world));
    return (double)(bench_now_ns() - started) / SNAPSHOTS;
}

static void bare_unchanged(void *state, double *figures)
{
    (void)state;
    figures[0] = snapshot_unchanged(&at.small);
}

static void ours_unchanged(void *state, double *figures)
{
    (void)state;
    figures[0] = snapshot_unchanged(&at.scene);
}

/* A snapshot costs O(columns), so a larger world should cost no more. The target 1.5 allows for its
 * colder memory. */
const bench_group bench_snapshot_unchanged = {
    .rows = {{"snapshot, nothing changed (bare: 1/16 of the entities)", "ns", BENCH_RATIO_AT_MOST,
              1.5, NULL}},
    .begin = begin_unchanged,
    .bare = bare_unchanged,
    .ours = ours_unchanged,
    .end = end_unchanged,
};

static void bare_memory(void *state, double *figures)
{
    (void)state;
    figures[0] = 0;
    for (uint32_t column = 0; column < COLUMNS; column++)
        figures[0] += components[column]->bytes;
}

static void ours_memory(void *state, double *figures)
{
    (void)state;
    figures[0] = (double)ls_world_memory(at.scene.world) / at.count;
}

const bench_group bench_memory = {
    .rows = {{"memory of an entity of 8 components (bare: payload)", "B", BENCH_RATIO_AT_MOST, 1.3,
              NULL}},
    .begin = begin,
    .bare = bare_memory,
    .ours = ours_memory,
    .end = scene_end,
};
