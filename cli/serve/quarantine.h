/* Finds recordings that a server must not resume, because their simulation crashes or hangs. While
 * a server replays a recording, a mark NAME.restoring is beside it. After a crash the next server
 * finds the marks, and tries these recordings in a separate process. */
#ifndef LS_QUARANTINE_H
#define LS_QUARANTINE_H

#include "cli/common/log.h"
#include "cli/common/match_options.h"

/* Creates or removes the mark of a recording.
 *   thread  any */
void ls_quarantine_mark(const char *recording, bool is_under_way);

/* Renames the recording to NAME.lsr.quarantined, which no server resumes, and renames the later
 * files of its match in this way, too. Logs the result. The files are complete: rename them back to
 * examine them, or when the simulation is repaired. */
void ls_quarantine_move(const char *recording, const char *why, ls_log *log);

/* Tries the marked recordings of a folder, with all files of their matches. Sets a recording aside
 * if its process crashes, or makes no progress for ten seconds. Removes all marks.
 *   errors  IO: the folder cannot be read, or no process can be started
 *   thread  main; no other thread may be running */
ls_status ls_quarantine_check(const char *folder, const ls_match_options *match, ls_log *log,
                              ls_error *error) LS_MUST_USE;

#endif
