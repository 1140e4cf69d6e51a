/* The systems of a slot while several threads run them: which systems are ready, and which have
 * pages left. A thread takes a share of the remaining pages of the ready system with the highest
 * rank. Systems cannot see which thread runs them.
 *
 * Memory order (checked by tests/models/weak_queue.pml): what a system did reaches the next one
 * through its counters. The thread with the last page acquires the other pages in `done`, and the
 * last predecessor acquires the others in `pending`. It then sets a bit in `ready` or `open`; the
 * thread that takes the bit sees all of that. All are read-modify-writes, so each change of a word
 * continues the release sequence of the changes before it. */
#ifndef LS_WORK_QUEUE_H
#define LS_WORK_QUEUE_H
#include "core/base/team.h"
#include "core/run/invocation.h"
#include "core/run/parallel_for.h"
#include "core/run/thread_policy.h"

#define LS_WORK_QUEUE_WORDS (LS_SYSTEMS_MAX / 64)

/* Each system has a place: its index by rank, highest first. */
typedef struct ls_work_queue {
    const ls_tick_job *job;
    ls_thread_policy *policy;
    const ls_thread_policy_run *run;
    uint32_t threads, words;
    ls_list_schedule_hold hold; /* an additional wait, besides the orders of the program */
    bool has_homes; /* a worker is always the same thread; else every home is thread 0 */
    /* By place: the system may run only on the thread of its home. */
    uint64_t tied[LS_WORK_QUEUE_WORDS];
    uint8_t homes[LS_SYSTEMS_MAX];
    uint64_t tying; /* by thread: it is the home of some system */
    char padding_before[64];
    /* By place: all predecessors have ended, and no thread has begun the system. */
    _Atomic uint64_t ready[LS_WORK_QUEUE_WORDS];
    char padding_between[64];
    _Atomic uint64_t open[LS_WORK_QUEUE_WORDS]; /* by place: begun, and pages may be left */
    char padding_after[64];
    atomic_uint left;                /* systems that have not ended */
    uint16_t places[LS_SYSTEMS_MAX]; /* by position, from run->first on */
    ls_parallel_for loop;            /* for loops at the begin or the end of a system */
} ls_work_queue;

/* Runs the systems of `run` on the team's threads, in an order that their edges allow. */
void ls_work_queue_run(ls_work_queue *queue, ls_team *team, const ls_tick_job *job,
                       const ls_thread_policy_run *run);

#endif
