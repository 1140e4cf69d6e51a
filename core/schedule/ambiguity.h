/* Finds pairs of systems that need an order and have none. */
#ifndef LS_AMBIGUITY_H
#define LS_AMBIGUITY_H
#include "core/schedule/build.h"

/* Call it when the systems are sorted and program->paths is filled. */
void ls_ambiguities_find(ls_build *build);

#endif
