/* On Windows every case is another run of the command already. The case "process" also gets other
 * memory contents, addresses and time zone. */
#include "cli/check/check_case_worker.h"

#include "cli/check/check_case_match.h"
#include "cli/check/check_case_runs.h"
#include "cli/common/address_shift_windows.h"
#include "cli/common/clock.h"
#include "core/base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND_NS (LS_SECOND_NS + 100 * LS_NS_PER_MS)

struct surroundings {
    const char *zone;
    uint8_t fill; /* byte from which the noise in unused stack and in memory from malloc is made */
};

/* Selected by the number of a case. */
static const struct surroundings all_surroundings[] = {
    {"TZ=NZST-12NZDT", 0x55}, {"TZ=UTC", 0xaa}, {"TZ=EST5EDT", 0xcc}};

/* Waits for a second, so that a clock in seconds gives another value than in the first case. */
ls_status ls_check_case_process(const ls_check_case *self, ls_child *child, ls_error *error)
{
    const struct surroundings *around =
        &all_surroundings[(self->number - 1) % LS_COUNT_OF(all_surroundings)];
    snprintf(
        child->report->note, sizeof child->report->note,
        "in part (memory, heap, time, zone); locale and module addresses are tried on Linux only");
    ls_clock_sleep_until(ls_monotonic_ns() + SECOND_NS);
    (void)_putenv(around->zone);
    _tzset();
    ls_address_shift(self->number);
    ls_tick_cursor cursor;
    const ls_rerun_config config = {
        .program = self->match->program,
        .match = &self->match->match,
        .ticks = ls_ticks_of_list(&cursor, self->match->list, 0),
        .variant = {.stack_fill = around->fill, .heap_noise = around->fill}};
    return ls_check_case_follow(child, &config, error);
}

/* This process has loaded the other build in the place of --sim. */
ls_status ls_check_case_other(const ls_check_case *self, ls_child *child, ls_error *error)
{
    ls_tick_cursor cursor;
    const ls_rerun_config config = {.program = self->match->program,
                                    .match = &self->match->match,
                                    .ticks = ls_ticks_of_list(&cursor, self->match->list, 0)};
    return ls_check_case_follow(child, &config, error);
}

void ls_check_case_worker(const char *sim, uint64_t number)
{
    (void)sim;
    (void)number;
    fputs("lockstep check: --worker is for Linux\n", stderr);
    exit(2);
}
