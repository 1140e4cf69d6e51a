/* The actions of `lockstep admin` on the HTTP port, for those who have the token of `serve
 * --http-token`: POST /admin/ACTION, with the arguments as JSON. */
#ifndef LS_ADMIN_HTTP_H
#define LS_ADMIN_HTTP_H

#include "cli/serve/admin_answer.h"
#include "cli/serve/http_message.h"
#include "cli/serve/http_token.h"
#include "core/base/platform.h"

typedef struct ls_admin_http {
    const ls_admin_facts *facts;
    ls_mutex mutex; /* for the token */
    ls_http_token token;
    /* requests refused since the last line about them, and the time of that line */
    uint64_t refused, logged_ns;
} ls_admin_http;

void ls_admin_http_init(ls_admin_http *http, const ls_admin_facts *facts);
void ls_admin_http_destroy(ls_admin_http *http);
/*   thread  any */
void ls_admin_http_set_token(ls_admin_http *http, const ls_http_token *token);

/* As ls_http_config.admits: whether the path is one of these or a call of a lobby, and the token
 * right. Wrong tokens are logged, with one line a second at most. `http` is NULL if the server has
 * no token; there are no such paths then. */
bool ls_admin_http_admits(ls_admin_http *http, const ls_http_post *post, ls_http_answer *answer);
/* As ls_http_config.post. */
void ls_admin_http_answer(const ls_admin_http *http, const ls_http_post *post,
                          ls_http_answer *answer);

#endif
