/* The answers of `watch --web` and `serve --site`: the viewer's files, and recordings. */
#ifndef LS_VIEWER_ANSWER_H
#define LS_VIEWER_ANSWER_H

#include "cli/serve/http.h"
#include "cli/serve/viewer_shelf.h"

/* The page's own policy, and no frames: docs/web.md. */
#define LS_VIEWER_POLICY                                                                           \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' "  \
    "data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "          \
    "frame-ancestors 'none'"
/* Where recordings are: /recordings/NAME. /recordings.json lists them, and says what else the port
 * has: {"recordings": [{"name": ..., "simulation": ...}], "live": false, "play": ...}. */
#define LS_VIEWER_RECORDINGS "/recordings/"
/* Where running matches are: /live/ROOM/FILE. A segment never changes; the manifest `live` does. */
#define LS_VIEWER_LIVE          "/live/"
#define LS_VIEWER_CACHE_SEGMENT "public, max-age=31536000, immutable"
#define LS_VIEWER_CACHE_LIVE    "public, max-age=1"
/* The page and recordings: a browser keeps them, and asks each time whether they have changed. */
#define LS_VIEWER_CACHE_FILE "no-cache"

typedef struct ls_viewer_files {
    const char *site;   /* the folder that web/build makes */
    const char *folder; /* of the recordings */
    const char *only;   /* the name of the one recording that is shown; NULL: those of the shelf */
    const char *live;   /* folder of --broadcast-dir; NULL: none */
    const char *play;   /* the simulation that the page can play at this port; NULL: none */
    ls_viewer_shelf *shelf; /* the recordings that are listed and shown; not used with `only` */
} ls_viewer_files;

/* Checks the folder of --site.
 *   errors  NOT_FOUND: it has no viewer */
ls_status ls_viewer_check_site(const char *folder, ls_error *error) LS_MUST_USE;

/* Answers a GET of a path, which is decoded and may be hostile. Only regular files directly in
 * `site`, `folder` and the rooms' folders in `live` are given, and no hidden ones. `context` is the
 * ls_viewer_files.
 *   owns    the body and the file of the answer by the caller */
void ls_viewer_answer_get(void *context, const char *path, ls_http_answer *answer);

#endif
