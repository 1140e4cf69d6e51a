/* Orders until the server acknowledges them.
 *
 * An order has a number of the client's own, which counts through all sessions, and a number on the
 * wire, which begins with 1 in each session. When a session is resumed, the frames show which
 * orders of the old one landed; the others are sent again under new numbers. */
#ifndef LS_ORDER_QUEUE_H
#define LS_ORDER_QUEUE_H

#include "proto/message.h"
#include <lockstep/limits.h>
#include <lockstep/match.h>

typedef struct ls_order {
    uint64_t wish; /* the first tick for it; 0: the first open one */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_order;

/* Zeroed to begin with. Numbers are the client's own, unless they are on the wire. */
typedef struct ls_order_queue {
    uint32_t acked;     /* highest number that the server has taken */
    uint32_t submitted; /* highest number given */
    uint32_t landed;    /* highest number that was seen in a frame */
    uint32_t base;      /* number less number on the wire, in this session */
    uint32_t old;       /* while paused: highest number that the old session may have sent */
    uint32_t blind;     /* up to this number, orders may have landed in frames never seen */
    uint32_t lost;      /* orders given up: they may have landed, or are not kept any more */
    bool is_paused;     /* no order leaves */
    ls_order orders[LS_CLIENT_INPUTS_KEPT];
} ls_order_queue;

/* False when LS_CLIENT_INPUT_QUEUE wait. Asserts the size. */
bool ls_order_queue_submit(ls_order_queue *queue, uint64_t wish, const uint8_t *data,
                           uint32_t bytes) LS_MUST_USE;
/* The server has taken all of this session up to `sequence`; false, and nothing changes, for a
 * number never given. */
bool ls_order_queue_acknowledge(ls_order_queue *queue, uint32_t sequence);
/* An order of this client was in a frame; frames are given in order, from the seat's first on. */
void ls_order_queue_land(ls_order_queue *queue, const ls_input *input);

/* Called when a session ends and another begins: no order leaves until all frames that can hold an
 * order of the old session are known. */
void ls_order_queue_pause(ls_order_queue *queue);
/* Called when those frames are known: orders leave again, first those that did not land. Without
 * effect unless paused. */
void ls_order_queue_resume(ls_order_queue *queue);
/* Called when a snapshot jumped over frames. Unacknowledged orders may have landed in those frames,
 * so they are dropped rather than sent twice. The snapshot may be older than the last frame seen:
 * an order that asks for a tick after `wish_max` would be refused, and now asks for the first open
 * tick instead. */
void ls_order_queue_skip(ls_order_queue *queue, uint64_t wish_max);
/* The seat is another one: all waiting orders are given up. */
void ls_order_queue_drop(ls_order_queue *queue);

/* Whether orders leave and are not acknowledged. */
bool ls_order_queue_is_waiting(const ls_order_queue *queue);
/* Adds orders to an update that has its roots and states. They point into the queue. */
void ls_order_queue_fill(const ls_order_queue *queue, ls_update *update);

#endif
