/* State inputs that were submitted for ticks that are not closed yet. Ticks only rise: a submitted
 * state is repeated, never changed. */
#ifndef LS_STATE_INPUTS_H
#define LS_STATE_INPUTS_H

#include "proto/message.h"
#include <lockstep/limits.h>

/* The ticks first..next-1 wait; earlier ones are closed. */
typedef struct ls_state_inputs {
    uint32_t bytes; /* of one; 0: the simulation has none */
    uint64_t first, next;
    bool is_new; /* no update has carried the newest */
    uint8_t slots[LS_CLIENT_STATES][LS_STATE_BYTES_MAX];
    uint8_t window[LS_UPDATE_STATES_MAX * LS_STATE_BYTES_MAX]; /* an update points into it */
} ls_state_inputs;

void ls_state_inputs_init(ls_state_inputs *states, uint32_t state_bytes);
/* Keeps the state of `tick`, which is under head + LS_CLIENT_STATE_AHEAD. Open ticks between the
 * last submitted one and `tick` get the last state's bytes. False, and nothing changes, for a tick
 * under `head` or a tick that has its state. */
bool ls_state_inputs_put(ls_state_inputs *states, uint64_t tick, const uint8_t *bytes,
                         uint64_t head) LS_MUST_USE;
/* All ticks before `head` are closed. */
void ls_state_inputs_close(ls_state_inputs *states, uint64_t head);
/* If a state waits, the ticks from `head` up to it hold the same state. */
void ls_state_inputs_reach(ls_state_inputs *states, uint64_t head);
bool ls_state_inputs_are_waiting(const ls_state_inputs *states);
/* Fills in the newest states if there are new ones, else those of the ticks that close next: a
 * server that waits for a state must get it. The bytes live until the next fill. */
void ls_state_inputs_fill(ls_state_inputs *states, ls_update *update);

#endif
