/* The calls that the thread is in. */
#ifndef LS_CALL_STACK_H
#define LS_CALL_STACK_H

#include <lockstep/base.h>

/* Fills in the addresses that the thread's functions return to, the innermost first, and among them
 * the instruction at which a signal interrupted it. Returns their number, at most `max`. Reads the
 * tables of the compiler, and may be called in the handler of a signal. */
uint32_t ls_call_stack_take(uintptr_t *frames, uint32_t max);

#endif
