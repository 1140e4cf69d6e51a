#include "tests/support/parcel.h"

#include <string.h>

ls_parcel *ls_parcel_create(ls_parcel_kind kind, const ls_packet *packet)
{
    uint32_t bytes = packet ? packet->bytes : 0;
    ls_parcel *parcel = ls_alloc(sizeof *parcel + bytes);
    parcel->kind = kind;
    parcel->channel = packet ? packet->channel : LS_CHANNEL_CONTROL;
    parcel->bytes = bytes;
    if (bytes)
        memcpy(parcel->data, packet->data, bytes);
    return parcel;
}

ls_parcel *ls_parcel_clone(const ls_parcel *parcel)
{
    ls_parcel *clone = ls_alloc(sizeof *clone + parcel->bytes);
    memcpy(clone, parcel, sizeof *parcel + parcel->bytes);
    return clone;
}

void ls_parcel_destroy(ls_parcel *parcel)
{
    ls_free(parcel);
}

static bool is_before(const ls_parcel *a, const ls_parcel *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

void ls_inbox_push(ls_inbox *inbox, ls_parcel *parcel)
{
    if (inbox->count == inbox->capacity) {
        uint32_t capacity = inbox->capacity ? inbox->capacity * 2 : 64;
        inbox->heap = ls_realloc(inbox->heap, capacity * sizeof inbox->heap[0]);
        inbox->capacity = capacity;
    }
    uint32_t at = inbox->count++;
    for (; at > 0 && is_before(parcel, inbox->heap[(at - 1) / 2]); at = (at - 1) / 2)
        inbox->heap[at] = inbox->heap[(at - 1) / 2];
    inbox->heap[at] = parcel;
}

ls_parcel *ls_inbox_pop(ls_inbox *inbox)
{
    LS_ASSERT(inbox->count > 0);
    ls_parcel **heap = inbox->heap;
    ls_parcel *first = heap[0];
    ls_parcel *last = heap[--inbox->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < inbox->count; child = 2 * at + 1) {
        if (child + 1 < inbox->count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

uint64_t ls_inbox_next_ns(const ls_inbox *inbox)
{
    return inbox->count ? inbox->heap[0]->due_ns : UINT64_MAX;
}

void ls_inbox_reset(ls_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++)
        ls_parcel_destroy(inbox->heap[i]);
    ls_free(inbox->heap);
    *inbox = (ls_inbox){0};
}
