/* What one more client needs of the server: a connection, and perhaps a room of its own. Answers
 * that he reads, behind the proof of where he is and of what he knows.
 *   errors  LS_ERROR_LIMIT: none is free; the text says of what */
#ifndef LS_CAPACITY_H
#define LS_CAPACITY_H

#include "server/server_state.h"

/* A connection for this address, beside those that stand or are ending, and those that its host was
 * granted. */
ls_status ls_capacity_connection(const ls_server *server, const ls_address *address,
                                 ls_error *error) LS_MUST_USE;
/* Whether a room may be opened for somebody of this host now, whose `bucket` is that of his AUTHs:
 * the simulation is not behind, and he has not opened many. A room is counted. */
ls_status ls_capacity_room(ls_server *server, uint32_t bucket, uint64_t now_ns,
                           ls_error *error) LS_MUST_USE;
/* What that counted did not come about: all rooms are open. */
void ls_capacity_return_room(ls_server *server, uint32_t bucket);

#endif
