/* Sends the client's UPDATE: orders, states and roots, the ticks received and the ticks missing. */
#ifndef LS_OUTBOX_H
#define LS_OUTBOX_H

#include "client/connection.h"
#include "client/frames.h"
#include "client/input_delay.h"
#include "client/order_queue.h"
#include "client/root_queue.h"
#include "client/state_inputs.h"

typedef struct ls_outbox {
    ls_connection *connection;
    ls_order_queue orders;
    ls_root_queue roots;
    ls_state_inputs states;
    ls_input_delay delay;
    bool has_news;         /* ticks or roots: for the update of this tick */
    bool is_urgent;        /* an order, or missing ticks that were not asked for: send at once */
    bool is_spectator;     /* updates are rare, with the newest root */
    bool has_reported;     /* a root was sent under the present seat and epoch */
    uint64_t update_ns;    /* of the last update */
    uint64_t gap_asked_ns; /* when all ticks below gap_end were asked for */
    uint64_t gap_end;
    uint32_t gap_max; /* ticks asked for at once: fewer while answers do not come */
} ls_outbox;

void ls_outbox_init(ls_outbox *outbox, ls_connection *connection, uint32_t state_bytes);
/* Another session, or another world: missing ticks are asked for anew. */
void ls_outbox_forget_gap(ls_outbox *outbox);

/* Another session: the server has no root of it yet. */
void ls_outbox_restart(ls_outbox *outbox, bool is_spectator);
/* Takes the acknowledgements of ticks that have come and are in `frames`; `is_repeat`: all of them
 * were there before. */
void ls_outbox_note_ticks(ls_outbox *outbox, const ls_frames *frames, const ls_ticks *ticks,
                          bool is_repeat);

/* Adds the root of the world before `tick`. */
void ls_outbox_add_root(ls_outbox *outbox, uint64_t tick, uint64_t root);
/* Sends one UPDATE now. */
void ls_outbox_send(ls_outbox *outbox, const ls_frames *frames);
/* When the next update is due at the latest. */
uint64_t ls_outbox_due_ns(const ls_outbox *outbox);

#endif
