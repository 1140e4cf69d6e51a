/* Signed overflow, which a compiler may assume never happens: two builds give two results. */
#include "sims/toyphys/toyphys.h"
#include "tests/desync/copy.h"

static void inertia(ls_context *context, const ls_span *span)
{
    ls_toyphys_sim.systems[0].span(context, span);
    int32_t *at = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        int32_t far = at[i] + 0x7fffff00;
        at[i] += far + 0x100 > far ? 1 : 2; /* FAULT */
    }
}

static void edit(copy *of)
{
    of->sim.bot = idle_bot;
    copy_system(of, "inertia")->span = inertia;
}
COPY(ls_toyphys_sim, edit)
