/* A match in which every value is computed from its tick, so a test can check any value that it
 * reads. */
#ifndef LS_TEST_SAMPLE_H
#define LS_TEST_SAMPLE_H

#include "replays/record.h"
#include "replays/state_memory.h"
#include "tests/support/directory.h"
#include "tests/support/memory_sink.h"
#include <lockstep/identity.h>
#include <lockstep/recorder.h>
#include <lockstep/root_ring.h>

/* The frame of one tick with its storage. */
typedef struct sample_frame {
    ls_input inputs[8];
    uint8_t bytes[8][16];
    ls_frame frame;
} sample_frame;

ls_recording_header sample_header(void);
/* Returns a constant identity; its public half is the server key in the header. */
ls_identity sample_identity(void);
void sample_frame_init(sample_frame *sample, uint64_t tick);
uint64_t sample_root(uint64_t tick);

/* Appends ticks and their roots until `end_tick`; asserts success. */
void sample_append(ls_recorder *recorder, uint64_t end_tick);
/* Each makes one call and returns the recorder's status. */
ls_status sample_add_root(ls_recorder *recorder, ls_error *error);
ls_status sample_append_frame(ls_recorder *recorder, ls_error *error);
/* Adds the missing roots up to the one after the last frame, then finishes the recording. */
ls_status sample_finish(ls_recorder *recorder, ls_closing_reason reason, ls_error *error);
/* Starts a recorder into memory; its ticks begin at 0. */
ls_recorder *sample_begin(ls_memory_sink *memory);
/* Makes a whole recording in memory, closed or not. */
void sample_record(ls_memory_sink *memory, uint64_t tick_count, bool is_closed);

enum { SAMPLE_COLUMNS = 3 };
uint64_t sample_column(uint64_t tick, uint32_t column);
/* The keyframe of a tick; full if the tick is a multiple of sixteen. `bytes` receives its data. */
ls_recording_keyframe sample_keyframe(uint64_t tick, uint8_t bytes[32]);
/* Makes a recording with records of all types. There is a keyframe every four ticks, columns every
 * three, a signature every five, an epoch at 7 and evidence at the end. `first_tick` must be a
 * multiple of sixteen. */
void sample_record_all(ls_memory_sink *memory, uint64_t first_tick, uint64_t tick_count,
                       bool is_closed);

/* Reads to the end; asserts that every tick equals the written one. */
ls_status sample_read(ls_recording *recording, ls_error *error);
/* Reads arbitrary bytes; sets `end` if they open as a recording. */
ls_status sample_read_bytes(const void *data, size_t bytes, ls_recording_end *end, ls_error *error);

#endif
