/* Which simulation does a server run? Asked before joining without --sim. */
#ifndef LS_PROBE_H
#define LS_PROBE_H

#include <lockstep/server_address.h>

/* Asks the server with the fingerprint of each built-in simulation, one HELLO each, until it
 * answers with anything but a refusal. The answer is not authentic: it only chooses a simulation,
 * and the handshake then proves it.
 *   errors  INCOMPATIBLE: it runs none of them, and the text says which it runs, or another version
 *           of one or of the protocol; NOT_FOUND: no such host; IO: no answer, or asked to stop
 *   owns    *name is of the build
 *   thread  main */
ls_status ls_probe_simulation(const ls_server_address *address, const char **name,
                              ls_error *error) LS_MUST_USE;

/* Says that nothing came from there, and what to look at; gives LS_ERROR_IO. */
ls_status ls_probe_silence(const ls_server_address *address, ls_error *error);

#endif
