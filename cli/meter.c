#include "cli/meter.h"

#include "cli/clock.h"

#include <inttypes.h>
#include <stdio.h>

void ls_meter_start(ls_meter *meter, uint64_t now_ns, const ls_server_stats *stats)
{
    *meter = (ls_meter){.start_ns = now_ns, .before = *stats};
}

void ls_meter_add(ls_meter *meter, uint64_t step_ns)
{
    meter->busy_ns += step_ns;
    if (step_ns > meter->busy_max_ns)
        meter->busy_max_ns = step_ns;
}

uint64_t ls_meter_due_ns(const ls_meter *meter)
{
    return meter->start_ns + LS_NS_PER_S;
}

static double per_second(uint64_t now, uint64_t before, double seconds)
{
    return seconds > 0 ? (double)(now - before) / seconds : 0;
}

void ls_meter_print(ls_meter *meter, uint64_t now_ns, ls_server *server)
{
    ls_server_stats stats = ls_server_get_stats(server);
    const ls_server_stats *before = &meter->before;
    double seconds = (double)(now_ns - meter->start_ns) / (double)LS_NS_PER_S;
    uint64_t ticks = stats.tick - before->tick;
    double tick_ms = ticks ? (double)meter->busy_ns / (double)ticks / (double)LS_NS_PER_MS : 0;
    char text[256] = "";
    const ls_sim *sim = ls_program_sim(ls_world_program(ls_server_world(server)));
    if (stats.state == LS_SERVER_WAITING)
        snprintf(text, sizeof text, "waiting for players");
    else if (sim->describe)
        sim->describe(ls_server_world(server), text, sizeof text);
    printf("tick %" PRIu64 "  peers %u  %.3f ms/tick (%.3f at most)  %.0f inputs/s  in %.1f kB/s  "
           "out %.1f kB/s  desyncs %" PRIu64 "%s%s\n",
           stats.tick, stats.sessions, tick_ms, (double)meter->busy_max_ns / (double)LS_NS_PER_MS,
           per_second(stats.inputs_accepted, before->inputs_accepted, seconds),
           per_second(stats.bytes_received, before->bytes_received, seconds) / 1000,
           per_second(stats.bytes_sent, before->bytes_sent, seconds) / 1000, stats.desyncs,
           text[0] ? "  " : "", text);
    ls_meter_start(meter, now_ns, &stats);
}
