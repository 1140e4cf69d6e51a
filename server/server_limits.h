/* Every bound, budget and patience that the server watches on its own; what both sides of the wire
 * must agree on is in proto/limits.h. */
#ifndef LS_SERVER_LIMITS_H
#define LS_SERVER_LIMITS_H

#include "proto/limits.h"

#define LS_SECOND_NS UINT64_C(1000000000)

/* Pace: ticks closed in one step, beyond which the schedule skips forward; how often un-acked ticks
 * go out at least; the longest sleep of a server that waits; the time for stragglers at the end,
 * then for their last word to leave, and when all is over for it to arrive. */
#define LS_SERVER_CATCH_UP_TICKS 4
#define LS_SERVER_RESEND_NS      (LS_SECOND_NS / 60)
/* How often what may have run out is looked at. */
#define LS_SERVER_LOOK_NS      (LS_SECOND_NS / 10)
#define LS_SERVER_IDLE_STEP_NS (LS_SECOND_NS / 20)
#define LS_SERVER_LINGER_NS    (2 * LS_SECOND_NS)
#define LS_SERVER_FAREWELL_NS  (LS_SECOND_NS / 4)
#define LS_SERVER_CLOSING_NS   (2 * LS_SECOND_NS)

/* Kept for others: frames for gaps and late joins, own roots for the referee, reports of a client
 * that came before there was a root to compare them with, snapshots, the time for which one stays
 * that somebody is pulling, and the match time after which the newest is too old for a newcomer. */
#define LS_SERVER_RING_TICKS       LS_GAP_TICKS_MAX
#define LS_SERVER_ROOTS            1024
#define LS_SERVER_REPORTS_HELD     32
#define LS_SERVER_SNAPSHOTS        4
#define LS_SERVER_SNAPSHOT_KEEP_NS (2 * LS_SECOND_NS)
#define LS_SERVER_SNAPSHOT_AGE_MS  500
/* However much it is asked for: nobody shall keep newcomers from a snapshot that they can use. */
#define LS_SERVER_SNAPSHOT_LIFE_NS (15 * LS_SECOND_NS)

/* Rooms of one process; simulation behind a room's ticks, by default, before it is given up (at
 * most what the ring of frames holds); a room that a client named and nobody entered. */
#define LS_SERVER_ROOMS_MAX 1024
#define LS_SERVER_LAG_NS    (10 * LS_SECOND_NS)
#define LS_SERVER_UNUSED_NS (10 * LS_SECOND_NS)

/* The gate. HELLOs of all and of one /24 (they share LS_SERVER_BUCKETS buckets by a keyed hash);
 * AUTHs of all, 130 us of work each, of one host, and of one host at once (all players of a match
 * may sit behind one address); answered AUTHs whose connection has not confirmed, how long each may
 * take from its newest answer and from its first; connect tokens remembered until they expire. */
#define LS_SERVER_HELLOS_PER_S         50000
#define LS_SERVER_HELLOS_PER_NETWORK_S 200
#define LS_SERVER_BUCKETS              1024
#define LS_SERVER_AUTHS_PER_S          1000
#define LS_SERVER_AUTHS_PER_HOST_S     20
#define LS_SERVER_AUTHS_PER_HOST       256
#define LS_SERVER_PENDING              2048
#define LS_SERVER_HANDSHAKE_NS         (5 * LS_SECOND_NS)
#define LS_SERVER_HANDSHAKE_MAX_NS     (10 * LS_SECOND_NS)
#define LS_SERVER_USED_TOKENS          16384

/* Peers: without authenticated data before LEAVE; packets of one session that fail to open in one
 * minute before it ends; messages of one session, above what its ticks need. */
#define LS_SERVER_SILENCE_NS     (10 * LS_SECOND_NS)
#define LS_SERVER_OPENS_FAILED   1000
#define LS_SERVER_MESSAGES_PER_S 400

/* Inputs: waiting in one seat (a full one takes no more, the client repeats); ticks that one may
 * wish for in advance; of one session a second and at once; over that for so long: KICK. */
#define LS_SERVER_INPUT_QUEUE  64
#define LS_SERVER_INPUT_BYTES  2048
#define LS_SERVER_STATES       64
#define LS_SERVER_INPUT_AHEAD  60
#define LS_SERVER_INPUTS_PER_S 120 /* and two a tick */
#define LS_SERVER_FLOOD_NS     (5 * LS_SECOND_NS)

/* Answers, in bytes a second of one session; what exceeds them is asked for again. */
#define LS_SERVER_GAP_BYTES_PER_S      (1u << 20)
#define LS_SERVER_SNAPSHOT_BYTES_PER_S (8u << 20)
#define LS_SERVER_SNAPSHOT_BYTES_ALL   (32u << 20)

/* Pauses that one seat may ask for in a match. */
#define LS_SERVER_PAUSES 8

/* The referee waits so long for reports of earlier ticks to arrive. */
#define LS_SERVER_DESYNC_GRACE_NS (LS_SECOND_NS / 4)
/* A client that is to load a snapshot has begun to ask for it after so long, or is kicked. */
#define LS_SERVER_RELOAD_NS (10 * LS_SECOND_NS)

/* Log lines that a stranger can cause. */
#define LS_SERVER_LOG_LINES_PER_S 20
#define LS_SERVER_LOG_BURST       200
#define LS_SERVER_LOG_BYTES       640

#endif
