/* Sends the client's UPDATE: orders, states, roots, the acknowledged ticks and the missing ones. */
#ifndef LS_OUTBOX_H
#define LS_OUTBOX_H

#include "client/connection.h"
#include "client/frames.h"
#include "client/input_delay.h"
#include "client/order_queue.h"
#include "client/reporter.h"
#include "client/root_queue.h"
#include "client/state_inputs.h"

typedef struct ls_outbox {
    ls_connection *connection;
    ls_order_queue orders;
    ls_root_queue roots;
    ls_state_inputs states;
    ls_input_delay delay;
    ls_reporter reporter;
    bool has_unsent;       /* ticks to acknowledge, or roots, wait for the update of this tick */
    bool is_urgent;        /* an order, or a gap not yet requested: send at once */
    bool is_spectator;     /* sends rare updates, with batches of roots */
    bool has_reported;     /* a root was sent under the present seat and epoch */
    uint32_t ack_echo_us;  /* echo_us of the received TICKS that the server sent last */
    uint32_t ack_held_us;  /* held_us of that TICKS */
    uint64_t update_ns;    /* time of the last update */
    uint64_t gap_asked_ns; /* when the ticks below gap_end were last requested */
    uint64_t gap_end;
    uint32_t gap_max; /* the most ticks in a gap request; halved while answers are missing */
} ls_outbox;

void ls_outbox_init(ls_outbox *outbox, ls_connection *connection, uint32_t state_bytes);
/* Called for another session or world: all missing ticks are requested again. */
void ls_outbox_forget_gap(ls_outbox *outbox);

/* Called for another session: sends all unacknowledged roots again, because the server has none of
 * this session's yet. */
void ls_outbox_restart(ls_outbox *outbox, bool is_spectator);
/* Takes the acknowledgements in a TICKS message that is already in `frames`. `is_repeat`: all its
 * ticks were received before. */
void ls_outbox_note_ticks(ls_outbox *outbox, const ls_frames *frames, const ls_ticks *ticks,
                          bool is_repeat);

/* Queues the root of the world before `tick`. */
void ls_outbox_add_root(ls_outbox *outbox, uint64_t tick, uint64_t root);
/* Sends an UPDATE now. */
void ls_outbox_send(ls_outbox *outbox, const ls_frames *frames);
/* The time when the next update is due. */
uint64_t ls_outbox_due_ns(const ls_outbox *outbox);

#endif
