/* Fills unwritten memory with noise: different bytes at each place, so that two variables that were
 * never set also differ from each other. */
#ifndef LS_MEMORY_FILL_H
#define LS_MEMORY_FILL_H

#include <lockstep/base.h>

/* Fills `bytes` with noise that depends on `place` and `fill`. The noise of 0x55 and of 0xaa
 * differs in every bit.
 *   thread  any */
void ls_memory_fill(void *bytes, size_t count, uint64_t place, uint8_t fill);

/* Fills the small blocks that malloc gives to this thread next, so that they hold noise until they
 * are written. Advances `*place`, so that no two blocks and no two calls get the same noise. Works
 * with glibc; the first words of a block may be the allocator's.
 *   thread  main */
void ls_memory_fill_heap(uint64_t *place, uint8_t fill);

/* Fills the unused stack with noise: local variables that are never set then hold noise
 * instead of traces of earlier calls.
 *   thread  any */
void ls_memory_fill_stack(uint8_t fill);

/* Fills large blocks too; called once, before ls_memory_fill_heap(). From then on the process
 * returns no freed memory to the system.
 *   thread  main, before there are others */
void ls_memory_fill_large(uint64_t *place, uint8_t fill);

#endif
