/* The order of the list, where a stage asks for it. */
#ifndef LS_INSERTION_H
#define LS_INSERTION_H
#include "core/schedule/build.h"

/* Where a stage asks for it, edges between conflicting systems as they
 * are listed, unless something else orders them. */
void ls_insertion_order_add(ls_build *build);

#endif
