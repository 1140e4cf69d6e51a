/* The handshake datagrams that a link has received in this round and not yet delivered. A round is
 * a series of polls up to the first that returns false. Datagrams beyond the capacity are dropped.
 * Private to proto/. */
#ifndef LS_DATAGRAM_QUEUE_H
#define LS_DATAGRAM_QUEUE_H

#include <lockstep/link.h>

typedef struct ls_queued_datagram {
    ls_remote from;
    uint32_t bytes;
    uint8_t data[LS_MTU_BYTES];
} ls_queued_datagram;

/* Needs ls_datagram_queue_init before use. */
typedef struct ls_datagram_queue {
    ls_queued_datagram *items;
    uint32_t capacity, count, next; /* items[next..count) are not yet delivered */
} ls_datagram_queue;

static inline void ls_datagram_queue_init(ls_datagram_queue *queue, uint32_t capacity)
{
    *queue = (ls_datagram_queue){.items = ls_alloc(capacity * sizeof(ls_queued_datagram)),
                                 .capacity = capacity};
}

static inline void ls_datagram_queue_reset(ls_datagram_queue *queue)
{
    ls_free(queue->items);
    *queue = (ls_datagram_queue){0};
}

/* Appends an item and returns it for the caller to fill; NULL when the queue is full. */
static inline ls_queued_datagram *ls_datagram_queue_push(ls_datagram_queue *queue)
{
    return queue->count < queue->capacity ? &queue->items[queue->count++] : NULL;
}

/* Removes and returns the oldest item, valid until the round ends; NULL when the queue is empty. */
static inline const ls_queued_datagram *ls_datagram_queue_take(ls_datagram_queue *queue)
{
    return queue->next < queue->count ? &queue->items[queue->next++] : NULL;
}

/* Empties the storage for a new round, unless items were not taken yet. */
static inline void ls_datagram_queue_begin_round(ls_datagram_queue *queue)
{
    if (queue->next == queue->count)
        queue->next = queue->count = 0;
}

#endif
