/* Packets that wait for their moment: the earliest due is taken first, of equal ones the one that
 * was added first.
 *   thread  the one that owns the queue */
#ifndef LS_DELAY_QUEUE_H
#define LS_DELAY_QUEUE_H

#include <lockstep/base.h>

/* 400 ms of 16,000 large packets a second, to give a measure. */
#define LS_DELAY_QUEUE_PACKETS_MAX 32768u
#define LS_DELAY_QUEUE_BYTES_MAX   (32u << 20)

typedef struct ls_delayed {
    uint64_t due_ns;
    uint64_t order; /* set by the queue */
    uint64_t to;    /* the owner's word for where it goes */
    uint32_t bytes;
    uint8_t data[];
} ls_delayed;

typedef struct ls_delay_queue {
    ls_delayed **heap; /* of LS_DELAY_QUEUE_PACKETS_MAX */
    uint32_t count;
    uint32_t bytes; /* of all packets waiting */
    uint64_t added;
} ls_delay_queue;

/*   owns  ls_delay_queue_reset frees what waits, too */
void ls_delay_queue_init(ls_delay_queue *queue);
void ls_delay_queue_reset(ls_delay_queue *queue);

/* Copies the bytes.
 *   errors  LIMIT: it is full, the packet is not taken
 *   owns    the packet that *added names belongs to the queue; its data may be changed at once */
ls_status ls_delay_queue_add(ls_delay_queue *queue, const ls_delayed *head, const uint8_t *data,
                             ls_delayed **added) LS_MUST_USE;
/* The next packet that is due, NULL when none is.
 *   owns  ls_free by the caller */
ls_delayed *ls_delay_queue_take(ls_delay_queue *queue, uint64_t now_ns);
/* When the next one is due; UINT64_MAX when none waits. */
uint64_t ls_delay_queue_next_ns(const ls_delay_queue *queue);

#endif
