#include "test.h"

#include "proto/link_enet_candidates.h"

static const ls_address servers[2] = {{.host = {0x20, 1, 0xd, 0xb8, [15] = 1}, .port = {30, 97}},
                                      LS_ADDRESS_IPV4(192, 0, 2, 1, 7777)};

static ls_remote remote_of(const ls_address *address)
{
    return ls_address_to_remote(address);
}

static void assert_same(ls_remote remote, const ls_address *address)
{
    const ls_remote expected = remote_of(address);
    assert_memory_equal(&remote, &expected, sizeof remote);
}

static void test_link_enet_candidates_are_heard_alone(void **state)
{
    ls_enet_candidates candidates;
    ls_address stranger = servers[1];
    stranger.port[1]++;
    ls_enet_candidates_init(&candidates, servers, 2);
    const ls_remote first = remote_of(&servers[0]), second = remote_of(&servers[1]),
                    other = remote_of(&stranger);
    assert_true(ls_enet_candidates_has(&candidates, &first));
    assert_true(ls_enet_candidates_has(&candidates, &second));
    assert_false(ls_enet_candidates_has(&candidates, &other));
    ls_enet_candidates_init(&candidates, servers, 1);
    assert_false(ls_enet_candidates_has(&candidates, &second));
}

/* The ACCEPT that opened is the last datagram that was reported. A stranger's changes nothing. */
static void test_link_enet_candidates_settle_where_the_accept_came_from(void **state)
{
    ls_enet_candidates candidates;
    ls_address stranger = servers[1];
    stranger.port[1]++;
    const ls_remote first = remote_of(&servers[0]), second = remote_of(&servers[1]),
                    other = remote_of(&stranger);
    ls_enet_candidates_init(&candidates, servers, 2);
    assert_same(ls_enet_candidates_settle(&candidates), &servers[0]);
    ls_enet_candidates_hear(&candidates, &first);
    ls_enet_candidates_hear(&candidates, &second);
    ls_enet_candidates_hear(&candidates, &other);
    assert_true(candidates.has_answered[0] && candidates.has_answered[1]);
    assert_same(ls_enet_candidates_settle(&candidates), &servers[1]);
    assert_false(candidates.has_answered[0] || candidates.has_answered[1]);
    ls_enet_candidates_hear(&candidates, &first);
    assert_same(ls_enet_candidates_settle(&candidates), &servers[0]);
}

int main(void)
{
    return RUN_TESTS(test_link_enet_candidates_are_heard_alone,
                     test_link_enet_candidates_settle_where_the_accept_came_from);
}
