/* Encodes a frame as its differences from another frame of the same length. Frames of neighbouring
 * ticks mostly have the same players, kinds and sizes, and often the same states, so few bytes
 * differ.
 *   source  docs/protocol.md, "TICKS" */
#ifndef LS_FRAME_DIFF_H
#define LS_FRAME_DIFF_H

#include <lockstep/bytes.h>
#include <lockstep/match.h>

/* Instead of a number of changed bytes: the whole frame follows. */
#define LS_FRAME_DIFF_WHOLE 255

/* The encoded frame of one tick, as ls_frame_encode() writes it. */
typedef struct ls_ticks_body {
    const uint8_t *data;
    uint32_t bytes; /* 1..LS_FRAME_BYTES_MAX */
} ls_ticks_body;

/* Writes `body` as its differences from `other`; whole if that is not longer, or if the lengths
 * differ. */
void ls_frame_diff_write(ls_writer *writer, const ls_ticks_body *other, const ls_ticks_body *body);
/* Reads `changes` changed bytes, and writes the frame to `bytes`, which has room for other->bytes.
 * The caller has read `changes`, which is not LS_FRAME_DIFF_WHOLE. False when the reader ends early
 * or a change is beyond the frame. */
bool ls_frame_diff_read(ls_reader *reader, uint32_t changes, const ls_ticks_body *other,
                        uint8_t *bytes) LS_MUST_USE;

#endif
