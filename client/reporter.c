#include "client/reporter.h"

void ls_reporter_restart(ls_reporter *reporter, uint64_t now_ns)
{
    *reporter = (ls_reporter){.sent_ns = now_ns};
}

void ls_reporter_note_delay(ls_reporter *reporter, uint64_t from, uint64_t tick)
{
    uint64_t delay = tick > from ? tick - from : 0;
    reporter->has_delay = true;
    if (delay > reporter->delay_max)
        reporter->delay_max = delay;
}

void ls_reporter_note_order(ls_reporter *reporter, uint32_t number, uint64_t from)
{
    if (reporter->order)
        return;
    reporter->order = number;
    reporter->order_tick = from;
}

void ls_reporter_note_executed(ls_reporter *reporter, uint32_t number, uint64_t tick)
{
    if (!reporter->order || number < reporter->order)
        return;
    reporter->order = 0;
    ls_reporter_note_delay(reporter, reporter->order_tick, tick);
}

void ls_reporter_note_rollback(ls_reporter *reporter, uint64_t ticks)
{
    reporter->predicts = true;
    if (ticks > reporter->rollback_max)
        reporter->rollback_max = ticks;
}

static uint16_t clamp(bool is_known, uint64_t ticks)
{
    if (!is_known)
        return LS_REPORT_NONE;
    return ticks < LS_REPORT_NONE ? (uint16_t)ticks : LS_REPORT_NONE - 1;
}

void ls_reporter_run(ls_reporter *reporter, ls_connection *connection)
{
    const ls_client_stats *stats = &connection->stats;
    if (!(connection->capabilities & LS_CAPABILITY_REPORT) ||
        connection->now_ns - reporter->sent_ns < LS_CLIENT_REPORT_NS)
        return;
    uint64_t rtt_us = stats->rtt_ns / 1000;
    ls_line_report report = {
        .rtt_us = rtt_us < UINT32_MAX ? (uint32_t)rtt_us : UINT32_MAX,
        .loss_permille = (uint16_t)stats->loss_permille,
        .delay_ticks = clamp(reporter->has_delay, reporter->delay_max),
        .rollback_ticks = clamp(reporter->predicts, reporter->rollback_max),
    };
    ls_plain plain;
    ls_line_report_encode(&report, &plain);
    ls_connection_send(connection, &plain);
    reporter->sent_ns = connection->now_ns;
    reporter->has_delay = reporter->predicts = false;
    reporter->delay_max = reporter->rollback_max = 0;
}
