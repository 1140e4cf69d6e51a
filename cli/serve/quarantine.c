#include "cli/serve/quarantine.h"

#include "cli/common/child_process.h"
#include "cli/common/verify_file.h"
#include "cli/serve/recordings.h"
#include "core/base/platform_file.h"
#include "server/event_log.h"
#include <lockstep/limits.h>
#include <lockstep/recording_series.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool name_mark(const char *recording, char mark[LS_PATH_BYTES_MAX])
{
    int length =
        snprintf(mark, LS_PATH_BYTES_MAX, "%.*s.restoring", ls_series_stem(recording), recording);
    return length > 0 && length < LS_PATH_BYTES_MAX;
}

void ls_quarantine_mark(const char *recording, bool is_under_way)
{
    char mark[LS_PATH_BYTES_MAX];
    if (!name_mark(recording, mark))
        return;
    if (!is_under_way) {
        unlink(mark);
        return;
    }
    /* Errors are ignored: without a mark, the next server just does not detect a crash. */
    int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

static bool has_mark(const char *recording)
{
    char mark[LS_PATH_BYTES_MAX];
    return name_mark(recording, mark) && access(mark, F_OK) == 0;
}

static bool rename_file(const char *path)
{
    char aside[LS_PATH_BYTES_MAX];
    int length = snprintf(aside, sizeof aside, "%s.quarantined", path);
    return length < (int)sizeof aside && rename(path, aside) == 0;
}

void ls_quarantine_move(const char *recording, const char *why, ls_log *log)
{
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    bool is_aside = rename_file(recording);
    for (uint32_t i = 1; i <= LS_RECORDING_SEGMENTS_MAX; i++) {
        char *later = ls_series_name(recording, i);
        (void)rename_file(later); /* most do not exist */
        ls_free(later);
    }
    ls_log_print(log, "%s recording=\"%s\" reason=%s",
                 is_aside ? "recording_quarantined" : "recording_not_quarantined", recording,
                 ls_event_log_quote(why, reason));
    ls_quarantine_mark(recording, false);
}

struct trial {
    const ls_match_options *match;
    const char *path;
};

static ls_status try_in_child(ls_child *child, void *argument, ls_error *error)
{
    const struct trial *trial = argument;
    static ls_verify_result result;
    ls_verify_config config = {.match = trial->match, .path = trial->path, .child = child};
    ls_verify_file(&config, &result);
    (void)error; /* the resume reports it; here only a crash counts */
    return LS_OK;
}

static ls_status try_one(const struct trial *trial, bool *is_good, ls_error *why, ls_error *error)
{
    ls_child child;
    ls_status status = ls_child_start(&child, LS_SERVER_LAG_NS, try_in_child, (void *)trial, error);
    if (status)
        return status;
    ls_child_wait(&child);
    *is_good = ls_child_status(&child, why) == LS_OK;
    ls_child_reset(&child);
    return LS_OK;
}

/* Whether `path` is a file of the match: NAME.lsr itself, or a later one such as NAME.3.lsr. */
static bool is_of_match(const char *path, const char *first)
{
    char own[LS_PATH_BYTES_MAX];
    uint32_t number;
    if (strcmp(path, first) == 0)
        return true;
    return ls_series_number(path, &number) && ls_series_first_name(path, number, own, sizeof own) &&
           strcmp(own, first) == 0;
}

static ls_status try_match(char *const *paths, uint32_t count, const char *first,
                           const ls_match_options *match, ls_log *log, ls_error *error)
{
    ls_status status = LS_OK;
    ls_error why;
    bool is_good = true;
    for (uint32_t i = 0; !status && is_good && i < count; i++)
        if (is_of_match(paths[i], first))
            status = try_one(&(struct trial){match, paths[i]}, &is_good, &why, error);
    if (!is_good)
        ls_quarantine_move(first, why.text, log);
    if (!status)
        ls_quarantine_mark(first, false);
    return status;
}

ls_status ls_quarantine_check(const char *folder, const ls_match_options *match, ls_log *log,
                              ls_error *error)
{
    char **paths;
    uint32_t count;
    ls_status status = ls_recordings_list(folder, &paths, &count, error);
    if (status)
        ls_error_set(error, status, "--resume %.900s", error->text);
    for (uint32_t i = 0; !status && i < count; i++)
        if (has_mark(paths[i]))
            status = try_match(paths, count, paths[i], match, log, error);
    ls_recordings_list_free(paths, count);
    return status;
}
