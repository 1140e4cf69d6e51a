/* A queue of items that wait until they are due. The earliest is taken first; equal ones in the
 * order in which they were pushed.
 *   thread  the one that owns the queue */
#ifndef LS_DELAY_QUEUE_H
#define LS_DELAY_QUEUE_H

#include <lockstep/base.h>

/* The first member of an item, which must be one allocation of ls_alloc(). The queue sets both
 * fields. */
typedef struct ls_delayed {
    uint64_t due_ns, order;
} ls_delayed;

/* Empty when zeroed. */
typedef struct ls_delay_queue {
    ls_delayed **heap;
    uint32_t count, capacity;
    uint64_t pushed;
} ls_delay_queue;

/* Adds an item that is due at `due_ns`.
 *   owns    the queue owns the item until it is taken */
void ls_delay_queue_push(ls_delay_queue *queue, ls_delayed *item, uint64_t due_ns);
/* Takes the next due item; NULL when none is due.
 *   owns    the caller frees the item with ls_free() */
ls_delayed *ls_delay_queue_take(ls_delay_queue *queue, uint64_t now_ns);
/* Returns when the next item is due; UINT64_MAX when the queue is empty. */
uint64_t ls_delay_queue_next_ns(const ls_delay_queue *queue);
/* Frees all items. */
void ls_delay_queue_reset(ls_delay_queue *queue);

#endif
