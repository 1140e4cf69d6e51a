/* The cells that one run of a system may read, write, attach and detach: the system's declarations,
 * applied to the world in which it begins. */
#ifndef LS_ACCESS_RIGHTS_H
#define LS_ACCESS_RIGHTS_H
#include "core/run/scratch.h"
#include "core/state/image.h"

typedef enum ls_right {
    LS_RIGHT_NONE = 0,
    LS_RIGHT_SPAWNED,  /* entities that the system has just spawned */
    LS_RIGHT_OWN,      /* entities that query 0 matches */
    LS_RIGHT_PARTNERS, /* the partners of the system's matches */
    LS_RIGHT_OWN_AND_PARTNERS,
    LS_RIGHT_ANY,
} ls_right;

typedef struct ls_access_rights {
    const ls_plan_system *plan;
    /* By column: an ls_right to read, to write, and to attach and detach. */
    uint8_t reads[LS_COMPONENTS_MAX], writes[LS_COMPONENTS_MAX], structure[LS_COMPONENTS_MAX];
    uint64_t spawns[LS_LANES_MAX / 64]; /* bit by lane: a sequential system may spawn into it */
    const ls_run *run;
    const ls_page_list *list; /* the pages that query 0 matches; NULL: the system is sequential */
    uint64_t (*own)[LS_PAGE_WORDS]; /* by page of `list`: bit mask of the entities that match */
    uint32_t capacity;
} ls_access_rights;

/* Finds the rights of a system that has begun and has not run. Initialize `rights` with {0}. */
void ls_access_rights_find(ls_access_rights *rights, const ls_world *world,
                           const ls_plan_system *plan, const ls_run *run);
void ls_access_rights_reset(ls_access_rights *rights);
/* The slots of the page for which the system has `right`. `before` is the world when the system
 * began. */
void ls_access_rights_mask(const ls_access_rights *rights, ls_right right,
                           const ls_page_place *place, const ls_image *before,
                           uint64_t mask[LS_PAGE_WORDS]);
static inline bool ls_access_rights_may_spawn(const ls_access_rights *rights, uint32_t lane)
{
    return rights->spawns[lane / 64] >> (lane % 64) & 1;
}

#endif
