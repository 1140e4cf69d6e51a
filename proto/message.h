/* The messages inside sealed packets. An encoder fills an ls_plain with type, channel and bytes; it
 * returns false when the message does not fit. A decoder takes hostile bytes: it accepts one byte
 * form per value (but frames can be packed in several ways), and any violation, also an extra byte,
 * drops the message. Decoded pointers point into the ls_plain and live as long as it does.
 *
 *   from    channel  message
 *   client  control  CONFIRM, BYE, PAUSE
 *   client  ticks    UPDATE (acks, inputs, roots), SNAPSHOT_REQUEST, EVIDENCE, REPORT
 *   server  ticks    TICKS, SNAPSHOT_CHUNK, EVIDENCE_REQUEST
 *   server  control  NOTICE (proto/notice.h) */
#ifndef LS_MESSAGE_H
#define LS_MESSAGE_H

#include "proto/frame_diff.h"
#include "proto/root_batch.h"

#include <lockstep/match.h>
#include <lockstep/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_message_type {
    LS_MESSAGE_CONFIRM = 1,
    LS_MESSAGE_BYE,
    LS_MESSAGE_UPDATE,
    LS_MESSAGE_SNAPSHOT_REQUEST,
    LS_MESSAGE_TICKS,
    LS_MESSAGE_SNAPSHOT_CHUNK,
    LS_MESSAGE_NOTICE,
    LS_MESSAGE_PAUSE,
    LS_MESSAGE_EVIDENCE_REQUEST, /* proto/evidence_message.h */
    LS_MESSAGE_EVIDENCE,
    LS_MESSAGE_REPORT, /* only with LS_CAPABILITY_REPORT */
} ls_message_type;

/* The most bytes of all bodies in one message, counted unpacked; a single body always fits. */
#define LS_TICKS_BODIES_BYTES_MAX (LS_MESSAGE_BYTES_MAX - 29)
/* Consecutive ticks for one client: the newest ones, or the answer to a gap request. */
typedef struct ls_ticks {
    uint64_t first;     /* tick of the oldest body */
    uint32_t count;     /* 1..LS_TICKS_MAX */
    uint32_t input_ack; /* highest sequence number of an order received from this client; 0: none */
    uint32_t root_ack;  /* the tick of the next root that the client must report, modulo 2^32 */
    uint32_t echo_us;   /* stamp_us of the newest UPDATE that the server received; 0: none yet */
    uint32_t held_us;   /* time since that UPDATE arrived: the round trip is now - echo - held */
    int32_t slack_us;   /* least time from a state's arrival to its tick's close in the last one to
                           two seconds; LS_SLACK_NONE: no state came */
    bool is_packed;     /* encode later bodies as differences, if that makes the message shorter */
    ls_ticks_body
        bodies[LS_TICKS_MAX]; /* newest first: bodies[i] is of tick first + count - 1 - i */
    uint8_t unpacked[LS_TICKS_BODIES_BYTES_MAX]; /* decoded bodies may point into this */
} ls_ticks;
#define LS_SLACK_NONE INT32_MAX
LS_API bool ls_ticks_encode(const ls_ticks *ticks, ls_plain *plain) LS_MUST_USE;
/* Afterwards every body is a valid frame for `player_count`: ls_frame_decode cannot fail on it. The
 * bodies point into `plain` and `ticks`: keep both, and copy neither. */
LS_API bool ls_ticks_decode(const ls_plain *plain, uint32_t player_count,
                            ls_ticks *ticks) LS_MUST_USE;

typedef struct ls_update_input {
    uint32_t sequence; /* from 1, rising by one from input to input */
    uint64_t tick;     /* the tick that the client wishes; 0: the first open one */
    uint16_t bytes;    /* 1..LS_INPUT_BYTES_MAX */
    const uint8_t *data;
} ls_update_input;
/* The message that a client sends each tick. */
typedef struct ls_update {
    uint64_t ack;         /* the next tick that the client wants */
    uint64_t gap_first;   /* >= ack; the first missing tick, requested again at once */
    uint32_t gap_count;   /* 0..LS_GAP_TICKS_MAX; 0: none, and gap_first is 0 */
    uint32_t stamp_us;    /* of the client's clock, any start; TICKS return it as echo_us */
    uint32_t congestion;  /* the level of the client's line: proto/congestion_level.h */
    uint32_t input_count; /* of orders */
    ls_update_input inputs[LS_UPDATE_INPUTS_MAX]; /* orders not acknowledged yet, oldest first */
    /* Roots of the world before tick root_first and before each later tick, up to `ack`. */
    uint64_t root_first;  /* >= ack - LS_UPDATE_ROOT_AGE_MAX; 0 when there is none */
    uint32_t root_count;  /* 0..LS_UPDATE_ROOTS_MAX */
    uint32_t batch_count; /* 2..LS_ROOT_BATCH_MAX: roots[0] stands for the roots of this number of
                             ticks (proto/root_batch.h); 0: no batch */
    bool roots_begin;     /* the client will report no root of an earlier tick */
    uint64_t roots[LS_UPDATE_ROOTS_MAX];
    /* State inputs of consecutive ticks, each of the simulation's state_bytes. */
    uint64_t state_first;  /* 0 when there is none */
    uint32_t state_count;  /* 0..LS_UPDATE_STATES_MAX */
    uint32_t state_bytes;  /* of one state, an argument of the decoder; 0: no states */
    const uint8_t *states; /* oldest first */
} ls_update;
#define LS_UPDATE_ROOT_AGE_MAX UINT16_MAX
/* Returns how many inputs, oldest first, fit beside the other parts; at least one, if any. */
LS_API uint32_t ls_update_inputs_fit(const ls_update *update);
LS_API bool ls_update_encode(const ls_update *update, ls_plain *plain) LS_MUST_USE;
LS_API bool ls_update_decode(const ls_plain *plain, uint32_t state_bytes,
                             ls_update *update) LS_MUST_USE;

typedef struct ls_snapshot_request {
    uint64_t tick;   /* of the snapshot, as its chunks name it; 0: the newest snapshot */
    uint32_t offset; /* < LS_SNAPSHOT_BYTES_MAX */
    uint32_t bytes;  /* 1..LS_SNAPSHOT_REQUEST_BYTES_MAX */
} ls_snapshot_request;
LS_API void ls_snapshot_request_encode(const ls_snapshot_request *request, ls_plain *plain);
LS_API bool ls_snapshot_request_decode(const ls_plain *plain,
                                       ls_snapshot_request *request) LS_MUST_USE;

typedef struct ls_snapshot_chunk {
    uint64_t tick;
    uint32_t total_bytes; /* size of the packed snapshot (proto/pack.h), 1..LS_SNAPSHOT_BYTES_MAX */
    uint32_t raw_bytes;   /* size of the unpacked snapshot, 1..LS_SNAPSHOT_BYTES_MAX */
    uint32_t offset;
    uint32_t bytes; /* 1..LS_CHUNK_BYTES_MAX, offset + bytes <= total_bytes */
    const uint8_t *data;
} ls_snapshot_chunk;
LS_API void ls_snapshot_chunk_encode(const ls_snapshot_chunk *chunk, ls_plain *plain);
LS_API bool ls_snapshot_chunk_decode(const ls_plain *plain, ls_snapshot_chunk *chunk) LS_MUST_USE;

/* The client's last message. A failed client sends LS_BYE_FAILED and the reason. */
#define LS_BYE_FAILED "cannot go on: "
typedef struct ls_bye {
    char text[LS_REASON_BYTES]; /* why; may be empty */
} ls_bye;
LS_API void ls_bye_encode(const ls_bye *bye, ls_plain *plain);
LS_API bool ls_bye_decode(const ls_plain *plain, ls_bye *bye) LS_MUST_USE;
LS_API const char *ls_bye_failure(const ls_bye *bye); /* the reason, inside *bye; or NULL */
/* A player asks to pause or continue the match. The answer is in a frame of the tick stream:
 * LS_PAUSE or LS_RESUME with the player. A refused request has no answer. */
LS_API void ls_pause_encode(bool wants_pause, ls_plain *plain);
LS_API bool ls_pause_decode(const ls_plain *plain, bool *wants_pause) LS_MUST_USE;
/* The measurements of a client, for the metrics of the server. */
#define LS_REPORT_NONE UINT16_MAX
typedef struct ls_line_report {
    uint32_t rtt_us;        /* smoothed; 0: not known */
    uint16_t loss_permille; /* 0..1000, of the server's packets on the tick channel, smoothed */
    uint16_t delay_ticks; /* the longest since the last report, from the world's tick when an input
                             was given to the tick that has the input; LS_REPORT_NONE: no input */
    uint16_t rollback_ticks; /* the most rolled back at once since the last report; LS_REPORT_NONE:
                                the client does not predict */
} ls_line_report;
LS_API void ls_line_report_encode(const ls_line_report *report, ls_plain *plain);
LS_API bool ls_line_report_decode(const ls_plain *plain, ls_line_report *report) LS_MUST_USE;
/* The client's first sealed message; its seal proves that the client has the keys. */
LS_API void ls_confirm_encode(ls_plain *plain);
LS_API bool ls_confirm_decode(const ls_plain *plain) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
