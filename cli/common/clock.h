/* The process's clocks beside ls_monotonic_ns() (core/base/platform.h), by which all timing goes.
 * The wall clock is for names, headers and certificates. */
#ifndef LS_CLI_CLOCK_H
#define LS_CLI_CLOCK_H

#include <lockstep/base.h>
#include <lockstep/limits.h>

#define LS_NS_PER_MS UINT64_C(1000000)

/* Returns the processor time of all threads of this process. */
uint64_t ls_clock_cpu_ns(void);
uint64_t ls_clock_unix_s(void);

#define LS_CLOCK_TEXT_BYTES 32
/* Prints the present time, as "2024-05-01T12:30:00.123Z". */
void ls_clock_format_now(char text[LS_CLOCK_TEXT_BYTES]);
/* Prints the present time, as "20240501-123000". Always UTC, so that two machines name a moment
 * alike. */
void ls_clock_format_file(char text[LS_CLOCK_TEXT_BYTES]);

/* Sleeps until the given time of ls_monotonic_ns(), or until a signal arrives. */
void ls_clock_sleep_until(uint64_t now_ns);

#endif
