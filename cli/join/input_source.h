/* Makes the inputs of a seat that the client's own bot does not play, in `lockstep join`. The
 * simulation's bot plays on the predicted world, or inputs are random or from a file. */
#ifndef LS_INPUT_SOURCE_H
#define LS_INPUT_SOURCE_H

#include "cli/join/script.h"
#include <lockstep/random.h>
#include <lockstep/session.h>

typedef enum ls_input_source_kind {
    LS_INPUT_SOURCE_BOT = 0,
    LS_INPUT_SOURCE_RANDOM,
    LS_INPUT_SOURCE_SCRIPT,
} ls_input_source_kind;

/* Set the first five members; zero the others. */
typedef struct ls_input_source {
    ls_input_source_kind kind;
    const ls_sim *sim;
    ls_random_stream random; /* a stream of its own for each client */
    const ls_script *script; /* must outlive the source */
    const char *script_path; /* for warnings */

    uint64_t next_tick; /* the first tick without an input */
    uint32_t next_order, next_state;
    uint8_t state[LS_STATE_BYTES_MAX]; /* the last state */
} ls_input_source;

/* Submits the inputs that are due; call it after each step. `session` is NULL for a client without
 * prediction, whose bot is the client's own and not played here. Reports on stderr an order or a
 * state of a script that is not taken. */
void ls_input_source_play(ls_input_source *source, ls_client *client, ls_session *session);

/* Draws a random input, as a function of the stream and of the bytes that the simulation accepts.
 * Set player and kind in `input` before the call. `data` has LS_INPUT_BYTES_MAX bytes; input->data
 * will point to it. False when no valid input was found. */
bool ls_input_source_draw(const ls_sim *sim, const ls_match *match, ls_random_stream random,
                          ls_input *input, uint8_t *data);

#endif
