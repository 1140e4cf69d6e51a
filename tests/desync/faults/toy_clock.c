/* The monotonic clock changes the positions of bodies. */
#include "sims/toyphys/toyphys.h"
#include "tests/desync/copy.h"

static void inertia(ls_context *context, const ls_span *span)
{
    ls_toyphys_sim.systems[0].span(context, span);
    int32_t *at = ls_span_write(context, span, 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (ls_tick(context) % 16 == 15)
        at[0] ^= (int32_t)(now.tv_nsec & 0xffff0); /* FAULT */
}

static void edit(copy *of)
{
    of->sim.bot = idle_bot;
    copy_system(of, "inertia")->span = inertia;
}
COPY(ls_toyphys_sim, edit)
