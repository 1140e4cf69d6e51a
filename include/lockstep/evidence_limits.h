/* Limits of the evidence of a desync (proto/evidence_message.h), on the wire and of both sides: a
 * part of include/lockstep/limits.h, which includes it. docs/protocol.md says what happens beyond
 * each. */
#ifndef LS_EVIDENCE_LIMITS_H
#define LS_EVIDENCE_LIMITS_H

/* Bytes of an answer; columns (LS_CELLS_COLUMNS_MAX) and pages of a request; ticks of frames that
 * both sides compare by a digest. */
#define LS_EVIDENCE_ANSWER_BYTES_MAX (64u << 10)
#define LS_EVIDENCE_COLUMNS_MAX      130
#define LS_EVIDENCE_CELLS_MAX        64
#define LS_EVIDENCE_INPUT_TICKS      64

/* The server's limits, in this order: how long it keeps states by default and at most, and in how
 * much memory; how long its simulation may take to reach a verdict; how long one client is asked,
 * and how often for the same chunk; inquiries of a room in a match, and those open at once. A
 * session or seat is asked once, one at a time, no longer than a client pins its state. A liar
 * therefore costs two copies of the state and the answers of one inquiry (server/state_exchange.h).
 */
#define LS_SERVER_EVIDENCE_MS        1000
#define LS_SERVER_EVIDENCE_MS_MAX    10000
#define LS_SERVER_EVIDENCE_BYTES     ((size_t)256 << 20)
#define LS_SERVER_EVIDENCE_STATE_NS  (2 * LS_SECOND_NS)
#define LS_SERVER_EVIDENCE_NS        (2 * LS_SECOND_NS)
#define LS_SERVER_EVIDENCE_RESEND_NS (LS_SECOND_NS / 8)
#define LS_SERVER_INQUIRIES          8
#define LS_SERVER_INQUIRIES_OPEN     4

/* Files of evidence of one server, in all its rooms and as long as it runs; bytes of one of them,
 * and of all. */
#define LS_SERVER_EVIDENCE_FILES      256
#define LS_SERVER_EVIDENCE_FILE_BYTES (32u << 20)
#define LS_SERVER_EVIDENCE_DISK_BYTES (512u << 20)

/* The client's limits, in this order: how long it keeps states of confirmed ticks, by default and
 * at most, and in how much memory; how long it keeps the state in question pinned; answers of up to
 * LS_EVIDENCE_ANSWER_BYTES_MAX in a second; ticks for which it keeps the hash of the frame. */
#define LS_CLIENT_EVIDENCE_MS      1000
#define LS_CLIENT_EVIDENCE_MS_MAX  10000
#define LS_CLIENT_EVIDENCE_BYTES   (64u << 20)
#define LS_CLIENT_EVIDENCE_PIN_NS  (10 * LS_SECOND_NS)
#define LS_CLIENT_EVIDENCE_ANSWERS 40
#define LS_CLIENT_EVIDENCE_RAN     1024

#endif
