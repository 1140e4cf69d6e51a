/* The client inside the match: snapshot, ticks, roots, inputs. */
#ifndef LS_CLIENT_PLAYING_H
#define LS_CLIENT_PLAYING_H

#include "client/client_internal.h"

/* One sealed packet while LOADING or PLAYING, from hostile bytes. */
void ls_playing_hear(ls_client *client, const ls_packet *packet);
/* Does what is due: requests, ticks, updates. */
void ls_playing_step(ls_client *client);
/* See ls_client_submit. */
ls_status ls_playing_submit(ls_client *client, const uint8_t *data, uint32_t bytes) LS_MUST_USE;
/* When something is due next. */
uint64_t ls_playing_next_ns(const ls_client *client);

#endif
