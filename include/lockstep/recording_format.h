/* The limits of a recording and the values of its records (docs/replay-format.md). replays/record.h
 * has the byte form, include/lockstep/recorder.h writes and include/lockstep/recording.h reads. */
#ifndef LS_RECORDING_FORMAT_H
#define LS_RECORDING_FORMAT_H

#include <lockstep/match.h>

/* Raised by any change that an older reader would misread. */
#define LS_RECORDING_FORMAT_VERSION 3

#define LS_RECORDING_MAGIC_BYTES     8
#define LS_RECORDING_PREFIX_BYTES    20 /* magic, u32 format version, u64 salt */
#define LS_RECORDING_TEXT_BYTES      128
#define LS_RECORDING_SIGNATURE_BYTES 64
/* About 20 hours of a match of eight players at 60 ticks a second. Larger files are refused. */
#define LS_RECORDING_FILE_BYTES_MAX ((size_t)1 << 30)
/* The files of one match after its first: a disk that fails more often is given up. */
#define LS_RECORDING_SEGMENTS_MAX 99
/* A match is simulated after its frames are written: at most this many roots may be missing before
 * a frame. Writer and reader enforce it. */
#define LS_RECORDING_LAG_TICKS_MAX 4096
/* The frame of every tick that is a multiple of this repeats no state of the previous frame:
 * reading may begin there. */
#define LS_RECORDING_FRESH_TICKS 64
/* Roots in one record. */
#define LS_RECORD_ROOTS_MAX 64
/* Column hashes in one record. */
#define LS_RECORD_COLUMNS_MAX 4096
/* Bytes of one packed keyframe, and of one body of evidence. */
#define LS_KEYFRAME_BYTES_MAX ((size_t)32 << 20)
#define LS_EVIDENCE_BYTES_MAX ((size_t)16 << 20)

/* The code of a match: all of it must be equal for an exact replay. */
typedef struct ls_recording_simulation {
    uint32_t rules_version; /* of the engine */
    uint8_t fingerprint[16];
    uint64_t schema; /* ls_program_schema(), or 0; a part of the fingerprint */
    char name[LS_RECORDING_TEXT_BYTES];
    char version[LS_RECORDING_TEXT_BYTES]; /* for people, never compared */
} ls_recording_simulation;

typedef struct ls_recording_header {
    uint64_t salt; /* random and secret until the match is over: see ls_record_verify */
    ls_recording_simulation simulation;
    ls_match match;
    uint64_t first_tick;  /* of the first frame; over 0 a keyframe of it comes first */
    uint32_t first_epoch; /* of the room at that tick */
    uint32_t segment; /* number of the file in its match: 0, then 1, 2, ... after a disk failure */
    uint64_t origin;  /* salt of the match's first file; of that one, and when it is not known,
                       * 0 */
    uint8_t server_key[32];              /* Ed25519 identity, or zeros */
    int64_t created_unix_s;              /* for people */
    char build[LS_RECORDING_TEXT_BYTES]; /* compiler, CPU, version: for people */
} ls_recording_header;

typedef enum ls_closing_reason {
    LS_CLOSING_FINISHED = 1,  /* the simulation ended the match */
    LS_CLOSING_DRAINED = 2,   /* the server was asked to stop */
    LS_CLOSING_ABANDONED = 3, /* no player was left */
    LS_CLOSING_FAILED = 4,    /* the match failed */
    LS_CLOSING_CUT = 5,       /* a part of a match: later ticks are elsewhere, or lost */
} ls_closing_reason;

typedef struct ls_recording_closing {
    uint64_t tick_count; /* frames in this file */
    uint8_t reason;      /* enum ls_closing_reason, or one of a later version */
} ls_recording_closing;

/* A crashed match was resumed. */
typedef struct ls_recording_epoch {
    uint64_t tick;  /* of the next frame */
    uint32_t epoch; /* higher than before */
    int64_t unix_s; /* for people */
} ls_recording_epoch;

/* The world before a tick, packed (replays/keyframe.h). It is made while the match goes on, so it
 * may follow the frames of its own and of later ticks. */
typedef struct ls_recording_keyframe {
    uint64_t tick;
    uint64_t
        base_tick; /* of the full keyframe that it is a delta against; = tick: it is full itself */
    uint64_t players; /* bit p: seat p is taken before the tick */
    bool is_paused;   /* the match is paused before it */
    const uint8_t *data;
    size_t bytes;
    uint64_t offset; /* of its record in the file; a reader sets it */
} ls_recording_keyframe;

/* The hash of each column of the world before a tick, in the order of ls_program_component(). */
typedef struct ls_recording_columns {
    uint64_t tick;
    uint32_t count;
    const uint8_t *data; /* count times eight bytes, little-endian: ls_recording_column() */
} ls_recording_columns;

/* Roots of consecutive ticks as one record holds them; which ticks follows from their order. The
 * root of a tick is that of the world before it. */
typedef struct ls_record_roots {
    uint32_t count; /* 0..LS_RECORD_ROOTS_MAX */
    uint64_t values[LS_RECORD_ROOTS_MAX];
} ls_record_roots;

/* The server vouches for all bytes before this record. */
typedef struct ls_recording_signature {
    uint64_t tick; /* the next frame's: the ticks below are signed */
    uint8_t bytes[LS_RECORDING_SIGNATURE_BYTES];
} ls_recording_signature;

/* The state of the previous file when its disk failed. With it, a signed later file also vouches
 * for the earlier one. */
typedef struct ls_recording_link {
    uint64_t salt;    /* its header's */
    uint64_t tick;    /* the tick after its last frame */
    uint64_t bytes;   /* its whole records */
    uint8_t hash[32]; /* of these bytes */
} ls_recording_link;

/* The lowercase word for a reason; "unknown" for others. */
const char *ls_closing_reason_name(uint8_t reason);

/* The hash of one column; asserts that there is one. */
uint64_t ls_recording_column(const ls_recording_columns *columns, uint32_t column);

#endif
