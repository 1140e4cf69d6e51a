/* The n-th allocation of one process of the simulated machine fails. All code in the simulator
 * allocates through this: calloc, realloc, aligned_alloc and the packer, which allocates itself.
 * Leaks are therefore counted too. */
#ifndef LS_SIMULATION_FAILING_MEMORY_H
#define LS_SIMULATION_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the process with the failing allocation ends. */
enum failing_memory_end {
    FAILING_MEMORY_EXITS, /* as the product does: with a line and an exit code, and the simulator
                             too */
    FAILING_MEMORY_STOPS, /* it stops where it was, and failing_memory_run() returns true */
};

enum { STARVE_HOUSE = 1000 }; /* the server; else the index of a client */

/* The `count`-th allocation of `who` from now on fails. */
void failing_memory_arm(uint32_t who, uint64_t count, enum failing_memory_end how);
void failing_memory_disarm(void);

/* Runs a part of the process `who`. True when its allocation failed: nothing of it may be used any
 * more, nor given back. */
bool failing_memory_run(uint32_t who, void (*part)(void *context), void *context);
/* Brackets code of the simulator that is called within such a part; the result is for
 * failing_memory_go_on(). */
bool failing_memory_pause(void);
void failing_memory_go_on(bool was_inside);

/* Allocations of the simulator that were not given back. */
int64_t failing_memory_blocks(void);

#endif
