/* Trust on first use: a text file with lines "HOST:PORT KEY" stores the key of each known server.
 * Empty lines and lines that begin with '#' are kept. */
#ifndef LS_KNOWN_SERVERS_H
#define LS_KNOWN_SERVERS_H

#include <lockstep/server_address.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_KNOWN_SERVERS_BYTES_MAX (1u << 20)

/* Compares the key that a server has shown with the stored one. Call it in the trust function of a
 * handshake or a client when the address has no #KEY.
 *   errors  LS_ERROR_NOT_FOUND: the server is not in the file, or there is no file yet;
 *           LS_ERROR_REFUSED: the key has changed; the text names file, line, both keys and the
 *           remedy; LS_ERROR_CORRUPT: a line of the file is malformed; LS_ERROR_IO */
LS_API ls_status ls_known_servers_check(const char *path, const ls_server_address *address,
                                        const ls_public_key *shown, ls_error *error) LS_MUST_USE;

/* Stores a server's key after a successful handshake. Writes a new file with mode 0600, syncs it
 * and renames it: a reader sees either the old or the new file. Does nothing if the server is
 * stored with this key.
 *   errors  LS_ERROR_REFUSED and LS_ERROR_CORRUPT as ls_known_servers_check(); LS_ERROR_LIMIT: the
 *           file is full; LS_ERROR_IO */
LS_API ls_status ls_known_servers_add(const char *path, const ls_server_address *address,
                                      const ls_public_key *key, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
