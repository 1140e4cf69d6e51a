/* The entities of a concurrent invocation, many at a time: spans, with or without gaps, and blocks
 * of 64 slots. Both give plain arrays, so a loop over them vectorises.
 *   thread  the thread that runs the invocation */
#ifndef LS_SPAN_H
#define LS_SPAN_H
#include <lockstep/span_types.h>
#include <lockstep/wide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cells of a term for the span's entities: an array of `span->count`. NULL for a term that is
 * not in the query, for a tag, and for an optional term that this span lacks. */
static inline const void *ls_span_read_(const ls_context *context, const ls_span *span,
                                        uint32_t term);
/* Like ls_span_read_(), for a term that declares LS_ACCESS_WRITE or LS_ACCESS_STRUCTURE. */
static inline void *ls_span_write_(const ls_context *context, const ls_span *span, uint32_t term);
/* Attaches the term's component, zeroed, to every entity of the span that lacks it. Returns the
 * cells of all entities, NULL for a tag. The term must declare LS_ACCESS_STRUCTURE. */
LS_API void *ls_span_attach_(ls_context *context, const ls_span *span, uint32_t term);
/* Detaches the component from every entity of the span. */
LS_API void ls_span_detach(ls_context *context, const ls_span *span, uint32_t term);

/* Defines the function of a system's `each`, and LS_EACH_IN_SPAN() loops over the entities of its
 * span, in ascending order. The cells in the gaps of a span are of other entities or of none: the
 * function must neither read nor write them. It is compiled twice, for spans without gaps and for
 * those with gaps, so each loop has the form that suits its span; the former is LS_WIDE (wide.h).
 *
 *     static LS_EACH_FUNCTION(walk, context, span)
 *     {
 *         LS_USES(context, walking);
 *         place *at = LS_WRITE_SPAN(context, place, span);
 *         LS_EACH_IN_SPAN(span, i)
 *             at[i].x++;
 *     }
 */
#define LS_EACH_FUNCTION(name, context, span)                                                      \
    void name(ls_context *context, const ls_span *span);                                           \
    static inline __attribute__((always_inline)) void name##_with_(                                \
        ls_context *context, const ls_span *span, const bool LS_EACH_FUNCTION_is_missing);         \
    static LS_WIDE void name##_whole_(ls_context *context, const ls_span *span)                    \
    {                                                                                              \
        name##_with_(context, span, false);                                                        \
    }                                                                                              \
    void name(ls_context *context, const ls_span *span)                                            \
    {                                                                                              \
        if ((span)->matches)                                                                       \
            name##_with_(context, span, true);                                                     \
        else                                                                                       \
            name##_whole_(context, span);                                                          \
    }                                                                                              \
    static inline void name##_with_(ls_context *context, const ls_span *span,                      \
                                    __attribute__((unused))                                        \
                                    const bool LS_EACH_FUNCTION_is_missing)
/* The outer loop has one turn. It only holds the walk, so `break` leaves both. */
#define LS_EACH_IN_SPAN(span, i)                                                                   \
    for (ls_span_walk i##_walk_ = ls_span_begin_(span, LS_EACH_FUNCTION_is_missing);               \
         i##_walk_.is_begun; i##_walk_.is_begun = false)                                           \
        for (uint32_t i; ls_span_next_(&i##_walk_, LS_EACH_FUNCTION_is_missing, &i);)

/* The cells of a term for the block's 64 slots. NULL for a term that is not in the query, for a
 * tag, and if the column has no page there. */
LS_API const void *ls_block_read_(const ls_context *context, const ls_block *block, uint32_t term);
LS_API void *ls_block_write_(const ls_context *context, const ls_block *block, uint32_t term);
/* Attaches the component, zeroed, to the entities of `which` that lack it. Returns the block's
 * cells, NULL for a tag. `which` must be a subset of block->matches (asserted). */
LS_API void *ls_block_attach_(ls_context *context, const ls_block *block, uint32_t term,
                              uint64_t which);
LS_API void ls_block_detach(ls_context *context, const ls_block *block, uint32_t term,
                            uint64_t which);

/* Implementation: only the inline functions below call them. */
LS_API const void *ls_span_read_far_(const ls_context *context, const ls_span *span, uint32_t term);
LS_API void *ls_span_write_far_(const ls_context *context, const ls_span *span, uint32_t term);

static inline const void *ls_span_read_(const ls_context *context, const ls_span *span,
                                        uint32_t term)
{
    if (LS_LIKELY(term < LS_QUERY_TERMS_MAX && span->readable >> term & 1))
        return span->const_cells[term];
    return ls_span_read_far_(context, span, term);
}

static inline void *ls_span_write_(const ls_context *context, const ls_span *span, uint32_t term)
{
    if (LS_LIKELY(term < LS_QUERY_TERMS_MAX && span->writable >> term & 1))
        return (void *)(uintptr_t)span->const_cells[term];
    return ls_span_write_far_(context, span, term);
}

typedef struct ls_span_walk {
    bool is_begun;
    uint32_t at, end;      /* the next slot; with gaps, the first one of the current word */
    uint64_t left;         /* of the current word */
    const uint64_t *words; /* the words after it */
} ls_span_walk;

static inline ls_span_walk ls_span_begin_(const ls_span *span, bool has_gaps)
{
    ls_span_walk walk = {true, 0, span->count, 0, span->matches};
    if (has_gaps)
        walk.left = *walk.words++;
    return walk;
}

static inline bool ls_span_next_(ls_span_walk *walk, bool has_gaps, uint32_t *i)
{
    if (!has_gaps) {
        *i = walk->at++;
        return *i < walk->end;
    }
    while (LS_UNLIKELY(walk->left == 0)) {
        walk->at += 64;
        if (walk->at >= walk->end)
            return false;
        walk->left = *walk->words++;
    }
    *i = walk->at + (uint32_t)__builtin_ctzll(walk->left);
    walk->left &= walk->left - 1;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
