/* Matching: which slots of which pages, from presence bits alone. */
#ifndef LS_QUERY_H
#define LS_QUERY_H

#include "core/world_internal.h"

/* core/query.c: the slots of one page that match query `query` of the terms. */
bool ls_query_mask(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t lane, uint32_t page, uint64_t mask[LS_PAGE_WORDS]);
bool ls_query_matches(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                      uint32_t query, uint32_t lane, uint32_t slot);
/* The column whose pages have to be walked to meet every match: an include, or liveness. */
uint32_t ls_query_leader(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query);
/* The pages with a match, in canonical order; without masks also pages that only may have one. */
void ls_query_list(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, bool with_masks, ls_page_list *list);
bool ls_page_list_has(const ls_page_list *list, ls_entity entity);
void ls_page_list_drop(ls_page_list *list, ls_entity entity);
/* The length of the span at `first`: slots side by side that agree on the optional terms. */
uint32_t ls_query_span(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                       const uint64_t *mask, uint32_t lane, uint32_t page, uint32_t first);
/* Everything of a span of query 0 but its count: it begins at slot `first` of the page. */
void ls_query_fill_span(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                        uint32_t lane, uint32_t page, uint32_t first, ls_span *span);
/* The block of word `word` of the page, of which `matches` match query 0. */
void ls_query_fill_block(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t lane, uint32_t page, uint32_t word, uint64_t matches,
                         ls_block *block);
/* A walk over pages that may have a match of the query: each of its includes has a cell there and
 * none of its excludes has all 256. for (key = 0; ls_query_next(..., &key); key++) */
bool ls_query_next(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t *key);

#endif
