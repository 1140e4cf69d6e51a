#include "cli/common/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t ls_clock_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * LS_SECOND_NS + (uint64_t)now.tv_nsec;
}

uint64_t ls_clock_unix_s(void)
{
    return (uint64_t)time(NULL);
}

void ls_clock_format_now(char text[LS_CLOCK_TEXT_BYTES])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t count = strftime(text, LS_CLOCK_TEXT_BYTES, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + count, LS_CLOCK_TEXT_BYTES - count, ".%03uZ",
             (unsigned)((uint64_t)now.tv_nsec / LS_NS_PER_MS % 1000));
}

void ls_clock_format_file(char text[LS_CLOCK_TEXT_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, LS_CLOCK_TEXT_BYTES, "%Y%m%d-%H%M%S", &parts);
}

void ls_clock_sleep_until(uint64_t now_ns)
{
    struct timespec until = {(time_t)(now_ns / LS_SECOND_NS), (long)(now_ns % LS_SECOND_NS)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}
