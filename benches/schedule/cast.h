/* Systems for worlds to measure: many of one kind, with names, an order and work to do. */
#ifndef LS_BENCH_CAST_H
#define LS_BENCH_CAST_H

#include "benches/core/scene.h"
#include "benches/schedule/graph.h"

/* Enough living entities for today's threshold of sharing a tick. */
#define CAST_ENTITIES 4096

/* Of system or stage number i < LS_SYSTEMS_MAX; lives for ever. */
const char *cast_name(uint32_t i);
/* Keeps `count` systems that all are `like` but for their names, and their numbers as data: a
 * uint32_t. */
ls_system *cast_systems(const ls_system *like, uint32_t count);
void cast_chain(ls_system *systems, uint32_t count);
void cast_order(ls_system *systems, const graph *given);

/* A scene of systems that read `place`, or nothing, and entities that all have it. */
void cast_begin(scene *at, const ls_system *systems, uint32_t count, uint32_t entities);
/* The same with a stage for each `in_stage` systems. */
void cast_begin_stages(scene *at, ls_system *systems, uint32_t count, uint32_t in_stage);
/* Ends the scene, and frees the systems. */
void cast_end(scene *at, ls_system *systems);

/* Integer work for so long, when nothing disturbs it. */
void cast_work(double us);

/* So many ticks that a measurement of them lasts long enough. */
uint32_t cast_ticks(scene *at);
/* Of one tick, in ns: the mean of so many. */
double cast_advance(scene *at, uint32_t threads, uint32_t ticks);

typedef struct cast_pair {
    double serial, shared; /* medians, ns a tick on one thread and on two */
} cast_pair;
/* The two in turn, `runs` times `ticks` ticks. */
cast_pair cast_compare(scene *at, uint32_t runs, uint32_t ticks);

#endif
