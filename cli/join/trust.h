/* Decides whether to trust the server that answers: by the key of HOST:PORT#KEY; else by the key
 * that this user saw there before; else on first use. All connections of one process must see the
 * same key. */
#ifndef LS_TRUST_H
#define LS_TRUST_H

#include <lockstep/server_address.h>

#include <stdio.h>

typedef struct ls_trust {
    const ls_server_address *address;
    const char *known_servers; /* file */
    FILE *told;                /* where it says what it trusts for the first time: stdout */
    bool has_seen;
    bool is_new;       /* not in the file yet */
    ls_status refusal; /* why a key was not accepted; LS_OK: none was refused */
    ls_public_key seen;
} ls_trust;

void ls_trust_init(ls_trust *trust, const ls_server_address *address, const char *known_servers);

/* For ls_client_config: `context` is an ls_trust. Prints a key that it trusts for the first time.
 *   errors  REFUSED: another key than expected; and those of ls_known_servers_check */
ls_status ls_trust_check(void *context, const ls_public_key *shown, ls_error *error) LS_MUST_USE;

/* Writes a new server into the file; call it once a handshake has succeeded. Does so once. */
ls_status ls_trust_remember(ls_trust *trust, ls_error *error) LS_MUST_USE;

#endif
