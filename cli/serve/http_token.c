#include "cli/serve/http_token.h"

#include "proto/private_file.h"
#include <lockstep/entropy.h>

#include <string.h>
#include <strings.h>

#define SCHEME "Bearer "
/* The first line with its end, and whatever an editor added after it. */
#define FILE_BYTES_MAX 4096

/* Whether these are characters of a bearer token.
 *   source  RFC 6750, section 2.1 */
static bool is_plain(const char *text, size_t bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "-._~+/=";
    for (size_t i = 0; i < bytes; i++)
        if (!text[i] || !strchr(letters, text[i]))
            return false;
    return true;
}

ls_status ls_http_token_read(const char *path, ls_http_token *token, ls_error *error)
{
    ls_private_file file = {.path = path, .bytes_max = FILE_BYTES_MAX, .must_be_secret = true};
    char *text;
    size_t all;
    ls_status status = ls_private_file_read(&file, &text, &all, error);
    if (status == LS_ERROR_NOT_FOUND)
        ls_error_set(error, status,
                     "%.900s; make it: (umask 077; head -c 32 /dev/urandom | base64 >FILE)",
                     error->text);
    if (status)
        return status;
    size_t bytes = strcspn(text, "\r\n");
    if (bytes < LS_HTTP_TOKEN_BYTES_MIN || bytes > LS_HTTP_TOKEN_BYTES_MAX ||
        !is_plain(text, bytes))
        status = ls_error_set(error, LS_ERROR_USAGE,
                              "%.300s: the first line is the token, %d to %d letters, digits and "
                              "characters of -._~+/=",
                              path, LS_HTTP_TOKEN_BYTES_MIN, LS_HTTP_TOKEN_BYTES_MAX);
    else
        ls_secret_hash(text, bytes, token->hash);
    ls_wipe(text, all);
    ls_free(text);
    return status;
}

bool ls_http_token_is_in(const ls_http_token *token, const char *authorization)
{
    uint8_t hash[LS_SECRET_HASH_BYTES];
    bool has_scheme = strncasecmp(authorization, SCHEME, strlen(SCHEME)) == 0;
    const char *text = authorization + (has_scheme ? strlen(SCHEME) : 0);
    ls_secret_hash(text, strlen(text), hash);
    bool is_right = ls_secret_equal(hash, token->hash, sizeof hash) && has_scheme;
    ls_wipe(hash, sizeof hash);
    return is_right;
}
