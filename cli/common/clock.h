/* The process's clocks. Timing uses the monotonic one; the wall clock is for names, headers
 * and certificates. */
#ifndef LS_CLI_CLOCK_H
#define LS_CLI_CLOCK_H

#include <lockstep/base.h>

#define LS_NS_PER_S  UINT64_C(1000000000)
#define LS_NS_PER_MS UINT64_C(1000000)

uint64_t ls_clock_now_ns(void);
/* Processor time of this process, all its threads. */
uint64_t ls_clock_cpu_ns(void);
uint64_t ls_clock_unix_s(void);

#define LS_CLOCK_TEXT_BYTES 32
/* "2024-05-01T12:30:00.123Z" */
void ls_clock_format_now(char text[LS_CLOCK_TEXT_BYTES]);
/* "20240501-123000", local time is never used: two machines name a moment alike. */
void ls_clock_format_file(char text[LS_CLOCK_TEXT_BYTES]);

/* Sleeps until the moment has come or a signal did. */
void ls_clock_sleep_until(uint64_t now_ns);

#endif
