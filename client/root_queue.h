/* The roots of the newest confirmed ticks, for the server to compare. Each is sent once, and again
 * when its acknowledgement is overdue. A spectator sends all that are not acknowledged as one batch
 * (proto/root_batch.h); the server requests them one by one when the batch is wrong. */
#ifndef LS_ROOT_QUEUE_H
#define LS_ROOT_QUEUE_H

#include "proto/message.h"

#define LS_ROOT_QUEUE_MAX 256 /* when full, the oldest are dropped */

typedef struct ls_root_queue_entry {
    uint64_t root;
    uint64_t sent_ns; /* when it was last sent */
} ls_root_queue_entry;

/* Empty when zeroed. */
typedef struct ls_root_queue {
    uint64_t first; /* tick of the oldest entry; the ticks are consecutive */
    uint32_t count; /* the oldest `acked` are acknowledged, the newest `unsent` are to be sent */
    uint32_t acked, unsent;
    bool is_sparse;     /* a spectator: sends batches, unless the server wants the roots */
    uint32_t stamp_us;  /* stamp of the last update with a batch */
    uint64_t asked_end; /* the server wants each root before this tick, not a batch */
    uint64_t sent;      /* roots sent, alone or in batches, without repeats */
    ls_root_queue_entry entries[LS_ROOT_QUEUE_MAX]; /* by tick modulo LS_ROOT_QUEUE_MAX */
} ls_root_queue;

/* Adds the root of the world before `tick`. Asserts that `tick` follows the last one, unless the
 * queue is empty. */
void ls_root_queue_add(ls_root_queue *queue, uint64_t tick, uint64_t root);
/* Drops all roots, because the world was replaced. */
void ls_root_queue_drop(ls_root_queue *queue);
/* Called for another session: sends all unacknowledged roots again. */
void ls_root_queue_restart(ls_root_queue *queue);
/* Takes an acknowledgement of all roots before tick `root_ack` (modulo 2^32); `echo_us` is the
 * stamp of the update that it answers. True when the server wants roots again: it acknowledges
 * fewer than before, or not a spectator's newest batch. All roots from there on are then to be sent
 * again, one by one. */
bool ls_root_queue_acknowledge(ls_root_queue *queue, uint32_t root_ack, uint32_t echo_us);
/* Whether batches are to be sent. */
bool ls_root_queue_is_sparse(const ls_root_queue *queue);
/* Whether the roots to be sent fill an update, so that one is due. */
bool ls_root_queue_is_full(const ls_root_queue *queue);
/* Adds the roots that are to be sent. When the oldest unacknowledged one was sent `timeout_ns` ago
 * or earlier, repeats from there. Needs `update->stamp_us`. */
void ls_root_queue_fill(ls_root_queue *queue, uint64_t now_ns, uint64_t timeout_ns,
                        ls_update *update);

#endif
