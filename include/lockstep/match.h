/* The parameters of a match besides its simulation, and the frame: all that one tick receives from
 * its players. Both have one byte form, which the wire and the recording share. */
#ifndef LS_MATCH_H
#define LS_MATCH_H

#include <lockstep/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_PLAYERS_MAX     64
#define LS_OPTIONS_MAX     16
#define LS_TICK_RATE_MAX   240
#define LS_INPUT_BYTES_MAX 256
#define LS_STATE_BYTES_MAX 64
/* One encoded frame body; fits a tick message under the MTU. Inputs beyond it wait for the next
 * tick.
 */
#define LS_FRAME_BYTES_MAX  1024
#define LS_FRAME_INPUTS_MAX 255
/* The bytes before an input's own in a frame. */
#define LS_INPUT_HEADER_BYTES 4

/* Fixed when the match is created, the same on every machine. */
typedef struct ls_match {
    uint64_t seed;
    uint32_t tick_rate;    /* ticks a second, 1..LS_TICK_RATE_MAX */
    uint32_t player_count; /* seats, 1..LS_PLAYERS_MAX, whether taken or not */
    uint32_t option_count;
    int64_t options[LS_OPTIONS_MAX]; /* in the order of the simulation's option table */
} ls_match;

typedef enum ls_input_kind {
    LS_INPUT = 0,      /* an order: bytes that the simulation's validator has accepted */
    LS_JOIN = 1,       /* the seat is taken from this tick on; no bytes */
    LS_LEAVE = 2,      /* the seat is free from this tick on; no bytes */
    LS_STATE = 3,      /* what the player holds in this tick: the simulation's state_bytes */
    LS_SUBSTITUTE = 4, /* the same, said by the server because the player's did not come in time */
    LS_PAUSE = 5,      /* the match pauses after this tick; no bytes */
    LS_RESUME = 6,     /* the match goes on with this tick; no bytes */
} ls_input_kind;

/* The substitute for a player's state input that has not come in time. */
typedef enum ls_missing_state {
    LS_MISSING_REPEAT = 0, /* the player's last one; zeros when there was none */
    LS_MISSING_NEUTRAL,    /* zeros */
} ls_missing_state;

typedef struct ls_input {
    uint8_t
        player;   /* < player_count; of PAUSE and RESUME also player_count: the server's own will */
    uint8_t kind; /* enum ls_input_kind */
    uint16_t
        bytes; /* 1..LS_INPUT_BYTES_MAX of an order, 1..LS_STATE_BYTES_MAX of a state, else 0 */
    const uint8_t *data;
} ls_input;

/* The ordered inputs of one tick: all that crosses the network once a match runs.
 *   order  by player, and of one player by arrival; the encoder asserts it, the decoder refuses it
 *   owns   `inputs` and their `data` belong to whoever filled the frame */
typedef struct ls_frame {
    uint64_t tick;
    uint32_t count;
    const ls_input *inputs;
} ls_frame;

/* The frame without its tick, which the carrier knows.
 *   errors  overflow sets writer->failed */
LS_API void ls_frame_encode(const ls_frame *frame, ls_writer *writer);
LS_API size_t ls_frame_bytes(const ls_frame *frame);

/* Decodes one frame body from hostile bytes into `inputs` (capacity LS_FRAME_INPUTS_MAX), whose
 * data point into the reader's bytes. False, and nothing usable, on any violation. */
LS_API bool ls_frame_decode(ls_reader *reader, uint64_t tick, uint32_t player_count,
                            ls_input *inputs, ls_frame *frame) LS_MUST_USE;

LS_API void ls_match_encode(const ls_match *match, ls_writer *writer);
/* False on any value outside the limits above. */
LS_API bool ls_match_decode(ls_reader *reader, ls_match *match) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
