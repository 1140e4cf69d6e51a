/* Walks over the entities with one key: the join by key. ls_join_begin() of <lockstep/join.h>
 * begins a walk. */
#ifndef LS_KEY_JOIN_H
#define LS_KEY_JOIN_H
#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A walk over the entities with a field equal to one key. The members are private. */
typedef struct ls_join_walk {
    const struct ls_join_index *index;
    uint64_t key;
    uint32_t next, end;
} ls_join_walk;

/* Gets the next entity; false at the end. Order: by lane, then slot. */
LS_API bool ls_join_next(ls_join_walk *walk, ls_entity *entity);

#ifdef __cplusplus
}
#endif

#endif
