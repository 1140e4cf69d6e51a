/* Trust on first use: a text file of "HOST:PORT KEY" lines remembers the key of each server. Empty
 * lines and lines that begin with '#' are kept. */
#ifndef LS_KNOWN_SERVERS_H
#define LS_KNOWN_SERVERS_H

#include <lockstep/server_address.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_KNOWN_SERVERS_BYTES_MAX (1u << 20)

/* Compares the key that a server has shown with the remembered one. Ask in
 * the trust function of a handshake or a client, when the address had no #KEY.
 *   errors  LS_ERROR_NOT_FOUND: never seen (also: no file yet);
 *           LS_ERROR_REFUSED: the key has changed; the text names file, line, both keys and the
 *           remedy; LS_ERROR_CORRUPT: the file has a line that cannot be read; LS_ERROR_IO */
LS_API ls_status ls_known_servers_check(const char *path, const ls_server_address *address,
                                        const ls_public_key *shown, ls_error *error) LS_MUST_USE;

/* Remembers a server, after its handshake has succeeded. Written to a new file beside it, synced
 * and renamed, mode 0600: a reader sees the old or the new file. A server that is known with this
 * key is not written again.
 *   errors  LS_ERROR_REFUSED as above; LS_ERROR_CORRUPT; LS_ERROR_LIMIT: the file is full;
 *           LS_ERROR_IO */
LS_API ls_status ls_known_servers_add(const char *path, const ls_server_address *address,
                                      const ls_public_key *key, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
