/* Reports cycles of an order. */
#ifndef LS_CYCLES_H
#define LS_CYCLES_H
#include "core/schedule/build.h"

/* Reports up to 16 cycles without common systems, shortest first. Removes the edges of systems in
 * cycles, so that all systems can be sorted; before that it notes all paths in build->cyclic. */
void ls_cycles_report(ls_build *build);

#endif
