/* What a player gives: orders and states, checked before they wait for an update. */
#ifndef LS_SUBMIT_H
#define LS_SUBMIT_H

#include "client/client_internal.h"

/* See ls_client_submit and ls_client_submit_state. */
ls_status ls_submit_order(ls_client *client, uint64_t wish, const uint8_t *data,
                          uint32_t bytes) LS_MUST_USE;
ls_status ls_submit_state(ls_client *client, uint64_t tick, const uint8_t *bytes) LS_MUST_USE;
/* The simulation's bot has seen the world, and gives what it likes. */
void ls_submit_by_bot(ls_client *client);

#endif
