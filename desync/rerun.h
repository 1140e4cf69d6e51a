/* Runs the ticks of a match once, in some variant. Every tool that looks for the cause of a desync
 * runs ticks through this module. The roots must be the same for every variant.
 *   memory  one world, two when the state goes through its byte form; nothing grows with the ticks
 */
#ifndef LS_RERUN_H
#define LS_RERUN_H

#include "desync/ticks.h"
#include <lockstep/root_ring.h>

/* How the ticks are run. All zeros: serially, in the topological order of the schedule. */
typedef struct ls_rerun_variant {
    const char *name;      /* printed in tables; may be NULL */
    uint32_t threads;      /* 0: serially, without an executor */
    uint32_t share_from;   /* as in ls_executor_config; 1 makes every system share its work */
    uint64_t shuffle_seed; /* not 0: seed of a random legal order */
    bool checks;           /* use the check executor, which finds undeclared access */
    bool round_trips;      /* encode and decode the state before each tick */
    bool is_fresh;         /* with round_trips: decode into a new world each time */
    /* Not 0: unused stack holds the noise of this byte (desync/memory_fill.h) where the setup or a
     * system begins. */
    uint8_t stack_fill;
    /* Not 0: malloc's memory holds the noise of this byte, too. Only for a process that does
     * nothing else. */
    uint8_t heap_noise;
} ls_rerun_variant;

typedef struct ls_rerun_config {
    const ls_program *program; /* outlives the rerun, like everything that the config points to */
    const ls_match *match;
    ls_tick_source ticks;    /* begins with the tick of the first state */
    const uint8_t *snapshot; /* the state to start from; NULL: the state that the setup makes */
    size_t snapshot_bytes;
    uint64_t end_tick; /* the first tick that is not run; 0: run all ticks of the source */
    ls_rerun_variant variant;
    bool is_blind; /* do not compare roots */
    bool goes_on;  /* continue after the first difference, but compare nothing more */
} ls_rerun_config;

typedef struct ls_rerun_result {
    uint64_t tick_count; /* ticks run */
    bool has_difference;
    ls_root_difference difference; /* the first; ls_root_difference defines its tick */
} ls_rerun_result;

typedef struct ls_rerun ls_rerun;

/* Creates executor and world.
 *   errors  USAGE: a wrong match or number of threads; CORRUPT, INCOMPATIBLE: the snapshot; IO: no
 *           threads
 *   owns    ls_rerun_destroy, also for NULL      thread  the one that created it */
ls_status ls_rerun_create(const ls_rerun_config *config, ls_rerun **rerun,
                          ls_error *error) LS_MUST_USE;
void ls_rerun_destroy(ls_rerun *rerun);

/* Compares the root of the present state and runs the next tick; sets *is_over when all ticks have
 * run.
 *   errors  DIVERGED: a root is not as expected (the result has it), the state differs from its
 *           byte form, or a system does what it did not declare; if the source is a list, the world
 *           is still in the state that differs. Also the errors of ls_world_advance() and of the
 *           source. After an error the run stays at that tick and is not stepped again */
ls_status ls_rerun_step(ls_rerun *rerun, bool *is_over, ls_error *error) LS_MUST_USE;

/* Encodes the state of *world and decodes it into *spare, which is created when it is NULL; then
 * swaps the two.
 *   errors  DIVERGED: the restored state has a different root; those of ls_world_create() and
 *           ls_world_decode(); *world is then unchanged */
ls_status ls_rerun_round_trip(ls_world **world, ls_world **spare, ls_error *error) LS_MUST_USE;

/* Returns the world between two steps, for reading and for snapshots. A caller that advances the
 * world restores it. With round trips, each step replaces the world by another. */
ls_world *ls_rerun_world(ls_rerun *rerun);
const ls_rerun_result *ls_rerun_get_result(const ls_rerun *rerun);

#endif
