#include "cli/serve/http_posts.h"

#include "core/base/platform.h"

#include <stdio.h>

struct ls_http_posts {
    ls_http_posts_config config;
    uint32_t count; /* of requests, for the HTTP thread alone */
    ls_thread thread;
    ls_mutex mutex; /* for the rest */
    ls_wake has_work;
    bool is_stopping;
    ls_http_posted *waiting, *done; /* the oldest first */
};

static void append(ls_http_posted **list, ls_http_posted *posted)
{
    while (*list)
        list = &(*list)->next;
    posted->next = NULL;
    *list = posted;
}

static ls_http_posted *take_first(ls_http_posted **list)
{
    ls_http_posted *first = *list;
    if (first)
        *list = first->next;
    return first;
}

static void answer(const ls_http_posts *posts, ls_http_posted *posted)
{
    const ls_http_post post = {
        .path = posted->path, .from = posted->from, .body = posted->body, .bytes = posted->bytes};
    posts->config.answer(posts->config.context, &post, &posted->answer);
}

static void run(void *argument)
{
    ls_http_posts *posts = argument;
    ls_mutex_lock(&posts->mutex);
    while (!posts->is_stopping) {
        ls_http_posted *posted = take_first(&posts->waiting);
        if (!posted) {
            ls_wake_wait(&posts->has_work, &posts->mutex);
            continue;
        }
        ls_mutex_unlock(&posts->mutex);
        answer(posts, posted);
        ls_mutex_lock(&posts->mutex);
        append(&posts->done, posted);
        posts->config.wake(posts->config.waked);
    }
    ls_mutex_unlock(&posts->mutex);
}

ls_http_posts *ls_http_posts_open(const ls_http_posts_config *config)
{
    ls_http_posts *posts = ls_alloc(sizeof *posts);
    posts->config = *config;
    ls_mutex_init(&posts->mutex);
    ls_wake_init(&posts->has_work);
    if (ls_thread_start(&posts->thread, run, posts))
        return posts;
    ls_wake_destroy(&posts->has_work);
    ls_mutex_destroy(&posts->mutex);
    ls_free(posts);
    return NULL;
}

void ls_http_posts_stop(ls_http_posts *posts)
{
    if (!posts)
        return;
    ls_mutex_lock(&posts->mutex);
    bool has_stopped = posts->is_stopping;
    posts->is_stopping = true;
    ls_wake_one(&posts->has_work);
    ls_mutex_unlock(&posts->mutex);
    if (!has_stopped)
        ls_thread_join(&posts->thread);
}

void ls_http_posts_close(ls_http_posts *posts)
{
    ls_http_posted *posted;
    if (!posts)
        return;
    while ((posted = take_first(&posts->waiting)) || (posted = take_first(&posts->done)))
        ls_http_posts_destroy(posts, posted);
    ls_wake_destroy(&posts->has_work);
    ls_mutex_destroy(&posts->mutex);
    ls_free(posts);
}

ls_http_posted *ls_http_posts_create(ls_http_posts *posts, const ls_http_post *post, size_t bytes)
{
    if (posts->count == LS_HTTP_POSTS_MAX)
        return NULL;
    posts->count++;
    ls_http_posted *posted = ls_alloc(sizeof *posted);
    *posted = (ls_http_posted){
        .path = ls_text_duplicate(post->path), .body = ls_alloc(bytes + 1), .bytes = bytes};
    snprintf(posted->from, sizeof posted->from, "%s", post->from);
    return posted;
}

void ls_http_posts_destroy(ls_http_posts *posts, ls_http_posted *posted)
{
    posts->count--;
    ls_free(posted->path);
    ls_free(posted->body);
    ls_free(posted->answer.body.data);
    ls_free(posted);
}

void ls_http_posts_submit(ls_http_posts *posts, ls_http_posted *posted)
{
    ls_mutex_lock(&posts->mutex);
    append(&posts->waiting, posted);
    ls_wake_one(&posts->has_work);
    ls_mutex_unlock(&posts->mutex);
}

ls_http_posted *ls_http_posts_take(ls_http_posts *posts)
{
    ls_mutex_lock(&posts->mutex);
    ls_http_posted *posted = take_first(&posts->done);
    ls_mutex_unlock(&posts->mutex);
    return posted;
}
