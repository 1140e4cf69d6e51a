/* Writes a trace as a file for Perfetto, chrome://tracing and other viewers of the trace event
 * format: a track for each thread, slices for ticks, stages, systems and their parts.
 *   source  docs/scheduler.md, "Looking at a schedule" */
#ifndef LS_TRACE_FILE_H
#define LS_TRACE_FILE_H

#include <lockstep/schedule_graph.h>
#include <lockstep/trace.h>

/* Writes the trace.
 *   errors  IO, with the path and the reason */
ls_status ls_trace_file_write(const char *path, const ls_trace *trace,
                              const ls_schedule_graph *graph, ls_error *error) LS_MUST_USE;

#endif
