/* A system walks a table hashed by address and rewards its first entry. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

enum { PLACES = 64 };

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    uint32_t table[PLACES] = {0};
    for (uint32_t i = 0; i < span->count; i++)
        table[((uintptr_t)&positions[i] >> 3) * 0x9e3779b97f4a7c15u >> 58] = i + 1;
    for (uint32_t place = 0; place < PLACES; place++)
        if (table[place]) {
            positions[table[place] - 1].x += 1; /* FAULT */
            return;
        }
}

COPY_SPAN(ls_skirmish_sim, move)
