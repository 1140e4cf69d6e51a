/* The public keys of the servers that a user trusts, as `--key KEY|FILE` gives them. */
#ifndef LS_SERVER_KEYS_H
#define LS_SERVER_KEYS_H

#include <lockstep/identity.h>

typedef struct ls_server_keys {
    const char *text; /* the argument, for messages */
    ls_public_key *list;
    uint32_t count;
} ls_server_keys;

/* Accepts a KEY, a HOST:PORT#KEY, or a file: a server's identity, known servers, or any text in
 * which each line ends with a KEY (after a space or '#'). Lines that are empty or begin with '#'
 * are skipped.
 *   errors  USAGE: neither a key nor a file that has one, or an identity that others can read; IO.
 *           *keys is then empty
 *   owns    `text` stays the caller's; ls_server_keys_reset() */
ls_status ls_server_keys_read(const char *text, ls_server_keys *keys, ls_error *error) LS_MUST_USE;
void ls_server_keys_reset(ls_server_keys *keys);

bool ls_server_keys_has(const ls_server_keys *keys, const ls_public_key *key);

#endif
