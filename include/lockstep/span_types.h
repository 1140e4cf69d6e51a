/* Spans and blocks: a span is a run of matching slots, a block is 64 slots of which some match. */
#ifndef LS_SPAN_TYPES_H
#define LS_SPAN_TYPES_H
#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lane's number in spans, blocks and handles. Lane "world" has number 0; it always exists and is
 * not in ls_sim.lanes. The lanes of ls_sim.lanes follow, in strcmp() order of their names.
 * ls_lane_named() in include/lockstep/context.h gives the number. ls_spawn() uses a different
 * number: the index in the system's own list of lanes. */

/* A run of consecutive slots of one page, which match. The slots agree on each optional term: all
 * have the component, or none has it. Only the spans of a system's `each` may have gaps. */
struct ls_span {
    uint32_t count; /* with gaps: a multiple of 64 */
    uint32_t lane;  /* lane number, as above */
    uint32_t first_slot;
    uint16_t readable, writable; /* bit by term: its declaration allows it */
    const uint32_t *generations; /* generations of the `count` slots */
    const uint64_t *matches;     /* NULL: no gaps; else bit i % 64 of word i / 64: slot i matches */
    /* Use LS_READ_SPAN() and LS_WRITE_SPAN(). NULL also for a term of LS_ACCESS_PRESENCE. */
    const void *const_cells[LS_QUERY_TERMS_MAX];
};

static inline ls_entity ls_span_entity(const ls_span *span, uint32_t i)
{
    return ls_entity_make(span->lane, span->first_slot + i, span->generations[i]);
}

/* 64 consecutive slots and a mask of those that match. Slot i of the block is bit i of the masks
 * and index i of the arrays. An array entry whose bit is clear belongs to another entity or to
 * none: the system must neither read nor write it. */
struct ls_block {
    uint64_t matches; /* never 0 */
    uint32_t lane;    /* lane number, as in ls_span */
    uint32_t first_slot;
    const uint32_t *generations;
    uint64_t present[LS_QUERY_TERMS_MAX]; /* by term of the query: slots with the component when the
                                             block began, a bit each */
    const void *const_cells[LS_QUERY_TERMS_MAX]; /* use LS_READ_BLOCK() and LS_WRITE_BLOCK() */
};

static inline ls_entity ls_block_entity(const ls_block *block, uint32_t i)
{
    return ls_entity_make(block->lane, block->first_slot + i, block->generations[i]);
}

/* Takes the lowest bit out of a mask: for (uint32_t i; ls_mask_take(&mask, &i);) visits its set
 * bits in ascending order. */
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
