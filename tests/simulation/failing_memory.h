/* The n-th allocation of one process of the simulated machine fails. What is linked into the
 * simulator asks for memory through here: calloc, realloc, aligned_alloc and the packer, which
 * takes memory of its own. So it is also known what is not given back. */
#ifndef LS_SIMULATION_FAILING_MEMORY_H
#define LS_SIMULATION_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the process with the failing allocation ends. */
enum failing_memory_end {
    STARVE_REALLY,  /* as the product does: with a line and an exit code, and the simulator too */
    STARVE_CLEARLY, /* it stands still where it was, and failing_memory_run says so */
};

enum { STARVE_HOUSE = 1000 }; /* the server; else the index of a client */

/* The `count`-th allocation of `who` from now on fails. */
void failing_memory_arm(uint32_t who, uint64_t count, enum failing_memory_end how);
void failing_memory_disarm(void);

/* Runs a part of the process `who`. True when its allocation failed: nothing of it may be used any
 * more, nor given back. */
bool failing_memory_run(uint32_t who, void (*part)(void *context), void *context);
/* What is called from within such a part and belongs to the simulator. Gives what to end it with.
 */
bool failing_memory_pause(void);
void failing_memory_go_on(bool was_inside);

/* Allocations of the simulator that were not given back. */
int64_t failing_memory_blocks(void);

#endif
