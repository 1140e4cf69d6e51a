/* The algebra of a schedule. */
#ifndef LS_ALGEBRA_H
#define LS_ALGEBRA_H
#include "core/schedule/build.h"

/* Adds the edges and pars of the simulation's expression. `build->names` must be initialised. */
void ls_algebra_read(ls_build *build);

#endif
