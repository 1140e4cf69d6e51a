/* Decides whether to trust the server that answers. It must have the key of HOST:PORT#KEY; without
 * one, the key that this user saw there before; without that, any key is trusted on first use. All
 * connections of one process must see the same key. */
#ifndef LS_TRUST_H
#define LS_TRUST_H

#include <lockstep/server_address.h>

#include <stdio.h>

typedef struct ls_trust {
    const ls_server_address *address;
    const char *known_servers; /* file */
    /* where a newly trusted key is printed; stdout unless the caller sets another */
    FILE *out;
    bool has_seen;
    bool is_new;       /* the key is not in the file yet */
    ls_status refusal; /* why a key was not accepted; LS_OK: none was refused */
    ls_public_key seen;
} ls_trust;

void ls_trust_init(ls_trust *trust, const ls_server_address *address, const char *known_servers);

/* A callback for ls_client_config; `context` is an ls_trust. Prints a key that it trusts for the
 * first time.
 *   errors  REFUSED: another key than expected; those of ls_known_servers_check() */
ls_status ls_trust_check(void *context, const ls_public_key *shown, ls_error *error) LS_MUST_USE;

/* Adds a new server to the file, once. Call it when a handshake has succeeded. */
ls_status ls_trust_remember(ls_trust *trust, ls_error *error) LS_MUST_USE;

#endif
