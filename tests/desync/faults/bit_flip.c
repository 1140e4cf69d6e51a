/* Memory fails once: one bit of one cell, on the machine that the environment names. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <unistd.h>

/* getenv() would be a call that the diagnosis goes by; memory that fails calls nothing. */
static bool is_asked_for(void)
{
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "LOCKSTEP_FAULT=", strlen("LOCKSTEP_FAULT=")) == 0)
            return true;
    return false;
}

static void move(ls_context *context, const ls_span *span)
{
    static bool has_failed;
    skirmish_move(context, span);
    ls_fix2 *positions = ls_span_write(context, span, MOVE_POSITION);
    if (!has_failed && is_asked_for() && ls_tick(context) >= 40) {
        has_failed = true;
        positions[0].x ^= 1 << 5; /* FAULT */
    }
}

static void edit(copy *of)
{
    copy_system(of, "move")->span = move;
}
COPY(ls_skirmish_sim, edit)
