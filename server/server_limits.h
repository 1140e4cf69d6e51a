/* Every bound, budget and patience that the server watches on its own; what both sides of the wire
 * must agree on is in proto/limits.h. */
#ifndef LS_SERVER_LIMITS_H
#define LS_SERVER_LIMITS_H

#include "proto/limits.h"

#define LS_SECOND_NS UINT64_C(1000000000)

/* Pace: ticks closed in one step, beyond which the schedule skips forward; how often un-acked ticks
 * go out at least; the longest sleep of a server that waits; the time for stragglers at the end,
 * and then for their last word to leave. */
#define LS_SERVER_CATCH_UP_TICKS 4
#define LS_SERVER_RESEND_NS      (LS_SECOND_NS / 60)
#define LS_SERVER_IDLE_STEP_NS   (LS_SECOND_NS / 20)
#define LS_SERVER_LINGER_NS      (2 * LS_SECOND_NS)
#define LS_SERVER_FAREWELL_NS    (LS_SECOND_NS / 4)

/* Kept for others: frames for gaps and late joins, own roots for the referee, snapshots (the newest
 * and the one that transfers may still be pulling) and the ticks after which one is too old. */
#define LS_SERVER_RING_TICKS     LS_GAP_TICKS_MAX
#define LS_SERVER_ROOTS          1024
#define LS_SERVER_SNAPSHOTS      2
#define LS_SERVER_SNAPSHOT_TICKS 120

/* Peers: from the connection to CONFIRM; without authenticated data before LEAVE; HELLOs and AUTHs
 * of one connection; AUTHs of all together, 130 us of work each; packets of one session that fail
 * to open in one minute before it ends; messages of one session, above what its ticks need. */
#define LS_SERVER_HANDSHAKE_NS   (5 * LS_SECOND_NS)
#define LS_SERVER_SILENCE_NS     (10 * LS_SECOND_NS)
#define LS_SERVER_HELLOS_MAX     16
#define LS_SERVER_AUTHS_PER_S    200
#define LS_SERVER_OPENS_FAILED   1000
#define LS_SERVER_MESSAGES_PER_S 400

/* Inputs: waiting in one seat (a full one takes no more, the client repeats); ticks that one may
 * wish for in advance; of one session a second and at once; over that for so long: KICK. */
#define LS_SERVER_INPUT_QUEUE  64
#define LS_SERVER_INPUT_AHEAD  60
#define LS_SERVER_INPUTS_PER_S 120 /* and two a tick */
#define LS_SERVER_FLOOD_NS     (5 * LS_SECOND_NS)

/* Answers, in bytes a second of one session; what exceeds them is asked for again. */
#define LS_SERVER_GAP_BYTES_PER_S      (1u << 20)
#define LS_SERVER_SNAPSHOT_BYTES_PER_S (8u << 20)
#define LS_SERVER_SNAPSHOT_BYTES_ALL   (32u << 20)

/* The referee waits so long for reports of earlier ticks to arrive. */
#define LS_SERVER_DESYNC_GRACE_NS (LS_SECOND_NS / 4)

/* Log lines that a stranger can cause. */
#define LS_SERVER_LOG_LINES_PER_S 20
#define LS_SERVER_LOG_BURST       200
#define LS_SERVER_LOG_BYTES       640

#endif
