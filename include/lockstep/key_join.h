/* Walks over the entities with one key: the join by key. ls_join_begin() of <lockstep/join.h>
 * begins a walk. */
#ifndef LS_KEY_JOIN_H
#define LS_KEY_JOIN_H
#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by ls_join_next(): an entry of the index. The key is there only in a mixed bucket. */
typedef struct ls_join_entry {
    ls_entity entity;
    uint64_t key;
} ls_join_entry;

/* A walk over the entities with a field equal to one key. The members are private. */
typedef struct ls_join_walk {
    const struct ls_join_index *index;
    uint64_t key;
    const uint8_t *next, *end; /* the entries of the bucket that are left */
    uint32_t entry_bytes;
    bool is_mixed; /* the bucket may have entries of other keys */
} ls_join_walk;

/* The next entry with the key; NULL at the end. */
static inline const ls_join_entry *ls_join_take_(ls_join_walk *walk)
{
    while (walk->next != walk->end) {
        const ls_join_entry *entry = (const ls_join_entry *)(const void *)walk->next;
        walk->next += walk->entry_bytes;
        if (!walk->is_mixed || entry->key == walk->key)
            return entry;
    }
    return NULL;
}

/* Gets the next entity; false at the end. Order: by lane, then slot. */
static inline bool ls_join_next(ls_join_walk *walk, ls_entity *entity)
{
    const ls_join_entry *entry = ls_join_take_(walk);
    if (!entry)
        return false;
    *entity = entry->entity;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
