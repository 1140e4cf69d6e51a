/* What waits to be told to the server: orders until they are acknowledged, and the roots of the
 * newest confirmed ticks, each of which goes out in several updates because some get lost.
 *
 * Orders have a number of the client's own, which never begins anew, and a number on the wire,
 * which begins with 1 in each session. When a session is taken up again, the frames tell which
 * orders of the old one landed; the others are offered again under new numbers. */
#ifndef LS_OUTBOX_H
#define LS_OUTBOX_H

#include "proto/message.h"
#include <lockstep/limits.h>
#include <lockstep/match.h>

typedef struct ls_outbox_input {
    uint64_t wish; /* the first tick for it; 0: the first open one */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_outbox_input;

typedef struct ls_outbox {
    uint32_t acked;     /* highest own number that the server has taken */
    uint32_t submitted; /* highest own number given */
    uint32_t landed;    /* highest own number that was seen in a frame */
    uint32_t base;      /* own number less number on the wire, in this session */
    uint32_t old;       /* while paused: highest own number that the old session may have heard */
    uint32_t blind;     /* up to this own number, some may have landed in frames never seen */
    uint32_t lost;      /* orders given up: they may have landed, or are not kept any more */
    bool is_paused;     /* no order leaves */
    uint32_t root_count, unsent_roots;
    uint64_t roots_sent;
    ls_update_root roots[LS_UPDATE_ROOTS_MAX]; /* ticks rising */
    ls_outbox_input inputs[LS_CLIENT_INPUTS_KEPT];
} ls_outbox;

void ls_outbox_init(ls_outbox *outbox);
/* False when LS_CLIENT_INPUT_QUEUE wait. Asserts the size. */
bool ls_outbox_submit(ls_outbox *outbox, uint64_t wish, const uint8_t *data,
                      uint32_t bytes) LS_MUST_USE;
/* The server has taken all of this session up to `sequence`; false, and nothing changes, for a
 * number never given. */
bool ls_outbox_acknowledge(ls_outbox *outbox, uint32_t sequence);
/* An own order was in a frame; the frames are told in order, from the seat's first on. */
void ls_outbox_land(ls_outbox *outbox, const ls_input *input);

/* The session ended, another one begins: no order leaves until all frames that the old one can have
 * been in are told. */
void ls_outbox_pause(ls_outbox *outbox);
/* They are: orders leave again, what did not land first. Without effect unless paused. */
void ls_outbox_resume(ls_outbox *outbox);
/* Frames were jumped over, by a snapshot: what was on its way and not acknowledged may have landed,
 * and is given up rather than sent twice. The snapshot may be of an earlier tick than was seen: an
 * order that wishes for one behind `wish_max` would be refused, and is now for the first open one.
 */
void ls_outbox_skip(ls_outbox *outbox, uint64_t wish_max);
/* The seat is another one: all waiting orders are given up. */
void ls_outbox_drop_orders(ls_outbox *outbox);

/* Whether orders leave and are not acknowledged. */
bool ls_outbox_is_waiting(const ls_outbox *outbox);

/* Adds the root of the world before `tick`; ticks rise. */
void ls_outbox_add_root(ls_outbox *outbox, uint64_t tick, uint64_t root);
/* Forgets the roots: the world was replaced. */
void ls_outbox_drop_roots(ls_outbox *outbox);
/* Whether an update is due, so that each root goes out in two at least, however many ticks are run
 * at once. */
bool ls_outbox_is_full(const ls_outbox *outbox);
/* Fills in roots and orders of an update, whose states are there. The orders point into the outbox.
 */
void ls_outbox_fill(ls_outbox *outbox, ls_update *update);

#endif
