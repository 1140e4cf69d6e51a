/* The recordings in a folder, and what each one is of. `serve --site` shows only those of ended
 * matches: others would tell what the players may not see. `watch --web` shows all. */
#ifndef LS_VIEWER_SHELF_H
#define LS_VIEWER_SHELF_H

#include "cli/common/clock.h"

#include <lockstep/recording_format.h>

/* The folder of ended matches is read again after this time, */
#define LS_VIEWER_SHELF_NS (5 * LS_SECOND_NS)
/* or after this one when it has more new recordings than are read at once. */
#define LS_VIEWER_SHELF_SOON_NS (LS_SECOND_NS / 10)
#define LS_VIEWER_SHELF_BYTES   (UINT64_C(16) << 20)

typedef struct ls_shelf_file {
    char *name;
    uint64_t bytes; /* of the match when it was last read, as `changed_s`; UINT64_MAX: never read */
    int64_t changed_s;
    /* These two are facts about the match, and set only in the entry of its first file. */
    bool is_over; /* only a shelf without `has_all` sets it */
    char simulation[LS_RECORDING_TEXT_BYTES];
} ls_shelf_file;

/* Zero-initialised with a folder it is valid. One thread uses it. */
typedef struct ls_viewer_shelf {
    const char *folder;
    bool has_all;         /* shows running matches, too */
    ls_shelf_file *files; /* all recordings of the folder, ordered by name */
    uint32_t count;
    uint64_t due_ns; /* when the folder is read again */
} ls_viewer_shelf;

/* Frees the list. */
void ls_viewer_shelf_reset(ls_viewer_shelf *shelf);
/* Reads the folder if it is time. A recording is read if it has changed and no process writes it,
 * and never again when its match is over. A shelf that has all reads the folder each time, and the
 * beginning of each recording that has changed. If the folder cannot be read, the list stays. */
void ls_viewer_shelf_update(ls_viewer_shelf *shelf, uint64_t now_ns);
/* Whether the file is there, and its match is over. A shelf that has all has each name of a
 * recording, also of one that came after the last update. */
bool ls_viewer_shelf_has(const ls_viewer_shelf *shelf, const char *name);
/* The simulation of a file in the list, as long as the list stays; "": it is no recording. The file
 * has to be in the list (asserted). */
const char *ls_viewer_shelf_simulation(const ls_viewer_shelf *shelf, const char *name);

#endif
