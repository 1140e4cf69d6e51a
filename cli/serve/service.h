/* Runs one server process: socket, identity, jobs and rooms. */
#ifndef LS_SERVICE_H
#define LS_SERVICE_H

#include "cli/serve/service_options.h"

/* Serves until all matches have ended, or ends them in order when a signal asks to stop
 * (cli/common/signals.h). Prints "listening HOST:PORT#KEY", a line each second, and at the end of
 * each match the path of its recording. `failed` counts the failed matches.
 *   errors  those of loading, of the match, of key files; IO: port, recording, log */
ls_status ls_service_run(const ls_service_options *options, uint32_t *failed,
                         ls_error *error) LS_MUST_USE;

#endif
