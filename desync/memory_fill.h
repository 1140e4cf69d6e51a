/* Noise for memory that was never written: different bytes at each place, so that two variables
 * that were never set also differ from each other. */
#ifndef LS_MEMORY_FILL_H
#define LS_MEMORY_FILL_H

#include <lockstep/base.h>

/* Fills with a stream of noise that depends on `place`, combined with `fill`: 0x55 and 0xaa differ
 * in every bit of every byte.
 *   thread  any */
void ls_memory_fill(void *bytes, size_t count, uint64_t place, uint8_t fill);

/* From here on the next small blocks that malloc gives to this thread hold noise wherever they were
 * never written. `*place` counts on, so that no two blocks and no two calls get the same noise.
 * Works with glibc; the first words of a block may be the allocator's.
 *   thread  main */
void ls_memory_fill_heap(uint64_t *place, uint8_t fill);

/* Fills the unused stack with noise: local variables that are never set then hold it, instead of
 * traces of earlier calls.
 *   thread  any */
void ls_memory_fill_stack(uint8_t fill);

/* Called once, before ls_memory_fill_heap(): large blocks hold noise too. From then on the process
 * keeps memory that it frees.
 *   thread  main, before there are others */
void ls_memory_fill_large(uint64_t *place, uint8_t fill);

#endif
