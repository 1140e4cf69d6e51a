#include "server/client_times.h"

#include <lockstep/limits.h>

void ls_client_times_add(ls_client_times *times, const ls_line_report *report, uint32_t tick_rate)
{
    uint64_t tick_ns = LS_SECOND_NS / tick_rate;
    ls_histogram_add(&times->loss, report->loss_permille * (LS_SECOND_NS / 1000));
    if (report->rtt_us)
        ls_histogram_add(&times->round_trip, report->rtt_us * UINT64_C(1000));
    if (report->delay_ticks != LS_REPORT_NONE)
        ls_histogram_add(&times->input_delay, report->delay_ticks * tick_ns);
    if (report->rollback_ticks != LS_REPORT_NONE)
        ls_histogram_add(&times->rollback, report->rollback_ticks * tick_ns);
}
