/* cli/posix/posix.h under the names of POSIX. */
#include_next <time.h>

#ifndef LS_POSIX_TIME_H
#define LS_POSIX_TIME_H

#include "cli/posix/posix.h"

#ifndef TIMER_ABSTIME
#define TIMER_ABSTIME 1
#endif

static inline struct tm *ls_posix_gmtime(const time_t *when, struct tm *parts)
{
    *parts = *gmtime(when); /* which has one result for each thread on Windows */
    return parts;
}

#define gmtime_r(when, parts) ls_posix_gmtime(when, parts)
#define clock_nanosleep(clock, flags, until, left)                                                 \
    (ls_posix_sleep_until((uint64_t)(until)->tv_sec * 1000000000u + (uint64_t)(until)->tv_nsec), 0)

#endif
