/* The matches of a folder that a server may resume: in which order, and what is reported of
 * those that it leaves. */
#ifndef LS_RESUME_LIST_H
#define LS_RESUME_LIST_H

#include "cli/common/log.h"
#include "server/seats_file.h"

typedef struct ls_resume_entry {
    char *path;                          /* of its recording */
    char room[LS_SEATS_FILE_TEXT_BYTES]; /* "": without a name, or it is not known */
    int64_t created_unix_s;
} ls_resume_entry;

/* The recordings of a folder, also those of matches that are over: by room, each room's newest
 * first, so that who goes through them resumes the last match of a room. Waits for those that
 * another process writes, two seconds for all of them: a server that was killed a moment ago may
 * not have let go of its files.
 *   errors  as ls_recordings_list()     owns  ls_resume_list_free() */
ls_status ls_resume_list(const char *folder, ls_resume_entry **list, uint32_t *count,
                         ls_error *error) LS_MUST_USE;
void ls_resume_list_free(ls_resume_entry *list, uint32_t count);

/* Why a match of a room stays when `newer` of that room was resumed.
 *   errors  NOT_FOUND: it is over; REFUSED names `newer`; those of ls_series_open() */
ls_status ls_resume_entry_refuse(const ls_resume_entry *match, const char *newer,
                                 ls_error *error) LS_MUST_USE;

/* A line about a match that is not resumed. */
void ls_resume_entry_log(ls_log *log, const char *recording, const ls_error *why);
/* How many matches of `count` the server resumes. */
void ls_resume_entry_tell(ls_async_writer *out, const char *folder, uint32_t taken_up,
                          uint32_t count);

#endif
