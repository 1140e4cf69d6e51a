#include "cli/serve/process_metrics.h"

#include "cli/common/clock.h"
#include "cli/serve/metrics_text.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The resident memory in bytes; 0: unknown. */
static uint64_t resident_bytes(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %" SCNu64, &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The number of open files; 0: unknown. */
static uint64_t open_files(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count > 3 ? count - 3 : 0; /* ".", ".." and the folder itself */
}

/* The number of files that may be open; 0: no limit, or unknown. */
static uint64_t open_files_max(void)
{
    struct rlimit limit;
    bool has_limit = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return has_limit ? (uint64_t)limit.rlim_cur : 0;
}

static void print_number(ls_builder *text, const char *name, const char *help, uint64_t value)
{
    if (!value)
        return;
    ls_metrics_text_head(text, name, "gauge", help);
    ls_builder_add(text, "%s %" PRIu64 "\n", name, value);
}

void ls_process_metrics_print(ls_builder *text, uint64_t start_unix_s)
{
    ls_metrics_text_head(text, "process_cpu_seconds_total", "counter",
                         "Processor time of all threads.");
    ls_builder_add(text, "process_cpu_seconds_total ");
    ls_metrics_text_seconds(text, ls_clock_cpu_ns());
    ls_builder_add(text, "\n");
    print_number(text, "process_resident_memory_bytes", "Resident memory.", resident_bytes());
    print_number(text, "process_open_fds", "Open files and sockets.", open_files());
    print_number(text, "process_max_fds", "Files and sockets that may be open.", open_files_max());
    print_number(text, "process_start_time_seconds", "When the server began, in Unix time.",
                 start_unix_s);
}
