/* Deletes the recordings of finished matches when they are too old, too many or the disk is too
 * full: the oldest first, each with all files of its match. A match that runs, or that a crash
 * interrupted, stays. A job looks at one match at a time, so that no running match waits long for
 * the disk. */
#ifndef LS_RETENTION_H
#define LS_RETENTION_H

#include "cli/common/log.h"
#include <lockstep/jobs.h>

#define LS_RETENTION_DAYS_MAX 36500

/* 0: no limit. */
typedef struct ls_retention_limits {
    uint32_t days;       /* since the end of the match */
    uint64_t bytes;      /* of all matches together */
    uint64_t free_bytes; /* that the file system must have left */
} ls_retention_limits;

bool ls_retention_has_limits(const ls_retention_limits *limits);

#define LS_RETENTION_INTERVAL_NS (60 * LS_SECOND_NS)
#define LS_RETENTION_HURRY_NS    (5 * LS_SECOND_NS)

typedef struct ls_retention ls_retention;

typedef struct ls_retention_config {
    const char *folder; /* NULL: matches are not recorded */
    ls_retention_limits limits;
    ls_jobs *jobs;
    ls_log *log;
} ls_retention_config;

/* Returns NULL without a folder.
 *   owns    ls_retention_destroy() by the caller; what the config points to must outlive it
 *   thread  all functions: the same one. NULL is allowed for `retention` */
ls_retention *ls_retention_create(const ls_retention_config *config);
/* Waits for the job. */
void ls_retention_destroy(ls_retention *retention);

/* Puts other limits in effect, from the next call of ls_retention_maintain() on, which then looks
 * at the folder. */
void ls_retention_set_limits(ls_retention *retention, const ls_retention_limits *limits);

/* Looks at the whole folder on this thread: before a server that needs the space begins. */
void ls_retention_look(ls_retention *retention);

/* Looks at the folder at the first call, and then every LS_RETENTION_INTERVAL_NS. */
void ls_retention_maintain(ls_retention *retention, uint64_t now_ns);

/* A file cannot be written: looks with the next call of ls_retention_maintain(), but not within
 * LS_RETENTION_HURRY_NS of the last look. */
void ls_retention_hurry(ls_retention *retention);

/* How many looks could not read the folder, or left more than the limits allow. The log has only
 * the first such look in a row, as `retention_failed` or `retention_short`. */
uint64_t ls_retention_failures(const ls_retention *retention);

#endif
