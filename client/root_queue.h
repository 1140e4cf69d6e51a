/* The roots of the newest confirmed ticks. Each is sent in several updates, because some get lost.
 */
#ifndef LS_ROOT_QUEUE_H
#define LS_ROOT_QUEUE_H

#include "proto/message.h"

/* Zeroed to begin with. */
typedef struct ls_root_queue {
    uint32_t count, unsent;
    uint64_t sent;                             /* in all */
    ls_update_root roots[LS_UPDATE_ROOTS_MAX]; /* ticks rise */
} ls_root_queue;

/* Adds the root of the world before `tick`; ticks rise. */
void ls_root_queue_add(ls_root_queue *queue, uint64_t tick, uint64_t root);
/* Forgets the roots: the world was replaced. */
void ls_root_queue_drop(ls_root_queue *queue);
/* Whether an update is due: then each root is in at least two, however many ticks one step runs. */
bool ls_root_queue_is_full(const ls_root_queue *queue);
void ls_root_queue_fill(ls_root_queue *queue, ls_update *update);

#endif
