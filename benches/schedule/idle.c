/* The cost of a nearly idle system, and of a stage with one such system. The reference on one
 * thread is a plain loop with the same number of function calls; on two threads it is the engine
 * with one thread. Stages on one thread have no reference. */
#include "benches/schedule/bench_systems.h"
#include "benches/schedule/groups.h"

#include <lockstep/base.h>

enum { SYSTEMS = 100, TICKS = 200, CELLS = 10 };

typedef struct variant {
    uint32_t entities, threads;
    bool is_staged; /* LS_STAGES_MAX stages with one system each */
} variant;

static struct {
    scene scene;
    ls_system *systems;
    const variant *variant;
    uint32_t count;
    scene_place places[CELLS];
} at;

static void glance(const scene_place *place, uint32_t count)
{
    ls_fix sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += place[i].x;
    __asm__ volatile("" ::"r"(sum));
}

static void look(ls_context *context, const ls_span *span)
{
    glance(ls_span_read(context, span, 0), span->count);
}

/* For a system without a query: called once per tick. */
static void visit(ls_context *context, const ls_entity *entities)
{
    (void)context;
    (void)entities;
}

static const ls_system looks = {.span = look, .terms = LS_TERM_LIST(LS_READS(scene_places))};
static const ls_system visits = {.mode = LS_SEQUENTIAL, .match = visit};

static void *begin(const bench_options *options, const void *chosen)
{
    (void)options;
    at.variant = chosen;
    at.count = at.variant->is_staged ? LS_STAGES_MAX : SYSTEMS;
    at.systems = bench_systems_make(at.variant->is_staged ? &visits : &looks, at.count);
    if (at.variant->is_staged)
        bench_systems_begin_stages(&at.scene, at.systems, at.count, 1);
    else
        bench_systems_begin(&at.scene, at.systems, at.count, at.variant->entities);
    return &at;
}

static void end(void *state)
{
    (void)state;
    bench_systems_end(&at.scene, at.systems);
}

static void call(const scene_place *place, uint32_t count)
{
    void (*volatile function)(const scene_place *, uint32_t) = glance;
    for (uint32_t i = 0; i < SYSTEMS; i++)
        function(place, count);
}

static void bare(void *state, double *figures)
{
    (void)state;
    if (at.variant->threads == 2) {
        figures[0] = bench_systems_advance(&at.scene, 1, TICKS) / at.count;
        return;
    }
    uint64_t started = bench_now_ns();
    for (uint32_t i = 0; i < TICKS; i++)
        call(at.places, at.variant->entities);
    figures[0] = (double)(bench_now_ns() - started) / TICKS / SYSTEMS;
}

static void bare_stages(void *state, double *figures)
{
    if (at.variant->threads == 2)
        bare(state, figures);
}

static void ours(void *state, double *figures)
{
    (void)state;
    figures[0] = bench_systems_advance(&at.scene, at.variant->threads, TICKS) / at.count;
}

#define GROUP(name, given_entities, given_threads, ...)                                            \
    const bench_group name = {                                                                     \
        .rows = {{__VA_ARGS__}},                                                                   \
        .variant = &(const variant){.entities = given_entities, .threads = given_threads},         \
        .begin = begin,                                                                            \
        .bare = bare,                                                                              \
        .ours = ours,                                                                              \
        .end = end,                                                                                \
    }
GROUP(bench_idle_none, 0, 1, "system without a match / call of a function", "ns", BENCH_AT_MOST, 20,
      NULL);
GROUP(bench_idle_one, 1, 1, "system with 1 entity / call of a function", "ns", BENCH_AT_MOST, 20,
      NULL);
GROUP(bench_idle_ten, 10, 1, "system with 10 entities / call of a function", "ns", BENCH_AT_MOST,
      20, NULL);
GROUP(bench_idle_none_2, 0, 2, "system without a match, 2 threads / 1", "ns", BENCH_RATIO_AT_MOST,
      1.05, NULL);
GROUP(bench_idle_one_2, 1, 2, "system with 1 entity, 2 threads / 1", "ns", BENCH_RATIO_AT_MOST,
      1.05, NULL);
GROUP(bench_idle_ten_2, 10, 2, "system with 10 entities, 2 threads / 1", "ns", BENCH_RATIO_AT_MOST,
      1.05, NULL);

const bench_group bench_idle_stages = {
    .rows = {{"stage of one system, 64 of them", "ns", BENCH_NO_TARGET, 0, NULL}},
    .variant = &(const variant){.threads = 1, .is_staged = true},
    .begin = begin,
    .bare = bare_stages,
    .ours = ours,
    .end = end,
};
const bench_group bench_idle_stages_2 = {
    .rows = {{"stage of one system, 2 threads / 1", "ns", BENCH_RATIO_AT_MOST, 1.05, NULL}},
    .variant = &(const variant){.threads = 2, .is_staged = true},
    .begin = begin,
    .bare = bare_stages,
    .ours = ours,
    .end = end,
};
