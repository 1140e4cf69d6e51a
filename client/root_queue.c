#include "client/root_queue.h"

#include <string.h>

void ls_root_queue_add(ls_root_queue *queue, uint64_t tick, uint64_t root)
{
    if (queue->count == LS_UPDATE_ROOTS_MAX) {
        memmove(queue->roots, queue->roots + 1, (LS_UPDATE_ROOTS_MAX - 1) * sizeof *queue->roots);
        queue->count--;
    }
    queue->roots[queue->count++] = (ls_update_root){.tick = tick, .root = root};
    queue->unsent++;
}

void ls_root_queue_drop(ls_root_queue *queue)
{
    queue->count = queue->unsent = 0;
}

bool ls_root_queue_is_full(const ls_root_queue *queue)
{
    return queue->unsent >= LS_UPDATE_ROOTS_MAX / 2;
}

void ls_root_queue_fill(ls_root_queue *queue, ls_update *update)
{
    update->root_count = queue->count;
    memcpy(update->roots, queue->roots, queue->count * sizeof *queue->roots);
    queue->sent += queue->unsent;
    queue->unsent = 0;
}
