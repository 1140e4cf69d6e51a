/* The matches of a folder that a server may resume: their order, and the reasons why the others are
 * not resumed. */
#ifndef LS_RESUME_LIST_H
#define LS_RESUME_LIST_H

#include "cli/common/log.h"
#include "server/seats_file.h"

typedef struct ls_resume_entry {
    char *path;                          /* of its recording */
    char room[LS_SEATS_FILE_TEXT_BYTES]; /* "": without a name, or it is not known */
    int64_t created_unix_s;
} ls_resume_entry;

/* Lists the recordings of a folder, also of matches that are over, by room and each room's newest
 * first: the first that can be resumed is a room's last match. Waits up to two seconds in all for
 * files that another process writes, because a server that was just killed may still hold its
 * files.
 *   errors  as ls_recordings_list()
 *   owns    ls_resume_list_free() */
ls_status ls_resume_list(const char *folder, ls_resume_entry **list, uint32_t *count,
                         ls_error *error) LS_MUST_USE;
void ls_resume_list_free(ls_resume_entry *list, uint32_t count);

/* The reason why a match is not resumed when `newer`, of the same room, was.
 *   errors  NOT_FOUND: it is over; REFUSED names `newer`; those of ls_series_open() */
ls_status ls_resume_entry_refuse(const ls_resume_entry *match, const char *newer,
                                 ls_error *error) LS_MUST_USE;

/* A line about a match that is not resumed. */
void ls_resume_entry_log(ls_log *log, const char *recording, const ls_error *why);
/* How many matches of `count` the server resumes. */
void ls_resume_entry_tell(ls_async_writer *out, const char *folder, uint32_t taken_up,
                          uint32_t count);

#endif
