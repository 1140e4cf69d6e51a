/* The answers of `serve --http`, without the protocol around them. */
#ifndef LS_HTTP_ANSWER_H
#define LS_HTTP_ANSWER_H

#include "cli/serve/http.h"
#include "cli/serve/metrics.h"

/* The network thread publishes the metrics at this interval. If they are older than
 * LS_HTTP_STALE_NS, it hangs. */
#define LS_HTTP_PUBLISH_NS (UINT64_C(1) * LS_SECOND_NS)
#define LS_HTTP_STALE_NS   (UINT64_C(5) * LS_SECOND_NS)

typedef struct ls_http_facts {
    const char *sim;
    uint64_t start_unix_s; /* when the process began */
    uint64_t now_ns;       /* monotonic */
    const ls_metrics *metrics;
} ls_http_facts;

/* Answers a GET of a path, which is decoded and may be hostile. Returns whether there is a page of
 * this path; if not, the answer is 404.
 *   owns    ls_free(answer->body.data) by the caller */
bool ls_http_answer_get(const ls_http_facts *facts, const char *path, ls_http_answer *answer);

#endif
