/* Memory fails once: one bit of one cell, on the machine that the environment names. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

static void move(ls_context *context, const ls_span *span)
{
    static bool has_failed;
    skirmish_move(context, span);
    ls_fix2 *positions = ls_span_write(context, span, MOVE_POSITION);
    if (!has_failed && getenv("LOCKSTEP_FAULT") && ls_tick(context) >= 40) {
        has_failed = true;
        positions[0].x ^= 1 << 5; /* FAULT */
    }
}

static void edit(copy *of)
{
    copy_system(of, "move")->span = move;
}
COPY(ls_skirmish_sim, edit)
