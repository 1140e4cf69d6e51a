/* Insertion order, for stages that request it. */
#ifndef LS_INSERTION_H
#define LS_INSERTION_H
#include "core/schedule/build.h"

/* In such stages, adds edges between conflicting systems that nothing else orders, in the order of
 * the simulation's list. */
void ls_insertion_order_add(ls_build *build);

#endif
