#include "cli/serve/room_cleanup.h"

#include "cli/common/shell_word.h"
#include "cli/serve/quarantine.h"
#include "core/base/builder.h"
#include "server/room_handover.h"
#include <lockstep/recording_series.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints the command that explains a desync, for an operator who does not know it. */
static void print_evidence(const ls_room_cleanup *cleanup)
{
    ls_builder text = {0};
    ls_shell_word_add(&text, cleanup->config.sim);
    ls_shell_word_add(&text, cleanup->config.evidence);
    ls_async_writer_print(cleanup->config.out,
                          "evidence %s; to find the cause: lockstep explain --sim%s\n",
                          cleanup->config.evidence, text.data);
    ls_free(text.data);
}

/* Prints every file of a match that has had a disk failure. */
static void print_segments(const ls_room_cleanup *cleanup)
{
    struct stat file;
    for (uint32_t i = 0; i <= LS_RECORDING_SEGMENTS_MAX; i++) {
        char *name = ls_series_name(cleanup->config.recording, i);
        const char *path = i ? name : cleanup->config.recording;
        if (stat(path, &file) == 0)
            ls_async_writer_print(cleanup->config.out, "recorded %s bytes=%lld\n", path,
                                  (long long)file.st_size);
        ls_free(name);
    }
}

static void run(ls_job *job)
{
    ls_room_cleanup *cleanup = (ls_room_cleanup *)job;
    if (cleanup->is_cut_off)
        ls_quarantine_mark(cleanup->config.recording, false);
    if (cleanup->hangs)
        ls_quarantine_move(cleanup->config.recording, cleanup->reason, cleanup->config.log);
    if (cleanup->segments)
        print_segments(cleanup);
    if (cleanup->config.evidence[0] && !cleanup->is_cut_off &&
        access(cleanup->config.evidence, F_OK) == 0)
        print_evidence(cleanup);
    if (cleanup->forgets_seats)
        unlink(cleanup->config.seats);
    if (cleanup->has_report) {
        uint64_t written = ls_failure_report_write(&cleanup->match, cleanup->config.log);
        uint64_t max = cleanup->match.bytes_max;
        cleanup->bytes_left = written < max ? max - written : 0;
        ls_failed_match_reset(&cleanup->match);
    }
    if (cleanup->is_recorded)
        ls_finished_hook_add(cleanup->config.hook, cleanup->config.recording);
}

/* Prepares the report of a failed match. It is beside the recording, or has the name that a
 * recording would have. */
static bool take_failed(ls_room_cleanup *cleanup, ls_room *room)
{
    const ls_room_cleanup_config *config = &cleanup->config;
    ls_failed_match *match = &cleanup->match;
    ls_error error;
    uint64_t bytes_max = ls_server_reserve_evidence_bytes(config->server, &error);
    if (!bytes_max) {
        ls_log_print(config->log, "failure_report_failed reason=\"%s\"", error.text);
        return false;
    }
    const char *name = config->recording[0] ? config->recording : config->name;
    ls_failed_match_take(match, room);
    match->bytes_max = bytes_max;
    snprintf(match->recording, sizeof match->recording, "%s", config->recording);
    snprintf(match->stem, sizeof match->stem, "%.*s", ls_series_stem(name), name);
    return true;
}

bool ls_room_cleanup_prepare(ls_room_cleanup *cleanup, const ls_room_cleanup_config *config,
                             ls_room *room)
{
    ls_room_stats stats = ls_room_get_stats(room);
    bool has_begun = stats.recording_bytes || !stats.recording_failed;
    bool has_failed = stats.ended_by == LS_CLOSING_FAILED && !stats.is_cut_off && has_begun;
    bool is_moved = ls_room_handover_is_over(room); /* its files belong to another process */
    *cleanup =
        (ls_room_cleanup){.config = *config,
                          .segments = stats.is_cut_off || is_moved ? 0 : stats.recording_segments,
                          .is_cut_off = stats.is_cut_off,
                          .is_recorded = stats.recording_bytes && !stats.is_cut_off && !is_moved,
                          .hangs = stats.is_cut_off && stats.hangs};
    snprintf(cleanup->reason, sizeof cleanup->reason, "%s", ls_room_end_reason(room));
    /* No client returns to a match that is over or never began, so its seats file is deleted. A
     * match that could not be restored keeps its seats for the next attempt. */
    cleanup->forgets_seats = config->seats[0] && !stats.is_cut_off && !is_moved &&
                             !(has_begun && (stats.recording_failed || has_failed));
    cleanup->has_report = has_failed && take_failed(cleanup, room);
    return has_failed;
}

void ls_room_cleanup_begin(ls_room_cleanup *cleanup, ls_jobs *jobs)
{
    cleanup->job.run = run;
    ls_job_submit(jobs, &cleanup->job);
}

void ls_room_cleanup_take(ls_room_cleanup *cleanup)
{
    if (ls_job_take(&cleanup->job))
        ls_server_release_evidence_bytes(cleanup->config.server, cleanup->bytes_left);
}
