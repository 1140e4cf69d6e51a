/* Finds the process that will take the matches of this server over, before any match stops. */
#ifndef LS_SUCCESSOR_H
#define LS_SUCCESSOR_H

#include "cli/serve/successor_socket.h"
#include <lockstep/address.h>
#include <lockstep/identity.h>
#include <lockstep/program.h>

/* The server that is drained. */
typedef struct ls_successor_config {
    const char *folder; /* of its recordings; NULL: none */
    const ls_program *program;
    const ls_public_key *key;
} ls_successor_config;

typedef struct ls_successor {
    ls_successor_socket socket;
    ls_address address; /* where clients find it */
    bool is_same_sim;   /* it can continue the matches of this server */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
} ls_successor;

/* Connects to the process that waits in the folder, and asks the server at HOST:PORT whether it is
 * that one. Takes up to some seconds.
 *   errors  USAGE: a malformed address, or the server records nothing; REFUSED: no process waits in
 *           the folder, or it has another key, or the one at the address has, or its simulation has
 *           another name; IO: no answer
 *   owns    successor->socket: ls_successor_close()
 *   thread  any but that of the server */
ls_status ls_successor_find(const ls_successor_config *config, const char *address,
                            ls_successor *successor, ls_error *error) LS_MUST_USE;

#endif
