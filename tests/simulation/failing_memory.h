/* Makes the n-th allocation of one process of the simulated machine fail. All allocations of the
 * program pass through here: calloc, realloc, aligned_alloc, and zstd's own. The blocks are
 * counted, which also detects leaks. */
#ifndef LS_SIMULATION_FAILING_MEMORY_H
#define LS_SIMULATION_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the process with the failing allocation ends. */
enum failing_memory_end {
    FAILING_MEMORY_EXITS, /* as in production: the whole program, simulator included, ends with a
                             message and an exit code */
    FAILING_MEMORY_STOPS, /* the process stops, and failing_memory_run() returns true */
};

enum { STARVE_HOUSE = 1000 }; /* as `who`: the server; smaller numbers are the index of a client */

/* Makes the `count`-th allocation of `who` from now on fail. */
void failing_memory_arm(uint32_t who, uint64_t count, enum failing_memory_end how);
void failing_memory_disarm(void);

/* Runs a part of the process `who`. True when its allocation failed: the process's memory must then
 * be neither used nor freed. */
bool failing_memory_run(uint32_t who, void (*part)(void *context), void *context);
/* Enclose simulator code that is called within such a part: its allocations do not count. Pass the
 * result of pause to failing_memory_go_on(). */
bool failing_memory_pause(void);
void failing_memory_go_on(bool was_inside);

/* Returns the number of allocations that are not freed yet. */
int64_t failing_memory_blocks(void);

#endif
