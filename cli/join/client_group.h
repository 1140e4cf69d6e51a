/* A client group: the clients that this process sends into one match, each with its own connection
 * and its own world. */
#ifndef LS_CLIENT_GROUP_H
#define LS_CLIENT_GROUP_H

#include "cli/join/client_group_options.h"

/* Joins, plays until the match is over, the ticks are done or a signal asks to stop; then leaves.
 *   errors  DIVERGED: a client differs from the server; INCOMPATIBLE: the server runs another
 *           simulation or version; REFUSED: it, or our trust in it, says no; CORRUPT: the file
 *           of known servers; IO: never reached or lost. With several clients' troubles, the
 *           first in this list. Those of loading */
ls_status ls_client_group_play(const ls_client_group_options *options, ls_error *error) LS_MUST_USE;

#endif
