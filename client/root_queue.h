/* The roots of the newest confirmed ticks, of which the server acknowledges those that it has. Each
 * is sent once, and again when its acknowledgement is overdue. A spectator sends the newest one
 * only; the server asks for those before it when it finds that one wrong. */
#ifndef LS_ROOT_QUEUE_H
#define LS_ROOT_QUEUE_H

#include "proto/message.h"

#define LS_ROOT_QUEUE_MAX 256 /* beyond, the oldest are dropped */

typedef struct ls_root_queue_entry {
    uint64_t root;
    uint64_t sent_ns; /* for the last time */
} ls_root_queue_entry;

/* Zeroed to begin with. */
typedef struct ls_root_queue {
    uint64_t first; /* tick of the oldest entry; those of the others follow it */
    uint32_t count; /* the oldest `acked` are acknowledged, the newest `unsent` are to be sent */
    uint32_t acked, unsent;
    bool is_sparse;     /* a spectator's: the newest alone is sent, but while it is asked all are */
    uint32_t stamp_us;  /* of the last update with the newest root alone */
    uint64_t asked_end; /* the server wants the roots before this tick */
    uint64_t sent;      /* in all */
    ls_root_queue_entry entries[LS_ROOT_QUEUE_MAX]; /* by tick modulo LS_ROOT_QUEUE_MAX */
} ls_root_queue;

/* Adds the root of the world before `tick`: the tick after the last, unless the queue is empty. */
void ls_root_queue_add(ls_root_queue *queue, uint64_t tick, uint64_t root);
/* Forgets the roots: the world was replaced. */
void ls_root_queue_drop(ls_root_queue *queue);
/* Another session: what is not acknowledged is to be sent again. */
void ls_root_queue_restart(ls_root_queue *queue);
/* The server has the roots before tick `root_ack` (modulo 2^32) and the update that was stamped
 * `echo_us`. True when it asks for roots that would not be sent otherwise, because it does not
 * acknowledge the newest one, or no longer: they are sent now. */
bool ls_root_queue_acknowledge(ls_root_queue *queue, uint32_t root_ack, uint32_t echo_us);
/* Whether the newest root alone is to be sent. */
bool ls_root_queue_is_sparse(const ls_root_queue *queue);
/* Whether an update is due because it would be full of roots that are to be sent. */
bool ls_root_queue_is_full(const ls_root_queue *queue);
/* Adds those that are to be sent or, when the oldest without acknowledgement was sent `timeout_ns`
 * ago or earlier, these. `update->ack` and `update->stamp_us` are set. */
void ls_root_queue_fill(ls_root_queue *queue, uint64_t now_ns, uint64_t timeout_ns,
                        ls_update *update);

#endif
