/* The client's orders, queued until the server acknowledges them.
 *
 * An order has a client number, which counts through all sessions, and a number on the wire, which
 * begins with 1 in each session. When a session is resumed, the frames show which orders of the old
 * session were executed; the others are sent again under new wire numbers. */
#ifndef LS_ORDER_QUEUE_H
#define LS_ORDER_QUEUE_H

#include "proto/message.h"
#include <lockstep/limits.h>
#include <lockstep/match.h>

typedef struct ls_order {
    uint64_t earliest_tick; /* the earliest tick to execute it; 0: the first open one */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_order;

/* Empty when zeroed. Numbers are client numbers unless noted. */
typedef struct ls_order_queue {
    uint32_t acked;     /* highest number that the server has acknowledged */
    uint32_t submitted; /* highest number given */
    uint32_t executed;  /* highest number that was seen in a frame */
    uint32_t base;      /* client number minus wire number, in this session */
    uint32_t old;       /* while paused: highest number that the old session may have sent */
    uint32_t uncertain; /* up to this number, orders may be in frames never seen */
    uint32_t lost;      /* count of orders given up: they may be in a frame, or lost their slot */
    bool is_paused;     /* no order is sent */
    ls_order orders[LS_CLIENT_INPUTS_KEPT];
} ls_order_queue;

/* Adds an order. False when LS_CLIENT_INPUT_QUEUE orders wait. Asserts the size. */
bool ls_order_queue_submit(ls_order_queue *queue, uint64_t earliest_tick, const uint8_t *data,
                           uint32_t bytes) LS_MUST_USE;
/* Notes that the server has taken this session's orders up to wire number `sequence`. False, and
 * nothing changes, for a number that was never sent. */
bool ls_order_queue_acknowledge(ls_order_queue *queue, uint32_t sequence);
/* Notes that a frame held an order of this client. Call it in frame order, from the seat's first
 * tick on. */
void ls_order_queue_note_executed(ls_order_queue *queue, const ls_input *input);

/* Called when a session replaces another: no order is sent until all frames that can hold an order
 * of the old session are known. */
void ls_order_queue_pause(ls_order_queue *queue);
/* Called when those frames are known: orders are sent again, from the first one that is in no frame
 * on. No effect unless paused. */
void ls_order_queue_resume(ls_order_queue *queue);
/* Called when a snapshot jumped over frames. Orders may be in those frames. While paused, the
 * orders of the old session are given up rather than sent twice. Otherwise the orders of this
 * session are sent on, and those without an acknowledgement are given up when another session
 * replaces this one. The snapshot may be older than the last frame seen: an order that asks for a
 * tick after `tick_max` would be refused, and now asks for the first open tick instead. */
void ls_order_queue_skip(ls_order_queue *queue, uint64_t tick_max);
/* Gives up all waiting orders. Called when the client has another seat. */
void ls_order_queue_drop(ls_order_queue *queue);

/* Whether unacknowledged orders wait and may be sent. */
bool ls_order_queue_is_waiting(const ls_order_queue *queue);
/* Adds orders to an update that already has its roots and states. The update points into the queue.
 */
void ls_order_queue_fill(const ls_order_queue *queue, ls_update *update);

#endif
