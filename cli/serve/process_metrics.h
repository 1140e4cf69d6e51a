/* Metrics of the process, under the names that Prometheus gives them in every program. */
#ifndef LS_PROCESS_METRICS_H
#define LS_PROCESS_METRICS_H

#include "core/base/builder.h"

/* Reads /proc; a metric that the system does not tell is left out. `start_unix_s` is when the
 * server began.
 *   thread  any but the network thread: it reads files */
void ls_process_metrics_print(ls_builder *text, uint64_t start_unix_s);

#endif
