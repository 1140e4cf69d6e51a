/* Walks over the matches of a query that is not part of the system's query vector: any number of
 * such queries, in any order and nesting. Their terms are in WALKS(n, ...) of LS_TERMS, or have the
 * query LS_WALKED | n. A concurrent system only reads them, as LS_OTHERS_READ.
 *   order    by lane, then slot
 *   changes  as in a sequential system's query: the matches are those of the system's begin. Each
 *            is checked again when the walk reaches it, and skipped if it no longer holds or this
 *            sequential system has despawned it. A filter by change is not checked again. New
 *            matches are not visited.
 *   cost     the pages with a match are listed once for each run of the system, and again only if
 *            presence in the query's columns has changed since. A walk then costs a lookup for each
 *            term and match in a sequential system, and none in a concurrent one
 *   errors   a query that no WALKS declares stops the process
 *   thread   the thread that runs the invocation */
#ifndef LS_QUERY_WALK_H
#define LS_QUERY_WALK_H

#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Storage of the caller, valid in one invocation. The members are private. */
typedef struct ls_query_walk {
    const ls_context *context;
    uint32_t query, page, slot;
} ls_query_walk;

LS_API void ls_query_walk_begin(const ls_context *context, uint32_t query, ls_query_walk *walk);
/* Returns the next match, LS_ENTITY_NULL at the end. */
LS_API ls_entity ls_query_walk_next(ls_query_walk *walk);

static inline ls_query_walk ls_query_walk_of_(const ls_context *context, uint32_t query)
{
    ls_query_walk walk;
    ls_query_walk_begin(context, query, &walk);
    return walk;
}
/* LS_EACH_MATCH(context, 1, other) { ... }: a loop over the matches of query 1. */
#define LS_EACH_MATCH(context, query, entity)                                                      \
    for (ls_query_walk entity##_walk_ = ls_query_walk_of_(context, query),                         \
                       *entity##_once_ = &entity##_walk_;                                          \
         entity##_once_; entity##_once_ = NULL)                                                    \
        for (ls_entity entity; (entity = ls_query_walk_next(&entity##_walk_)) != LS_ENTITY_NULL;)

#ifdef __cplusplus
}
#endif

#endif
