/* The writable variables of a loaded module, as bytes. A snapshot does not contain what a
 * simulation keeps there. Restoring an image before each run of a tick gives all runs the same
 * static variables; comparing two images shows which variables ticks have changed. Memory that the
 * module allocated is not covered.
 *   thread  one at a time; nothing of the module runs meanwhile */
#ifndef LS_STATICS_H
#define LS_STATICS_H

#include "core/base/builder.h"
#include "desync/source.h"

typedef struct ls_statics ls_statics;

/* Copies the static variables of the shared object that `inside` points into. NULL for anything
 * else, and for the program itself, whose variables are also the engine's.
 *   owns    ls_statics_destroy, also for NULL; the module outlives it */
ls_statics *ls_statics_take(const void *inside);
void ls_statics_destroy(ls_statics *statics);
void ls_statics_put(const ls_statics *statics);

/* Finds the variables in which two images of one module differ, in the order of their addresses.
 * Variables without a known name are left out. Returns how many there are, `max` + 1 for more than
 * `max`. */
uint32_t ls_statics_find(const ls_statics *a, const ls_statics *b, ls_sources *sources,
                         ls_source_place *places, uint32_t max);
/* Prints the variables in which two images of one module differ, as "calls, homes", at most `max`.
 * Variables without a known name are left out. */
void ls_statics_print(const ls_statics *a, const ls_statics *b, ls_sources *sources, uint32_t max,
                      ls_builder *text);

#endif
