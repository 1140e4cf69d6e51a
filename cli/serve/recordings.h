/* The folder of a server's recordings: new names in it, and the unfinished ones that are there. */
#ifndef LS_RECORDINGS_H
#define LS_RECORDINGS_H

#include "cli/common/clock.h"
#include <lockstep/program.h>
#include <lockstep/recorder.h>
#include <lockstep/recording_series.h>

#include <limits.h>

typedef struct ls_recording_place {
    const char *folder;
    const char *sim;
    uint64_t seed;
} ls_recording_place;

/* Makes the folder when it is missing.
 *   errors  IO names it */
ls_status ls_recordings_make_folder(const char *path, ls_error *error) LS_MUST_USE;

/* The name that a recording has which begins now: SIM-DATE-TIME-SEED.lsr. False: it is too long. */
bool ls_recordings_name(const ls_recording_place *place, char path[PATH_MAX]) LS_MUST_USE;

/* Creates a sink for a new recording and chooses its name, with -2, -3, .. at the end if the name
 * is taken. The file gets its name with the first sync. Until the caller closes `lock` (-1: none),
 * no other server process chooses a name.
 *   errors  IO names the folder or file; there is no lock then */
ls_status ls_recordings_create(const ls_recording_place *place, char path[PATH_MAX], ls_sink *sink,
                               int *lock, ls_error *error) LS_MUST_USE;
/* The same without waiting for the disk: the sink's first append creates the file
 * (ls_file_sink_prepare). The name is not checked: within a process no other match has its seed,
 * and if two processes choose one name, the later one cannot begin.
 *   errors  IO: the name is too long */
ls_status ls_recordings_prepare(const ls_recording_place *place, char path[PATH_MAX], ls_sink *sink,
                                ls_error *error) LS_MUST_USE;

/* The recordings in a folder, in the order of their names; none when there is no such folder.
 *   errors  IO     owns  ls_recordings_list_free() */
ls_status ls_recordings_list(const char *folder, char ***paths, uint32_t *count,
                             ls_error *error) LS_MUST_USE;
void ls_recordings_list_free(char **paths, uint32_t count);

/* The longest wait for a lock that another process holds. */
#define LS_RECORDINGS_PATIENCE_NS (2 * LS_NS_PER_S)
/* Locks a file or folder as flock() does, LOCK_SH or LOCK_EX, and retries until `until_ns`. False:
 * another process has the lock, or there are no locks. */
bool ls_recordings_lock(int file, int operation, uint64_t until_ns);

/* How many files of evidence are beside a recording: NAME.desync-TICK, NAME.desync-TICK-2, .. */
uint32_t ls_recordings_count_evidence(const char *path);

/* Opens an unfinished recording, both to continue it in the last of its files and to read it;
 * `epoch` is the new one.
 *   errors  NOT_FOUND: its match is over, or it is no first file; REFUSED: another process has it;
 *           INCOMPATIBLE: another simulation; those of ls_recorder_resume. All is closed then */
ls_status ls_recordings_resume(const char *path, const ls_program *program, ls_recorder **recorder,
                               ls_series **history, uint32_t *epoch, ls_error *error) LS_MUST_USE;

#endif
