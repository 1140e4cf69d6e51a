/* What a client keeps and shows when the server says that its world differs: the states of its last
 * confirmed ticks, and of the one in question, held fast, whatever the server asks about it. It
 * needs no flag and no special build; a session goes on meanwhile. */
#ifndef LS_EVIDENCE_REPLY_H
#define LS_EVIDENCE_REPLY_H

#include "client/client_internal.h"

/* The world has run this frame; as it is now, whatever the simulation has done to it. */
void ls_evidence_reply_note_frame(ls_client *client, const ls_frame *frame);
/* The confirmed world stands before another tick, with the root that it gives. */
uint64_t ls_evidence_reply_keep(ls_client *client);
/* Holds the state of the first kept tick at or after `tick` fast, instead of any other. */
void ls_evidence_reply_pin(ls_client *client, uint64_t tick);
/* An EVIDENCE_REQUEST, hostile bytes. */
void ls_evidence_reply_hear(ls_client *client, const ls_plain *plain);
/* Before the world goes, or becomes one of another epoch. */
void ls_evidence_reply_reset(ls_client *client);

#endif
