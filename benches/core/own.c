/* Attach and detach inside a concurrent system, each invocation on its own entities: by cell, by
 * span and by block, on one thread and on two. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/pair.h"

#include "core/base.h"

#include <string.h>

enum phase { ON, OFF };
enum { PLACE, TARGET }; /* terms: what is matched, what is attached and detached */

typedef struct variant {
    const ls_system *systems;
    bool is_tag;
    uint32_t threads;
} variant;

static struct {
    scene scene;
    const variant *variant;
    enum phase phase;
    uint32_t count;
    uint64_t *present;
    scene_load *loads;
} at;

static void load_cells(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const scene_load load = {span->first_slot + i, 1};
        if (at.phase == ON)
            ls_cell_attach(context, TARGET, ls_span_entity(span, i), &load);
        else
            ls_cell_detach(context, TARGET, ls_span_entity(span, i));
    }
}

static void mark_cells(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        if (at.phase == ON)
            ls_cell_attach(context, TARGET, ls_span_entity(span, i), NULL);
        else
            ls_cell_detach(context, TARGET, ls_span_entity(span, i));
    }
}

#define TERMS(component)                                                                           \
    {                                                                                              \
        [PLACE] = LS_READS(scene_places), [TARGET] = LS_ATTACHES(component)                        \
    }
static const ls_system load_by_cell = {
    .name = "load", .span = load_cells, .terms = TERMS(scene_loads)};
static const ls_system mark_by_cell = {
    .name = "mark", .span = mark_cells, .terms = TERMS(scene_marks)};

static void load_span(ls_context *context, const ls_span *span)
{
    if (at.phase == OFF) {
        ls_span_detach(context, span, TARGET);
        return;
    }
    scene_load *load = ls_span_attach(context, span, TARGET);
    for (uint32_t i = 0; i < span->count; i++)
        load[i] = (scene_load){span->first_slot + i, 1};
}

static void mark_span(ls_context *context, const ls_span *span)
{
    if (at.phase == OFF)
        ls_span_detach(context, span, TARGET);
    else
        ls_span_attach(context, span, TARGET);
}

static const ls_system load_by_span = {
    .name = "load", .span = load_span, .terms = TERMS(scene_loads)};
static const ls_system mark_by_span = {
    .name = "mark", .span = mark_span, .terms = TERMS(scene_marks)};

static void load_block(ls_context *context, const ls_block *block)
{
    if (at.phase == OFF) {
        ls_block_detach(context, block, TARGET, block->matches);
        return;
    }
    scene_load *load = ls_block_attach(context, block, TARGET, block->matches);
    uint64_t matches = block->matches;
    for (uint32_t i; ls_mask_take(&matches, &i);)
        load[i] = (scene_load){block->first_slot + i, 1};
}

static void mark_block(ls_context *context, const ls_block *block)
{
    if (at.phase == OFF)
        ls_block_detach(context, block, TARGET, block->matches);
    else
        ls_block_attach(context, block, TARGET, block->matches);
}

static const ls_system load_by_block = {
    .name = "load", .block = load_block, .terms = TERMS(scene_loads)};
static const ls_system mark_by_block = {
    .name = "mark", .block = mark_block, .terms = TERMS(scene_marks)};

static const ls_component *const components[] = {&scene_places, &scene_loads, &scene_marks, NULL};

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_place place = {(ls_fix)i, 0};
    ls_cell_attach(context, 0, entity, &place);
}

static void *begin(const bench_options *options, const void *chosen)
{
    at.variant = chosen;
    at.count = options->entities;
    const scene_plan plan = {.components = components,
                             .systems = at.variant->systems,
                             .system_count = 1,
                             .entities = at.count,
                             .furnish = furnish,
                             .terms = {LS_OTHERS_STRUCTURE(scene_places)}};
    scene_begin(&at.scene, &plan);
    at.present = ls_alloc(at.count / 8 + 8);
    at.loads = ls_alloc(sizeof *at.loads * at.count);
    return &at;
}

static void end(void *state)
{
    (void)state;
    scene_end(&at.scene);
    ls_free(at.present);
    ls_free(at.loads);
}

static void bare_load_on(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        at.present[i / 64] |= UINT64_C(1) << (i % 64);
        at.loads[i] = (scene_load){i, 1};
    }
}

static void bare_load_off(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        at.present[i / 64] &= ~(UINT64_C(1) << (i % 64));
        at.loads[i] = (scene_load){0};
    }
}

static void bare_mark_on(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++)
        at.present[i / 64] |= UINT64_C(1) << (i % 64);
}

static void bare_mark_off(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++)
        at.present[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static void bare(void *state, double *figures)
{
    (void)state;
    bool is_tag = at.variant->is_tag;
    uint64_t started = bench_now_ns();
    bench_split(at.variant->threads, is_tag ? bare_mark_on : bare_load_on, NULL, at.count);
    uint64_t middle = bench_now_ns();
    bench_consume(at.present[0] + at.loads[0].low);
    bench_split(at.variant->threads, is_tag ? bare_mark_off : bare_load_off, NULL, at.count);
    figures[ON] = (double)(middle - started) / at.count;
    figures[OFF] = (double)(bench_now_ns() - middle) / at.count;
    bench_consume(at.present[0] + at.loads[0].low);
}

static void ours(void *state, double *figures)
{
    (void)state;
    for (at.phase = ON; at.phase <= OFF; at.phase++)
        figures[at.phase] = scene_tick(&at.scene, at.variant->threads) / at.count;
}

/* One thread is held against access by handle in the same order, two threads against one. Cell by
 * cell inside a concurrent system is access by handle once more, so it is shown without a target.
 */
#define ROW(what, target, limit, other)                                                            \
    {                                                                                              \
        "concurrent, own " what, "ns", target, limit, other                                        \
    }
#define GROUP(system, tag, thread_count, on, off)                                                  \
    {                                                                                              \
        .rows = {on, off}, .variant = &(const variant){&system, tag, thread_count},                \
        .begin = begin, .bare = bare, .ours = ours, .end = end,                                    \
    }
#define LOADS(form, target)                                                                        \
    const bench_group bench_own_load_##form##_1 = GROUP(                                           \
        load_by_##form, false, 1,                                                                  \
        ROW("by " #form ": attach 16 bytes", target, 2, "by handle, in order: attach 16 bytes"),   \
        ROW("by " #form ": detach 16 bytes", target, 2, "by handle, in order: detach 16 bytes"));  \
    const bench_group bench_own_load_##form##_2 =                                                  \
        GROUP(load_by_##form, false, 2,                                                            \
              ROW("by " #form ": attach 16 bytes, 2 threads", BENCH_FASTER_THAN, 1.7,              \
                  "concurrent, own by " #form ": attach 16 bytes"),                                \
              ROW("by " #form ": detach 16 bytes, 2 threads", BENCH_FASTER_THAN, 1.7,              \
                  "concurrent, own by " #form ": detach 16 bytes"))
#define MARKS(form, target)                                                                        \
    const bench_group bench_own_mark_##form##_1 =                                                  \
        GROUP(mark_by_##form, true, 1,                                                             \
              ROW("by " #form ": tag on", target, 2, "by handle, in order: tag on"),               \
              ROW("by " #form ": tag off", target, 2, "by handle, in order: tag off"));            \
    const bench_group bench_own_mark_##form##_2 =                                                  \
        GROUP(mark_by_##form, true, 2,                                                             \
              ROW("by " #form ": tag on, 2 threads", BENCH_FASTER_THAN, 1.7,                       \
                  "concurrent, own by " #form ": tag on"),                                         \
              ROW("by " #form ": tag off, 2 threads", BENCH_FASTER_THAN, 1.7,                      \
                  "concurrent, own by " #form ": tag off"))

LOADS(cell, BENCH_NO_TARGET);
MARKS(cell, BENCH_NO_TARGET);
LOADS(span, BENCH_FASTER_THAN);
MARKS(span, BENCH_FASTER_THAN);
LOADS(block, BENCH_FASTER_THAN);
MARKS(block, BENCH_FASTER_THAN);
