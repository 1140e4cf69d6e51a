#include "link_fixture.h"

#include <pthread.h>

/* Lets the server read all packets. Nothing makes the client send more. */
static void calm_down(world *w)
{
    ls_link_event event;
    step_for(w, 50);
    do {
        while (ls_link_poll(w->server, clock_ns(), &event))
            take(w, true, &event);
    } while (ls_link_wait(w->server, 0));
}

TEST(test_platform_socket_wait_ends_with_a_packet)
{
    world w;
    start(&w, true);
    calm_down(&w);
    uint64_t begin_ns = clock_ns();
    assert_false(ls_link_wait(w.server, 30));
    assert_true(clock_ns() - begin_ns >= 29 * MS);
    assert_ok(send_bytes(w.client, w.client_peer, 0, 50));
    ls_link_flush(w.client, clock_ns());
    assert_true(ls_link_wait(w.server, 120000));
    finish(&w);
}

static void *ring_later(void *link)
{
    usleep(30000);
    ls_link_wake(link);
    return NULL;
}

TEST(test_platform_socket_wake_ends_a_wait)
{
    world w;
    start(&w, true);
    calm_down(&w);
    pthread_t thread;
    uint64_t begin_ns = clock_ns();
    assert_int_equal(pthread_create(&thread, NULL, ring_later, w.server), 0);
    assert_false(ls_link_wait(w.server, 240000));
    assert_true(clock_ns() - begin_ns < 120000 * MS);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ls_link_wake(w.server); /* a wake-up before the wait ends the next wait, once */
    ls_link_wake(w.server);
    begin_ns = clock_ns();
    assert_false(ls_link_wait(w.server, 240000));
    assert_true(clock_ns() - begin_ns < 120000 * MS);
    begin_ns = clock_ns();
    assert_false(ls_link_wait(w.server, 30));
    assert_true(clock_ns() - begin_ns >= 29 * MS);
    finish(&w);
}

TEST(test_platform_socket_reads_its_buffers_back)
{
    world w;
    start(&w, true);
    ls_link_enet_buffers buffers = ls_link_enet_get_buffers(w.server);
    assert_true(buffers.receive_bytes > 0 && buffers.send_bytes > 0);
    finish(&w);
}
