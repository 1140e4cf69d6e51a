/* Submitted state inputs for ticks that are not closed yet. Ticks only rise: a submitted state may
 * be sent again, but never changes. */
#ifndef LS_STATE_INPUTS_H
#define LS_STATE_INPUTS_H

#include "proto/message.h"
#include <lockstep/limits.h>

/* States wait for the ticks first..next-1; earlier ticks are closed. */
typedef struct ls_state_inputs {
    uint32_t bytes; /* size of a state; 0: the simulation has none */
    uint64_t first, next;
    uint64_t unsent; /* states of this tick and later ones were not sent yet */
    uint8_t slots[LS_CLIENT_STATES][LS_STATE_BYTES_MAX];
    uint8_t window[LS_UPDATE_STATES_MAX * LS_STATE_BYTES_MAX]; /* an update points into this */
} ls_state_inputs;

void ls_state_inputs_init(ls_state_inputs *states, uint32_t state_bytes);
/* Stores the state of `tick`, which must be below head + LS_CLIENT_STATE_AHEAD. If states wait, the
 * ticks between the newest of them and `tick` get its bytes. False, and nothing changes, for a tick
 * below `head` or a tick that has its state. */
bool ls_state_inputs_put(ls_state_inputs *states, uint64_t tick, const uint8_t *bytes,
                         uint64_t head) LS_MUST_USE;
/* Drops the states of ticks before `head`, which are closed. */
void ls_state_inputs_close(ls_state_inputs *states, uint64_t head);
/* If a state waits, gives the ticks from `head` up to it the same state. */
void ls_state_inputs_backfill(ls_state_inputs *states, uint64_t head);
bool ls_state_inputs_are_waiting(const ls_state_inputs *states);
/* Whether the newest state was not sent yet. */
bool ls_state_inputs_are_new(const ls_state_inputs *states);
/* Fills in the newest states if there are new ones, else the states of the ticks that close next: a
 * server that waits for a state must get it. At most `most` of them, but all new ones up to
 * LS_UPDATE_STATES_MAX. The bytes are valid until the next fill. */
void ls_state_inputs_fill(ls_state_inputs *states, uint32_t most, ls_update *update);

#endif
