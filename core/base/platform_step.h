/* Runs one instruction of a thread that a signal interrupted, for handlers that let one store
 * happen (desync/write_watch.h). All functions but init and reset may be called in a handler;
 * `machine` is its third argument, the ucontext_t. */
#ifndef LS_PLATFORM_STEP_H
#define LS_PLATFORM_STEP_H

#include <lockstep/base.h>

/* Whether these functions work: on Linux on x86-64 and aarch64. On other processors only
 * ls_interrupted_instruction() may be called, and ls_machine_step_init(), which refuses. */
bool ls_machine_can_step(void);

/* Returns the address of the interrupted instruction; 0 on a system or a processor for which it is
 * not known. */
uintptr_t ls_interrupted_instruction(const void *machine);

enum { LS_STORE_BYTES_MAX = 2048 };
/* Returns a number N <= LS_STORE_BYTES_MAX: the interrupted store writes only bytes that are less
 * than N before or after the address that the signal names. */
size_t ls_store_bytes(const void *machine);

/* The registers that one storing instruction may change. */
typedef struct ls_registers {
    uint64_t storage[88];
} ls_registers;

void ls_registers_save(ls_registers *registers, const void *machine);
void ls_registers_restore(const ls_registers *registers, void *machine);

typedef struct ls_machine_step {
    void *code; /* a page for a copy of the instruction; NULL: the processor has a single step */
    uintptr_t resume; /* where the thread continues after the copy */
    uint32_t result;  /* the register that gets the result of an exclusive store, else 31 */
} ls_machine_step;

/* False when ls_machine_can_step() is false, or the system gives no memory for instructions.
 *   owns    ls_machine_step_reset() by the caller */
bool ls_machine_step_init(ls_machine_step *step) LS_MUST_USE;
void ls_machine_step_reset(ls_machine_step *step);
/* When the handler returns, the thread runs the interrupted instruction, and SIGTRAP follows. The
 * instruction is a store: it neither branches nor reads its own address. False when the system
 * refuses. */
bool ls_machine_step_begin(ls_machine_step *step, void *machine) LS_MUST_USE;
/* Call this in the handler of SIGTRAP: the thread then continues with the next instruction. False,
 * without effect, when the signal has another cause. */
bool ls_machine_step_end(ls_machine_step *step, void *machine) LS_MUST_USE;

#endif
