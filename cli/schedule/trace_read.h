/* Reads how long systems took from a file that `lockstep run --trace` wrote. */
#ifndef LS_TRACE_READ_H
#define LS_TRACE_READ_H

#include <lockstep/schedule_graph.h>

/* Gives the mean time per tick of each system, in nanoseconds, by position. Unknown members are
 * skipped, so the file may have been through another tool.
 *   errors  NOT_FOUND: no such file; IO; LIMIT: larger than 1 GiB; CORRUPT: no JSON (with the byte
 *           of the error), or a trace without a tick; INCOMPATIBLE names a system that the schedule
 *           does not have */
ls_status ls_trace_read_times(const char *path, const ls_schedule_graph *graph, uint64_t *times,
                              ls_error *error) LS_MUST_USE;

#endif
