/* The struct of a recorder, and functions that its sources share. Private to this folder. */
#ifndef LS_RECORDER_INTERNAL_H
#define LS_RECORDER_INTERNAL_H

#include "proto/running_hash.h"
#include "replays/record.h"
#include "replays/state_memory.h"
#include <lockstep/recorder.h>

enum { CHAIN_BYTES = LS_RECORD_CHECKSUM_BYTES, NAME_BYTES = 256 };

/* `buffer` starts with the last eight bytes of the file. The record to append is encoded after
 * them, because its checksum covers both. */
struct ls_recorder {
    ls_sink sink;
    uint64_t salt;
    uint32_t player_count;
    uint64_t first_tick;
    uint64_t next_tick;
    uint64_t synced_tick;
    uint64_t root_tick;                   /* tick of the next root */
    uint64_t next_keyframe, next_columns; /* lowest valid ticks of the next such records */
    uint64_t full_tick; /* tick of the last full keyframe appended; UINT64_MAX: none */
    uint64_t bytes;
    uint64_t whole_bytes; /* size of all complete records */
    uint32_t epoch;
    bool is_open;    /* the sink is not closed yet */
    bool is_syncing; /* a ticket is in use */
    bool failed;
    bool has_key, signs; /* the header has a key; `identity` has its secret half */
    ls_public_key key;
    ls_identity identity;
    ls_running_hash hash; /* hash of the whole records, if the header has a key */
    uint64_t signed_tick, signed_bytes;
    ls_error failure;
    char name[NAME_BYTES];
    ls_record_roots roots;  /* roots that wait for the next record; the last is of root_tick - 1 */
    ls_state_memory states; /* of the previous frame; its pointers refer to `kept` */
    uint8_t kept[LS_PLAYERS_MAX][LS_STATE_BYTES_MAX];
    uint8_t buffer[CHAIN_BYTES + LS_RECORD_BYTES_MAX];
};

/* Appends the writer's record, which includes the waiting roots. */
ls_status ls_recorder_append_with_roots(ls_recorder *recorder, const ls_writer *writer,
                                        ls_error *error);

/* Copies the states of a frame to `kept`. */
void ls_recorder_keep_states(ls_recorder *recorder, const ls_state_memory *memory);

/* Marks the recording as failed for good; the message says how much of it is readable. */
ls_status ls_recorder_fail(ls_recorder *recorder, int code, const char *doing, ls_error *error);
/* Returns the error of a failed recording to every later call. */
ls_status ls_recorder_refuse_failed(const ls_recorder *recorder, ls_error *error);
/* A writer in the recorder's buffer, after the chain bytes, for one record of a tick. */
void ls_recorder_writer_init(ls_recorder *recorder, ls_writer *writer);
/* Writes the writer's bytes from `from` on to the sink, and keeps the last eight for the next
 * record's checksum. */
ls_status ls_recorder_append_record(ls_recorder *recorder, const ls_writer *writer, size_t from,
                                    ls_error *error);

#endif
