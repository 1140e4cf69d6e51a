/* The paper's bodies on a line, with a static counter: a late joiner lacks its value. */
#include "sims/toyphys/toyphys.h"
#include "tests/desync/copy.h"

static uint32_t ticks;

static void inertia(ls_context *context, const ls_span *span)
{
    ls_toyphys_sim.systems[0].span(context, span);
    int32_t *at = ls_span_write(context, span, 0);
    if (++ticks % 8 == 0)
        at[0] += (int32_t)ticks; /* FAULT */
}

static void edit(copy *of)
{
    of->sim.bot = idle_bot;
    copy_system(of, "inertia")->span = inertia;
}
COPY(ls_toyphys_sim, edit)
