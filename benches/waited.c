/* Reads from the kernel how long threads were ready but had no processor. */
#include "benches/bench.h"

#include <dirent.h>
#include <stdio.h>

static uint64_t waited_ns_of(const char *thread)
{
    char path[320];
    unsigned long long waited_ns = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %llu", &waited_ns) != 1)
        waited_ns = 0;
    fclose(file);
    return waited_ns;
}

uint64_t bench_waited_ns(void)
{
    uint64_t sum = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        if (entry->d_name[0] != '.')
            sum += waited_ns_of(entry->d_name);
    }
    if (threads)
        closedir(threads);
    return sum;
}
