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

TEST(test_link_enet_candidates_are_heard_alone)
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
TEST(test_link_enet_candidates_settle_where_the_accept_came_from)
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

static bool may_lead(const ls_address *known, uint32_t count, const ls_address *next)
{
    ls_enet_candidates candidates;
    ls_enet_candidates_init(&candidates, known, count);
    return ls_enet_candidates_may_lead_to(&candidates, next);
}

/* A server elsewhere, also one that is here under another address, does not direct its clients at
 * services of their own machine. */
TEST(test_link_enet_candidates_lead_to_this_machine_from_here_alone)
{
    static const ls_address here[] = {{.host = {[15] = 1}, .port = {30, 97}},
                                      LS_ADDRESS_IPV4(127, 0, 0, 1, 7777)};
    const ls_address mixed[] = {here[0], servers[1]};
    for (size_t i = 0; i < LS_COUNT_OF(here); i++) {
        assert_true(may_lead(here, 2, &here[i]));
        assert_true(may_lead(here, 2, &servers[i]));
        assert_false(may_lead(servers, 2, &here[i]));
        assert_false(may_lead(mixed, 2, &here[i]));
    }
}

/* A server in the world does not direct its clients at their own network, one in a network may lead
 * to both. */
TEST(test_link_enet_candidates_lead_to_a_network_from_it_alone)
{
    static const ls_address private[] = {
        LS_ADDRESS_IPV4(10, 1, 2, 3, 7777),
        LS_ADDRESS_IPV4(172, 31, 255, 255, 7777),
        LS_ADDRESS_IPV4(192, 168, 0, 1, 7777),
        LS_ADDRESS_IPV4(169, 254, 169, 254, 80),
        LS_ADDRESS_IPV4(100, 127, 0, 1, 7777),
        {.host = {0xfd, [15] = 9}, .port = {30, 97}},
        {.host = {0xfe, 0x80, [15] = 9}, .port = {30, 97}},
    };
    static const ls_address world[] = {
        LS_ADDRESS_IPV4(11, 1, 2, 3, 7777),
        LS_ADDRESS_IPV4(172, 32, 0, 1, 7777),
        LS_ADDRESS_IPV4(192, 169, 0, 1, 7777),
        LS_ADDRESS_IPV4(169, 253, 1, 1, 7777),
        LS_ADDRESS_IPV4(100, 128, 0, 1, 7777),
        {.host = {0x20, 1, [15] = 9}, .port = {30, 97}},
        {.host = {0xfe, [15] = 9}, .port = {30, 97}},
    };
    const ls_address here[] = {{.host = {[15] = 1}, .port = {30, 97}},
                               LS_ADDRESS_IPV4(127, 0, 0, 1, 7777)};
    for (size_t i = 0; i < LS_COUNT_OF(private); i++) {
        const ls_address both[] = {private[0], private[5]}, mixed[] = {servers[0], private[0]};
        assert_false(may_lead(servers, 2, &private[i]));
        assert_false(may_lead(mixed, 2, &private[i]));
        assert_true(may_lead(both, 2, &private[i]));
        assert_true(may_lead(here, 2, &private[i]));
        assert_true(may_lead(servers, 2, &world[i]));
        assert_true(may_lead(both, 2, &world[i]));
        assert_false(may_lead(both, 2, &here[i % 2]));
    }
}

/* The socket has the families of the addresses that the server's name has; nothing else is one
 * host. */
TEST(test_link_enet_candidates_lead_to_one_host_that_is_reached)
{
    static const ls_address other = LS_ADDRESS_IPV4(203, 0, 113, 9, 7778),
                            no_port = LS_ADDRESS_IPV4(203, 0, 113, 9, 0),
                            all = LS_ADDRESS_IPV4(255, 255, 255, 255, 7778);
    assert_true(may_lead(servers, 2, &other));
    assert_true(may_lead(&servers[1], 1, &other));
    assert_false(may_lead(&servers[0], 1, &other));
    assert_false(may_lead(&servers[1], 1, &servers[0]));
    assert_false(may_lead(servers, 2, &no_port));
    assert_false(may_lead(servers, 2, &all));
}
