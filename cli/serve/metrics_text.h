/* Metrics in the text format of Prometheus.
 *   source  https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4;
 *           docs/operations-metrics.md has a row for each */
#ifndef LS_METRICS_TEXT_H
#define LS_METRICS_TEXT_H

#include "cli/serve/metrics.h"
#include "core/base/builder.h"

#define LS_METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Prints all metrics but those of the process (cli/serve/process_metrics.h). */
void ls_metrics_text_print(ls_builder *text, const ls_metrics *metrics);

/* Prints `# HELP` and `# TYPE`; `type` is "counter", "gauge" or "histogram". */
void ls_metrics_text_head(ls_builder *text, const char *name, const char *type, const char *help);
/* Prints nanoseconds as seconds, without superfluous zeros. */
void ls_metrics_text_seconds(ls_builder *text, uint64_t ns);
/* Prints `name{key="value",...} 1`, with the values quoted. */
typedef struct ls_metrics_label {
    const char *key, *value;
} ls_metrics_label;
void ls_metrics_text_info(ls_builder *text, const char *name, const ls_metrics_label *labels,
                          uint32_t count);

#endif
