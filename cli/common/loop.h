/* Waits, for the processes that run the step functions of server and client. */
#ifndef LS_LOOP_H
#define LS_LOOP_H

#include <lockstep/link.h>

/* The longest wait. It bounds the delay of a stop signal that arrives between a check of
 * ls_signals_stop_is_requested() and the wait. */
#define LS_LOOP_WAIT_MS_MAX 100u

/* Packets that arrive within this time are taken together. */
#define LS_LOOP_SLEEP_NS 500000u

/* Sleeps until `link` has a packet, until `wake_ns` or until a signal arrives, at most
 * LS_LOOP_WAIT_MS_MAX. Waiting for packets has a resolution of milliseconds, so the last part of a
 * millisecond is slept without listening: a tick closes on time, and no loop spins. Returns
 * LS_LOOP_SLEEP_NS after the call at the earliest, or at `wake_ns`.
 *   unit  wake_ns: monotonic nanoseconds, UINT64_MAX for never */
void ls_loop_wait(ls_link *link, uint64_t wake_ns);

/* For a loop that receives packets from many links. Sleeps `sleep_ns` without listening. Unless the
 * loop is busy, and so assumes that packets have arrived, it then waits for a packet of `link` like
 * ls_loop_wait(), but without the least time. Never sleeps beyond `wake_ns`. */
void ls_loop_sleep(ls_link *link, uint64_t sleep_ns, bool is_busy, uint64_t wake_ns);

#endif
