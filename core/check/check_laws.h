/* Tests the laws of a simulation's own operations on the values that a system accumulates. */
#ifndef LS_CHECK_LAWS_H
#define LS_CHECK_LAWS_H
#include "core/check/check_state.h"

/* After the first run of the checked system: tests whether each operation that it accumulates with
 * is commutative and associative, on the values that it gave and the cells that receive them, in an
 * order that `seed` shuffles. */
void ls_check_laws(ls_check *check, uint64_t seed);

#endif
