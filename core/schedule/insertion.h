/* The order of the list, where a stage asks for it. */
#ifndef LS_INSERTION_H
#define LS_INSERTION_H
#include "core/schedule/build.h"

/* For stages that ask for it: adds edges between conflicting systems in the order of the
 * simulation's list, unless something else orders them. */
void ls_insertion_order_add(ls_build *build);

#endif
