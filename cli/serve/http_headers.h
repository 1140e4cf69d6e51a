/* The headers that the HTTP port reads and sends, through libwebsockets. */
#ifndef LS_HTTP_HEADERS_H
#define LS_HTTP_HEADERS_H

#include "cli/serve/http_file.h"

struct lws;

typedef struct ls_http_head {
    const ls_http_answer *answer;
    const char *policy; /* Content-Security-Policy */
    uint64_t bytes;     /* of the body */
    bool ends;          /* the connection ends with this answer */
} ls_http_head;

/* Reads what the request asks of a file. Headers that are too long are as if they were not there.
 */
void ls_http_headers_read(struct lws *wsi, ls_http_wish *wish);
/* Sends the head of an answer. False: the connection has to end. */
bool ls_http_headers_send(struct lws *wsi, const ls_http_head *head) LS_MUST_USE;
/* Answers 400 to what libwebsockets cannot read as a request. Returns -1: the connection has to
 * end.
 */
int ls_http_headers_refuse(struct lws *wsi) LS_MUST_USE;

#endif
