/* What waits to be told to the server: numbered inputs until they are acknowledged, and the roots
 * of the newest confirmed ticks, each of which goes out in several updates because some get lost.
 */
#ifndef LS_OUTBOX_H
#define LS_OUTBOX_H

#include "client/client_limits.h"
#include "proto/message.h"

typedef struct ls_outbox_input {
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_outbox_input;

typedef struct ls_outbox {
    uint32_t acked;     /* highest number that the server has taken */
    uint32_t submitted; /* highest number given */
    uint32_t root_count, unsent_roots;
    uint64_t roots_sent;
    ls_update_root roots[LS_UPDATE_ROOTS_MAX]; /* ticks rising */
    ls_outbox_input inputs[LS_CLIENT_INPUT_QUEUE];
} ls_outbox;

void ls_outbox_init(ls_outbox *outbox);
/* False when LS_CLIENT_INPUT_QUEUE wait. Asserts the size. */
bool ls_outbox_submit(ls_outbox *outbox, const uint8_t *data, uint32_t bytes) LS_MUST_USE;
/* The server has taken all up to `sequence`; false, and nothing changes, for a number never given.
 */
bool ls_outbox_acknowledge(ls_outbox *outbox, uint32_t sequence);
/* Adds the root of the world before `tick`; ticks rise. */
void ls_outbox_add_root(ls_outbox *outbox, uint64_t tick, uint64_t root);
/* Forgets the roots: the world was replaced. */
void ls_outbox_drop_roots(ls_outbox *outbox);
/* Whether another root would push out one that no update has carried. */
bool ls_outbox_is_full(const ls_outbox *outbox);
/* Fills in roots and inputs of an update. The inputs point into the outbox. */
void ls_outbox_fill(ls_outbox *outbox, ls_update *update);

#endif
