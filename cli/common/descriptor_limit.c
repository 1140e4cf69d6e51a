#include "cli/common/descriptor_limit.h"

#include <sys/resource.h>

/* Raises the soft limit, if the hard limit allows it. */
uint64_t ls_descriptor_limit(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return wanted;
    rlim_t before = limit.rlim_cur;
    if (limit.rlim_max < wanted)
        return limit.rlim_max;
    limit.rlim_cur = (rlim_t)wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? wanted : before;
}
