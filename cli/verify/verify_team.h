/* Verifies several recordings at a time, each in a separate process, so that a crash of the
 * simulation affects only one file's result. */
#ifndef LS_VERIFY_TEAM_H
#define LS_VERIFY_TEAM_H

#include "cli/common/verify_file.h"

typedef struct ls_verify_team_config {
    const ls_verify_config *file; /* for each file; the team sets its path and child */
    char *const *paths;
    const char *const *names; /* of the files in their results: paths, or URLs */
    uint32_t count, jobs;
    uint64_t timeout_ns; /* a process without a tick for this time is stuck */
    bool shows_progress;
    bool prints_events; /* for people: first print what happened on the way, then the result */
    void (*print)(const char *path, const ls_verify_result *result);
} ls_verify_team_config;

/* Fills in a result for each path, and prints it as soon as all results before it are printed.
 *   thread  as ls_child_start() */
void ls_verify_team_run(const ls_verify_team_config *config, ls_verify_result *results);

#endif
