#include "cli/common/descriptor_limit.h"

#include <sys/resource.h>

/* Raises the soft limit, if the hard limit allows it. */
uint64_t ls_descriptor_limit(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return wanted;
    rlim_t max = limit.rlim_max;
    limit.rlim_cur = wanted < max ? (rlim_t)wanted : max;
    return max >= wanted && setrlimit(RLIMIT_NOFILE, &limit) == 0 ? wanted : max;
}
