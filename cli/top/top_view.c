#include "cli/top/top_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define S_PER_MIN 60
#define S_PER_H   3600

void ls_top_sample_reset(ls_top_sample *sample)
{
    ls_admin_table_reset(&sample->server);
    ls_admin_table_reset(&sample->rooms);
    ls_free(sample->server_text);
    ls_free(sample->rooms_text);
    *sample = (ls_top_sample){0};
}

static const char *server(const ls_top_sample *sample, const char *name)
{
    return sample->server.row_count ? ls_admin_table_cell(&sample->server, 0, name) : "";
}

/* How fast a number of the server rises, per second. */
static double rate(const ls_top_sample *before, const ls_top_sample *sample, const char *name)
{
    double rise = strtod(server(sample, name), NULL) - strtod(server(before, name), NULL);
    double seconds = (double)(sample->taken_ns - before->taken_ns) / 1e9;
    return seconds > 0 ? rise / seconds : 0;
}

static void print_head(ls_builder *text, const ls_top_sample *before, const ls_top_sample *sample)
{
    uint64_t up_s = strtoull(server(sample, "uptime_s"), NULL, 10);
    bool is_draining = server(sample, "draining")[0] == 'y';
    bool is_stalled = server(sample, "stalled")[0] == 'y';
    ls_builder_add(text, "%s  lockstep %s  process %s  up %" PRIu64 ":%02u:%02u%s%s\n",
                   server(sample, "sim"), server(sample, "version"), server(sample, "process"),
                   up_s / S_PER_H, (unsigned)(up_s / S_PER_MIN % S_PER_MIN),
                   (unsigned)(up_s % S_PER_MIN), is_draining ? "  draining" : "",
                   is_stalled ? "  stalled" : "");
    ls_builder_add(text, "rooms %s (%s running)  players %s  bots %s  spectators %s  cpu %.1f %%\n",
                   server(sample, "rooms"), server(sample, "running"), server(sample, "players"),
                   server(sample, "bots"), server(sample, "spectators"),
                   rate(before, sample, "cpu_ms") / 10);
    ls_builder_add(text,
                   "in %.1f kB/s  out %.1f kB/s  lag %s ms  behind %s ms  desyncs %s  failed %s\n"
                   "times in ms: p50 and p99 since the room opened, behind now\n",
                   rate(before, sample, "bytes_received") / 1000,
                   rate(before, sample, "bytes_sent") / 1000, server(sample, "lag_ms"),
                   server(sample, "behind_ms"), server(sample, "desyncs"),
                   server(sample, "rooms_failed"));
}

static void print_row(ls_builder *text, const char *const cells[9])
{
    ls_builder_add(text, "%-11.11s %-9.9s %8s %5s %8s %8s %8s %8s %7s\n", cells[0], cells[1],
                   cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]);
}

/* Replaces all but printable ASCII by '?': only such a character surely takes one column. */
static void make_plain(const char *name, char plain[16])
{
    snprintf(plain, 16, "%s", name[0] ? name : "-");
    for (char *letter = plain; *letter; letter++)
        if (*letter < ' ' || *letter > '~')
            *letter = '?';
}

void ls_top_print(ls_builder *text, const ls_top_sample *before, const ls_top_sample *sample,
                  uint32_t first)
{
    static const char *const titles[] = {"room",     "state",    "tick",   "peers",  "tick p50",
                                         "tick p99", "late p99", "behind", "desyncs"};
    const ls_admin_table *rooms = &sample->rooms;
    print_head(text, before, sample);
    print_row(text, titles);
    for (uint32_t i = first; i < rooms->row_count; i++) {
        char name[16];
        make_plain(ls_admin_table_cell(rooms, i, "room"), name);
        const char *cells[] = {name,
                               ls_admin_table_cell(rooms, i, "state"),
                               ls_admin_table_cell(rooms, i, "tick"),
                               ls_admin_table_cell(rooms, i, "sessions"),
                               ls_admin_table_cell(rooms, i, "tick_p50_ms"),
                               ls_admin_table_cell(rooms, i, "tick_p99_ms"),
                               ls_admin_table_cell(rooms, i, "late_p99_ms"),
                               ls_admin_table_cell(rooms, i, "behind_ms"),
                               ls_admin_table_cell(rooms, i, "desyncs")};
        print_row(text, cells);
    }
}
