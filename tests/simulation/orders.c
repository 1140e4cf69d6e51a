#include "orders.h"

#include <string.h>

void orders_reset(struct orders *self)
{
    ls_free(self->items);
    *self = (struct orders){0};
}

void orders_give(struct orders *self, uint32_t life, const uint8_t *data, uint32_t bytes)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 256;
        self->items = ls_realloc(self->items, self->capacity * sizeof *self->items);
    }
    struct order *item = &self->items[self->count++];
    *item = (struct order){.life = life, .bytes = (uint16_t)bytes};
    memcpy(item->data, data, bytes);
}

/* Returns the first order that may land next: the one after the last landed order of this life and
 * earlier ones. */
static uint32_t first_open(const struct orders *self, uint32_t life)
{
    uint32_t first = self->count;
    while (first > 0 && !(self->items[first - 1].life <= life && self->items[first - 1].has_landed))
        first--;
    return first;
}

bool orders_land(struct orders *self, uint32_t life, uint64_t tick, const uint8_t *data,
                 uint32_t bytes)
{
    for (uint32_t i = first_open(self, life); i < self->count; i++) {
        struct order *item = &self->items[i];
        if (item->life > life || item->bytes != bytes || memcmp(item->data, data, bytes) != 0)
            continue;
        self->landed++;
        item->has_landed = true;
        item->tick = tick;
        return true;
    }
    return false;
}

void orders_rewind(struct orders *self, uint64_t count)
{
    for (uint32_t i = 0; i < self->count; i++) {
        struct order *item = &self->items[i];
        if (!item->has_landed || item->tick < count)
            continue;
        self->landed--;
        item->has_landed = false;
    }
}
