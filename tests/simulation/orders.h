/* All orders that one client ever gave, over all its processes, and how far they were seen in the
 * stream. */
#ifndef LS_SIMULATION_ORDERS_H
#define LS_SIMULATION_ORDERS_H

#include <lockstep/match.h>

struct order {
    uint64_t tick; /* where it landed */
    uint32_t life; /* of the client: the process that gave it */
    bool has_landed;
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
};

struct orders {
    struct order *items;
    uint32_t count, capacity;
    uint32_t landed;
};

void orders_reset(struct orders *self);
void orders_give(struct orders *self, uint32_t life, const uint8_t *data, uint32_t bytes);
/* The next order of this life or an earlier one, perhaps after some that never landed; false: it
 * was not given, or came before. A process that died may have a seat of its own for a while, in
 * which its orders still land. */
bool orders_land(struct orders *self, uint32_t life, uint64_t tick, const uint8_t *data,
                 uint32_t bytes);
/* The ticks from `count` on were lost; what landed there may land again. */
void orders_rewind(struct orders *self, uint64_t count);
/* Given and not seen in the stream. */
static inline uint32_t orders_missing(const struct orders *self)
{
    return self->count - self->landed;
}

#endif
