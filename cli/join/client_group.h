/* A client group: several clients of one process in one match, each with its own connection and
 * world. */
#ifndef LS_CLIENT_GROUP_H
#define LS_CLIENT_GROUP_H

#include "cli/join/client_group_options.h"

/* Joins and plays until the match is over, the ticks are done or a signal asks to stop; then
 * leaves. If several clients fail, returns the first error in this list.
 *   errors  DIVERGED: a client differs from the server; INCOMPATIBLE: the server runs another
 *           simulation or version; REFUSED: the server refuses, or we do not trust it; CORRUPT: the
 *           file of known servers; IO: the server was never reached, or lost; those of loading */
ls_status ls_client_group_play(const ls_client_group_options *options, ls_error *error) LS_MUST_USE;

#endif
