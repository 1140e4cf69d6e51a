/* Being asked to stop: SIGTERM and SIGINT ask once for an orderly end, the second one ends the
 * process at once. SIGHUP (a terminal that closes) and SIGPIPE (a reader that went away) are
 * ignored, so that a match outlives whoever watches it. */
#ifndef LS_STOP_H
#define LS_STOP_H

#include <stdbool.h>

/* Once per process, before threads are started. */
void ls_stop_install(void);
bool ls_stop_is_asked(void);

#endif
