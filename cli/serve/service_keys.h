/* The keys of matchmakers, for `serve --token-key`, and that of `--password-file`. */
#ifndef LS_SERVICE_KEYS_H
#define LS_SERVICE_KEYS_H

#include "cli/serve/service_options.h"

/* Reads the files of all keys.
 *   errors  those of ls_token_key_file_read(); USAGE: two keys with one id, or none although tokens
 *           are required
 *   owns    secret: ls_service_keys_reset() by the caller, also after an error */
ls_status ls_service_keys_load(const ls_service_options *options,
                               ls_token_key keys[LS_TOKEN_KEYS_MAX], ls_error *error) LS_MUST_USE;
/* Derives the key of the password at this server, if there is one.
 *   errors  those of ls_password_file_read() and ls_handshake_password()
 *   owns    secret: wiped by the caller */
ls_status ls_service_keys_password(const ls_service_options *options, const ls_public_key *identity,
                                   uint8_t psk[32], ls_error *error) LS_MUST_USE;
void ls_service_keys_reset(ls_token_key keys[LS_TOKEN_KEYS_MAX]);

#endif
