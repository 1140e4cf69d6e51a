/* Reports cycles of an order. */
#ifndef LS_CYCLES_H
#define LS_CYCLES_H
#include "core/schedule/build.h"

/* Reports up to 16 cycles without common systems, shortest first. Takes the edges of all systems in
 * cycles away, so that the others can be sorted, and keeps all paths in build->cyclic. */
void ls_cycles_report(ls_build *build);

#endif
