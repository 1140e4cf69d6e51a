/* The folder of a server's recordings: chooses names for new ones, and finds and opens unfinished
 * ones. */
#ifndef LS_RECORDINGS_H
#define LS_RECORDINGS_H

#include "cli/common/clock.h"
#include "core/base/platform_file.h"
#include <lockstep/program.h>
#include <lockstep/recorder.h>
#include <lockstep/recording_series.h>

typedef struct ls_recording_place {
    const char *folder;
    const char *sim;
    uint64_t seed;
} ls_recording_place;

/* Creates the folder if it is missing.
 *   errors  IO: the text names the folder */
ls_status ls_recordings_make_folder(const char *path, ls_error *error) LS_MUST_USE;

/* Finds the folder of --resume. It is not created: after a mistyped name the server would start new
 * matches, and not resume the unfinished ones.
 *   errors  NOT_FOUND: the text names the folder */
ls_status ls_recordings_find_folder(const char *path, ls_error *error) LS_MUST_USE;

/* Formats the name of a recording that begins now: SIM-DATE-TIME-SEED.lsr. False when it is too
 * long. */
bool ls_recordings_name(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX]) LS_MUST_USE;

/* Creates a sink for a new recording and chooses its name, which ends in -2, -3 and so on if it is
 * taken. The file gets its name with the first sync. Until the caller closes `lock` (-1: none), no
 * other server process chooses a name.
 *   errors  IO: the text names the folder or file; there is then no lock */
ls_status ls_recordings_create(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX],
                               ls_sink *sink, int *lock, ls_error *error) LS_MUST_USE;
/* Does what ls_recordings_create() does, but without waiting for the disk: the sink's first append
 * creates the file (ls_file_sink_prepare). The name is not checked: within a process no other match
 * has its seed, and if two processes choose one name, the later one cannot begin.
 *   errors  IO: the name is too long */
ls_status ls_recordings_prepare(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX],
                                ls_sink *sink, ls_error *error) LS_MUST_USE;

/* Lists the recordings in a folder, ordered by name. A missing folder has none.
 *   errors  IO
 *   owns    free with ls_recordings_list_free() */
ls_status ls_recordings_list(const char *folder, char ***paths, uint32_t *count,
                             ls_error *error) LS_MUST_USE;
void ls_recordings_list_free(char **paths, uint32_t count);

/* The longest wait for a lock of another process. */
#define LS_RECORDINGS_TIMEOUT_NS (2 * LS_SECOND_NS)
/* Locks a file or folder with flock(), LOCK_SH or LOCK_EX, and retries until `until_ns`. False when
 * another process has the lock, or the file system has no locks. */
bool ls_recordings_lock(int file, int operation, uint64_t until_ns);

/* Counts the evidence files of a recording: NAME.desync-TICK, NAME.desync-TICK-2 and so on. */
uint32_t ls_recordings_count_evidence(const char *path);

/* Reads the name of the simulation from the beginning of a recording; "": the file is no
 * recording. */
void ls_recordings_simulation(const char *path, char name[LS_RECORDING_TEXT_BYTES]);

/* Whether the match of a recording is over, by what its files say.
 *   errors  those of ls_series_open() */
ls_status ls_recordings_is_over(const char *path, bool *is_over, ls_error *error) LS_MUST_USE;

/* Opens an unfinished recording: `recorder` continues its last file, `series` reads all its files.
 * `epoch` becomes the new epoch.
 *   errors  NOT_FOUND: the match is over, or this is not its first file; REFUSED: another process
 *           uses it; INCOMPATIBLE: another simulation; those of ls_recorder_resume(). Everything is
 *           then closed */
ls_status ls_recordings_resume(const char *path, const ls_program *program, ls_recorder **recorder,
                               ls_series **series, uint32_t *epoch, ls_error *error) LS_MUST_USE;

#endif
