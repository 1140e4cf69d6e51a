/* Changes cells that a system may not read, to reveal systems that read them. Each new value is
 * valid for its field, so the read changes the result instead of crashing. */
#ifndef LS_PERTURB_H
#define LS_PERTURB_H

#include "core/check/access_rights.h"

typedef struct ls_perturbation {
    const ls_access_rights *rights;
    const ls_image *before;
    uint64_t seed;
    uint32_t column;     /* only this column; UINT32_MAX: all */
    uint32_t first, end; /* only these cells, by their number in the order of the walk */
    uint32_t field;      /* only this field; UINT32_MAX: all */
    uint32_t count;      /* out: number of cells that may be scrambled */
    ls_page_place place; /* out: the last scrambled page and slot */
    uint32_t slot;
} ls_perturbation;

#define LS_PERTURBATION_ALL(rights_, before_, seed_)                                               \
    {                                                                                              \
        .rights = (rights_), .before = (before_), .seed = (seed_), .column = UINT32_MAX,           \
        .end = UINT32_MAX, .field = UINT32_MAX                                                     \
    }

/* Scrambles the cells that the system may not read. In the columns of these cells it also scrambles
 * the slots without the component. Presence and liveness do not change. ls_image_restore() undoes
 * it. */
void ls_world_perturb(ls_world *world, ls_perturbation *perturbation);

#endif
