/* Opens what a client group needs before a server hears of it, and closes it. */
#ifndef LS_CLIENT_GROUP_OPEN_H
#define LS_CLIENT_GROUP_OPEN_H

#include "cli/join/client_group_members.h"

/* Reads the files, loads the simulation, opens the relay, the links and the clients; group->options
 * is set.
 *   errors  IO: also when the process may not open a descriptor for each client; USAGE, REFUSED,
 *           CORRUPT and INCOMPATIBLE for the files and the simulation. The group is closed all the
 *           same */
ls_status ls_client_group_open(ls_client_group *group, ls_error *error) LS_MUST_USE;

/* Destroys the clients, wipes the secrets and returns `status`, or an error of the log. */
ls_status ls_client_group_close(ls_client_group *group, ls_status status,
                                ls_error *error) LS_MUST_USE;

#endif
