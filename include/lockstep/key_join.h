/* Walks over the entities with one key: the join by key. ls_join_begin() of <lockstep/join.h>
 * begins a walk. */
#ifndef LS_KEY_JOIN_H
#define LS_KEY_JOIN_H
#include <lockstep/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by ls_join_next(): an entry of the index. The key is there only in a mixed bucket; a value
 * may follow. */
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
    uint32_t value_offset; /* in an entry; 0: the value is elsewhere, or there is none */
    bool is_mixed;         /* the bucket may have entries of other keys */
} ls_join_walk;

/* The value of an entry that does not contain it. Stops the process if the join has no values. */
LS_API const void *ls_join_value_far_(const ls_join_walk *walk, const ls_join_entry *entry);
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

/* Like ls_join_next(), but returns the entity's value of the component that the join names in
 * `with`, as it was when the system began; NULL at the end. As with ls_grid_next_with(), the system
 * lists an LS_OTHERS_READ or LS_OTHERS_START term of that component, which is no tag.
 *   errors  stops the process if the join has no such values
 *   owns    valid until the system ends */
static inline const void *ls_join_next_with(ls_join_walk *walk, ls_entity *entity)
{
    const ls_join_entry *entry = ls_join_take_(walk);
    if (!entry)
        return NULL;
    *entity = entry->entity;
    return LS_LIKELY(walk->value_offset) ? (const uint8_t *)(const void *)entry + walk->value_offset
                                         : ls_join_value_far_(walk, entry);
}

#ifdef __cplusplus
}
#endif

#endif
