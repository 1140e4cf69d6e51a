/* The dense form of a frame's inputs in a recording: a state that equals the player's last one
 * takes one byte. Private to this folder. */
#ifndef LS_STATE_MEMORY_H
#define LS_STATE_MEMORY_H

#include <lockstep/match.h>

/* The last state of each seat. All zeros: none is known, as at every multiple of
 * LS_RECORDING_FRESH_TICKS. */
typedef struct ls_state_memory {
    uint8_t bytes[LS_PLAYERS_MAX]; /* size; 0: no state known */
    const uint8_t *data[LS_PLAYERS_MAX];
} ls_state_memory;

/* Appends the inputs of a frame, and updates the memory to point to the frame's states.
 *   errors  overflow sets writer->failed. Inputs are not checked: the caller must decode the result
 *           and refuse a frame that fails, like recorder.c:frame_is_readable() */
void ls_dense_encode(const ls_frame *frame, ls_state_memory *memory, ls_writer *writer);

/* Accepts only output of ls_dense_encode(): equal frames have equal bytes. Inputs point into the
 * reader's bytes or to data of the memory. False on any violation; results and memory are then
 * unusable. */
bool ls_dense_decode(ls_reader *reader, ls_state_memory *memory, uint32_t player_count,
                     ls_input *inputs, ls_frame *frame) LS_MUST_USE;

#endif
