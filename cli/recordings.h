/* The folder of a server's recordings: new names in it, and the unfinished ones that are there. */
#ifndef LS_RECORDINGS_H
#define LS_RECORDINGS_H

#include "core/program.h"
#include "replays/history.h"
#include "replays/recorder.h"

#include <limits.h>

typedef struct ls_recording_place {
    const char *folder; /* made when it is missing */
    const char *sim;
    uint64_t seed;
} ls_recording_place;

/* A sink for a new recording, and its name: SIM-DATE-TIME-SEED.lsr. A recording gets its name with
 * the first sync: until the caller closes `lock` (-1: none) no other process of ours chooses one.
 * Without a lock (NULL) nobody is waited for; of two that choose one name the later cannot begin.
 *   errors  IO names the folder or file; there is no lock then
 *   owns    *sink points to storage that lives until the next call */
ls_status ls_recordings_create(const ls_recording_place *place, char path[PATH_MAX],
                               const ls_sink **sink, int *lock, ls_error *error) LS_MUST_USE;

/* The recordings in a folder, in the order of their names; none when there is no such folder.
 *   errors  IO     owns  ls_recordings_list_free() */
ls_status ls_recordings_list(const char *folder, char ***paths, uint32_t *count,
                             ls_error *error) LS_MUST_USE;
void ls_recordings_list_free(char **paths, uint32_t count);

/* Opens an unfinished recording to be gone on with, in the last of its files, and to be read;
 * `epoch` is the new one.
 *   errors  NOT_FOUND: its match is over, or it is no first file; REFUSED: another process is at
 *           it; INCOMPATIBLE: another simulation; those of ls_recorder_resume. All is closed
 *           then */
ls_status ls_recordings_take_up(const char *path, const ls_program *program, ls_recorder **recorder,
                                ls_history **history, uint32_t *epoch, ls_error *error) LS_MUST_USE;

#endif
