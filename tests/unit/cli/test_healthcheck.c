/* Which sockets `serve --healthcheck` asks: all that have the port, at whatever address. */
#include "cli/healthcheck.h"

#include "test.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

enum { SOCKETS = LS_HEALTHCHECK_HOSTS_MAX + 2, TRIES = 100 };

typedef struct fixture {
    int files[SOCKETS];
    uint32_t count;
} fixture;

static int begin(void **state)
{
    *state = calloc(1, sizeof(fixture));
    return 0;
}

static void close_all(fixture *f)
{
    while (f->count > 0)
        close(f->files[--f->count]);
}

static int end(void **state)
{
    close_all(*state);
    free(*state);
    return 0;
}

/* Port 0 becomes a free one. */
static bool try_bind(fixture *f, uint32_t address, uint16_t *port)
{
    struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(address)};
    socklen_t bytes = sizeof own;
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    f->files[f->count++] = file;
    if (bind(file, (struct sockaddr *)&own, sizeof own) != 0)
        return false;
    assert_int_equal(getsockname(file, (struct sockaddr *)&own, &bytes), 0);
    *port = ntohs(own.sin_port);
    return true;
}

static bool try_bind_6(fixture *f, uint16_t port)
{
    struct sockaddr_in6 own = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback};
    int file = socket(AF_INET6, SOCK_DGRAM, 0);
    f->files[f->count++] = file;
    return bind(file, (struct sockaddr *)&own, sizeof own) == 0;
}

/* Binds 127.0.0.FIRST and those after it to one port. Another process may have a port at one of
 * them: then it tries another port. */
static uint16_t bind_some(fixture *f, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        uint16_t port = 0;
        uint32_t bound = 0;
        while (bound < count && try_bind(f, INADDR_LOOPBACK - 1 + first + bound, &port))
            bound++;
        if (bound == count)
            return port;
        close_all(f);
    }
    fail();
    return 0;
}

static bool has(const ls_healthcheck_hosts *hosts, const char *name)
{
    for (uint32_t i = 0; i < hosts->count; i++)
        if (strcmp(hosts->names[i], name) == 0)
            return true;
    return false;
}

TESTS_AROUND(begin, end);

TEST(test_healthcheck_asks_loopback_when_it_finds_none)
{
    ls_healthcheck_hosts hosts;
    ls_healthcheck_find(1, &hosts); /* no free port: another process could take it */
    assert_int_equal(hosts.count, 1);
    assert_string_equal(hosts.names[0], "127.0.0.1");
}

TEST(test_healthcheck_finds_all_addresses_of_a_port)
{
    ls_healthcheck_hosts hosts;
    uint16_t port = bind_some(*state, 2, 2);
    ls_healthcheck_find(port, &hosts);
    assert_true(has(&hosts, "127.0.0.2"));
    assert_true(has(&hosts, "127.0.0.3"));
}

TEST(test_healthcheck_finds_both_families)
{
    fixture *f = *state;
    ls_healthcheck_hosts hosts;
    uint16_t port = 0;
    bool is_free = false;
    if (!try_bind_6(f, 0))
        skip(); /* no IPv6 on this machine */
    for (uint32_t i = 0; i < TRIES && !is_free; i++) {
        close_all(f);
        port = bind_some(f, 1, 1);
        is_free = try_bind_6(f, port);
    }
    assert_true(is_free);
    ls_healthcheck_find(port, &hosts);
    assert_true(has(&hosts, "127.0.0.1"));
    assert_true(has(&hosts, "::1"));
}

TEST(test_healthcheck_asks_a_wildcard_over_loopback)
{
    ls_healthcheck_hosts hosts;
    uint16_t port = 0;
    assert_true(try_bind(*state, INADDR_ANY, &port));
    ls_healthcheck_find(port, &hosts);
    assert_true(has(&hosts, "127.0.0.1"));
    assert_false(has(&hosts, "0.0.0.0"));
}

TEST(test_healthcheck_asks_a_limited_number)
{
    ls_healthcheck_hosts hosts;
    uint16_t port = bind_some(*state, 1, SOCKETS);
    ls_healthcheck_find(port, &hosts);
    assert_int_equal(hosts.count, LS_HEALTHCHECK_HOSTS_MAX);
}

TEST(test_healthcheck_names_all_that_are_silent)
{
    ls_error error;
    char text[128];
    uint16_t port = bind_some(*state, 2, 2);
    const ls_healthcheck_hosts hosts = {.count = 2, .names = {"127.0.0.2", "127.0.0.3"}};
    assert_int_equal(ls_healthcheck(&hosts, port, &error), LS_ERROR_DIVERGED);
    snprintf(text, sizeof text, "no server answers on 127.0.0.2:%u or 127.0.0.3:%u", port, port);
    assert_string_equal(error.text, text);
}
