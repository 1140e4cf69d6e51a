/* A request and an answer of the HTTP port (cli/serve/http.h). */
#ifndef LS_HTTP_MESSAGE_H
#define LS_HTTP_MESSAGE_H

#include "core/base/builder.h"

#include <stdio.h>

#define LS_HTTP_ETAG_BYTES  80
#define LS_HTTP_RANGE_BYTES 80

/* The body is a text, or a file from its present position. */
typedef struct ls_http_answer {
    uint32_t code;     /* such as 200 */
    const char *type;  /* of the body */
    const char *allow; /* with 405: the methods of the path */
    ls_builder body;   /* freed by the port */
    FILE *file;        /* NULL: none; closed by the port */
    uint64_t file_bytes;
    FILE *packed; /* the file by gzip, for clients that take it; NULL: none; closed by the port */
    uint64_t packed_bytes;
    bool is_packed, varies;        /* `file` is packed; it would be another one for other clients */
    char etag[LS_HTTP_ETAG_BYTES]; /* the version of the file, quoted; "": none */
    char range[LS_HTTP_RANGE_BYTES]; /* Content-Range; "": none */
    const char *cache;               /* Cache-Control; NULL: no-store */
} ls_http_answer;

#define LS_HTTP_TEXT_TYPE "text/plain; charset=utf-8"
#define LS_HTTP_JSON_TYPE "application/json"

/* A POST. All but `from` may be hostile. */
#define LS_HTTP_FROM_BYTES 64
typedef struct ls_http_post {
    const char *path;          /* decoded */
    const char *authorization; /* that header; "": there is none, or it is too long */
    const char *from;          /* address of the client */
    const char *body;
    size_t bytes;
} ls_http_post;

/* Answers with a line of text, without its end. */
static inline void ls_http_say(ls_http_answer *answer, uint32_t code, const char *text)
{
    answer->code = code;
    answer->type = LS_HTTP_TEXT_TYPE;
    ls_builder_add(&answer->body, "%s\n", text);
}

/* Answers 405 with the methods that the path has. */
static inline void ls_http_refuse_method(ls_http_answer *answer, const char *methods)
{
    answer->allow = methods;
    answer->code = 405;
    answer->type = LS_HTTP_TEXT_TYPE;
    ls_builder_add(&answer->body, "the methods here are: %s\n", methods);
}

#endif
