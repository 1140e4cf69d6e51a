/* The lists of one system. They must not be moved: the system points to them. */
#ifndef LS_TEST_SYSTEM_LISTS_H
#define LS_TEST_SYSTEM_LISTS_H

#include "tests/support/names.h"
#include <lockstep/system.h>

enum { OPS_MAX = 5 };

typedef struct system_lists {
    ls_term terms[2 * OPS_MAX + 4];
    ls_grid grids[OPS_MAX + 1];
    ls_join joins[OPS_MAX + 1];
    test_names lanes, command_lanes, labels, before, after, weakly_before, weakly_after, needs;
} system_lists;

#endif
