/* The algebra of a schedule. */
#ifndef LS_ALGEBRA_H
#define LS_ALGEBRA_H
#include "core/schedule/build.h"

/* The simulation's expression as edges and pars. `names` are made. */
void ls_algebra_read(ls_build *build);

#endif
