/* The parameters of a match, and frames. A frame has all inputs of one tick. Both have one byte
 * form, which the wire and recordings share. */
#ifndef LS_MATCH_H
#define LS_MATCH_H

#include <lockstep/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_PLAYERS_MAX     64 /* one bit each of an uint64_t, as in recordings */
#define LS_OPTIONS_MAX     16
#define LS_TICK_RATE_MAX   240
#define LS_INPUT_BYTES_MAX 256
#define LS_STATE_BYTES_MAX 64
/* The maximum of one encoded frame body: it fits a tick message under the MTU. Further inputs wait
 * for the next tick. */
#define LS_FRAME_BYTES_MAX  1024
#define LS_FRAME_INPUTS_MAX 255
/* Bytes that an input has in a frame before its own bytes. */
#define LS_INPUT_HEADER_BYTES 4

/* Fixed when the match is created, and equal on every machine. */
typedef struct ls_match {
    uint64_t seed;
    uint32_t tick_rate;    /* ticks a second, 1..LS_TICK_RATE_MAX */
    uint32_t player_count; /* seats, 1..LS_PLAYERS_MAX, taken or not */
    uint32_t option_count;
    int64_t options[LS_OPTIONS_MAX]; /* in the order of the simulation's option table */
} ls_match;

typedef enum ls_input_kind {
    LS_INPUT = 0,      /* an order: bytes that the simulation's validator has accepted */
    LS_JOIN = 1,       /* the seat is occupied from this tick on; no bytes */
    LS_LEAVE = 2,      /* the seat is free from this tick on; no bytes */
    LS_STATE = 3,      /* the player's state input in this tick: the simulation's state_bytes */
    LS_SUBSTITUTE = 4, /* the server's substitute for a state input that did not arrive in time */
    LS_PAUSE = 5,      /* the match pauses after this tick; no bytes */
    LS_RESUME = 6,     /* the match continues with this tick; no bytes */
} ls_input_kind;

/* The rule for a state input that did not arrive in time. */
typedef enum ls_missing_state {
    LS_MISSING_REPEAT = 0, /* repeat the player's last state; zeros without one */
    LS_MISSING_NEUTRAL,    /* zeros */
} ls_missing_state;

typedef struct ls_input {
    /* < player_count; PAUSE and RESUME also allow player_count: the server itself. */
    uint8_t player;
    uint8_t kind; /* enum ls_input_kind */
    /* Order: 1..LS_INPUT_BYTES_MAX; state or substitute: 1..LS_STATE_BYTES_MAX; else 0. */
    uint16_t bytes;
    const uint8_t *data;
} ls_input;

/* The ordered inputs of one tick: the only data that crosses the network while a match runs.
 *   order  by player, then by arrival; the encoder asserts it, the decoder refuses violations
 *   owns   `inputs` and their `data` belong to the code that fills the frame */
typedef struct ls_frame {
    uint64_t tick;
    uint32_t count;
    const ls_input *inputs;
} ls_frame;

/* Encodes the frame without its tick, which is stored elsewhere in the message or record.
 *   errors  overflow sets writer->failed */
LS_API void ls_frame_encode(const ls_frame *frame, ls_writer *writer);
LS_API size_t ls_frame_bytes(const ls_frame *frame);

/* Decodes one frame body from hostile bytes into `inputs` (capacity LS_FRAME_INPUTS_MAX). Their
 * `data` point into the reader's bytes. On any violation it returns false, and the results are
 * unusable. */
LS_API bool ls_frame_decode(ls_reader *reader, uint64_t tick, uint32_t player_count,
                            ls_input *inputs, ls_frame *frame) LS_MUST_USE;

LS_API void ls_match_encode(const ls_match *match, ls_writer *writer);
/* False on any value outside the limits above. */
LS_API bool ls_match_decode(ls_reader *reader, ls_match *match) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
