/* Checks the player's orders and states, and queues them for the next update. */
#ifndef LS_SUBMIT_H
#define LS_SUBMIT_H

#include "client/playback.h"

/* See ls_client_submit_at() and ls_client_submit_state(). */
ls_status ls_submit_order(ls_playback *playback, uint64_t earliest_tick, const uint8_t *data,
                          uint32_t bytes) LS_MUST_USE;
ls_status ls_submit_state(ls_playback *playback, uint64_t tick, const uint8_t *bytes) LS_MUST_USE;
/* If a bot plays the seat, submits the inputs that the simulation's bot chooses. */
void ls_submit_by_bot(ls_playback *playback);

#endif
