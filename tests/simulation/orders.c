#include "orders.h"

#include <string.h>

void orders_reset(struct orders *self)
{
    ls_free(self->items);
    *self = (struct orders){0};
}

void orders_give(struct orders *self, const uint8_t *data, uint32_t bytes)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 256;
        self->items = ls_realloc(self->items, self->capacity * sizeof *self->items);
    }
    struct order *item = &self->items[self->count++];
    *item = (struct order){.bytes = (uint16_t)bytes};
    memcpy(item->data, data, bytes);
}

bool orders_land(struct orders *self, uint64_t tick, const uint8_t *data, uint32_t bytes)
{
    for (uint32_t i = self->next; i < self->count; i++) {
        struct order *item = &self->items[i];
        if (item->bytes != bytes || memcmp(item->data, data, bytes) != 0)
            continue;
        self->skipped += i - self->next;
        self->next = i + 1;
        self->landed++;
        item->has_landed = true;
        item->tick = tick;
        return true;
    }
    return false;
}

void orders_rewind(struct orders *self, uint64_t count)
{
    while (self->next > 0) {
        struct order *item = &self->items[self->next - 1];
        if (item->has_landed && item->tick < count)
            return;
        self->landed -= item->has_landed;
        item->has_landed = false;
        self->next--;
    }
}
