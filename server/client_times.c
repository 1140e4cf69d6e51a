#include "server/client_times.h"

#include <lockstep/limits.h>

const uint16_t ls_client_losses_permille[LS_CLIENT_LOSSES] = {1,  2,   5,   10,  20,
                                                              50, 100, 200, 500, 1000};

static void add_loss(ls_client_loss *loss, uint32_t permille)
{
    uint32_t bucket = 0;
    while (permille > ls_client_losses_permille[bucket])
        bucket++;
    loss->buckets[bucket]++;
    loss->sum_permille += permille;
}

void ls_client_times_add(ls_client_times *times, const ls_line_report *report, uint32_t tick_rate)
{
    uint64_t tick_ns = LS_SECOND_NS / tick_rate;
    add_loss(&times->loss, report->loss_permille);
    if (report->rtt_us)
        ls_histogram_add(&times->round_trip, report->rtt_us * UINT64_C(1000));
    if (report->delay_ticks != LS_REPORT_NONE)
        ls_histogram_add(&times->input_delay, report->delay_ticks * tick_ns);
    if (report->rollback_ticks != LS_REPORT_NONE)
        ls_histogram_add(&times->rollback, report->rollback_ticks * tick_ns);
}
