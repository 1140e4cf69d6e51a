/* Finds out which simulation a server runs, before joining without --sim. */
#ifndef LS_PROBE_H
#define LS_PROBE_H

#include <lockstep/server_address.h>

/* Asks the server by a HELLO without a simulation, and finds the built-in one that has the name and
 * the fingerprint of the answer. The answer is not authentic: it only selects a simulation,
 * and the handshake then proves it.
 *   errors  INCOMPATIBLE: the server runs none of them, or another version of one or of the
 *           protocol; the text has details. NOT_FOUND: no such host. IO: no answer, or a signal
 *           asked to stop
 *   owns    *name is a constant of the build
 *   thread  main */
ls_status ls_probe_simulation(const ls_server_address *address, const char **name,
                              ls_error *error) LS_MUST_USE;

/* Sets an error: the server does not answer, and what to check. Returns LS_ERROR_IO. */
ls_status ls_probe_silence(const ls_server_address *address, ls_error *error);

#endif
