/* Systems with work to do, on two threads compared with one. Two plain threads with the same work
 * are measured first, as the upper limit. */
#include "benches/pair.h"
#include "benches/schedule/bench_systems.h"
#include "benches/schedule/groups.h"

#include <lockstep/base.h>

enum {
    SYSTEMS = 100,
    WORK_US = 20,
    PAGES = BENCH_SYSTEMS_ENTITIES / 256,
    STAGE_WORK_US = 10,
    GRAPH_SEED = 1
};

typedef struct variant {
    bool is_in_pages; /* concurrent, over all pages; false: sequential, called once */
    bool is_ordered;  /* ordered by a random graph */
} variant;

static struct {
    scene scene;
    ls_system *systems;
} at;

static void work_once(ls_context *context, const ls_entity *entities)
{
    (void)context;
    (void)entities;
    bench_systems_work(WORK_US);
}

static void work_page(ls_context *context, const ls_span *span)
{
    (void)context;
    (void)span;
    bench_systems_work((double)WORK_US / PAGES);
}

static const ls_system once = {.mode = LS_SEQUENTIAL, .match = work_once};
static const ls_system in_pages = {.span = work_page, .terms = LS_TERM_LIST(LS_WITH(scene_places))};

static void *begin(const bench_options *options, const void *chosen)
{
    const variant *kind = chosen;
    (void)options;
    bench_systems_work(0);
    at.systems = bench_systems_make(kind->is_in_pages ? &in_pages : &once, SYSTEMS);
    if (kind->is_ordered) {
        graph given;
        graph_init(&given, GRAPH_SPARSE, SYSTEMS, 1, GRAPH_SEED);
        bench_systems_order(at.systems, &given);
        graph_reset(&given);
    }
    bench_systems_begin(&at.scene, at.systems, SYSTEMS, BENCH_SYSTEMS_ENTITIES);
    return &at;
}

static void end(void *state)
{
    (void)state;
    bench_systems_end(&at.scene, at.systems);
}

static void serial(void *state, double *figures)
{
    (void)state;
    figures[0] = bench_systems_advance(&at.scene, 1, 1) / 1000;
}

static void shared(void *state, double *figures)
{
    (void)state;
    figures[0] = bench_systems_advance(&at.scene, 2, 1) / 1000;
}

#define GROUP(name, in_pages, ordered, text)                                                       \
    const bench_group name = {                                                                     \
        .rows = {{text, "us", BENCH_SPEED_UP, 1.8, NULL}},                                         \
        .threads = BENCH_THREADS_SIDES,                                                            \
        .variant = &(const variant){in_pages, ordered},                                            \
        .begin = begin,                                                                            \
        .bare = serial,                                                                            \
        .ours = shared,                                                                            \
        .end = end,                                                                                \
    }
GROUP(bench_busy_single, false, false, "100 sequential systems of 20 us, 1 thread / 2");
GROUP(bench_busy_pages, true, false, "100 systems of 20 us in 16 pages, 1 thread / 2");
GROUP(bench_busy_single_ordered, false, true, "the same, sequential, in a random graph");
GROUP(bench_busy_pages_ordered, true, true, "the same, in pages, in a random graph");

static void *begin_bare(const bench_options *options, const void *unused)
{
    (void)options;
    (void)unused;
    bench_systems_work(0);
    return &at;
}

static void end_bare(void *state)
{
    (void)state;
}

static void work_items(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++)
        bench_systems_work((double)SYSTEMS * WORK_US / 128);
}

static void measure_bare(uint32_t threads, double *figures)
{
    uint64_t started = bench_now_ns();
    bench_split(threads, work_items, NULL, 128);
    figures[0] = (double)(bench_now_ns() - started) / 1000;
}

static void bare_serial(void *state, double *figures)
{
    (void)state;
    measure_bare(1, figures);
}

static void bare_shared(void *state, double *figures)
{
    (void)state;
    measure_bare(2, figures);
}

const bench_group bench_bare_threads = {
    .rows = {{"as much work without the engine, 1 thread / 2", "us", BENCH_NO_TARGET, 0, NULL}},
    .threads = BENCH_THREADS_SIDES,
    .begin = begin_bare,
    .bare = bare_serial,
    .ours = bare_shared,
    .end = end_bare,
};

static void work_half(ls_context *context, const ls_entity *entities)
{
    (void)context;
    (void)entities;
    bench_systems_work(STAGE_WORK_US);
}

/* Two systems per stage, one for each thread. All time above half of the time on one thread is the
 * cost of fork, join and waiting. */
static void measure_fork(const bench_options *options, const void *unused, bench_result *results)
{
    static const ls_system works = {.mode = LS_SEQUENTIAL, .match = work_half};
    (void)unused;
    bench_systems_work(0);
    at.systems = bench_systems_make(&works, 2 * LS_STAGES_MAX);
    bench_systems_begin_stages(&at.scene, at.systems, 2 * LS_STAGES_MAX, 2);
    bench_systems_advance(&at.scene, 2, 1);
    bench_systems_pair pair = bench_systems_compare(&at.scene, options->runs, 1);
    results[0].bare = pair.serial / 2 / LS_STAGES_MAX;
    results[0].ours = pair.shared / LS_STAGES_MAX;
    results[1].ours = results[0].ours - results[0].bare;
    bench_systems_end(&at.scene, at.systems);
}

const bench_group bench_fork_join = {
    .rows = {{"stage of two systems of 10 us, 2 threads / half of 1", "ns", BENCH_NO_TARGET, 0,
              NULL},
             {"fork and join of a stage: the difference", "ns", BENCH_AT_MOST, 1000, NULL}},
    .whole = measure_fork,
};
