/* The queue is a binary heap. Its order is total, so that items of equal time are taken in the
 * order of pushing. */
#include "cli/network/delay_queue.h"

static bool is_before(const ls_delayed *a, const ls_delayed *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

void ls_delay_queue_push(ls_delay_queue *queue, ls_delayed *item, uint64_t due_ns)
{
    if (queue->count == queue->capacity) {
        uint32_t capacity = queue->capacity ? queue->capacity * 2 : 64;
        /* ls_realloc() must be the last step before the changes: a test may leave it by longjmp. */
        queue->heap = ls_realloc(queue->heap, capacity * sizeof(ls_delayed *));
        queue->capacity = capacity;
    }
    item->due_ns = due_ns;
    item->order = queue->pushed++;
    uint32_t at = queue->count++;
    for (; at > 0 && is_before(item, queue->heap[(at - 1) / 2]); at = (at - 1) / 2)
        queue->heap[at] = queue->heap[(at - 1) / 2];
    queue->heap[at] = item;
}

ls_delayed *ls_delay_queue_take(ls_delay_queue *queue, uint64_t now_ns)
{
    if (queue->count == 0 || queue->heap[0]->due_ns > now_ns)
        return NULL;
    ls_delayed **heap = queue->heap, *first = heap[0], *last = heap[--queue->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < queue->count; child = 2 * at + 1) {
        if (child + 1 < queue->count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

uint64_t ls_delay_queue_next_ns(const ls_delay_queue *queue)
{
    return queue->count ? queue->heap[0]->due_ns : UINT64_MAX;
}

void ls_delay_queue_reset(ls_delay_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        ls_free(queue->heap[i]);
    ls_free(queue->heap);
    *queue = (ls_delay_queue){0};
}
