/* The POST requests of an HTTP port. A thread of its own answers them one after another, because an
 * answer may wait for other threads or a disk, and GET requests must not. */
#ifndef LS_HTTP_POSTS_H
#define LS_HTTP_POSTS_H

#include "cli/serve/http_message.h"

/* Requests that wait or are being answered; further ones are refused. */
#define LS_HTTP_POSTS_MAX 8

/* A request, from its headers until its answer is taken. The HTTP thread owns it, but for the time
 * between ls_http_posts_submit() and ls_http_posts_take(). */
typedef struct ls_http_posted {
    struct ls_http_posted *next;
    void *connection; /* for the HTTP thread alone; NULL: it has ended */
    char *path, *body, from[LS_HTTP_FROM_BYTES];
    size_t bytes, received; /* of the body: announced and received */
    ls_http_answer answer;
} ls_http_posted;

typedef struct ls_http_posts ls_http_posts;

/* The calls of the thread. */
typedef struct ls_http_posts_config {
    void (*answer)(void *context, const ls_http_post *post, ls_http_answer *answer);
    void *context;
    void (*wake)(void *waked); /* an answer is there */
    void *waked;
} ls_http_posts_config;

/* Starts the thread. NULL: the system has none.
 *   owns    ls_http_posts_stop() and _close() by the caller */
ls_http_posts *ls_http_posts_open(const ls_http_posts_config *config) LS_MUST_USE;
/* Ends the thread after the request that it answers; a second call does nothing. NULL is allowed,
 * also for ls_http_posts_close(). */
void ls_http_posts_stop(ls_http_posts *posts);
/* Frees all requests that were submitted and not taken. Call ls_http_posts_stop() before. */
void ls_http_posts_close(ls_http_posts *posts);

/* Copies the request's head. NULL: LS_HTTP_POSTS_MAX requests are there already. */
ls_http_posted *ls_http_posts_create(ls_http_posts *posts, const ls_http_post *post,
                                     size_t bytes) LS_MUST_USE;
/* Frees a request with its answer. */
void ls_http_posts_destroy(ls_http_posts *posts, ls_http_posted *posted);

/* Has a whole request answered. */
void ls_http_posts_submit(ls_http_posts *posts, ls_http_posted *posted);
/* Returns a request that has its answer; NULL: none has. */
ls_http_posted *ls_http_posts_take(ls_http_posts *posts) LS_MUST_USE;

#endif
