#include "client/root_queue.h"

#include "core/base/bounds.h"

_Static_assert(LS_ROOT_QUEUE_MAX <= LS_ROOT_BATCH_MAX, "a batch has room for the whole queue");

static ls_root_queue_entry *entry_at(ls_root_queue *queue, uint64_t tick)
{
    return &queue->entries[tick % LS_ROOT_QUEUE_MAX];
}

static void drop_oldest(ls_root_queue *queue, uint32_t count)
{
    queue->first += count;
    queue->count -= count;
    queue->acked -= ls_min_u32(queue->acked, count);
    queue->unsent = ls_min_u32(queue->unsent, queue->count);
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
    queue->count = queue->acked = queue->unsent = 0;
    queue->asked_end = 0;
}

void ls_root_queue_restart(ls_root_queue *queue)
{
    drop_oldest(queue, queue->acked);
    queue->unsent = queue->count;
    queue->asked_end = 0;
}

bool ls_root_queue_is_sparse(const ls_root_queue *queue)
{
    return queue->is_sparse && queue->first + queue->acked >= queue->asked_end;
}

bool ls_root_queue_acknowledge(ls_root_queue *queue, uint32_t root_ack, uint32_t echo_us)
{
    uint32_t count = root_ack - (uint32_t)queue->first, sent = queue->count - queue->unsent;
    if (count > sent)
        return false;
    bool is_refused = count < sent && echo_us == queue->stamp_us && ls_root_queue_is_sparse(queue);
    bool wants_more = count < queue->acked || is_refused;
    queue->acked = count;
    if (!wants_more)
        return false;
    queue->unsent = queue->count - count;
    queue->asked_end = queue->first + queue->count;
    return true;
}

bool ls_root_queue_is_full(const ls_root_queue *queue)
{
    return queue->unsent >= LS_UPDATE_ROOTS_MAX && !ls_root_queue_is_sparse(queue);
}

/* Returns the index of the first entry to send: a new one, or the oldest unacknowledged one when
 * its acknowledgement is overdue. A batch always begins with the oldest unacknowledged one. */
static uint32_t find_first(ls_root_queue *queue, uint64_t now_ns, uint64_t timeout_ns)
{
    uint32_t sent = queue->count - queue->unsent;
    if (queue->unsent && ls_root_queue_is_sparse(queue))
        return queue->acked;
    if (queue->acked >= sent)
        return sent;
    uint64_t sent_ns = entry_at(queue, queue->first + queue->acked)->sent_ns;
    return now_ns - sent_ns >= timeout_ns ? queue->acked : sent;
}

static void fill_batch(ls_root_queue *queue, uint32_t from, ls_update *update)
{
    update->root_count = 1;
    update->batch_count = queue->count - from;
    update->roots[0] = update->root_first;
    for (uint32_t i = 0; i < update->batch_count; i++)
        update->roots[0] =
            ls_root_batch_add(update->roots[0], entry_at(queue, update->root_first + i)->root);
}

void ls_root_queue_fill(ls_root_queue *queue, uint64_t now_ns, uint64_t timeout_ns,
                        ls_update *update)
{
    bool is_sparse = ls_root_queue_is_sparse(queue);
    uint32_t sent = queue->count - queue->unsent, from = find_first(queue, now_ns, timeout_ns);
    uint32_t end = is_sparse ? queue->count : ls_min_u32(queue->count, from + LS_UPDATE_ROOTS_MAX);
    if (from == end)
        return;
    update->root_first = queue->first + from;
    update->root_count = end - from;
    update->roots_begin = from == 0;
    if (is_sparse)
        queue->stamp_us = update->stamp_us;
    if (is_sparse && end - from > 1)
        fill_batch(queue, from, update);
    else
        for (uint32_t i = 0; i < end - from; i++)
            update->roots[i] = entry_at(queue, update->root_first + i)->root;
    for (uint32_t i = ls_min_u32(from, sent); i < end; i++)
        entry_at(queue, queue->first + i)->sent_ns = now_ns;
    queue->sent += end > sent ? end - (from > sent ? from : sent) : 0;
    queue->unsent = ls_min_u32(queue->unsent, queue->count - end);
}
