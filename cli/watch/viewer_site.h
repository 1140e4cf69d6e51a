/* `watch --web`: serves the viewer and recordings until the process is asked to stop. */
#ifndef LS_VIEWER_SITE_H
#define LS_VIEWER_SITE_H

#include <lockstep/base.h>

typedef struct ls_viewer_site_config {
    const char *path;   /* a recording, or a folder of recordings */
    const char *listen; /* [ADDR:]PORT; NULL: loopback, any port */
    const char *site;   /* the folder that web/build made; NULL: beside this build */
    uint64_t tick;      /* that the page goes to */
    bool has_tick;
} ls_viewer_site_config;

/* Prints the URL, then waits.
 *   errors  NOT_FOUND: no such recording or folder, or no viewer; INCOMPATIBLE: the viewer has no
 *           module of the recording's simulation; those of ls_recording_open() and ls_http_open()
 */
ls_status ls_viewer_site_run(const ls_viewer_site_config *config, ls_error *error) LS_MUST_USE;

#endif
