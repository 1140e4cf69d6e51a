/* The arithmetic of floats.c, by the rules of docs/determinism.md: only + - * / and square
 * roots, in a fixed order, and no NaN. Without a header of the engine, and so without its probe of
 * floats: a test compiles this file alone with options that break the rules. The products that a
 * sum follows differ under contraction, quotients and sums when they are reordered, and `fading`
 * passes through the denormal numbers. */
#include "tests/determinism/floats_tick.h"

#include <math.h>

void floats_pull(floats_body *self, const floats_centre *centre)
{
    double x = centre->x - self->x, y = centre->y - self->y;
    double distance = sqrt(x * x + y * y + 1.0);
    float pull_x = (float)(x / distance), pull_y = (float)(y / distance);
    self->speed_x = self->speed_x * 0.998f + pull_x * 0.03f - self->spin * 0.01f;
    self->speed_y = self->speed_y * 0.998f + pull_y * 0.03f + self->spin * 0.01f;
    self->spin = sqrtf(self->speed_x * self->speed_x + self->speed_y * self->speed_y) / 3.0f;
    self->x = self->x + (double)self->speed_x * 0.7;
    self->y = self->y + (double)self->speed_y * 0.7;
    self->fading = self->fading * 0.37f;
    if (self->fading == 0.0f)
        self->fading = 1.0f + self->spin;
}

void floats_add(const floats_body *self, floats_centre *centre)
{
    double speed_x = (double)self->speed_x, speed_y = (double)self->speed_y;
    double share = 1.0 / ((double)(centre->count % FLOATS_BODIES) + 1.0);
    centre->x = centre->x + (self->x - centre->x) * share;
    centre->y = centre->y + (self->y - centre->y) * share;
    centre->energy = centre->energy * 0.999 + speed_x * speed_x + speed_y * speed_y +
                     (double)self->fading * 0x1p100;
    centre->count++;
}
