/* Limits of the evidence of a desync (proto/evidence_message.h): on the wire, at the server and at
 * the client. A part of include/lockstep/limits.h, which includes this file. docs/protocol.md says
 * what happens beyond each limit. */
#ifndef LS_EVIDENCE_LIMITS_H
#define LS_EVIDENCE_LIMITS_H

/* Bytes of an answer; columns (LS_CELLS_COLUMNS_MAX) and pages of a request; the last frames before
 * a tick that both sides compare by a digest. */
#define LS_EVIDENCE_ANSWER_BYTES_MAX (64u << 10)
#define LS_EVIDENCE_COLUMNS_MAX      130
#define LS_EVIDENCE_CELLS_MAX        64
#define LS_EVIDENCE_INPUT_TICKS      64

/* The server keeps states for this time by default, and at most; and in this memory: */
#define LS_SERVER_EVIDENCE_MS     1000
#define LS_SERVER_EVIDENCE_MS_MAX 10000
#define LS_SERVER_EVIDENCE_BYTES  ((size_t)256 << 20)
/* Its simulation must begin to look up the state in question within: */
#define LS_SERVER_EVIDENCE_STATE_NS (2 * LS_SECOND_NS)
/* From the first request to the last answer of one client; a chunk is requested again after: */
#define LS_SERVER_EVIDENCE_NS        (2 * LS_SECOND_NS)
#define LS_SERVER_EVIDENCE_RESEND_NS (LS_SECOND_NS / 8)
/* Inquiries of a room in a match, and those open at once. A session or seat is asked once, one at a
 * time, for less time than a client pins its state. So a lying client costs two copies of the state
 * and the answers of one inquiry (server/state_exchange.h). */
#define LS_SERVER_INQUIRIES      8
#define LS_SERVER_INQUIRIES_OPEN 4

/* Evidence files that one server writes, over all its rooms and its whole run: count, bytes of one
 * file, bytes of all files. */
#define LS_SERVER_EVIDENCE_FILES      256
#define LS_SERVER_EVIDENCE_FILE_BYTES (32u << 20)
#define LS_SERVER_EVIDENCE_DISK_BYTES (512u << 20)

/* The client keeps states of confirmed ticks for this time by default, and at most; and in this
 * memory: */
#define LS_CLIENT_EVIDENCE_MS     1000
#define LS_CLIENT_EVIDENCE_MS_MAX 10000
#define LS_CLIENT_EVIDENCE_BYTES  (64u << 20)
/* It pins the state in question for: */
#define LS_CLIENT_EVIDENCE_PIN_NS (10 * LS_SECOND_NS)
/* Its answers of up to LS_EVIDENCE_ANSWER_BYTES_MAX in a second: */
#define LS_CLIENT_EVIDENCE_ANSWERS 40
/* The last ticks whose frame hashes it keeps: */
#define LS_CLIENT_EVIDENCE_FRAMES 1024

#endif
