/* Iteration over matches: all entities, every second one, few among many, none. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/pair.h"

/* Which entities have a motion: one in `every`, or SCARCE: together in the middle when
 * `is_clustered`, else scattered. */
typedef struct shape {
    uint32_t every;    /* 0: SCARCE entities in total */
    uint32_t entities; /* matching entities; 0: the number of --entities */
    bool is_clustered;
    bool is_bare_wide;       /* the bare loop has a second version for newer processors, too */
    const ls_system *system; /* NULL: with `each` */
} shape;

enum { SCARCE = 1000, PASSES = 4, SCARCE_PASSES = 50, FEW = 10000, MANY = 50000, FEW_PASSES = 400 };

static struct {
    scene scene;
    const shape *shape;
    uint32_t count, matches, passes;
    scene_place *places;
    scene_motion *motions;
    uint64_t *has_motion;
    uint32_t *list; /* the scarce entities */
} at;

static bool has_motion(uint32_t i)
{
    if (at.shape->every)
        return i % at.shape->every == 0;
    return at.shape->is_clustered ? i - at.count / 2 < SCARCE : i % (at.count / SCARCE) == 7;
}

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_place place = {(ls_fix)i, 0};
    const scene_motion motion = {1, (ls_fix)i & 7};
    ls_cell_attach(context, 0, entity, &place);
    if (has_motion(i))
        ls_cell_attach(context, 1, entity, &motion);
}

/* The function of `each` and of `span`; the spans of the latter have no gaps. */
static LS_EACH_FUNCTION(move_span, context, span)
{
    scene_place *place = ls_span_write(context, span, 0);
    const scene_motion *motion = ls_span_read(context, span, 1);
    LS_EACH_IN_SPAN(span, i)
    {
        place[i].x += motion[i].x;
        place[i].y += motion[i].y;
    }
}

#define MOVE_TERMS LS_TERM_LIST(LS_WRITES(scene_places), LS_READS(scene_motions))
static const ls_system span_systems[] = {{.name = "move", .span = move_span, .terms = MOVE_TERMS}};
static const ls_system each_systems[] = {{.name = "move", .each = move_span, .terms = MOVE_TERMS}};

static void move_block(ls_context *context, const ls_block *block)
{
    scene_place *place = ls_block_write(context, block, 0);
    const scene_motion *motion = ls_block_read(context, block, 1);
    uint64_t matches = block->matches;
    for (uint32_t i; ls_mask_take(&matches, &i);) {
        place[i].x += motion[i].x;
        place[i].y += motion[i].y;
    }
}

static const ls_system block_systems[] = {
    {.name = "move", .block = move_block, .terms = MOVE_TERMS}};

static const ls_component *const components[] = {&scene_places, &scene_motions, NULL};

static void make_bare(void)
{
    at.places = bench_alloc(sizeof *at.places * at.count);
    at.motions = bench_alloc(sizeof *at.motions * at.count);
    at.has_motion = bench_alloc(at.count / 8 + 8);
    at.list = bench_alloc(sizeof *at.list * at.count);
    at.matches = 0;
    for (uint32_t i = 0; i < at.count; i++) {
        at.places[i].x = (ls_fix)i;
        if (!has_motion(i))
            continue;
        at.motions[i] = (scene_motion){1, (ls_fix)i & 7};
        at.has_motion[i / 64] |= UINT64_C(1) << (i % 64);
        at.list[at.matches++] = i;
    }
}

static void *begin(const bench_options *options, const void *variant)
{
    at.shape = variant;
    /* One entity in `every` matches: entities are added so that each value of `every` above 0 has
     * the same number of matches. */
    uint32_t entities = at.shape->entities ? at.shape->entities : options->entities;
    at.count = entities * (at.shape->every ? at.shape->every : 1);
    at.passes = at.shape->entities ? FEW_PASSES : at.shape->every ? PASSES : SCARCE_PASSES;
    make_bare();
    const scene_plan plan = {.components = components,
                             .systems = at.shape->system ? at.shape->system : each_systems,
                             .system_count = 1,
                             .entities = at.count,
                             .furnish = furnish,
                             .adapts = true,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places),
                                                   LS_OTHERS_STRUCTURE(scene_motions))};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

static inline void move_whole(uint32_t first, uint32_t last)
{
    scene_place *restrict place = at.places;
    const scene_motion *restrict motion = at.motions;
    for (uint32_t i = first; i < last; i++) {
        place[i].x += motion[i].x;
        place[i].y += motion[i].y;
    }
}

static void bare_whole(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    move_whole(first, last);
}

static LS_WIDE void bare_wide(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    move_whole(first, last);
}

static void bare_broken(void)
{
    for (uint32_t word = 0; word < (at.count + 63) / 64; word++) {
        for (uint64_t left = at.has_motion[word]; left; left &= left - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(left);
            at.places[i].x += at.motions[i].x;
            at.places[i].y += at.motions[i].y;
        }
    }
}

static void bare_listed(void)
{
    for (uint32_t i = 0; i < at.matches; i++) {
        at.places[at.list[i]].x += at.motions[at.list[i]].x;
        at.places[at.list[i]].y += at.motions[at.list[i]].y;
    }
}

static double pass_bare(uint32_t threads)
{
    uint64_t started = bench_now_ns();
    for (uint32_t pass = 0; pass < at.passes; pass++) {
        if (at.shape->every == 1)
            bench_split(threads, at.shape->is_bare_wide ? bare_wide : bare_whole, NULL, at.count);
        else if (at.shape->every)
            bare_broken();
        else
            bare_listed();
        bench_consume((uint64_t)at.places[at.list[0]].x);
    }
    return (double)(bench_now_ns() - started) / at.passes / at.matches;
}

static double pass_ours(uint32_t threads)
{
    double took = 0;
    for (uint32_t pass = 0; pass < at.passes; pass++)
        took += scene_tick(&at.scene, threads);
    return took / at.passes / at.matches;
}

/* On one thread; if all entities match, also on two. */
static void bare(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= (at.shape->every == 1 ? 2 : 1); threads++)
        figures[threads - 1] = pass_bare(threads);
}

static void ours(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= (at.shape->every == 1 ? 2 : 1); threads++)
        figures[threads - 1] = pass_ours(threads);
}

#define GROUP(name, thread_rows, shape_literal, ...)                                               \
    const bench_group name = {                                                                     \
        .rows = {__VA_ARGS__},                                                                     \
        .threads = thread_rows,                                                                    \
        .variant = &(const shape)shape_literal,                                                    \
        .begin = begin,                                                                            \
        .bare = bare,                                                                              \
        .ours = ours,                                                                              \
        .end = scene_end,                                                                          \
    }

#define SHAPE(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define PLAIN(name)                                                                                \
    {                                                                                              \
        name, "ns", BENCH_NO_TARGET, 0, NULL                                                       \
    }
#define WITHIN(name, limit)                                                                        \
    {                                                                                              \
        name, "ns", BENCH_RATIO_AT_MOST, limit, NULL                                               \
    }
#define AT_MOST(name, limit)                                                                       \
    {                                                                                              \
        name, "ns", BENCH_AT_MOST, limit, NULL                                                     \
    }
GROUP(bench_iterate, BENCH_THREADS_ROWS, SHAPE(.every = 1),
      WITHIN("iterate: place += motion", 1.05),
      WITHIN("iterate: place += motion, 2 threads", 1.15));
GROUP(bench_broken, BENCH_THREADS_ALIKE, SHAPE(.every = 2),
      AT_MOST("iterate every second one", 1.2));
GROUP(bench_broken_spans, BENCH_THREADS_ALIKE, SHAPE(.every = 2, .system = span_systems),
      PLAIN("iterate every second one, spans"));
GROUP(bench_broken_blocks, BENCH_THREADS_ALIKE, SHAPE(.every = 2, .system = block_systems),
      AT_MOST("iterate every second one, blocks", 1.2));
GROUP(bench_hundredth, BENCH_THREADS_ALIKE, SHAPE(.every = 100, .entities = FEW),
      AT_MOST("iterate one in 100", 5));
GROUP(bench_scattered, BENCH_THREADS_ALIKE, SHAPE(.every = 0),
      PLAIN("iterate 1,000 scattered among all"));
GROUP(bench_clustered, BENCH_THREADS_ALIKE, SHAPE(.is_clustered = true),
      PLAIN("iterate 1,000 clustered among all"));

/* All cells of both sides stay in a core's own caches between passes. */
GROUP(bench_few, BENCH_THREADS_ROWS, SHAPE(.every = 1, .entities = FEW),
      WITHIN("iterate 10,000: place += motion", 1.05),
      WITHIN("iterate 10,000: place += motion, 2 threads", 1.3));
GROUP(bench_few_wide, BENCH_THREADS_ROWS, SHAPE(.every = 1, .entities = FEW, .is_bare_wide = true),
      PLAIN("iterate 10,000, the loop over arrays for newer processors, too"),
      PLAIN("iterate 10,000, the loop over arrays for newer processors, too, 2 threads"));
GROUP(bench_many, BENCH_THREADS_ROWS, SHAPE(.every = 1, .entities = MANY),
      PLAIN("iterate 50,000: place += motion"),
      PLAIN("iterate 50,000: place += motion, 2 threads"));
GROUP(bench_few_broken, BENCH_THREADS_ALIKE, SHAPE(.every = 2, .entities = FEW),
      PLAIN("iterate 10,000, every second one"));
GROUP(bench_few_broken_spans, BENCH_THREADS_ALIKE,
      SHAPE(.every = 2, .entities = FEW, .system = span_systems),
      PLAIN("iterate 10,000, every second one, spans"));
GROUP(bench_few_broken_blocks, BENCH_THREADS_ALIKE,
      SHAPE(.every = 2, .entities = FEW, .system = block_systems),
      PLAIN("iterate 10,000, every second one, blocks"));

/* The cost of an idle tick: 8 systems without matches. */
static ls_system idle_systems[8];

static void *begin_empty(const bench_options *options, const void *variant)
{
    static const char *const names[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    (void)options;
    (void)variant;
    for (uint32_t i = 0; i < 8; i++)
        idle_systems[i] = (ls_system){.name = names[i],
                                      .span = move_span,
                                      .terms = span_systems[0].terms,
                                      .after = i ? names[i - 1] : NULL};
    const scene_plan plan = {.components = components, .systems = idle_systems, .system_count = 8};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

static void ours_empty(void *state, double *figures)
{
    (void)state;
    figures[0] = 0;
    for (uint32_t i = 0; i < 1000; i++)
        figures[0] += scene_tick(&at.scene, 1) / 1000;
}

const bench_group bench_empty_world = {
    .rows = {{"advance an empty world of 8 systems", "ns", BENCH_NO_TARGET, 0, NULL}},
    .begin = begin_empty,
    .ours = ours_empty,
    .end = scene_end,
};
