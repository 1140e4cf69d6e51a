/* Recordings that a server must not resume: their simulation kills or hangs whoever runs it again.
 * Which they are is known by a mark beside each, NAME.restoring, that is there only while it is
 * simulated again: when a server dies of one, those that were at work then are tried in processes
 * of their own by the next. */
#ifndef LS_QUARANTINE_H
#define LS_QUARANTINE_H

#include "cli/common/log.h"
#include "cli/common/match_options.h"

/* The mark of a recording is made, or taken away.
 *   thread  any */
void ls_quarantine_mark(const char *recording, bool is_under_way);

/* Renames the recording to NAME.lsr.poison, which no server resumes, and the later files of its
 * match likewise; the log says so. The files are whole: rename them back once the simulation's
 * build is mended, or to examine them. */
void ls_quarantine_set_aside(const char *recording, const char *why, ls_log *log);

/* Tries the recordings in the folder that have a mark, with all files of their matches: what ends
 * its process, or stands still for ten seconds, is set aside. Also the others lose their marks.
 *   errors  IO: the folder, or no process      thread  no other thread runs */
ls_status ls_quarantine_sift(const char *folder, const ls_match_options *match, ls_log *log,
                             ls_error *error) LS_MUST_USE;

#endif
