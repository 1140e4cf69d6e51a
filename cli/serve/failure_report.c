#include "cli/serve/failure_report.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "core/base/platform_file.h"
#include <lockstep/world.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAMES_MAX        1000
#define REASON_BYTES_MAX (LS_PATH_BYTES_MAX + 2048)

/* The report being written. */
struct report {
    const ls_failed_match *match;
    char folder[LS_PATH_BYTES_MAX];
    uint8_t *world; /* encoded; NULL: not available, or too large */
    size_t world_bytes;
    uint64_t written;
};

static ls_status write_file(struct report *report, const char *name, const void *bytes,
                            size_t count, ls_error *error)
{
    char path[LS_PATH_BYTES_MAX];
    if (snprintf(path, sizeof path, "%s/%s", report->folder, name) >= (int)sizeof path)
        return ls_error_set(error, LS_ERROR_IO, "%s: the name is too long", report->folder);
    FILE *file = fopen(path, "wbxe");
    if (!file)
        return ls_error_set(error, LS_ERROR_IO, "%s: %s", path, strerror(errno));
    bool is_written = fwrite(bytes, 1, count, file) == count;
    is_written &= fclose(file) == 0;
    report->written += count; /* even if the file is incomplete */
    return is_written ? LS_OK : ls_error_set(error, LS_ERROR_IO, "%s: %s", path, strerror(errno));
}

static void format_world(const struct report *report, char text[128])
{
    const ls_failed_match *match = report->match;
    if (report->world)
        snprintf(text, 128, "world.snapshot is the world before tick %" PRIu64, match->simulated);
    else if (match->world)
        snprintf(text, 128, "The world is missing: it has %zu bytes, at most %" PRIu64 " are kept",
                 report->world_bytes, match->bytes_max);
    else
        snprintf(text, 128, "The world is missing: the simulation did not return from the tick");
}

static ls_status write_reason(struct report *report, ls_error *error)
{
    const ls_failed_match *match = report->match;
    char text[REASON_BYTES_MAX], time[LS_CLOCK_TEXT_BYTES], world[128];
    ls_clock_format_file(time);
    format_world(report, world);
    int count = snprintf(text, sizeof text,
                         "The match could not continue: %s\n\n"
                         "room       %s\ntick       %" PRIu64 " closed, %" PRIu64 " simulated\n"
                         "time       %s UTC\nbuild      %s\nrecording  %s\n\n"
                         "%s.%s\n",
                         match->reason, match->room, match->tick, match->simulated, time,
                         LS_BUILD_TEXT, match->recording[0] ? match->recording : "none", world,
                         match->recording[0]
                             ? " The recording continues\nto the last tick that was closed: "
                               "`lockstep verify` runs it again."
                             : "");
    return write_file(report, "reason.txt", text, (size_t)count, error);
}

/* Makes a new folder with a free name: a resumed match may fail again, and an existing report is
 * never overwritten. */
static ls_status make_folder(struct report *report, ls_error *error)
{
    const char *stem = report->match->stem;
    for (uint32_t i = 1; i < NAMES_MAX; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%u", i);
        int length = snprintf(report->folder, sizeof report->folder, "%s%s.failed", stem, number);
        if (length >= (int)sizeof report->folder)
            break;
        if (mkdir(report->folder, 0777) == 0)
            return LS_OK;
        if (errno != EEXIST)
            return ls_error_set(error, LS_ERROR_IO, "%s: %s", report->folder, strerror(errno));
    }
    return ls_error_set(error, LS_ERROR_IO,
                        "%.512s.failed: all numbered names of this folder are in use", stem);
}

uint64_t ls_failure_report_write(const ls_failed_match *match, ls_log *log)
{
    struct report report = {.match = match};
    ls_error error;
    if (match->world)
        ls_world_encode(match->world, &report.world, &report.world_bytes);
    if (report.world_bytes + REASON_BYTES_MAX > match->bytes_max) {
        ls_free(report.world);
        report.world = NULL;
    }
    ls_status status = make_folder(&report, &error);
    if (!status)
        status = write_reason(&report, &error);
    if (!status && report.world)
        status = write_file(&report, "world.snapshot", report.world, report.world_bytes, &error);
    ls_free(report.world);
    if (status)
        ls_log_print(log, "failure_report_failed reason=\"%s\"", error.text);
    else
        ls_log_print(log, "failure_report folder=\"%s\"", report.folder);
    return report.written;
}

void ls_failed_match_take(ls_failed_match *match, ls_room *room)
{
    ls_room_stats stats = ls_room_get_stats(room);
    *match = (ls_failed_match){
        .world = ls_room_take_world(room), .tick = stats.tick, .simulated = stats.simulated};
    snprintf(match->room, sizeof match->room, "%s", ls_room_name(room));
    snprintf(match->reason, sizeof match->reason, "%s", ls_room_end_reason(room));
}

void ls_failed_match_reset(ls_failed_match *match)
{
    ls_world_destroy(match->world);
    match->world = NULL;
}
