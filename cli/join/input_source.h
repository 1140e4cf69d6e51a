/* Inputs for a seat of `lockstep join` that the client's own bot does not play: from the
 * simulation's bot on the predicted world, random, or from a file. */
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

/* Start with these five; the rest is zero. */
typedef struct ls_input_source {
    ls_input_source_kind kind;
    const ls_sim *sim;
    ls_random_stream random; /* of this client alone */
    const ls_script *script; /* outlives the source */
    const char *script_path; /* for warnings */

    uint64_t next_tick; /* the first that has nothing yet */
    uint32_t next_order, next_state;
    uint8_t state[LS_STATE_BYTES_MAX]; /* held last */
} ls_input_source;

/* Submits the inputs that are due; call it after each step. `session` is NULL for a client without
 * prediction, which the bot cannot play. An order of a script that the simulation refuses is
 * reported on stderr. */
void ls_input_source_play(ls_input_source *source, ls_client *client, ls_session *session);

/* Draws random inputs of one tick: a function of the stream, the tick, and which bytes the
 * simulation accepts. `input` holds player and kind before the call. False: none was found. `data`
 * has room for LS_INPUT_BYTES_MAX, and input->data is set to it. */
bool ls_input_source_draw(const ls_sim *sim, const ls_match *match, ls_random_stream random,
                          ls_input *input, uint8_t *data);

#endif
