/* Random numbers of a simulated run. Each part of the run draws from its own stream, so an
 * additional draw in one part changes nothing in the others. */
#ifndef LS_SIMULATION_DRAWS_H
#define LS_SIMULATION_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

struct draws {
    uint64_t state;
};

static inline uint64_t draws_next(struct draws *self)
{
    uint64_t z = self->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Makes the stream of one seed and one purpose. */
static inline struct draws draws_make(uint64_t seed, uint64_t purpose)
{
    struct draws self = {seed * UINT64_C(0xd1342543de82ef95) + purpose};
    self.state = draws_next(&self);
    return self;
}

/* Draws a number from first to last, both included. */
static inline uint64_t draws_range(struct draws *self, uint64_t first, uint64_t last)
{
    return first + draws_next(self) % (last - first + 1);
}

static inline bool draws_percent(struct draws *self, uint32_t percent)
{
    return draws_next(self) % 100 < percent;
}

#endif
