/* No metrics of the process: on Windows there is no HTTP that would show them. */
#include "cli/serve/process_metrics.h"

void ls_process_metrics_print(ls_builder *text, uint64_t start_unix_s)
{
    (void)text;
    (void)start_unix_s;
}
