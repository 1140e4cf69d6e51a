/* The roots of the newest confirmed ticks, until the server acknowledges them. Each is sent once,
 * and again when its acknowledgement is overdue. */
#ifndef LS_ROOT_QUEUE_H
#define LS_ROOT_QUEUE_H

#include "proto/message.h"

#define LS_ROOT_QUEUE_MAX 64 /* beyond, the oldest are given up */

typedef struct ls_root_queue_entry {
    uint64_t root;
    uint64_t sent_ns; /* for the last time */
} ls_root_queue_entry;

/* Zeroed to begin with. */
typedef struct ls_root_queue {
    uint64_t first;         /* tick of the oldest entry; those of the others follow it */
    uint32_t count, unsent; /* the newest `unsent` have never been sent in this session */
    uint64_t sent;          /* in all */
    ls_root_queue_entry entries[LS_ROOT_QUEUE_MAX]; /* by tick modulo LS_ROOT_QUEUE_MAX */
} ls_root_queue;

/* Adds the root of the world before `tick`: the tick after the last, unless the queue is empty. */
void ls_root_queue_add(ls_root_queue *queue, uint64_t tick, uint64_t root);
/* Forgets the roots: the world was replaced. */
void ls_root_queue_drop(ls_root_queue *queue);
/* Another session: the server has none of them. */
void ls_root_queue_restart(ls_root_queue *queue);
/* Drops what the server has: the roots before tick `root_ack` (modulo 2^32). */
void ls_root_queue_acknowledge(ls_root_queue *queue, uint32_t root_ack);
/* Whether as many roots as an update holds were never sent. */
bool ls_root_queue_is_full(const ls_root_queue *queue);
/* Adds those that were never sent or, when the oldest was sent `timeout_ns` ago or earlier, the
 * oldest ones. `update->ack` is set. */
void ls_root_queue_fill(ls_root_queue *queue, uint64_t now_ns, uint64_t timeout_ns,
                        ls_update *update);

#endif
