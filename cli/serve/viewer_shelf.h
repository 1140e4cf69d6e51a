/* The recordings of ended matches in a folder, which `serve --site` shows. Those of matches that
 * are played stay hidden: they would tell what the players may not see. */
#ifndef LS_VIEWER_SHELF_H
#define LS_VIEWER_SHELF_H

#include "cli/common/clock.h"

#include <lockstep/base.h>

/* The folder is read again after this time. */
#define LS_VIEWER_SHELF_NS (5 * LS_NS_PER_S)

/* Zero-initialised with a folder it is valid. One thread uses it. */
typedef struct ls_viewer_shelf {
    const char *folder;
    char **names; /* ordered */
    uint32_t count;
    uint64_t due_ns; /* when the folder is read again */
} ls_viewer_shelf;

/* Frees the names. */
void ls_viewer_shelf_reset(ls_viewer_shelf *shelf);
/* Reads the folder if it is time. A recording is opened until its match has ended, never again. */
void ls_viewer_shelf_update(ls_viewer_shelf *shelf, uint64_t now_ns);
bool ls_viewer_shelf_has(const ls_viewer_shelf *shelf, const char *name);

#endif
