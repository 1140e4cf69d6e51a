/* The work that the step functions of server and client leave to their process: waiting. */
#ifndef LS_LOOP_H
#define LS_LOOP_H

#include <lockstep/link.h>

/* The longest delay of a stop signal that arrives between a check of ls_signals_is_asked() and the
 * wait. */
#define LS_LOOP_WAIT_MS_MAX 100u

/* Packets that come closer together than this are taken together. */
#define LS_LOOP_REST_NS 500000u

/* Sleeps until `link` has a packet, `wake_ns` has come or a signal did, at most
 * LS_LOOP_WAIT_MS_MAX. The wait for packets counts in milliseconds, so the last part of one is
 * slept without listening: a tick closes on time, and no loop spins towards it. Returns
 * LS_LOOP_REST_NS after the call at the earliest, or when `wake_ns` has come.
 *   unit  wake_ns: monotonic nanoseconds, UINT64_MAX for never */
void ls_loop_wait(ls_link *link, uint64_t wake_ns);

/* For a loop that receives packets from many sides: sleeps `rest_ns` first, without listening, and
 * waits as above if nothing has come meanwhile; a busy loop assumes that something has. Never
 * beyond `wake_ns`. */
void ls_loop_rest(ls_link *link, uint64_t rest_ns, bool is_busy, uint64_t wake_ns);

#endif
