/* Every bound and patience that the client watches on its own; what both sides of the wire must
 * agree on is in proto/limits.h. */
#ifndef LS_CLIENT_LIMITS_H
#define LS_CLIENT_LIMITS_H

#include "proto/limits.h"

#define LS_CLIENT_SECOND_NS UINT64_C(1000000000)

/* The way in. From the first step to the session; before HELLO or AUTH is sent again, at first and
 * at most, doubling between; AUTHs without an answer, or time without a connection, before a new
 * attempt; from a refusal, which anybody can forge, to giving up when nothing better came. */
#define LS_CLIENT_HANDSHAKE_NS  (10 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_REPEAT_NS     (LS_CLIENT_SECOND_NS / 4)
#define LS_CLIENT_REPEAT_MAX_NS LS_CLIENT_SECOND_NS
#define LS_CLIENT_AUTH_TRIES    5
#define LS_CLIENT_CARRIER_NS    (5 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_REJECT_NS     LS_CLIENT_SECOND_NS

/* Without authenticated data: before a sign of life is asked for, and asked for again; before the
 * session is resumed; before all is lost, for a client that resumes and for one that does not. */
#define LS_CLIENT_PING_NS            (LS_CLIENT_SECOND_NS / 2)
#define LS_CLIENT_PING_AGAIN_NS      (LS_CLIENT_SECOND_NS / 4)
#define LS_CLIENT_RESUME_NS          (3 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_RESUME_PATIENCE_NS (60 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_SILENCE_NS         (10 * LS_CLIENT_SECOND_NS)

/* Ticks: kept ahead of the own world (further on is dropped); so far behind the server a snapshot
 * is pulled again; advanced in one step; before a gap is asked for again; unanswered for so long a
 * snapshot is pulled instead. */
#define LS_CLIENT_RING_TICKS   LS_GAP_TICKS_MAX
#define LS_CLIENT_BEHIND_TICKS 550
#define LS_CLIENT_STEP_TICKS   64
#define LS_CLIENT_GAP_NS       (LS_CLIENT_SECOND_NS / 10)
#define LS_CLIENT_GAP_LOST_NS  (5 * LS_CLIENT_SECOND_NS)

/* Between two updates: at least, at most, and at most while orders or states wait. */
#define LS_CLIENT_UPDATE_LEAST_NS (LS_CLIENT_SECOND_NS / 250)
#define LS_CLIENT_UPDATE_NS       (LS_CLIENT_SECOND_NS / 20)
#define LS_CLIENT_INPUTS_NS       (LS_CLIENT_SECOND_NS / 60)

/* The loss is estimated over so many packets at a time; a round trip beyond this is none. */
#define LS_CLIENT_LOSS_PACKETS 128
#define LS_CLIENT_RTT_MAX_NS   (30 * LS_CLIENT_SECOND_NS)

/* Orders un-acknowledged, beyond which ls_client_submit answers LIMIT; orders kept: those, and as
 * many as may be acknowledged and wait in the server, whose session ends with them. */
#define LS_CLIENT_INPUT_QUEUE 64
#define LS_CLIENT_INPUTS_KEPT 128

/* States: proposed at most so many ticks ahead of the server's head, and kept; how long that stands
 * still, beside two ticks, before those that were left out are said too; the lead of a bot,
 * at first and at most; what must be left of the slack when the lead is lowered, and how long it
 * must have been there. */
#define LS_CLIENT_STATE_AHEAD    60
#define LS_CLIENT_STATES         64
#define LS_CLIENT_HEAD_NS        (LS_CLIENT_SECOND_NS / 4)
#define LS_CLIENT_LEAD_START     3
#define LS_CLIENT_LEAD_MAX       40
#define LS_CLIENT_LEAD_MARGIN_NS (LS_CLIENT_SECOND_NS / 100)
#define LS_CLIENT_LEAD_LOWER_NS  (2 * LS_CLIENT_SECOND_NS)

/* Snapshots: requests under way at first and at most, bytes of one, before it is sent again, and
 * that when later ones are answered; snapshots begun in a row without ever reaching the head before
 * the server counts as lost. */
#define LS_CLIENT_RANGES_START   4
#define LS_CLIENT_RANGES_MAX     32
#define LS_CLIENT_RANGE_BYTES    (32u << 10)
#define LS_CLIENT_RANGE_NS       (LS_CLIENT_SECOND_NS / 4)
#define LS_CLIENT_RANGE_QUICK_NS (LS_CLIENT_SECOND_NS / 50)
#define LS_CLIENT_SNAPSHOT_TRIES 4

/* Prediction: so long it needs to have been less far ahead before it is; ticks ahead of the
 * confirmed world at most; for how many ticks to come an input may
 * be known, and for so long a lost order is still hoped for. */
#define LS_CLIENT_AHEAD_NS      (2 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_PREDICT_TICKS 64
#define LS_CLIENT_GUESS_TICKS   128

/* Presentation events: ticks that can be under way at once, events held at once, and bytes of their
 * values. */
#define LS_CLIENT_EVENT_TICKS 128
#define LS_CLIENT_EVENTS      4096
#define LS_CLIENT_EVENT_BYTES (1u << 20)

/* The playout: arrivals that are remembered, and for how long; of one arrival so many ticks count;
 * so many decide that the path has changed; unevenness that is covered at most, and its cover falls
 * by 1 ns in so many; speed beside the even pace at most, which aims to make an error good in a
 * horizon; an error that is made good at once. Signed, as they are compared with what may be
 * negative. */
#define LS_CLIENT_PACE_SAMPLES    256
#define LS_CLIENT_PACE_WINDOW_NS  (4 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_PACE_NEWS       8
#define LS_CLIENT_PACE_NEWEST     32
#define LS_CLIENT_PACE_HORIZON_NS INT64_C(1000000000)
#define LS_CLIENT_DEPTH_MAX_NS    INT64_C(400000000)
#define LS_CLIENT_DEPTH_FALL      200
#define LS_CLIENT_SPEED_PPM       INT64_C(50000)
#define LS_CLIENT_SNAP_NS         INT64_C(500000000)

#define LS_CLIENT_LOG_BYTES 512

#endif
