#include "benches/schedule/bench_systems.h"

#include "benches/bench.h"

#include <lockstep/base.h>

#include <stdio.h>

enum { CALIBRATIONS = 50, CALIBRATION_STEPS = 100000 };
enum { MEASUREMENT_NS = 1000000, TICKS_MAX = 500 };

const char *bench_systems_name(uint32_t i)
{
    static char names[LS_SYSTEMS_MAX][8];
    LS_ASSERT(i < LS_SYSTEMS_MAX);
    if (!names[i][0])
        snprintf(names[i], sizeof names[i], "s%u", i);
    return names[i];
}

ls_system *bench_systems_make(const ls_system *like, uint32_t count)
{
    static uint32_t numbers[LS_SYSTEMS_MAX];
    ls_system *systems = ls_alloc(sizeof *systems * count);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
        systems[i] = *like;
        systems[i].name = bench_systems_name(i);
        systems[i].data = &numbers[i];
    }
    return systems;
}

void bench_systems_chain(ls_system *systems, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        systems[i].after = systems[i - 1].name;
}

void bench_systems_order(ls_system *systems, const graph *given)
{
    static char lists[LS_SYSTEMS_MAX][GRAPH_EDGES_IN_MAX * 9 + 1];
    for (uint32_t i = 0; i < given->count; i++) {
        size_t used = 0;
        lists[i][0] = '\0';
        for (uint32_t j = 0; j < given->nodes[i].before_count; j++)
            used += (size_t)snprintf(lists[i] + used, sizeof lists[i] - used, "%s, ",
                                     systems[given->nodes[i].before[j]].name);
        systems[i].after = lists[i];
    }
}

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_place place = {(ls_fix)i, 1};
    ls_cell_attach(context, 0, entity, &place);
}

static const ls_component *const components[] = {&scene_places, NULL};

static void begin(scene *at, scene_plan *plan)
{
    plan->components = components;
    plan->furnish = furnish;
    plan->terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places));
    scene_begin(at, plan);
}

void bench_systems_begin(scene *at, const ls_system *systems, uint32_t count, uint32_t entities)
{
    begin(at, &(scene_plan){
                  .adapts = true, .systems = systems, .system_count = count, .entities = entities});
}

void bench_systems_begin_stages(scene *at, ls_system *systems, uint32_t count, uint32_t in_stage)
{
    static ls_stage stages[LS_STAGES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        stages[i / in_stage].name = bench_systems_name(i / in_stage);
        systems[i].stage = stages[i / in_stage].name;
    }
    begin(at, &(scene_plan){.adapts = true,
                            .systems = systems,
                            .system_count = count,
                            .stages = stages,
                            .stage_count = count / in_stage,
                            .entities = BENCH_SYSTEMS_ENTITIES});
}

void bench_systems_end(scene *at, ls_system *systems)
{
    scene_end(at);
    ls_free(systems);
}

static void step(uint64_t steps)
{
    uint64_t value = steps | 1;
    for (uint64_t i = 0; i < steps; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    __asm__ volatile("" ::"r"(value));
}

static double calibrate(void)
{
    double shortest = INFINITY;
    for (uint32_t i = 0; i < CALIBRATIONS; i++) {
        uint64_t begin = bench_now_ns();
        step(CALIBRATION_STEPS);
        double took = (double)(bench_now_ns() - begin);
        shortest = took < shortest ? took : shortest;
    }
    return CALIBRATION_STEPS / shortest * 1000;
}

/* The first call measures the steps per microsecond. It must come before scene_begin() starts
 * threads, so a group first calls this function with 0. */
void bench_systems_work(double us)
{
    static double steps_in_us;
    if (steps_in_us == 0)
        steps_in_us = calibrate();
    step((uint64_t)(us * steps_in_us));
}

double bench_systems_advance(scene *at, uint32_t threads, uint32_t ticks)
{
    double took = 0;
    for (uint32_t i = 0; i < ticks; i++)
        took += scene_tick(at, threads);
    return took / ticks;
}

uint32_t bench_systems_ticks(scene *at)
{
    scene_tick(at, 1);
    double ticks = MEASUREMENT_NS / bench_systems_advance(at, 1, 2);
    return ticks < 1 ? 1 : ticks > TICKS_MAX ? TICKS_MAX : (uint32_t)ticks;
}

bench_systems_pair bench_systems_compare(scene *at, uint32_t runs, uint32_t ticks)
{
    double *serial = ls_alloc(sizeof *serial * runs), *shared = ls_alloc(sizeof *shared * runs);
    for (uint32_t i = 0; i < runs; i++) {
        serial[i] = bench_systems_advance(at, 1, ticks);
        shared[i] = bench_systems_advance(at, 2, ticks);
    }
    bench_systems_pair pair = {bench_median(serial, runs), bench_median(shared, runs)};
    ls_free(serial);
    ls_free(shared);
    return pair;
}
