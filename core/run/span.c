#include <lockstep/span.h>

#include "core/run/access_check.h"
#include "core/run/term_lookup.h"

/* NULL for a term beyond the array: such a term belongs to no query. */
static const void *cells_of(const void *const *cells, uint32_t term)
{
    return LS_LIKELY(term < LS_QUERY_TERMS_MAX) ? cells[term] : NULL;
}

const void *ls_span_read_far_(const ls_context *context, const ls_span *span, uint32_t term)
{
    ls_check_term(context, term, LS_ENTITY_NULL, LS_ACCESS_READ);
    return cells_of(span->const_cells, term);
}

void *ls_span_write_far_(const ls_context *context, const ls_span *span, uint32_t term)
{
    ls_check_term(context, term, LS_ENTITY_NULL, LS_ACCESS_WRITE);
    /* The page was made writable before the engine passed the span to the system. */
    return (void *)(uintptr_t)cells_of(span->const_cells, term);
}

/* The bits of the span's slots in word `word` of the page's bitmap. The span begins at slot `first`
 * of the page. */
static uint64_t word_mask(const ls_span *span, uint32_t first, uint32_t word)
{
    uint32_t count = span->count;
    if (span->matches) /* a span with gaps begins with a word */
        return span->matches[word - first / 64];
    uint32_t begin = first > word * 64 ? first - word * 64 : 0;
    uint32_t end = first + count < word * 64 + 64 ? first + count - word * 64 : 64;
    return (end - begin == 64 ? UINT64_MAX : ((uint64_t)1 << (end - begin)) - 1) << begin;
}

static const ls_plan_term *check_structure(const ls_context *context, uint32_t term)
{
    const ls_plan_term *found = ls_check_term(context, term, LS_ENTITY_NULL, LS_ACCESS_STRUCTURE);
    if (LS_UNLIKELY(found->kind > LS_OPTIONAL))
        ls_access_fault(context, term, LS_ENTITY_NULL,
                        "is not of the entities that the query matches");
    return found;
}

void *ls_span_attach_(ls_context *context, const ls_span *span, uint32_t term)
{
    const ls_plan_term *found = check_structure(context, term);
    uint32_t page = span->first_slot / LS_PAGE_SLOTS, first = span->first_slot % LS_PAGE_SLOTS;
    uint8_t *cells = NULL;
    for (uint32_t word = first / 64; word * 64 < first + span->count; word++) {
        uint64_t bits = word_mask(span, first, word);
        if (bits)
            cells = ls_page_cells(
                ls_store_attach_word(context->world, found->column, span->lane, page, word, bits));
    }
    ls_term_cursor_forget(context);
    return found->cell_bytes ? cells + (size_t)found->cell_bytes * first : NULL;
}

void ls_span_detach(ls_context *context, const ls_span *span, uint32_t term)
{
    const ls_plan_term *found = check_structure(context, term);
    uint32_t page = span->first_slot / LS_PAGE_SLOTS, first = span->first_slot % LS_PAGE_SLOTS;
    ls_term_cursor_forget(context);
    for (uint32_t word = first / 64; word * 64 < first + span->count; word++)
        ls_store_detach_word(context->world, found->column, span->lane, page, word,
                             word_mask(span, first, word));
}

const void *ls_block_read_(const ls_context *context, const ls_block *block, uint32_t term)
{
    ls_check_term(context, term, LS_ENTITY_NULL, LS_ACCESS_READ);
    return cells_of(block->const_cells, term);
}

void *ls_block_write_(const ls_context *context, const ls_block *block, uint32_t term)
{
    ls_check_term(context, term, LS_ENTITY_NULL, LS_ACCESS_WRITE);
    /* The page was made writable before the engine passed the block to the system. */
    return (void *)(uintptr_t)cells_of(block->const_cells, term);
}

static const ls_plan_term *check_block(const ls_context *context, const ls_block *block,
                                       uint32_t term, uint64_t which)
{
    const ls_plan_term *found = check_structure(context, term);
    if (LS_UNLIKELY(which & ~block->matches))
        ls_access_fault(context, term, LS_ENTITY_NULL,
                        "changes slots of a block that do not match");
    return found;
}

void *ls_block_attach_(ls_context *context, const ls_block *block, uint32_t term, uint64_t which)
{
    const ls_plan_term *found = check_block(context, block, term, which);
    uint32_t first = block->first_slot % LS_PAGE_SLOTS;
    ls_page *page = ls_store_attach_word(context->world, found->column, block->lane,
                                         block->first_slot / LS_PAGE_SLOTS, first / 64, which);
    ls_term_cursor_forget(context);
    return found->cell_bytes ? ls_page_cells(page) + (size_t)found->cell_bytes * first : NULL;
}

void ls_block_detach(ls_context *context, const ls_block *block, uint32_t term, uint64_t which)
{
    const ls_plan_term *found = check_block(context, block, term, which);
    ls_term_cursor_forget(context);
    ls_store_detach_word(context->world, found->column, block->lane,
                         block->first_slot / LS_PAGE_SLOTS, block->first_slot % LS_PAGE_SLOTS / 64,
                         which);
}
