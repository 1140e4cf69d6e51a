#include "cli/serve/retention.h"

#include "cli/common/clock.h"
#include "cli/serve/recordings.h"
#include "core/base/builder.h"
#include "core/base/grow.h"
#include "core/base/platform_file.h"
#include "server/event_log.h"
#include <lockstep/recording_series.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DAY_S (24 * 60 * 60)

/* A match: the names of its files begin with that of the recording and a dot. */
struct match {
    char **names; /* in the list of all names */
    uint32_t name_count;
    uint32_t first; /* of the names: the recording, or its first file */
    int64_t changed_s;
    uint64_t bytes;
};

struct ls_retention {
    ls_job job; /* the first member: its function casts it back */
    ls_retention_config config;
    ls_retention_limits next_limits; /* in effect once the job, which may be busy, is idle */
    uint64_t due_ns, looked_ns;      /* 0: never looked, or other limits since */
    /* Between two looks at the folder there are no names. */
    char **names;
    uint32_t name_count;
    struct match *matches; /* oldest first */
    uint32_t match_count, next;
    uint64_t bytes; /* of all matches */
    bool is_looking;
    bool has_warned;   /* the log says that the last looks failed or left too much */
    uint64_t failures; /* looks that failed or left too much; written by the job */
};

static void path_of(const ls_retention *retention, const char *name, char path[LS_PATH_BYTES_MAX])
{
    snprintf(path, LS_PATH_BYTES_MAX, "%s/%s", retention->config.folder, name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_ages(const void *a, const void *b)
{
    const struct match *left = a, *right = b;
    int order = (left->changed_s > right->changed_s) - (left->changed_s < right->changed_s);
    return order ? order : strcmp(left->names[left->first], right->names[right->first]);
}

/* Counts a look that failed or left too much, and logs the first in a row. Relaxed: the count
 * publishes nothing else. */
static void warn(ls_retention *retention, const char *what, const char *reason)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    if (!retention->has_warned)
        ls_log_print(retention->config.log, "%s reason=%s", what,
                     ls_event_log_quote(reason, quoted));
    retention->has_warned = true;
    __atomic_add_fetch(&retention->failures, 1, __ATOMIC_RELAXED);
}

uint64_t ls_retention_failures(const ls_retention *retention)
{
    return retention ? __atomic_load_n(&retention->failures, __ATOMIC_RELAXED) : 0;
}

static bool list_names(ls_retention *retention)
{
    DIR *directory = opendir(retention->config.folder);
    if (!directory) {
        if (errno != ENOENT)
            warn(retention, "retention_failed", strerror(errno));
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        retention->names = ls_grow_counted(retention->names, retention->name_count, sizeof(char *));
        retention->names[retention->name_count++] = ls_text_duplicate(entry->d_name);
    }
    closedir(directory);
    if (retention->name_count)
        qsort(retention->names, retention->name_count, sizeof(char *), compare_names);
    return true;
}

/* Whether the name is that of a recording that does not continue another one of the list. */
static bool is_first(const ls_retention *retention, const char *name)
{
    char first[LS_PATH_BYTES_MAX];
    const char *key = first;
    uint32_t number;
    if (!name[ls_series_stem(name)])
        return false;
    return !ls_series_number(name, &number) ||
           !ls_series_first_name(name, number, first, sizeof first) ||
           !bsearch(&key, retention->names, retention->name_count, sizeof(char *), compare_names);
}

/* Adds size and last change of each file. */
static void measure(const ls_retention *retention, struct match *match)
{
    for (uint32_t i = 0; i < match->name_count; i++) {
        char path[LS_PATH_BYTES_MAX];
        struct stat facts;
        path_of(retention, match->names[i], path);
        if (stat(path, &facts) != 0)
            continue;
        match->bytes += (uint64_t)facts.st_size;
        if (facts.st_mtime > match->changed_s)
            match->changed_s = facts.st_mtime;
    }
}

/* Returns the match of the recording at this index. The files of a match are neighbours in the
 * sorted list. */
static struct match match_at(const ls_retention *retention, uint32_t at)
{
    char **names = retention->names;
    size_t stem = (size_t)ls_series_stem(names[at]) + 1; /* with the dot */
    uint32_t begin = at, end = at + 1;
    while (begin > 0 && strncmp(names[begin - 1], names[at], stem) == 0)
        begin--;
    while (end < retention->name_count && strncmp(names[end], names[at], stem) == 0)
        end++;
    struct match match = {.names = names + begin, .name_count = end - begin, .first = at - begin};
    measure(retention, &match);
    return match;
}

static void begin_look(ls_retention *retention)
{
    retention->is_looking = list_names(retention);
    if (!retention->is_looking)
        return;
    retention->matches = ls_alloc((retention->name_count + 1) * sizeof *retention->matches);
    for (uint32_t i = 0; i < retention->name_count; i++) {
        if (!is_first(retention, retention->names[i]))
            continue;
        struct match match = match_at(retention, i);
        retention->matches[retention->match_count++] = match;
        retention->bytes += match.bytes;
    }
    if (retention->match_count)
        qsort(retention->matches, retention->match_count, sizeof *retention->matches, compare_ages);
}

static void end_look(ls_retention *retention)
{
    for (uint32_t i = 0; i < retention->name_count; i++)
        ls_free(retention->names[i]);
    ls_free(retention->names);
    ls_free(retention->matches);
    retention->names = NULL;
    retention->matches = NULL;
    retention->name_count = retention->match_count = retention->next = 0;
    retention->bytes = 0;
    retention->is_looking = false;
}

static bool is_disk_too_full(const ls_retention *retention)
{
    uint64_t left;
    return retention->config.limits.free_bytes &&
           ls_path_free_bytes(retention->config.folder, &left) == 0 &&
           left < retention->config.limits.free_bytes;
}

/* The limit that the match exceeds; NULL: none. */
static const char *reason_to_remove(const ls_retention *retention, const struct match *match)
{
    const ls_retention_limits *limits = &retention->config.limits;
    int64_t age_s = ls_clock_unix_s() - match->changed_s;
    if (limits->days && age_s > (int64_t)limits->days * DAY_S)
        return "days";
    if (limits->bytes && retention->bytes > limits->bytes)
        return "bytes";
    return is_disk_too_full(retention) ? "free" : NULL;
}

/* Removes the recording itself last, so that what an interruption leaves is still one match. */
static uint32_t remove_files(const ls_retention *retention, const struct match *match)
{
    char path[LS_PATH_BYTES_MAX];
    uint32_t removed = 0;
    for (uint32_t i = 0; i <= match->name_count; i++) {
        if (i == match->first)
            continue;
        path_of(retention, match->names[i < match->name_count ? i : match->first], path);
        removed += ls_path_remove(path) == 0;
    }
    return removed;
}

static void remove_match(ls_retention *retention, const struct match *match, const char *reason)
{
    char path[LS_PATH_BYTES_MAX], quoted[LS_EVENT_LOG_QUOTED_BYTES];
    path_of(retention, match->names[match->first], path);
    bool is_over = false;
    int file = ls_descriptor_open(path, false);
    /* A recording that is being written is locked, and stays. */
    if (file >= 0 && ls_descriptor_lock(file) == 0 &&
        ls_recordings_is_over(path, &is_over, NULL) == LS_OK && is_over) {
        uint32_t files = remove_files(retention, match);
        if (files == match->name_count)
            retention->bytes -= match->bytes;
        ls_log_print(retention->config.log,
                     "recording_removed recording=%s files=%" PRIu32 " bytes=%" PRIu64 " limit=%s",
                     ls_event_log_quote(path, quoted), files, match->bytes, reason);
    }
    if (file >= 0)
        ls_descriptor_close(file);
}

/* Warns once if what is left exceeds a limit. */
static void check_limits(ls_retention *retention)
{
    const ls_retention_limits *limits = &retention->config.limits;
    bool has_too_much = limits->bytes && retention->bytes > limits->bytes;
    if (has_too_much || is_disk_too_full(retention))
        warn(retention, "retention_short",
             "what is left are matches that run or that a crash interrupted");
    else
        retention->has_warned = false;
}

/* Begins a look by listing the matches, or looks at the next match. */
static void step(ls_job *job)
{
    ls_retention *retention = (ls_retention *)job;
    if (!retention->is_looking) {
        begin_look(retention);
        return;
    }
    const char *reason = NULL;
    if (retention->next < retention->match_count) {
        const struct match *match = &retention->matches[retention->next++];
        reason = reason_to_remove(retention, match);
        if (reason)
            remove_match(retention, match, reason);
    }
    if (reason && retention->next < retention->match_count)
        return;
    check_limits(retention);
    end_look(retention);
}

ls_retention *ls_retention_create(const ls_retention_config *config)
{
    if (!config->folder)
        return NULL;
    ls_retention *retention = ls_alloc(sizeof *retention);
    *retention = (ls_retention){.job.run = step, .config = *config, .next_limits = config->limits};
    return retention;
}

bool ls_retention_has_limits(const ls_retention_limits *limits)
{
    return limits->days || limits->bytes || limits->free_bytes;
}

void ls_retention_set_limits(ls_retention *retention, const ls_retention_limits *limits)
{
    if (!retention)
        return;
    retention->next_limits = *limits;
    retention->due_ns = 0;
}

void ls_retention_hurry(ls_retention *retention)
{
    if (!retention || !retention->due_ns)
        return;
    uint64_t soon_ns = retention->looked_ns + LS_RETENTION_HURRY_NS;
    if (retention->due_ns > soon_ns)
        retention->due_ns = soon_ns;
}

void ls_retention_destroy(ls_retention *retention)
{
    if (!retention)
        return;
    ls_job_wait(retention->config.jobs, &retention->job);
    end_look(retention);
    ls_free(retention);
}

void ls_retention_look(ls_retention *retention)
{
    if (!retention || !ls_retention_has_limits(&retention->config.limits))
        return;
    do {
        step(&retention->job);
    } while (retention->is_looking);
}

void ls_retention_maintain(ls_retention *retention, uint64_t now_ns)
{
    if (!retention || (ls_job_is_busy(&retention->job) && !ls_job_take(&retention->job)))
        return;
    retention->config.limits = retention->next_limits;
    if (!retention->is_looking &&
        (now_ns < retention->due_ns || !ls_retention_has_limits(&retention->next_limits)))
        return;
    if (!retention->is_looking) {
        retention->looked_ns = now_ns;
        retention->due_ns = now_ns + LS_RETENTION_INTERVAL_NS;
    }
    ls_job_submit(retention->config.jobs, &retention->job);
}
