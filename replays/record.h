/* The byte form of a recording (docs/replay-format.md): a prefix, then records, each closed by a
 * checksum that covers the eight bytes in front of it too. So the checksums form a chain, and yet
 * any record can be checked where it lies. Pure functions of bytes; no files here. */
#ifndef LS_RECORD_H
#define LS_RECORD_H

#include "core/match.h"

/* Raised by any change that an older reader would misread. */
#define LS_RECORDING_FORMAT_VERSION 2

#define LS_RECORDING_MAGIC_BYTES  8
#define LS_RECORDING_PREFIX_BYTES 20 /* magic, u32 format version, u64 salt */
#define LS_RECORDING_TEXT_BYTES   128
/* About 40 hours of a match of eight players at 60 ticks a second. Larger files are refused. */
#define LS_RECORDING_FILE_BYTES_MAX ((size_t)1 << 30)
/* A match is simulated behind its frames: a frame is on the disk before the roots of up to so many
 * ticks in front of it and its own are known. Writer and reader hold it. */
#define LS_RECORDING_LAG_TICKS_MAX 4096
/* Roots in one record. */
#define LS_RECORD_ROOTS_MAX 64

enum {
    LS_RECORD_HEAD_BYTES = 5, /* u32 payload bytes, u8 type */
    LS_RECORD_CHECKSUM_BYTES = 8,
    LS_RECORD_ROOTS_PAYLOAD_MAX = 1 + 8 * LS_RECORD_ROOTS_MAX,
    LS_RECORD_FRAME_PAYLOAD_MAX = 8 + LS_RECORD_ROOTS_PAYLOAD_MAX + LS_FRAME_BYTES_MAX,
    LS_RECORD_CLOSING_PAYLOAD_MAX = 9 + LS_RECORD_ROOTS_PAYLOAD_MAX,
    LS_RECORD_EPOCH_PAYLOAD = 20,
    LS_RECORD_HEADER_PAYLOAD_MAX = 80 + 8 * LS_OPTIONS_MAX + 3 * LS_RECORDING_TEXT_BYTES,
    /* The longest record that this version writes. */
    LS_RECORD_BYTES_MAX =
        LS_RECORD_HEAD_BYTES + LS_RECORD_FRAME_PAYLOAD_MAX + LS_RECORD_CHECKSUM_BYTES,
    /* What a reader believes of a record of a type that it does not know. */
    LS_RECORD_PAYLOAD_MAX = 64 << 20,
};

/* 0 is never a type, so that zeros are never a record. A reader skips unknown types with the top
 * bit and refuses unknown types without it. */
typedef enum ls_record_type {
    LS_RECORD_HEADER = 1,
    LS_RECORD_FRAME = 2,
    LS_RECORD_CLOSING = 3,
    LS_RECORD_ROOTS = 4,
    LS_RECORD_EPOCH = 5,
    LS_RECORD_SKIPPABLE = 0x80,
} ls_record_type;

/* Which code moves the match: all of it must be equal for a replay to be exact. */
typedef struct ls_recording_simulation {
    uint32_t rules_version; /* of the engine */
    uint8_t fingerprint[16];
    char name[LS_RECORDING_TEXT_BYTES];
    char version[LS_RECORDING_TEXT_BYTES]; /* told to people, never compared */
} ls_recording_simulation;

typedef struct ls_recording_header {
    uint64_t salt; /* random and secret until the match is over: see ls_record_verify */
    ls_recording_simulation simulation;
    ls_match match;
    uint64_t first_tick;                 /* of the first frame; 0 for a match from its start */
    uint8_t server_key[32];              /* Ed25519 identity, or zeros */
    int64_t created_unix_s;              /* told to people */
    char build[LS_RECORDING_TEXT_BYTES]; /* compiler, CPU, version: told to people */
} ls_recording_header;

typedef enum ls_closing_reason {
    LS_CLOSING_FINISHED = 1,  /* the simulation ended the match */
    LS_CLOSING_DRAINED = 2,   /* the server was asked to stop */
    LS_CLOSING_ABANDONED = 3, /* nobody was left */
    LS_CLOSING_FAILED = 4,    /* the match could not go on */
} ls_closing_reason;

typedef struct ls_recording_closing {
    uint64_t tick_count; /* frames in this file */
    uint8_t reason;      /* enum ls_closing_reason, or one of a later version */
} ls_recording_closing;

/* A crashed match was taken up again. Until the first of these its epoch is 0. */
typedef struct ls_recording_epoch {
    uint64_t tick;  /* of the next frame */
    uint32_t epoch; /* higher than before */
    int64_t unix_s; /* told to people */
} ls_recording_epoch;

/* Roots of consecutive ticks as one record holds them; which ticks follows from their order. The
 * root of a tick is that of the world before it. */
typedef struct ls_record_roots {
    uint32_t count; /* 0..LS_RECORD_ROOTS_MAX */
    uint64_t values[LS_RECORD_ROOTS_MAX];
} ls_record_roots;

/* One record as it lies in a file. */
typedef struct ls_record {
    uint8_t type;
    uint32_t payload_bytes;
    const uint8_t *payload; /* into the file's bytes */
    size_t bytes;           /* the whole record */
} ls_record;

/* The lowercase word for a reason; "unknown" for others. */
const char *ls_closing_reason_name(uint8_t reason);

/* Writes prefix and header record, the start of a file, into an empty writer.
 *   errors  USAGE when a text or the match is outside its limits, naming it */
ls_status ls_record_encode_header(const ls_recording_header *header, ls_writer *writer,
                                  ls_error *error) LS_MUST_USE;

/* Append one record to a writer whose last eight bytes are those that precede it in the file.
 * `salt` is the header's. Overflow sets writer->failed; asserts that eight bytes precede. */
void ls_record_encode_frame(const ls_frame *frame, const ls_record_roots *roots, uint64_t salt,
                            ls_writer *writer);
void ls_record_encode_roots(const ls_record_roots *roots, uint64_t salt, ls_writer *writer);
void ls_record_encode_epoch(const ls_recording_epoch *epoch, uint64_t salt, ls_writer *writer);
void ls_record_encode_closing(const ls_recording_closing *closing, const ls_record_roots *roots,
                              uint64_t salt, ls_writer *writer);

/* Reads prefix and header record from the start of a file and leaves file->offset behind them.
 *   errors  CORRUPT when this is no recording or its header is damaged, INCOMPATIBLE for another
 *           format version; the text begins with `name` */
ls_status ls_record_decode_header(const char *name, ls_reader *file, ls_recording_header *header,
                                  ls_error *error) LS_MUST_USE;

/* The claim that a record makes at `offset`: false when its head is cut off, its type is 0 or its
 * length is over what its type allows. Says nothing about the payload being there. */
bool ls_record_peek(const ls_reader *file, size_t offset, ls_record *record) LS_MUST_USE;

/* True when a whole record with the right checksum lies at `offset` (>= 8). The salt enters every
 * checksum because inputs are bytes that a player chose: without it they could pass for a record
 * when a reader searches behind a damage. Not for the header record. */
bool ls_record_verify(const ls_reader *file, size_t offset, uint64_t salt,
                      ls_record *record) LS_MUST_USE;

/* Payload of a verified record -> values; false when it breaks its form. A frame's inputs (capacity
 * LS_FRAME_INPUTS_MAX) point into the record. */
bool ls_record_decode_frame(const ls_record *record, uint32_t player_count, ls_input *inputs,
                            ls_frame *frame, ls_record_roots *roots) LS_MUST_USE;
bool ls_record_decode_roots(const ls_record *record, ls_record_roots *roots) LS_MUST_USE;
bool ls_record_decode_epoch(const ls_record *record, ls_recording_epoch *epoch) LS_MUST_USE;
bool ls_record_decode_closing(const ls_record *record, ls_recording_closing *closing,
                              ls_record_roots *roots) LS_MUST_USE;

#endif
