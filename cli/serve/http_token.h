/* The token of `serve --http-token`. Only its hash is kept. */
#ifndef LS_HTTP_TOKEN_H
#define LS_HTTP_TOKEN_H

#include "proto/secret.h"

#define LS_HTTP_TOKEN_BYTES_MIN 16
#define LS_HTTP_TOKEN_BYTES_MAX 256

typedef struct ls_http_token {
    uint8_t hash[LS_SECRET_HASH_BYTES];
} ls_http_token;

/* Reads the first line of a file that others cannot read.
 *   errors  as ls_private_file_read(); USAGE: too short, too long, or with other characters than a
 *           header may have */
ls_status ls_http_token_read(const char *path, ls_http_token *token, ls_error *error) LS_MUST_USE;

/* Whether a header Authorization has the token. Neither length nor content of the token shows in
 * the time that this takes. */
bool ls_http_token_is_in(const ls_http_token *token, const char *authorization) LS_MUST_USE;

#endif
