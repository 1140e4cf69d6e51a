/* All orders that one client gave in all its processes, and which of them were seen in the tick
 * stream (landed). */
#ifndef LS_SIMULATION_ORDERS_H
#define LS_SIMULATION_ORDERS_H

#include <lockstep/match.h>

struct order {
    uint64_t tick; /* the tick in which it landed */
    uint32_t life; /* which process of the client gave it */
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
/* Marks the next matching order of this life or an earlier one as landed, possibly after others
 * that never land. False: the client did not give such an order, or it landed before. The seat of a
 * dead process may exist for a while, and its orders still land. */
bool orders_land(struct orders *self, uint32_t life, uint64_t tick, const uint8_t *data,
                 uint32_t bytes);
/* Call when the ticks from `count` on were lost: orders that landed there may land again. */
void orders_rewind(struct orders *self, uint64_t count);
/* Returns the number of orders given and not landed. */
static inline uint32_t orders_missing(const struct orders *self)
{
    return self->count - self->landed;
}

#endif
