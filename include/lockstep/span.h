/* The entities of a concurrent invocation, many at a time: spans where presence is whole, blocks of
 * 64 slots where it is broken. Both hand out plain arrays; a loop over them vectorises.
 *   thread  the thread that runs the invocation */
#ifndef LS_SPAN_H
#define LS_SPAN_H

#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lane's number in spans, blocks and handles: 0 is "world", which no simulation lists; those of
 * ls_sim.lanes follow in the order of their names as strcmp() has it, whatever their order in that
 * list, so that it may be written in any order. ls_lane_named() in include/lockstep/context.h gives
 * it. What ls_spawn() takes is another number: the index in the system's own list. */

/* A run of consecutive matching slots of one page that agree on every optional term. */
struct ls_span {
    uint32_t count;
    uint32_t lane; /* of the simulation, as below */
    uint32_t first_slot;
    const uint32_t *generations; /* of the `count` slots */
    /* Read them through ls_span_read/_write. NULL also for a term of LS_PRESENCE. */
    const void *const_cells[LS_QUERY_TERMS_MAX];
};

/* The cells of term `term` for the span's entities, `span->count` of them side by side. NULL for a
 * term that is not in the query, for a tag, and for an optional term that this span lacks. */
LS_API const void *ls_span_read(const ls_context *context, const ls_span *span, uint32_t term);
/* The same for writing; the term declares LS_WRITE or LS_STRUCTURE. */
LS_API void *ls_span_write(const ls_context *context, const ls_span *span, uint32_t term);
/* Attaches the term's component to every entity of the span that lacks it, zeroed, and gives the
 * cells of all, NULL for a tag. The term declares LS_STRUCTURE. */
LS_API void *ls_span_attach(ls_context *context, const ls_span *span, uint32_t term);
/* Detaches it from every entity of the span. */
LS_API void ls_span_detach(ls_context *context, const ls_span *span, uint32_t term);

static inline ls_entity ls_span_entity(const ls_span *span, uint32_t i)
{
    return ls_entity_make(span->lane, span->first_slot + i, span->generations[i]);
}

/* 64 consecutive slots, and which of them match. Slot i of the block is bit i of the masks and
 * index i of the arrays; what the arrays hold where no bit is set is not the system's. */
struct ls_block {
    uint64_t matches; /* never 0 */
    uint32_t lane;    /* as in a span */
    uint32_t first_slot;
    const uint32_t *generations;
    uint64_t
        present[LS_QUERY_TERMS_MAX]; /* of the query's terms: who has the component, as it began */
    const void *const_cells[LS_QUERY_TERMS_MAX]; /* read them through ls_block_read/_write */
};

/* The cells of the block's 64 slots. NULL for a term that is not in the query, for a tag, and where
 * none of the 64 has the component's page. */
LS_API const void *ls_block_read(const ls_context *context, const ls_block *block, uint32_t term);
LS_API void *ls_block_write(const ls_context *context, const ls_block *block, uint32_t term);
/* Attaches the component, zeroed, to those of `which` that lack it, and gives the block's cells,
 * NULL for a tag. `which` is a part of block->matches (asserted). */
LS_API void *ls_block_attach(ls_context *context, const ls_block *block, uint32_t term,
                             uint64_t which);
LS_API void ls_block_detach(ls_context *context, const ls_block *block, uint32_t term,
                            uint64_t which);

static inline ls_entity ls_block_entity(const ls_block *block, uint32_t i)
{
    return ls_entity_make(block->lane, block->first_slot + i, block->generations[i]);
}

/* for (uint32_t i; ls_mask_take(&mask, &i);) visits the set bits of a copy of a mask, ascending. */
static inline bool ls_mask_take(uint64_t *mask, uint32_t *i)
{
    if (*mask == 0)
        return false;
    *i = (uint32_t)__builtin_ctzll(*mask);
    *mask &= *mask - 1;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
