/* How much a command does at once, by the CPUs that its process may use (taskset and the CPU sets
 * of containers limit them). Where the system does not tell their number, it counts as 1. */
#ifndef LS_CPUS_H
#define LS_CPUS_H

#include <stdint.h>

/* Returns the number of CPUs, but at least `min` and at most `max`. */
uint32_t ls_cpus_within(uint32_t min, uint32_t max);
/* Returns how many processes `check` and `verify` run at a time without --jobs. */
uint32_t ls_cpus_jobs(void);
/* Returns the most threads with which `check` and `explain` run a match: at least 4, so that a race
 * can show on a small machine too. */
uint32_t ls_cpus_threads(void);

#endif
