/* The limits of a recording and the values of its records (docs/replay-format.md). replays/record.h
 * defines the byte form, include/lockstep/recorder.h writes it and include/lockstep/recording.h
 * reads it. */
#ifndef LS_RECORDING_FORMAT_H
#define LS_RECORDING_FORMAT_H

#include <lockstep/match.h>

/* Rises with any change that an older reader would misread. */
#define LS_RECORDING_FORMAT_VERSION 3

#define LS_RECORDING_MAGIC_BYTES     8
#define LS_RECORDING_PREFIX_BYTES    20 /* magic, u32 format version, u64 salt */
#define LS_RECORDING_TEXT_BYTES      128
#define LS_RECORDING_ROOM_BYTES      33 /* with its terminating zero */
#define LS_RECORDING_SIGNATURE_BYTES 64
/* About 20 hours of a match of eight players at 60 ticks a second. Larger files are refused. */
#define LS_RECORDING_FILE_BYTES_MAX ((size_t)1 << 30)
/* The maximum of files after the first in one match. A disk that fails more often is given up. */
#define LS_RECORDING_SEGMENTS_MAX 99
/* Frames are written before they are simulated, so roots are missing at first: at most this number
 * before a frame. Writer and reader enforce it. */
#define LS_RECORDING_LAG_TICKS_MAX 4096
/* At ticks that are a multiple of this number, the frame does not refer to states of the previous
 * frame: reading may begin there. */
#define LS_RECORDING_FRESH_TICKS 64
/* The most roots in one record. */
#define LS_RECORD_ROOTS_MAX 64
/* The most column hashes in one record. */
#define LS_RECORD_COLUMNS_MAX 4096
/* The most bytes of one packed keyframe, and of one evidence record. */
#define LS_KEYFRAME_BYTES_MAX ((size_t)32 << 20)
#define LS_EVIDENCE_BYTES_MAX ((size_t)16 << 20)

/* The code of a match. An exact replay needs equal rules version and fingerprint. */
typedef struct ls_recording_simulation {
    uint32_t rules_version; /* of the engine */
    uint8_t fingerprint[16];
    uint64_t schema; /* ls_program_schema(), or 0; the fingerprint covers it */
    char name[LS_RECORDING_TEXT_BYTES];
    char version[LS_RECORDING_TEXT_BYTES]; /* for people, never compared */
} ls_recording_simulation;

typedef struct ls_recording_header {
    uint64_t salt; /* random, and secret until the match is over: see ls_record_verify */
    ls_recording_simulation simulation;
    ls_match match;
    uint64_t first_tick;  /* if not 0, the first record is a keyframe of that tick */
    uint32_t first_epoch; /* the room's epoch at that tick */
    uint32_t segment;     /* number of the file in its match: 0, then rises at each disk failure */
    /* Salt of the match's first file; 0 in the first file itself, and if that is not known. */
    uint64_t origin;
    uint8_t server_key[32];              /* Ed25519 identity, or zeros without one */
    int64_t created_unix_s;              /* for people */
    char build[LS_RECORDING_TEXT_BYTES]; /* compiler, CPU, version: for people */
    /* The room of the match, in a record of its own after the header. Only the match's first file
     * has it: `has_room` needs first_tick 0. */
    bool has_room;
    char room[LS_RECORDING_ROOM_BYTES]; /* "": the room without a name */
} ls_recording_header;

typedef enum ls_closing_reason {
    LS_CLOSING_FINISHED = 1,  /* the simulation ended the match */
    LS_CLOSING_DRAINED = 2,   /* the server was asked to stop */
    LS_CLOSING_ABANDONED = 3, /* no player was left */
    LS_CLOSING_FAILED = 4,    /* the match failed */
    LS_CLOSING_CUT = 5,       /* part of a match: later ticks are in another file, or lost */
} ls_closing_reason;

typedef struct ls_recording_closing {
    uint64_t tick_count; /* frames in this file */
    uint8_t reason;      /* enum ls_closing_reason, or one of a later version */
} ls_recording_closing;

/* Recorded when a crashed match is resumed. */
typedef struct ls_recording_epoch {
    uint64_t tick;  /* tick of the next frame */
    uint32_t epoch; /* higher than before */
    int64_t unix_s; /* for people */
} ls_recording_epoch;

/* The world before a tick, packed (replays/keyframe.h). It is packed while the match continues, so
 * its record may come after the frames of its own and of later ticks. */
typedef struct ls_recording_keyframe {
    uint64_t tick;
    /* Tick of the full keyframe that it is a delta of; equal to `tick` if it is full itself. */
    uint64_t base_tick;
    uint64_t players; /* bit p: seat p is occupied before the tick */
    bool is_paused;   /* the match is paused before the tick */
    const uint8_t *data;
    size_t bytes;
    /* Position of its record in the file; set by the reader. */
    uint64_t offset;
} ls_recording_keyframe;

/* The hash of each column of the world before a tick, in the order of ls_program_component(). */
typedef struct ls_recording_columns {
    uint64_t tick;
    uint32_t count;
    const uint8_t *data; /* count times eight bytes, little-endian: use ls_recording_column() */
} ls_recording_columns;

/* Roots of consecutive ticks in one record; their ticks follow from the order of records. The root
 * of a tick is the hash of the world before it. */
typedef struct ls_record_roots {
    uint32_t count; /* 0..LS_RECORD_ROOTS_MAX */
    uint64_t values[LS_RECORD_ROOTS_MAX];
} ls_record_roots;

/* The server's signature of all bytes before this record. */
typedef struct ls_recording_signature {
    uint64_t tick; /* tick of the next frame: lower ticks are signed */
    uint8_t bytes[LS_RECORDING_SIGNATURE_BYTES];
} ls_recording_signature;

/* The previous file of the match as it was when its disk failed. A signed later file thereby also
 * proves the earlier one. */
typedef struct ls_recording_link {
    uint64_t salt;    /* of its header */
    uint64_t tick;    /* the tick after its last frame */
    uint64_t bytes;   /* size of its whole records */
    uint8_t hash[32]; /* hash of those bytes */
} ls_recording_link;

/* The reason as a lowercase word; "unknown" for other values. */
LS_API const char *ls_closing_reason_name(uint8_t reason);

/* The hash of one column; asserts that `column` is in range. */
LS_API uint64_t ls_recording_column(const ls_recording_columns *columns, uint32_t column);

#endif
