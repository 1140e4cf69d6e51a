/* Changes cells that a system may not read, so that a system that reads them gives itself away.
 * Each new value is a legal one of its field: the read is found, and does not lead to a crash. */
#ifndef LS_PERTURB_H
#define LS_PERTURB_H

#include "core/check/access_rights.h"

typedef struct ls_scrambling {
    const ls_access_rights *rights;
    const ls_image *before;
    uint64_t seed;
    uint32_t column;     /* that alone, or UINT32_MAX for all */
    uint32_t first, end; /* of its cells, as they are counted below */
    uint32_t field;      /* that alone, or UINT32_MAX for all */
    uint32_t count;      /* out: cells that may be scrambled in the columns */
    ls_page_place place; /* out: of the last page that was there */
    uint32_t slot;
} ls_scrambling;

#define LS_SCRAMBLING_ALL(rights_, before_, seed_)                                                 \
    {                                                                                              \
        .rights = (rights_), .before = (before_), .seed = (seed_), .column = UINT32_MAX,           \
        .end = UINT32_MAX, .field = UINT32_MAX                                                     \
    }

/* Changes present and absent cells alike. Presence and lives stay. ls_image_restore() undoes it. */
void ls_world_scramble(ls_world *world, ls_scrambling *scrambling);

#endif
