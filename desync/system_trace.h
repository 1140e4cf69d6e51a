/* Hashes the inputs and results of one run of one system, so that two runs can be compared: the
 * data that it declares to read and write, and the undeclared data that it changed.
 *   source  docs/design.md section 8; core/check/access_rights.h says what is declared */
#ifndef LS_SYSTEM_TRACE_H
#define LS_SYSTEM_TRACE_H

#include "core/check/access_rights.h"
#include "core/check/run_outcome.h"
#include "core/run/tick_hook.h"

/* The parts of a trace that follow the columns and the lives (slot generations). */
enum {
    LS_SYSTEM_TRACE_MATCHES = 0, /* in: the entities that its queries match */
    LS_SYSTEM_TRACE_EVENTS,      /* in: the events that it receives */
    LS_SYSTEM_TRACE_LOOP,        /* in: how often its stage ran before */
    LS_SYSTEM_TRACE_OUTCOME, /* out: spawns, events, values, commands, marks, answer of a criterion
                              */
    LS_SYSTEM_TRACE_PART_COUNT,
};

typedef struct ls_system_trace {
    /* `nth` is how often the system at this position had begun before. */
    uint32_t position, nth;
    /* By part: the columns, the lives, then LS_SYSTEM_TRACE_...; 0: not declared. */
    uint64_t *inputs, *outputs;
    uint64_t *undeclared; /* by column: hash of the cells that the system may not change and did */
    bool *changed;        /* by column, liveness included: whether the system changed it */
} ls_system_trace;

static inline uint32_t ls_system_trace_part_count(const ls_world *world)
{
    return ls_liveness(world) + 1 + LS_SYSTEM_TRACE_PART_COUNT;
}

void ls_system_trace_init(ls_system_trace *step, const ls_world *world);
void ls_system_trace_reset(ls_system_trace *step);

/* Hashes the systems of one world as they run. */
typedef struct ls_tick_probe {
    /* The world as the system that began last sees it; inside a par: the view of its side
     * (core/run/fork.h). */
    ls_world *world;
    const ls_plan_system *plan;
    ls_image before;
    ls_access_rights rights;
    ls_run_outcome outcome; /* of the system that ran last */
    uint32_t mark_count;
    uint32_t *begun; /* by position: how often the system has begun */
} ls_tick_probe;

void ls_tick_probe_init(ls_tick_probe *tick_probe, ls_world *world);
void ls_tick_probe_reset(ls_tick_probe *tick_probe);
/* Called when the system has begun, and again when it has run. `step` may be NULL: then nothing is
 * hashed, and only `outcome` and the rights of ls_tick_probe_may() are found. */
void ls_tick_probe_begun(ls_tick_probe *tick_probe, ls_world *world, uint32_t position,
                         ls_system_trace *step);
void ls_tick_probe_ran(ls_tick_probe *tick_probe, uint32_t position, ls_system_trace *step);

typedef enum ls_system_trace_claim {
    LS_SYSTEM_TRACE_READS,
    LS_SYSTEM_TRACE_WRITES
} ls_system_trace_claim;
/* Whether the system that began last may read or write the entity's cell of the column. For a
 * singleton, `entity` is LS_ENTITY_NULL. */
bool ls_tick_probe_may(const ls_tick_probe *tick_probe, ls_system_trace_claim claim,
                       uint32_t column, ls_entity entity);

/* Hashes the cells of each column as they are in memory, then the lives, then tick and counters.
 * `hashes` has room for ls_liveness(world) + 2. */
void ls_world_hash_raw(const ls_world *world, uint64_t *hashes);

#endif
