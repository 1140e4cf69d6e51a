/* The actions of `lockstep admin` on the HTTP port, for those who have the token of `serve
 * --http-token`: POST /admin/ACTION, with the arguments as JSON. */
#ifndef LS_ADMIN_HTTP_H
#define LS_ADMIN_HTTP_H

#include "cli/serve/admin_answer.h"
#include "cli/serve/http_message.h"
#include "proto/secret.h"

/* The length of a token. */
#define LS_ADMIN_TOKEN_BYTES_MIN 16
#define LS_ADMIN_TOKEN_BYTES_MAX 256

typedef struct ls_admin_http {
    const ls_admin_facts *facts;
    uint8_t token[LS_SECRET_HASH_BYTES]; /* only the hash is kept */
    uint64_t refused, logged_ns;         /* requests since the last line about them */
} ls_admin_http;

/* Reads the token: the first line of a file that others cannot read.
 *   errors  as ls_private_file_read(); USAGE: too short, too long, or with other characters than a
 *           header may have */
ls_status ls_admin_http_init(ls_admin_http *http, const char *path, const ls_admin_facts *facts,
                             ls_error *error) LS_MUST_USE;

/* As ls_http_config.admits: whether the path is one of these, and the token right. A wrong one is
 * in the log, with one line a second at most. NULL: there is no token, and no such path. */
bool ls_admin_http_admits(ls_admin_http *http, const ls_http_post *post, ls_http_answer *answer);
/* As ls_http_config.post. */
void ls_admin_http_answer(const ls_admin_http *http, const ls_http_post *post,
                          ls_http_answer *answer);

#endif
