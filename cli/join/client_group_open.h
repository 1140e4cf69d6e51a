/* Opens everything that a client group needs before it contacts a server, and closes it. */
#ifndef LS_CLIENT_GROUP_OPEN_H
#define LS_CLIENT_GROUP_OPEN_H

#include "cli/join/client_group_members.h"

/* Reads the files, loads the simulation, and opens the relay, the links and the clients. Needs
 * group->options. Call ls_client_group_close() even after an error.
 *   errors  IO: also when the process may not open a descriptor for each client; USAGE, REFUSED,
 *           CORRUPT, INCOMPATIBLE: the files and the simulation */
ls_status ls_client_group_open(ls_client_group *group, ls_error *error) LS_MUST_USE;

/* Destroys the clients, wipes the secrets and returns `status`, or an error of the log. */
ls_status ls_client_group_close(ls_client_group *group, ls_status status,
                                ls_error *error) LS_MUST_USE;

#endif
