/* Deferred work of invocations: commands, accumulated values, events. The bare side writes to an
 * array, of which each thread fills a part, and applies it later. For accumulation it adds
 * directly, with atomics on two threads. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/pair.h"

#include <lockstep/base.h>

enum phase { ON, OFF, PHASES };

typedef struct aim {
    ls_entity at;
} aim;
typedef struct score {
    uint32_t points, hits;
} score;
typedef struct report {
    ls_entity from;
    uint64_t number;
} report;
typedef struct command {
    uint32_t slot, is_on;
    scene_load load;
} command;

static const ls_field aim_fields[] = {LS_FIELD(aim, at, LS_TYPE_ENTITY)};
static const ls_field score_fields[] = {LS_FIELD(score, points, LS_TYPE_U32),
                                        LS_FIELD(score, hits, LS_TYPE_U32)};
static const ls_field report_fields[] = {LS_FIELD(report, from, LS_TYPE_ENTITY),
                                         LS_FIELD(report, number, LS_TYPE_U64)};
static const ls_component aims = LS_COMPONENT_TABLE(aim, "aim", aim_fields);
static const ls_component scores = LS_COMPONENT_TABLE(score, "score", score_fields);
static const ls_component reports = LS_EVENT_TABLE(report, "report", report_fields);

static struct {
    scene scene;
    enum phase phase;
    uint32_t count;
    uint32_t threads;  /* threads of the bare side when it accumulates */
    uint32_t *targets; /* bare: by entity, the entity that it targets */
    score *scores;
    report *reports;
    command *commands;
    uint64_t *has_load;
    scene_load *loads;
} at;

static const ls_component *const components[] = {&scene_places, &scene_loads, &aims,
                                                 &scores,       &reports,     NULL};

/* A target may be spawned later than this entity: its handle follows from its slot, because all
 * first handles have one generation. */
static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const aim target = {
        ls_entity_make(ls_entity_lane(entity), at.targets[i], ls_entity_generation(entity))};
    ls_cell_attach(context, 0, entity, NULL);
    ls_cell_attach(context, 1, entity, &target);
}

struct work {
    const ls_system *systems;
    uint32_t system_count;
    bool adapts;
};

static void *begin(const bench_options *options, const void *variant)
{
    const struct work *work = variant;
    uint32_t count = at.count = options->entities;
    at.targets = bench_alloc(sizeof *at.targets * count);
    scene_shuffle(at.targets, count);
    const scene_plan plan = {
        .components = components,
        .systems = work->systems,
        .system_count = work->system_count,
        .entities = count,
        .adapts = work->adapts,
        .furnish = furnish,
        .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scores), LS_OTHERS_STRUCTURE(aims))};
    scene_begin(&at.scene, &plan);
    at.scores = bench_alloc(sizeof *at.scores * count);
    at.reports = bench_alloc(sizeof *at.reports * count);
    at.commands = bench_alloc(sizeof *at.commands * count);
    at.has_load = bench_alloc(count / 8 + 8);
    at.loads = bench_alloc(sizeof *at.loads * count);
    return &at.scene;
}

static void ours(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++)
        figures[threads - 1] = scene_tick(&at.scene, threads) / at.count;
}

static void order(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const scene_load load = {span->first_slot + i, 1};
        if (at.phase == ON)
            ls_command_attach(context, 1, ls_span_entity(span, i), &load);
        else
            ls_command_detach(context, 1, ls_span_entity(span, i));
    }
}

static const ls_system command_systems[] = {
    {.name = "order",
     .span = order,
     .terms = LS_TERM_LIST(LS_READS(aims), LS_COMMANDED(scene_loads))}};

static void bare_order(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++)
        at.commands[i] = (command){i, at.phase == ON, {i, 1}};
}

static void bare_apply(void)
{
    for (uint32_t i = 0; i < at.count; i++) {
        const command *given = &at.commands[i];
        uint64_t bit = UINT64_C(1) << (given->slot % 64);
        at.has_load[given->slot / 64] &= ~bit;
        at.has_load[given->slot / 64] |= given->is_on ? bit : 0;
        at.loads[given->slot] = given->is_on ? given->load : (scene_load){0};
    }
}

static void bare_commands(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++, figures += PHASES) {
        for (at.phase = ON; at.phase < PHASES; at.phase++) {
            uint64_t started = bench_now_ns();
            bench_split(threads, bare_order, NULL, at.count);
            bare_apply();
            figures[at.phase] = (double)(bench_now_ns() - started) / at.count;
            bench_consume(at.loads[0].high);
        }
    }
}

static void ours_commands(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++, figures += PHASES) {
        for (at.phase = ON; at.phase < PHASES; at.phase++)
            figures[at.phase] = scene_tick(&at.scene, threads) / at.count;
    }
}

const bench_group bench_commands = {
    .rows = {{"command: attach 16 bytes", "ns", BENCH_AT_MOST, 15, NULL},
             {"command: detach 16 bytes", "ns", BENCH_AT_MOST, 15, NULL},
             {"command: attach 16 bytes, 2 threads", "ns", BENCH_NO_TARGET, 0, NULL},
             {"command: detach 16 bytes, 2 threads", "ns", BENCH_NO_TARGET, 0, NULL}},
    .threads = BENCH_THREADS_ROWS,
    .variant = &(const struct work){command_systems, LS_COUNT_OF(command_systems), false},
    .begin = begin,
    .bare = bare_commands,
    .ours = ours_commands,
    .end = scene_end,
};

static void shoot(ls_context *context, const ls_span *span)
{
    const aim *target = ls_span_read(context, span, 0);
    const score hit = {3, 1};
    for (uint32_t i = 0; i < span->count; i++)
        ls_accumulate(context, 1, target[i].at, &hit);
}

static const ls_system accumulate_systems[] = {
    {.name = "shoot",
     .span = shoot,
     .terms = LS_TERM_LIST(LS_READS(aims), LS_ACCUMULATES(scores, LS_ADD))}};

static void bare_shoot(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        score *hit = &at.scores[at.targets[i]];
        if (at.threads == 1) {
            hit->points += 3;
            hit->hits++;
        } else {
            __atomic_fetch_add(&hit->points, 3, __ATOMIC_RELAXED);
            __atomic_fetch_add(&hit->hits, 1, __ATOMIC_RELAXED);
        }
    }
}

static void bare_accumulate(void *state, double *figures)
{
    (void)state;
    for (at.threads = 1; at.threads <= 2; at.threads++) {
        uint64_t started = bench_now_ns();
        bench_split(at.threads, bare_shoot, NULL, at.count);
        figures[at.threads - 1] = (double)(bench_now_ns() - started) / at.count;
        bench_consume(at.scores[0].points);
    }
}

const bench_group bench_accumulate = {
    .rows = {{"accumulate 8 bytes on a random other", "ns", BENCH_AT_MOST, 20, NULL},
             {"accumulate 8 bytes on a random other, 2 threads", "ns", BENCH_AT_MOST, 12, NULL}},
    .threads = BENCH_THREADS_ROWS,
    .variant = &(const struct work){accumulate_systems, LS_COUNT_OF(accumulate_systems), true},
    .begin = begin,
    .bare = bare_accumulate,
    .ours = ours,
    .end = scene_end,
};

static void tell(ls_context *context, const ls_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const report told = {ls_span_entity(span, i), i};
        ls_event_send(context, 1, &told);
    }
}

static void receive_events(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    ls_event_walk walk;
    uint64_t sum = 0;
    ls_event_begin(context, 0, &walk);
    for (const report *received; (received = ls_event_next(&walk));)
        sum += received->number;
    bench_consume(sum);
}

static const ls_system event_systems[] = {{.name = "tell",
                                           .span = tell,
                                           .terms = LS_TERM_LIST(LS_READS(aims), LS_SENDS(reports)),
                                           .before = "receive"},
                                          {.name = "receive",
                                           .mode = LS_SEQUENTIAL,
                                           .match = receive_events,
                                           .terms = LS_TERM_LIST(LS_RECEIVES(reports))}};

static void bare_tell(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++)
        at.reports[i] = (report){i, i};
}

static void bare_events(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        uint64_t started = bench_now_ns(), sum = 0;
        bench_split(threads, bare_tell, NULL, at.count);
        for (uint32_t i = 0; i < at.count; i++)
            sum += at.reports[i].number;
        figures[threads - 1] = (double)(bench_now_ns() - started) / at.count;
        bench_consume(sum);
    }
}

const bench_group bench_events = {
    .rows = {{"event of 16 bytes: send and receive", "ns", BENCH_AT_MOST, 8, NULL},
             {"event of 16 bytes: send and receive, 2 threads", "ns", BENCH_NO_TARGET, 0, NULL}},
    .threads = BENCH_THREADS_ROWS,
    .variant = &(const struct work){event_systems, LS_COUNT_OF(event_systems), false},
    .begin = begin,
    .bare = bare_events,
    .ours = ours,
    .end = scene_end,
};
