/* Finds the entities that differ between two worlds of one program, for example to update a
 * picture. Pages that both worlds share are skipped, so the cost follows the number of pages
 * written between the two states. For reports with fields and values see
 * include/lockstep/diff.h. */
#ifndef LS_CHANGES_H
#define LS_CHANGES_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_change_kind {
    LS_CHANGE_VANISHED = 0, /* alive only in `before`; `components` is what it had */
    LS_CHANGE_APPEARED,     /* alive only in `after`; `components` is what it has */
    LS_CHANGE_CELLS, /* alive in both; `components` were attached, detached or have other values */
} ls_change_kind;

#define LS_CHANGE_WORDS (LS_COMPONENTS_MAX / 64)

typedef struct ls_change {
    ls_entity entity; /* LS_ENTITY_NULL: `components` are singletons that differ */
    ls_change_kind kind;
    uint64_t components[LS_CHANGE_WORDS]; /* bit i: ls_program_component() of column i */
} ls_change;

/* Return false to stop the walk. `change` is valid until the function returns. */
typedef bool ls_change_visit(void *argument, const ls_change *change);

/* Calls `visit` once for the singletons, if any differ, then for every entity that differs, by lane
 * and slot. If a slot holds different entities in the two worlds, the vanished one comes first.
 * Worlds whose pages come from common pools (ls_world_create_sibling) share most pages; otherwise
 * all pages are compared.
 *   errors  asserts that both worlds have the same program
 *   thread  the thread of both worlds, between ticks; `visit` may read them */
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
