/* A binary heap; a total order, so that equal moments keep their order. */
#include "cli/network/delay_queue.h"

#include <string.h>

void ls_delay_queue_init(ls_delay_queue *queue)
{
    *queue = (ls_delay_queue){
        .heap = ls_alloc(sizeof(ls_delayed *) * (size_t)LS_DELAY_QUEUE_PACKETS_MAX)};
}

void ls_delay_queue_reset(ls_delay_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        ls_free(queue->heap[i]);
    ls_free(queue->heap);
    *queue = (ls_delay_queue){0};
}

static bool is_before(const ls_delayed *a, const ls_delayed *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void sift_up(ls_delay_queue *queue, uint32_t index)
{
    ls_delayed *packet = queue->heap[index];
    while (index > 0 && is_before(packet, queue->heap[(index - 1) / 2])) {
        queue->heap[index] = queue->heap[(index - 1) / 2];
        index = (index - 1) / 2;
    }
    queue->heap[index] = packet;
}

static void sift_down(ls_delay_queue *queue, ls_delayed *packet)
{
    uint32_t index = 0;
    for (;;) {
        uint32_t child = index * 2 + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && is_before(queue->heap[child + 1], queue->heap[child]))
            child++;
        if (is_before(packet, queue->heap[child]))
            break;
        queue->heap[index] = queue->heap[child];
        index = child;
    }
    queue->heap[index] = packet;
}

ls_status ls_delay_queue_add(ls_delay_queue *queue, const ls_delayed *head, const uint8_t *data,
                             ls_delayed **added)
{
    if (queue->count == LS_DELAY_QUEUE_PACKETS_MAX ||
        head->bytes > LS_DELAY_QUEUE_BYTES_MAX - queue->bytes)
        return LS_ERROR_LIMIT;
    ls_delayed *packet = ls_alloc(sizeof *packet + head->bytes);
    *packet = *head;
    packet->order = queue->added++;
    if (head->bytes)
        memcpy(packet->data, data, head->bytes);
    queue->heap[queue->count++] = packet;
    queue->bytes += head->bytes;
    sift_up(queue, queue->count - 1);
    *added = packet;
    return LS_OK;
}

ls_delayed *ls_delay_queue_take(ls_delay_queue *queue, uint64_t now_ns)
{
    if (queue->count == 0 || queue->heap[0]->due_ns > now_ns)
        return NULL;
    ls_delayed *first = queue->heap[0];
    ls_delayed *last = queue->heap[--queue->count];
    queue->bytes -= first->bytes;
    if (queue->count > 0)
        sift_down(queue, last);
    return first;
}

uint64_t ls_delay_queue_next_ns(const ls_delay_queue *queue)
{
    return queue->count ? queue->heap[0]->due_ns : UINT64_MAX;
}
