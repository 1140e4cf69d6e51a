/* Every bound and patience that the client watches on its own; what both sides of the wire must
 * agree on is in proto/limits.h. */
#ifndef LS_CLIENT_LIMITS_H
#define LS_CLIENT_LIMITS_H

#include "proto/limits.h"

#define LS_CLIENT_SECOND_NS UINT64_C(1000000000)

/* From the first step to the ACCEPT; before HELLO or AUTH is sent again; without authenticated data
 * before the server is lost; of silence before a sign of life is asked for. */
#define LS_CLIENT_HANDSHAKE_NS (10 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_REPEAT_NS    (2 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_SILENCE_NS   (10 * LS_CLIENT_SECOND_NS)
#define LS_CLIENT_PING_NS      LS_CLIENT_SECOND_NS

/* Ticks: kept ahead of the own world (further on is dropped); so far behind the server a snapshot
 * is pulled again; advanced in one step; the longest time between updates; before a gap is asked
 * for again; unanswered for so long a snapshot is pulled instead. */
#define LS_CLIENT_RING_TICKS   LS_GAP_TICKS_MAX
#define LS_CLIENT_BEHIND_TICKS 550
#define LS_CLIENT_STEP_TICKS   64
#define LS_CLIENT_UPDATE_NS    (LS_CLIENT_SECOND_NS / 20)
#define LS_CLIENT_GAP_NS       (LS_CLIENT_SECOND_NS / 10)
#define LS_CLIENT_GAP_LOST_NS  (5 * LS_CLIENT_SECOND_NS)

/* Inputs un-acknowledged, beyond which ls_client_submit answers LIMIT. */
#define LS_CLIENT_INPUT_QUEUE 64

/* Snapshots: requests under way, bytes of one, before it is sent again; snapshots begun in a row
 * without ever reaching the head before the server counts as lost. */
#define LS_CLIENT_RANGES         4
#define LS_CLIENT_RANGE_BYTES    (32u << 10)
#define LS_CLIENT_RANGE_NS       (LS_CLIENT_SECOND_NS / 4)
#define LS_CLIENT_SNAPSHOT_TRIES 4

#define LS_CLIENT_LOG_BYTES 512

#endif
