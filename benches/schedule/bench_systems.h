/* Systems to measure: many of one kind, each with a name, an order and work to do. */
#ifndef LS_BENCH_SYSTEMS_H
#define LS_BENCH_SYSTEMS_H

#include "benches/core/scene.h"
#include "benches/schedule/graph.h"

/* More than the executor's current threshold for sharing a tick. */
#define BENCH_SYSTEMS_ENTITIES 4096

/* The name of system or stage i < LS_SYSTEMS_MAX; static storage. */
const char *bench_systems_name(uint32_t i);
/* Creates `count` copies of `like`, each with its own name and its number (uint32_t) as data. */
ls_system *bench_systems_make(const ls_system *like, uint32_t count);
void bench_systems_chain(ls_system *systems, uint32_t count);
void bench_systems_order(ls_system *systems, const graph *given);

/* Creates a scene for systems that read `place` or nothing; all its entities have `place`. */
void bench_systems_begin(scene *at, const ls_system *systems, uint32_t count, uint32_t entities);
/* Like bench_systems_begin(), with one stage for every `in_stage` systems. */
void bench_systems_begin_stages(scene *at, ls_system *systems, uint32_t count, uint32_t in_stage);
/* Destroys the scene and frees the systems. */
void bench_systems_end(scene *at, ls_system *systems);

/* Integer work that takes `us` microseconds on an idle machine. */
void bench_systems_work(double us);

/* The number of ticks for a sufficiently long measurement. */
uint32_t bench_systems_ticks(scene *at);
/* Advances the world by `ticks`; returns the mean time per tick in ns. */
double bench_systems_advance(scene *at, uint32_t threads, uint32_t ticks);

typedef struct bench_systems_pair {
    double serial, shared; /* medians, ns per tick on one thread and on two */
} bench_systems_pair;
/* Measures one and two threads alternately, `runs` times, `ticks` ticks each. */
bench_systems_pair bench_systems_compare(scene *at, uint32_t runs, uint32_t ticks);

#endif
