#include "client/root_queue.h"

static ls_root_queue_entry *entry_at(ls_root_queue *queue, uint64_t tick)
{
    return &queue->entries[tick % LS_ROOT_QUEUE_MAX];
}

static void drop_oldest(ls_root_queue *queue, uint32_t count)
{
    queue->first += count;
    queue->count -= count;
    if (queue->unsent > queue->count)
        queue->unsent = queue->count;
}

void ls_root_queue_add(ls_root_queue *queue, uint64_t tick, uint64_t root)
{
    if (!queue->count)
        queue->first = tick;
    LS_ASSERT(tick == queue->first + queue->count);
    if (queue->count == LS_ROOT_QUEUE_MAX)
        drop_oldest(queue, 1);
    *entry_at(queue, tick) = (ls_root_queue_entry){.root = root};
    queue->count++;
    queue->unsent++;
}

void ls_root_queue_drop(ls_root_queue *queue)
{
    queue->count = queue->unsent = 0;
}

void ls_root_queue_restart(ls_root_queue *queue)
{
    queue->unsent = queue->count;
}

void ls_root_queue_acknowledge(ls_root_queue *queue, uint32_t root_ack)
{
    uint32_t count = root_ack - (uint32_t)queue->first;
    if (count <= queue->count - queue->unsent)
        drop_oldest(queue, count);
}

bool ls_root_queue_is_full(const ls_root_queue *queue)
{
    return queue->unsent >= LS_UPDATE_ROOTS_MAX;
}

void ls_root_queue_fill(ls_root_queue *queue, uint64_t now_ns, uint64_t timeout_ns,
                        ls_update *update)
{
    uint32_t sent = queue->count - queue->unsent;
    bool is_overdue = sent && now_ns - entry_at(queue, queue->first)->sent_ns >= timeout_ns;
    uint32_t from = is_overdue ? 0 : sent;
    uint32_t count = queue->count - from;
    count = count < LS_UPDATE_ROOTS_MAX ? count : LS_UPDATE_ROOTS_MAX;
    if (!count)
        return;
    update->root_first = queue->first + from;
    update->root_count = count;
    update->roots_begin = from == 0;
    for (uint32_t i = 0; i < count; i++) {
        ls_root_queue_entry *entry = entry_at(queue, update->root_first + i);
        update->roots[i] = entry->root;
        entry->sent_ns = now_ns;
    }
    uint32_t fresh = from + count > sent ? from + count - sent : 0;
    queue->unsent -= fresh;
    queue->sent += fresh;
}
