/* One server process: socket, identity, jobs and rooms together. */
#ifndef LS_SERVICE_H
#define LS_SERVICE_H

#include "cli/serve/service_options.h"

/* Serves until all matches end or a signal asks for it (cli/common/signals.h), then ends them in
 * order. Prints "listening HOST:PORT#KEY", a line each second, and at the end of each match where
 * the recording is. `failed` counts the matches that could not go on.
 *   errors  those of loading, of the match, of key files; IO: port, recording, log */
ls_status ls_service_run(const ls_service_options *options, uint32_t *failed,
                         ls_error *error) LS_MUST_USE;

#endif
