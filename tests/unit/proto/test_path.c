#include "test.h"

#include "proto/path.h"
#include "tests/support/remotes.h"

enum { TOKEN = LS_PATH_TOKEN_BYTES };

static const ls_remote home = LS_REMOTE_IPV4(192, 0, 2, 1, 257),
                       away = LS_REMOTE_IPV4(192, 0, 2, 1, 258),
                       third = LS_REMOTE_IPV4(198, 51, 100, 3, 2313);
static const uint8_t tokens[4][TOKEN] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10}};

static void ask_both(ls_path *path, const ls_remote *used, const ls_remote *from, uint64_t now_ns,
                     uint32_t first)
{
    assert_true(ls_path_may_ask(path, now_ns));
    assert_memory_equal(ls_path_ask(path, used, now_ns, tokens[first]), tokens[first], TOKEN);
    assert_memory_equal(ls_path_ask(path, from, now_ns, tokens[first + 1]), tokens[first + 1],
                        TOKEN);
}

TEST(test_path_moves_where_the_answer_comes_from)
{
    ls_path path = {0};
    ask_both(&path, &home, &away, S, 0);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[1], S), LS_PATH_MOVED);
    /* Once. */
    assert_int_equal(ls_path_receive(&path, &away, &away, tokens[1], S), LS_PATH_UNKNOWN);
}

TEST(test_path_answers_count_from_the_asked_address_alone)
{
    ls_path path = {0};
    ask_both(&path, &home, &away, S, 0);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[0], S), LS_PATH_UNKNOWN);
    assert_int_equal(ls_path_receive(&path, &home, &home, tokens[1], S), LS_PATH_UNKNOWN);
    assert_int_equal(ls_path_receive(&path, &home, &third, tokens[1], S), LS_PATH_UNKNOWN);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[2], S), LS_PATH_UNKNOWN);
    assert_int_equal(ls_path_receive(&path, &home, &away, (uint8_t[TOKEN]){0}, S), LS_PATH_UNKNOWN);
    /* None of these took the right one away. */
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[1], S), LS_PATH_MOVED);
    assert_int_equal(ls_path_receive(&(ls_path){0}, &home, &home, (uint8_t[TOKEN]){0}, S),
                     LS_PATH_UNKNOWN);
}

/* The peer answers where it was: the other address is an eavesdropper's. */
TEST(test_path_stays_where_the_peer_answers)
{
    ls_path path = {0};
    ask_both(&path, &home, &away, S, 0);
    assert_int_equal(ls_path_receive(&path, &home, &home, tokens[0], S), LS_PATH_KEPT);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[1], S), LS_PATH_UNKNOWN);
    assert_false(ls_path_may_ask(&path, S + LS_LINK_PATH_COOLDOWN_NS - 1));
    assert_true(ls_path_may_ask(&path, S + LS_LINK_PATH_COOLDOWN_NS));
}

/* An attacker had its question answered first: the peer's own answer brings the connection back,
 * whatever the attacker sends in the meantime. */
TEST(test_path_returns_when_the_former_address_answers)
{
    ls_path path = {0};
    ask_both(&path, &home, &away, S, 0);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[1], S), LS_PATH_MOVED);
    assert_false(ls_path_may_ask(&path, S + LS_LINK_PATH_COOLDOWN_NS - 1));
    assert_int_equal(
        ls_path_receive(&path, &away, &home, tokens[0], S + LS_LINK_PATH_COOLDOWN_NS - 1),
        LS_PATH_MOVED);
    assert_false(ls_path_may_ask(&path, S + LS_LINK_PATH_COOLDOWN_NS));
}

TEST(test_path_asks_seldom_and_repeats_its_token)
{
    ls_path path = {0};
    ask_both(&path, &home, &away, S, 0);
    assert_false(ls_path_may_ask(&path, S + LS_LINK_PATH_AGAIN_NS - 1));
    uint64_t again_ns = S + LS_LINK_PATH_AGAIN_NS;
    assert_true(ls_path_may_ask(&path, again_ns));
    /* A longer round trip than the time between questions must not make each answer late. */
    assert_memory_equal(ls_path_ask(&path, &away, again_ns, tokens[3]), tokens[1], TOKEN);
    uint64_t end_ns = again_ns + LS_LINK_PATH_NS;
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[1], end_ns), LS_PATH_UNKNOWN);
    assert_memory_equal(ls_path_ask(&path, &away, end_ns, tokens[3]), tokens[3], TOKEN);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[1], end_ns), LS_PATH_UNKNOWN);
    assert_int_equal(ls_path_receive(&path, &home, &away, tokens[3], end_ns), LS_PATH_MOVED);
}

/* Questions to ever new addresses never displace the one to the address in use. */
TEST(test_path_many_addresses_displace_each_other_only)
{
    ls_path path = {0};
    uint64_t now_ns = S;
    for (uint8_t i = 0; i < 20; i++, now_ns += LS_LINK_PATH_AGAIN_NS) {
        const ls_remote other = LS_REMOTE_IPV4(203, 0, 113, i, 257);
        (void)ls_path_ask(&path, &home, now_ns, tokens[0]);
        (void)ls_path_ask(&path, &other, now_ns, tokens[1]);
    }
    assert_int_equal(ls_path_receive(&path, &home, &home, tokens[0], now_ns), LS_PATH_KEPT);
}

static ls_carrier carrier_of(void)
{
    ls_carrier carrier = {.connect_id = 0x01020304, .capabilities = LS_LINK_CAPABILITIES};
    for (uint8_t i = 0; i < LS_CARRIER_KEY_BYTES; i++) {
        carrier.keys[0][i] = i;
        carrier.keys[1][i] = (uint8_t)(100 + i);
    }
    return carrier;
}

TEST(test_path_a_question_is_answered_once)
{
    const ls_carrier carrier = carrier_of();
    ls_carrier_counters server = {.sent = 6}, client = {0};
    uint8_t asked[LS_PATH_BYTES], bytes[LS_PATH_BYTES];
    assert_true(ls_path_challenge_encode(asked, tokens[1], &server, carrier.keys[LS_ROLE_SERVER]));
    static const uint8_t head[] = {0x46, 7, 0, 0, 0, 4, 5, 6};
    assert_memory_equal(asked, head, sizeof head);
    memcpy(bytes, asked, sizeof bytes);
    assert_true(ls_path_respond(bytes, &carrier, &client));
    static const uint8_t answer[] = {0x47, 4, 3, 2, 1, 4, 5, 6};
    assert_memory_equal(bytes, answer, sizeof answer);
    assert_int_equal(ls_path_response_id(bytes), carrier.connect_id);
    const uint8_t *token = ls_path_response_token(bytes, carrier.keys[LS_ROLE_CLIENT]);
    assert_memory_equal(token, tokens[1], TOKEN);
    /* Repeated, and turned back at its sender. */
    memcpy(bytes, asked, sizeof bytes);
    assert_false(ls_path_respond(bytes, &carrier, &client));
    assert_memory_equal(bytes, asked, sizeof bytes);
    assert_null(ls_path_response_token(asked, carrier.keys[LS_ROLE_CLIENT]));
    server.sent = LS_CARRIER_DATAGRAMS_MAX;
    assert_false(ls_path_challenge_encode(asked, tokens[1], &server, carrier.keys[LS_ROLE_SERVER]));
}

TEST(test_path_changed_messages_are_ignored)
{
    const ls_carrier carrier = carrier_of();
    ls_carrier_counters server = {0}, client = {0};
    uint8_t asked[LS_PATH_BYTES], answer[LS_PATH_BYTES];
    assert_true(ls_path_challenge_encode(asked, tokens[1], &server, carrier.keys[LS_ROLE_SERVER]));
    for (uint32_t bit = 0; bit < LS_PATH_BYTES * 8; bit++) {
        memcpy(answer, asked, sizeof answer);
        answer[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(ls_path_respond(answer, &carrier, &client));
    }
    memcpy(answer, asked, sizeof answer);
    assert_true(ls_path_respond(answer, &carrier, &client));
    for (uint32_t bit = 0; bit < LS_PATH_BYTES * 8; bit++) {
        answer[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_null(ls_path_response_token(answer, carrier.keys[LS_ROLE_CLIENT]));
        answer[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_non_null(ls_path_response_token(answer, carrier.keys[LS_ROLE_CLIENT]));
}
