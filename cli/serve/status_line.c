#include "cli/serve/status_line.h"

#include "cli/common/clock.h"
#include "cli/module/describe.h"

#include <inttypes.h>
#include <stdio.h>

/* Sums the statistics of all open rooms, and counts those that restore a match; closed rooms are
 * not included. */
static ls_room_stats sum(const ls_server *server, uint32_t *restoring)
{
    ls_room_stats sum = {0};
    *restoring = 0;
    const ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(server, i)) != NULL; i++) {
        ls_room_stats stats = ls_room_get_stats(room);
        *restoring += stats.state == LS_ROOM_RESTORING;
        sum.tick = stats.tick > sum.tick ? stats.tick : sum.tick;
        sum.inputs_accepted += stats.inputs_accepted + stats.states_accepted;
        sum.desyncs += stats.desyncs;
        sum.ticks_skipped += stats.ticks_skipped;
        sum.states_substituted += stats.states_substituted;
        sum.behind_ns = stats.behind_ns > sum.behind_ns ? stats.behind_ns : sum.behind_ns;
        sum.late_p99_ns = stats.late_p99_ns > sum.late_p99_ns ? stats.late_p99_ns : sum.late_p99_ns;
    }
    return sum;
}

void ls_status_line_start(ls_status_line *meter, uint64_t now_ns, const ls_server *server)
{
    uint32_t restoring;
    *meter = (ls_status_line){.start_ns = now_ns,
                              .cpu_ns = ls_clock_cpu_ns(),
                              .inputs = sum(server, &restoring).inputs_accepted,
                              .before = ls_server_get_stats(server)};
}

void ls_status_line_add(ls_status_line *meter, uint64_t step_ns)
{
    if (step_ns > meter->step_max_ns)
        meter->step_max_ns = step_ns;
}

uint64_t ls_status_line_due_ns(const ls_status_line *meter)
{
    return meter->start_ns + LS_SECOND_NS;
}

static double per_second(uint64_t now, uint64_t before, double seconds)
{
    return seconds > 0 ? (double)(now - before) / seconds : 0;
}

/* Describes the only room: the simulation's text about its world, or the room's state. */
static void describe(ls_room *room, char text[LS_DESCRIBE_BYTES])
{
    ls_room_stats stats = ls_room_get_stats(room);
    const ls_world *world = ls_room_idle_world(room);
    if (stats.state == LS_ROOM_RESTORING)
        snprintf(text, LS_DESCRIBE_BYTES, "restoring the match: tick %" PRIu64 " of %" PRIu64,
                 stats.simulated, stats.tick);
    else if (stats.state == LS_ROOM_WAITING)
        snprintf(text, LS_DESCRIBE_BYTES, "waiting for players");
    else if (stats.is_paused)
        snprintf(text, LS_DESCRIBE_BYTES, "paused");
    else if (world)
        (void)ls_describe(world, text, NULL);
}

void ls_status_line_print(ls_status_line *meter, uint64_t now_ns, const ls_server *server,
                          ls_async_writer *out)
{
    ls_server_stats stats = ls_server_get_stats(server);
    uint32_t restoring;
    ls_room_stats all = sum(server, &restoring);
    const ls_server_stats *before = &meter->before;
    double seconds = (double)(now_ns - meter->start_ns) / (double)LS_SECOND_NS;
    char text[LS_DESCRIBE_BYTES] = "", rooms[48] = "", light[32] = "";
    if (stats.light)
        snprintf(light, sizeof light, " (%u light)", stats.light);
    if (stats.rooms == 1)
        describe(ls_server_room(server, 0), text);
    else if (restoring)
        snprintf(rooms, sizeof rooms, "rooms %u (%u restoring)  ", stats.rooms, restoring);
    else
        snprintf(rooms, sizeof rooms, "rooms %u  ", stats.rooms);
    uint64_t inputs = all.inputs_accepted > meter->inputs ? all.inputs_accepted - meter->inputs : 0;
    ls_async_writer_print(out,
                          "tick %" PRIu64
                          "  %speers %u%s  cpu %.1f %%  longest step %.2f ms  late %.1f ms  "
                          "behind %.0f ms  %.0f inputs/s  substituted %" PRIu64 "  "
                          "in %.1f kB/s  out %.1f kB/s  desyncs %" PRIu64 "%s%s\n",
                          all.tick, rooms, stats.sessions, light,
                          per_second(ls_clock_cpu_ns(), meter->cpu_ns, seconds) / 1e7,
                          (double)meter->step_max_ns / (double)LS_NS_PER_MS,
                          (double)all.late_p99_ns / (double)LS_NS_PER_MS,
                          (double)all.behind_ns / (double)LS_NS_PER_MS,
                          seconds > 0 ? (double)inputs / seconds : 0, all.states_substituted,
                          per_second(stats.bytes_received, before->bytes_received, seconds) / 1000,
                          per_second(stats.bytes_sent, before->bytes_sent, seconds) / 1000,
                          all.desyncs, text[0] ? "  " : "", text);
    ls_status_line_start(meter, now_ns, server);
}
