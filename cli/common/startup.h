/* Begins and ends the process: arguments in UTF-8, standard streams that exist, output that is
 * complete. startup.c; startup_windows.c. */
#ifndef LS_STARTUP_H
#define LS_STARTUP_H

#include <stdbool.h>

/* Prepares the streams, and the clocks of the system. Called first. Returns the arguments, `*count`
 * of them and NULL, as UTF-8; they stay valid until the process ends. */
char **ls_startup_begin(int *count, char **arguments);

/* Returns whether the reader of stdout is gone. That is no error: `serve` and `join` continue
 * without a reader. */
bool ls_startup_has_lost_reader(void);

#endif
