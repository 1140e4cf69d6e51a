/* Which request to the Agones sidecar comes next, and when. Requests that fail are repeated with
 * growing pauses, so the sidecar may start late, fail or be gone for any time.
 *
 * A function of time: it has no clock, socket or thread. */
#ifndef LS_AGONES_PLAN_H
#define LS_AGONES_PLAN_H

#include <lockstep/base.h>
#include <lockstep/limits.h>

/* The pause after a first failure. It doubles with each further one, up to the longest. */
#define LS_AGONES_PAUSE_MIN_NS (LS_SECOND_NS / 4)
#define LS_AGONES_PAUSE_MAX_NS (2 * LS_SECOND_NS)

/* In the order in which they are sent when several are due. */
typedef enum ls_agones_request {
    LS_AGONES_SHUTDOWN,
    LS_AGONES_READY,
    LS_AGONES_ALLOCATE,
    LS_AGONES_ADDRESS, /* annotations */
    LS_AGONES_KEY,
    LS_AGONES_TALLY, /* and the further ones of ls_agones_tally */
    LS_AGONES_HEALTH = LS_AGONES_TALLY + 4,
    LS_AGONES_WATCH,
    LS_AGONES_REQUESTS, /* also: none */
} ls_agones_request;

/* Requests of different lanes do not wait for each other: a slow answer delays no health. */
typedef enum ls_agones_lane {
    LS_AGONES_SHUTDOWNS,
    LS_AGONES_CALLS,
    LS_AGONES_HEALTHS,
    LS_AGONES_WATCHES,
    LS_AGONES_LANES,
} ls_agones_lane;

/* The requests that are wanted, and when. Zero it before the first call. */
typedef struct ls_agones_plan {
    struct {
        bool is_wanted;
        uint32_t failures; /* in a row */
        uint64_t due_ns;
    } requests[LS_AGONES_REQUESTS];
    bool is_failing; /* a request has failed and was not answered since */
} ls_agones_plan;

/* Has a request sent at this time, or when the pause after its last failure is over. */
void ls_agones_plan_want(ls_agones_plan *plan, ls_agones_request request, uint64_t due_ns);

/* Has a request not sent, nor repeated. */
void ls_agones_plan_forget(ls_agones_plan *plan, ls_agones_request request);

/* Takes the next request of a lane that is due; LS_AGONES_REQUESTS: none. */
ls_agones_request ls_agones_plan_take(ls_agones_plan *plan, ls_agones_lane lane, uint64_t now_ns);

/* Notes that a request was answered. True: a request was failing until now, and none is any
 * more. */
bool ls_agones_plan_succeed(ls_agones_plan *plan, ls_agones_request request);
/* Notes that a request failed, and wants it again. True: no request was failing before. */
bool ls_agones_plan_fail(ls_agones_plan *plan, ls_agones_request request, uint64_t now_ns);

#endif
