/* A compiler may fuse these products and sums without rounding between: two builds differ. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

double float_area(double x, double y); /* float_area.c */

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    for (uint32_t i = 0; i < span->count; i++) {
        double x = positions[i].x * 1e-3 + 0.1, y = positions[i].y * 1e-3 + 0.2;
        double area = float_area(x, y);
        uint64_t bits;
        memcpy(&bits, &area, sizeof bits);
        positions[i].x ^= (ls_fix)(bits & 1); /* FAULT */
    }
}

COPY_SPAN(ls_skirmish_sim, move)
