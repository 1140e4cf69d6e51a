#include "cli/serve/http_posts.h"

#include "core/base/platform.h"
#include "test.h"

typedef struct fixture {
    ls_http_posts *posts;
    ls_mutex mutex;
    ls_wake wake;
    uint32_t begun, answered; /* requests so far */
    uint32_t allowed;         /* requests that may be answered */
} fixture;

static void answer(void *context, const ls_http_post *post, ls_http_answer *answer)
{
    fixture *f = context;
    ls_mutex_lock(&f->mutex);
    f->begun++;
    ls_wake_all(&f->wake);
    while (f->begun > f->allowed)
        ls_wake_wait(&f->wake, &f->mutex);
    ls_mutex_unlock(&f->mutex);
    answer->code = 200;
    ls_builder_add(&answer->body, "%s from %s: %.*s", post->path, post->from, (int)post->bytes,
                   post->body);
}

static void note_answer(void *waked)
{
    fixture *f = waked;
    ls_mutex_lock(&f->mutex);
    f->answered++;
    ls_wake_all(&f->wake);
    ls_mutex_unlock(&f->mutex);
}

static void wait_for(fixture *f, const uint32_t *count, uint32_t wanted)
{
    ls_mutex_lock(&f->mutex);
    while (*count < wanted)
        ls_wake_wait(&f->wake, &f->mutex);
    ls_mutex_unlock(&f->mutex);
}

static void allow(fixture *f, uint32_t count)
{
    ls_mutex_lock(&f->mutex);
    f->allowed = count;
    ls_wake_all(&f->wake);
    ls_mutex_unlock(&f->mutex);
}

static void begin(fixture *f)
{
    *f = (fixture){0};
    ls_mutex_init(&f->mutex);
    ls_wake_init(&f->wake);
    f->posts = ls_http_posts_open(&(ls_http_posts_config){answer, f, note_answer, f});
    assert_non_null(f->posts);
}

static void end(fixture *f)
{
    ls_http_posts_stop(f->posts);
    ls_http_posts_close(f->posts);
    ls_wake_destroy(&f->wake);
    ls_mutex_destroy(&f->mutex);
}

static ls_http_posted *create(fixture *f, char name)
{
    const char path[] = {'/', name, 0};
    const ls_http_post post = {.path = path, .from = "192.0.2.1"};
    ls_http_posted *posted = ls_http_posts_create(f->posts, &post, 1);
    if (posted)
        posted->body[0] = name;
    return posted;
}

TEST(test_http_posts_answers_in_order)
{
    fixture f;
    begin(&f);
    assert_null(ls_http_posts_take(f.posts));
    for (char name = 'a'; name < 'a' + LS_HTTP_POSTS_MAX; name++)
        ls_http_posts_submit(f.posts, create(&f, name));
    assert_null(create(&f, 'x')); /* no room for a further one */
    allow(&f, LS_HTTP_POSTS_MAX);
    wait_for(&f, &f.answered, LS_HTTP_POSTS_MAX);
    for (char name = 'a'; name < 'a' + LS_HTTP_POSTS_MAX; name++) {
        char text[] = "/? from 192.0.2.1: ?";
        ls_http_posted *posted = ls_http_posts_take(f.posts);
        text[1] = text[sizeof text - 2] = name;
        assert_int_equal(posted->answer.code, 200);
        assert_string_equal(posted->answer.body.data, text);
        ls_http_posts_destroy(f.posts, posted);
    }
    assert_null(ls_http_posts_take(f.posts));
    ls_http_posts_destroy(f.posts, create(&f, 'x'));
    end(&f);
}

static void stop(void *argument)
{
    ls_http_posts_stop(((fixture *)argument)->posts);
}

/* The request that is being answered is waited for; the others are not answered. */
TEST(test_http_posts_ends_with_requests_left)
{
    fixture f;
    ls_thread thread;
    begin(&f);
    for (char name = 'a'; name < 'd'; name++)
        ls_http_posts_submit(f.posts, create(&f, name));
    wait_for(&f, &f.begun, 1);
    assert_true(ls_thread_start(&thread, stop, &f));
    allow(&f, 3); /* the thread may begin others before it is told to stop */
    ls_thread_join(&thread);
    assert_true(f.answered >= 1 && f.answered == f.begun);
    ls_http_posts_close(f.posts);
    ls_wake_destroy(&f.wake);
    ls_mutex_destroy(&f.mutex);
}
