/* The state of floats.c, and what a tick computes. Includes no header of the engine. */
#ifndef LS_DETERMINISM_FLOATS_TICK_H
#define LS_DETERMINISM_FLOATS_TICK_H

#include <stdint.h>

enum { FLOATS_BODIES = 600 };

typedef struct floats_body {
    double x, y;
    float speed_x, speed_y, fading, spin;
} floats_body;

typedef struct floats_centre {
    double x, y, energy;
    uint64_t count; /* of the calls of floats_add() */
} floats_centre;

/* Moves a body towards the centre. */
void floats_pull(floats_body *self, const floats_centre *centre);
/* Adds a body to the centre, the sum over all bodies in their order. */
void floats_add(const floats_body *self, floats_centre *centre);

#endif
