/* Cells of new entities, written before the entities have numbers. A concurrent system that runs
 * alone, its pages in canonical order, knows the slots that the merge will take. If it uses a
 * column for nothing but its new entities, their cells and presence go there at once. The slots
 * stay free until the merge: to the rest of the run the new entities are not alive. */
#ifndef LS_SPAWN_AHEAD_H
#define LS_SPAWN_AHEAD_H
#include "core/run/invocation.h"

/* A window on the new entities of a run: those that get slots in one page of the lane. It moves
 * forward only, so what is recorded for a cell is always later than what was written at once. */
typedef struct ls_spawn_ahead {
    const ls_command_segment *segment; /* of the last move; NULL: no window yet */
    ls_entity pending;     /* of the window's first entity, as if `segment` had spawned it */
    uint32_t before;       /* new entities of the segments before `segment` */
    uint32_t first, count; /* the window: numbers of new entities, counted over the run */
    uint32_t page;         /* of the lane */
    uint8_t slots[LS_PAGE_SLOTS];
    ls_page *pages[LS_TERMS_MAX]; /* by term: the column's page, open; NULL: not known */
    bool records[LS_TERMS_MAX];   /* by term: it is known that its cells are recorded */
} ls_spawn_ahead;

/* Called when the system begins to run alone, with its pages in canonical order. NULL: the run
 * records all cells, because the system is not concurrent, does not spawn into exactly one lane, or
 * is traced or watched. */
ls_spawn_ahead *ls_spawn_ahead_begin(ls_world *world, const ls_plan_system *plan, ls_run *run);
/* Moves the window to an entity that the open segment spawned, and returns the term's page there.
 * NULL: the cell has to be recorded. */
ls_page *ls_spawn_ahead_find(const ls_context *context, uint32_t term, uint32_t ordinal);

/* The page that ls_spawn_ahead_find() returns, if it is known already. Accepts any handle: an
 * entity of an earlier segment would have an ordinal below 0, whose high bits are set. */
static inline ls_page *ls_spawn_ahead_page(const ls_spawn_ahead *ahead,
                                           const ls_command_segment *segment, uint32_t term,
                                           ls_entity entity)
{
    return segment == ahead->segment && entity - ahead->pending < ahead->count &&
                   (uint32_t)entity < segment->spawned
               ? ahead->pages[term]
               : NULL;
}

static inline uint32_t ls_spawn_ahead_slot(const ls_spawn_ahead *ahead, ls_entity entity)
{
    return ahead->slots[(uint32_t)entity - (uint32_t)ahead->pending];
}

#endif
