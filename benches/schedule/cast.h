/* Systems to measure: many of one kind, with names, an order and work to do. */
#ifndef LS_BENCH_CAST_H
#define LS_BENCH_CAST_H

#include "benches/core/scene.h"
#include "benches/schedule/graph.h"

/* Above today's threshold for sharing a tick. */
#define CAST_ENTITIES 4096

/* The name of system or stage i < LS_SYSTEMS_MAX, in static storage. */
const char *cast_name(uint32_t i);
/* Makes `count` systems that are `like` but for their names, and their numbers (uint32_t) as
 * data. */
ls_system *cast_systems(const ls_system *like, uint32_t count);
void cast_chain(ls_system *systems, uint32_t count);
void cast_order(ls_system *systems, const graph *given);

/* A scene of systems that read `place`, or nothing, and entities that all have it. */
void cast_begin(scene *at, const ls_system *systems, uint32_t count, uint32_t entities);
/* The same with a stage for each `in_stage` systems. */
void cast_begin_stages(scene *at, ls_system *systems, uint32_t count, uint32_t in_stage);
/* Ends the scene, and frees the systems. */
void cast_end(scene *at, ls_system *systems);

/* Integer work that takes this long on an idle machine. */
void cast_work(double us);

/* The number of ticks that makes a measurement long enough. */
uint32_t cast_ticks(scene *at);
/* Advances by `ticks`; returns the mean ns per tick. */
double cast_advance(scene *at, uint32_t threads, uint32_t ticks);

typedef struct cast_pair {
    double serial, shared; /* medians, ns per tick on one thread and on two */
} cast_pair;
/* One and two threads, alternating, `runs` times `ticks` ticks each. */
cast_pair cast_compare(scene *at, uint32_t runs, uint32_t ticks);

#endif
