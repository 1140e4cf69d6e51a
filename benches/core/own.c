/* Attaches and detaches inside a concurrent system, each invocation on its own entities: by cell,
 * by span and by block, on one thread and on two. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/core/words.h"
#include "benches/pair.h"

#include <string.h>

enum phase { ON, OFF, PHASES };
enum { PLACE, TARGET }; /* terms: the matched component, and the attached one */

/* The bare side has the same steps as ours: single entities, runs of entities, or bits of words. */
enum form { BY_CELL, BY_SPAN, BY_BLOCK };

typedef struct variant {
    const ls_system *systems;
    enum form form;
    bool is_tag;
} variant;

static struct {
    scene scene;
    const variant *variant;
    enum phase phase;
    uint32_t count;
    uint64_t *placed; /* bare: mask of the matched entities */
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
    LS_TERM_LIST([PLACE] = LS_READS(scene_places), [TARGET] = LS_ATTACHES(component))
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
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places))};
    scene_begin(&at.scene, &plan);
    at.placed = bench_alloc(at.count / 8 + 8);
    for (uint32_t i = 0; i < at.count; i++)
        at.placed[i / 64] |= UINT64_C(1) << (i % 64);
    at.present = bench_alloc(at.count / 8 + 8);
    at.loads = bench_alloc(sizeof *at.loads * at.count);
    return &at.scene;
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

static void bare_on(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    words_set(at.present, at.placed, first, last);
    if (at.variant->is_tag)
        return;
    if (at.variant->form == BY_SPAN)
        words_fill_runs(at.loads, at.placed, first, last);
    else
        words_fill_bits(at.loads, at.placed, first, last);
}

static void bare_off(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    words_clear(at.present, at.placed, first, last);
    if (at.variant->is_tag)
        return;
    if (at.variant->form == BY_SPAN)
        words_zero_runs(at.loads, at.placed, first, last);
    else
        words_zero_bits(at.loads, at.placed, first, last);
}

static void bare(void *state, double *figures)
{
    static bench_half *const loops[3][2][2] = {
        [BY_CELL] = {{bare_load_on, bare_load_off}, {bare_mark_on, bare_mark_off}},
        [BY_SPAN] = {{bare_on, bare_off}, {bare_on, bare_off}},
        [BY_BLOCK] = {{bare_on, bare_off}, {bare_on, bare_off}}};
    bench_half *const *loop = loops[at.variant->form][at.variant->is_tag];
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++, figures += PHASES) {
        for (enum phase phase = ON; phase < PHASES; phase++) {
            uint64_t started = bench_now_ns();
            bench_split(threads, loop[phase], NULL, at.count);
            figures[phase] = (double)(bench_now_ns() - started) / at.count;
            bench_consume(at.present[0] + at.loads[0].low);
        }
    }
}

static void ours(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++, figures += PHASES) {
        for (at.phase = ON; at.phase < PHASES; at.phase++)
            figures[at.phase] = scene_tick(&at.scene, threads) / at.count;
    }
}

/* One thread is compared with access by handle in the same order, two threads with one thread. Cell
 * by cell in a concurrent system is itself access by handle, so it has no target. */
#define ROWS(what, target, handle)                                                                 \
    {                                                                                              \
        "concurrent, own " what, "ns", target, 2, "by handle, in order: " handle                   \
    }
#define ROWS_2(what)                                                                               \
    {                                                                                              \
        "concurrent, own " what ", 2 threads", "ns", BENCH_FASTER_THAN, 1.7,                       \
            "concurrent, own " what                                                                \
    }
#define GROUP(name, system, form, by, tag, target, on, off)                                        \
    const bench_group name = {                                                                     \
        .rows = {ROWS(by on, target, on), ROWS(by off, target, off), ROWS_2(by on),                \
                 ROWS_2(by off)},                                                                  \
        .threads = BENCH_THREADS_ROWS,                                                             \
        .variant = &(const variant){&system, form, tag},                                           \
        .begin = begin,                                                                            \
        .bare = bare,                                                                              \
        .ours = ours,                                                                              \
        .end = scene_end,                                                                          \
    }
#define LOADS(name, by, form, target)                                                              \
    GROUP(bench_own_load_##name, load_by_##name, form, by, false, target, "attach 16 bytes",       \
          "detach 16 bytes")
#define MARKS(name, by, form, target)                                                              \
    GROUP(bench_own_mark_##name, mark_by_##name, form, by, true, target, "tag on", "tag off")

LOADS(cell, "by cell: ", BY_CELL, BENCH_NO_TARGET);
MARKS(cell, "by cell: ", BY_CELL, BENCH_NO_TARGET);
LOADS(span, "by span: ", BY_SPAN, BENCH_FASTER_THAN);
MARKS(span, "by span: ", BY_SPAN, BENCH_FASTER_THAN);
LOADS(block, "by block: ", BY_BLOCK, BENCH_FASTER_THAN);
MARKS(block, "by block: ", BY_BLOCK, BENCH_FASTER_THAN);
