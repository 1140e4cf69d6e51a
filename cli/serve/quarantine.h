/* Recordings that a server must not resume, because their simulation crashes or hangs. While a
 * recording is simulated again, a mark NAME.restoring is beside it. After a crash the next server
 * finds the marks, and tries each of these recordings in a separate process. */
#ifndef LS_QUARANTINE_H
#define LS_QUARANTINE_H

#include "cli/common/log.h"
#include "cli/common/match_options.h"

/* Creates or removes the mark of a recording.
 *   thread  any */
void ls_quarantine_mark(const char *recording, bool is_under_way);

/* Renames the recording to NAME.lsr.poison, which no server resumes, and the later files of its
 * match likewise; the log says so. The files are whole: rename them back once the simulation's
 * build is mended, or to examine them. */
void ls_quarantine_set_aside(const char *recording, const char *why, ls_log *log);

/* Tries the recordings in the folder that have a mark, with all files of their matches. A recording
 * that ends its process, or makes no progress for ten seconds, is set aside. All marks are removed.
 *   errors  IO: the folder, or no process
 *   thread  no other thread runs */
ls_status ls_quarantine_sift(const char *folder, const ls_match_options *match, ls_log *log,
                             ls_error *error) LS_MUST_USE;

#endif
