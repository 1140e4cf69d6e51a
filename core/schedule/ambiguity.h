/* Pairs of systems whose order matters and is not given. */
#ifndef LS_AMBIGUITY_H
#define LS_AMBIGUITY_H
#include "core/schedule/build.h"

/* The systems are in their order, and program->paths is filled. */
void ls_ambiguities_find(ls_build *build);

#endif
