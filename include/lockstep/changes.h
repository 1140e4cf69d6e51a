/* Finds the entities that differ between two worlds of one program: what a game needs to update its
 * picture of the world. Pages that both worlds share are skipped, so the cost follows what was
 * written between the two states. For people and reports there is include/lockstep/diff.h. */
#ifndef LS_CHANGES_H
#define LS_CHANGES_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_change_kind {
    LS_CHANGE_VANISHED = 0, /* lives before only; `components` is what it had */
    LS_CHANGE_APPEARED,     /* lives after only; `components` is what it has */
    LS_CHANGE_CELLS,        /* lives in both; `components` came, went, or have different cells */
} ls_change_kind;

#define LS_CHANGE_WORDS (LS_COMPONENTS_MAX / 64)

typedef struct ls_change {
    ls_entity entity; /* LS_ENTITY_NULL: the world itself, of whose singletons some differ */
    ls_change_kind kind;
    uint64_t components[LS_CHANGE_WORDS]; /* bit i: ls_program_component() of i */
} ls_change;

/* False stops the walk. The change lives until it returns. */
typedef bool ls_change_visit(void *argument, const ls_change *change);

/* Calls `visit` for the singletons, then for every entity that differs, by lane and slot. When a
 * slot changed hands, the life that ended comes before the life that began. Where both worlds took
 * their pages from common pools (ls_world_create_beside) most pages are shared; otherwise all are
 * compared.
 *   errors  asserts that both are of one program
 *   thread  the one of both worlds, between ticks; `visit` may read them */
LS_API void ls_world_changes(const ls_world *before, const ls_world *after, ls_change_visit *visit,
                             void *argument);

static inline bool ls_change_has(const ls_change *change, uint32_t column)
{
    return change->components[column / 64] >> (column % 64) & 1;
}

#ifdef __cplusplus
}
#endif

#endif
