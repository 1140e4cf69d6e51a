/* Systems to measure: many of one kind, each with a name, an order and work to do. */
#ifndef LS_BENCH_CAST_H
#define LS_BENCH_CAST_H

#include "benches/core/scene.h"
#include "benches/schedule/graph.h"

/* More than the executor's current threshold for sharing a tick. */
#define CAST_ENTITIES 4096

/* The name of system or stage i < LS_SYSTEMS_MAX; static storage. */
const char *cast_name(uint32_t i);
/* Creates `count` copies of `like`, each with its own name and its number (uint32_t) as data. */
ls_system *cast_systems(const ls_system *like, uint32_t count);
void cast_chain(ls_system *systems, uint32_t count);
void cast_order(ls_system *systems, const graph *given);

/* Creates a scene for systems that read `place` or nothing; all its entities have `place`. */
void cast_begin(scene *at, const ls_system *systems, uint32_t count, uint32_t entities);
/* The same with one stage for every `in_stage` systems. */
void cast_begin_stages(scene *at, ls_system *systems, uint32_t count, uint32_t in_stage);
/* Destroys the scene and frees the systems. */
void cast_end(scene *at, ls_system *systems);

/* Integer work that takes `us` microseconds on an idle machine. */
void cast_work(double us);

/* The number of ticks for a sufficiently long measurement. */
uint32_t cast_ticks(scene *at);
/* Advances the world by `ticks`; returns the mean time per tick in ns. */
double cast_advance(scene *at, uint32_t threads, uint32_t ticks);

typedef struct cast_pair {
    double serial, shared; /* medians, ns per tick on one thread and on two */
} cast_pair;
/* Measures one and two threads alternately, `runs` times, `ticks` ticks each. */
cast_pair cast_compare(scene *at, uint32_t runs, uint32_t ticks);

#endif
