/* All orders that one client ever gave, over all its processes, and how far they were seen in the
 * stream. */
#ifndef LS_SIMULATION_ORDERS_H
#define LS_SIMULATION_ORDERS_H

#include "core/match.h"

struct order {
    uint64_t tick; /* where it landed */
    bool has_landed;
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
};

struct orders {
    struct order *items;
    uint32_t count, capacity;
    uint32_t next; /* that may land */
    uint32_t landed, skipped;
};

void orders_reset(struct orders *self);
void orders_give(struct orders *self, const uint8_t *data, uint32_t bytes);
/* The next of them, maybe behind some that never came; false: it was not given, or came before. */
bool orders_land(struct orders *self, uint64_t tick, const uint8_t *data, uint32_t bytes);
/* The ticks from `count` on were lost; what landed there may land again. */
void orders_rewind(struct orders *self, uint64_t count);
/* Given and not seen in the stream. */
static inline uint32_t orders_missing(const struct orders *self)
{
    return self->count - self->landed;
}

#endif
