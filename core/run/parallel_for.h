/* A loop that a thread shares with the threads of the work queue that have nothing to do. Each
 * piece runs once, on any thread; pieces may not depend on each other.
 *
 * Memory order (checked by tests/models/weak_loop.pml): a thread takes a piece by adding to
 * `offer`, which acquires what the owner published with it. An owner leaves the loop, and may give
 * the next one, only when `done` has counted all pieces that other threads took; the count acquires
 * what they did. A thread that read an equal offer in an earlier loop may take the piece of this
 * one: it then acquires this offer. */
#ifndef LS_PARALLEL_FOR_H
#define LS_PARALLEL_FOR_H
#include <lockstep/base.h>

#include <stdatomic.h>

typedef void ls_parallel_body(void *argument, uint32_t piece);

typedef struct ls_parallel_for {
    uint32_t threads; /* that may help, the owner included */
    ls_parallel_body *body;
    void *argument;
    atomic_uint is_taken; /* some thread owns it: another runs its loop alone */
    atomic_uint done;     /* pieces that have ended on other threads than the owner */
    char padding[64];
    atomic_uint offer; /* pieces << 16 | next piece */
    char padding_after[64];
} ls_parallel_for;

/* Runs `body` for the pieces 0 to `pieces` - 1 (at most UINT16_MAX), and returns when all have
 * ended. They run on this thread alone if `loop` is NULL, if another thread owns it, or if there is
 * only one piece. */
void ls_parallel_for_run(ls_parallel_for *loop, uint32_t pieces, ls_parallel_body *body,
                         void *argument);

/* Runs one piece of another thread's loop. False: there is none. */
bool ls_parallel_for_help(ls_parallel_for *loop);

#endif
