/* State inputs that were proposed and whose ticks are not closed yet. Ticks only rise: what was
 * proposed once is repeated, never changed. */
#ifndef LS_STATES_H
#define LS_STATES_H

#include "proto/limits.h"
#include "proto/message.h"

/* The ticks first..next-1 wait; what lies before was closed, or is of no use any more. */
typedef struct ls_states {
    uint32_t bytes; /* of one; 0: the simulation has none */
    uint64_t first, next;
    bool is_new; /* no update has carried the newest */
    uint8_t slots[LS_CLIENT_STATES][LS_STATE_BYTES_MAX];
    uint8_t window[LS_UPDATE_STATES_MAX * LS_STATE_BYTES_MAX]; /* what an update points into */
} ls_states;

void ls_states_init(ls_states *states, uint32_t state_bytes);
/* Keeps the state of `tick`, which is under head + LS_CLIENT_STATE_AHEAD. Ticks between the last
 * one and this that are not closed hold the last one's bytes. False, and nothing changes, for a
 * tick under `head` or one that has its state. */
bool ls_states_put(ls_states *states, uint64_t tick, const uint8_t *bytes,
                   uint64_t head) LS_MUST_USE;
/* All ticks before `head` are closed. */
void ls_states_close(ls_states *states, uint64_t head);
/* Where something waits, the ticks from `head` to it hold the same: they were left out. */
void ls_states_reach(ls_states *states, uint64_t head);
bool ls_states_are_waiting(const ls_states *states);
/* Fills in the newest when there are new ones, else those that close next: a server that waits for
 * a state must get it. They live until the next fill. */
void ls_states_fill(ls_states *states, ls_update *update);

#endif
