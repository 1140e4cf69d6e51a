/* Lists the matches of a folder that a server may resume, and finds the reasons why others are not
 * resumed. */
#ifndef LS_RESUME_LIST_H
#define LS_RESUME_LIST_H

#include "cli/common/log.h"
#include "server/seats_file.h"

typedef struct ls_resume_entry {
    char *path;                                /* path of its recording */
    char room[LS_SEATS_FILE_TEXT_BYTES];       /* "": no name, or unknown */
    bool has_room;                             /* the recording itself names the room */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES]; /* of its simulation */
    int64_t created_unix_s;
} ls_resume_entry;

/* Lists the recordings of a folder, including those of finished matches: by room, then by
 * simulation, and the newest first, which is the only one of these to resume. During an upgrade a
 * server of another build has rooms of the same names in the folder. Waits up to two seconds in all
 * for files that another process writes, because a server that was just killed may still hold its
 * files.
 *   errors  as ls_recordings_list()
 *   owns    free with ls_resume_list_free() */
ls_status ls_resume_list(const char *folder, ls_resume_entry **list, uint32_t *count,
                         ls_error *error) LS_MUST_USE;
void ls_resume_list_free(ls_resume_entry *list, uint32_t count);

/* Returns the room's newest match of the same simulation in a list; NULL: it is this one, or its
 * recording does not name the room. */
const ls_resume_entry *ls_resume_entry_newest(const ls_resume_entry *list, uint32_t index);

/* Sets the error that tells why a match is not resumed beside `newer`, of the same room.
 *   errors  NOT_FOUND: the match is over; REFUSED: names `newer`; those of ls_series_open() */
ls_status ls_resume_entry_refuse(const ls_resume_entry *match, const char *newer,
                                 ls_error *error) LS_MUST_USE;

/* Logs a match that is not resumed. */
void ls_resume_entry_log(ls_log *log, const char *recording, const ls_error *why);
/* Prints how many of the folder's `count` matches the server resumes. */
void ls_resume_entry_print(ls_async_writer *out, const char *folder, uint32_t resumed,
                           uint32_t count);

#endif
