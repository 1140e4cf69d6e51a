#include "server/pending.h"
#include "tests/support/remotes.h"
#include "tests/support/test.h"

static ls_remote remote_of(uint32_t number, uint8_t port)
{
    return (ls_remote)LS_REMOTE_IPV4(10, (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                                     (uint8_t)number, 256 + port);
}

static ls_pending *fill(ls_pending_table *table, uint32_t number, uint64_t now_ns)
{
    const ls_remote remote = remote_of(number, 1);
    uint8_t ephemeral[32];
    memset(ephemeral, (int)number, sizeof ephemeral);
    ls_pending *pending = ls_pending_add(table, &remote, ephemeral, now_ns);
    if (!pending)
        return NULL;
    assert_int_equal(pending->until_ns, now_ns + LS_SERVER_HANDSHAKE_NS);
    assert_int_equal(pending->connect_id + pending->answer_bytes, 0);
    pending->connect_id = number + 1;
    memset(&pending->keys, 0xaa, sizeof pending->keys);
    return pending;
}

TEST(test_pending_is_found_by_remote_and_key)
{
    ls_pending_table table;
    ls_pending_init(&table);
    ls_pending *pending = fill(&table, 7, 100);
    uint8_t ephemeral[32];
    memset(ephemeral, 7, sizeof ephemeral);
    ls_remote remote = remote_of(7, 1), other_port = remote_of(7, 2);
    assert_ptr_equal(ls_pending_find(&table, &remote, ephemeral), pending);
    assert_null(ls_pending_find(&table, &other_port, ephemeral));
    ephemeral[31] ^= 1;
    assert_null(ls_pending_find(&table, &remote, ephemeral));
    assert_ptr_equal(ls_pending_find_id(&table, 8), pending);
    assert_null(ls_pending_find_id(&table, 9));
    ls_pending_reset(&table);
}

TEST(test_pending_table_full_refuses)
{
    ls_pending_table table;
    ls_pending_init(&table);
    ls_pending *first = fill(&table, 0, 100);
    for (uint32_t i = 1; i < LS_SERVER_PENDING; i++)
        assert_non_null(fill(&table, i, 100 + i));
    assert_null(fill(&table, LS_SERVER_PENDING, 100));
    ls_pending_release(&table, first);
    assert_int_equal(first->keys.keys[0][0][0], 0);
    assert_null(ls_pending_find_id(&table, 1));
    assert_ptr_equal(fill(&table, LS_SERVER_PENDING, 100), first);
    assert_null(fill(&table, LS_SERVER_PENDING + 1, 100));
    ls_pending_reset(&table);
    assert_null(table.items);
}

static ls_token token_of(uint32_t number, uint64_t expiry_s)
{
    ls_token token = {.expiry_s = expiry_s};
    memcpy(token.id, &number, sizeof number);
    token.id[15] = 9;
    return token;
}

TEST(test_pending_token_is_for_one_host)
{
    ls_used_tokens tokens;
    ls_used_tokens_init(&tokens);
    ls_token token = token_of(5, 1000);
    const ls_remote_key here = {{1}}, elsewhere = {{2}};
    assert_true(ls_used_tokens_add(&tokens, &token, &here, 100));
    assert_true(ls_used_tokens_add(&tokens, &token, &here, 100));
    assert_false(ls_used_tokens_add(&tokens, &token, &elsewhere, 500));
    ls_token other = token_of(5 + LS_SERVER_USED_TOKENS, 1000); /* in the same bucket */
    assert_true(ls_used_tokens_add(&tokens, &other, &elsewhere, 500));
    assert_false(ls_used_tokens_add(&tokens, &token, &elsewhere, 999));
    assert_false(ls_used_tokens_add(&tokens, &other, &here, 999));
    ls_used_tokens_reset(&tokens);
}

/* An IPv6 client chooses the address in its /64 anew, and often. */
TEST(test_pending_token_is_for_one_ipv6_network)
{
    ls_used_tokens tokens;
    ls_used_tokens_init(&tokens);
    ls_token token = token_of(5, 1000);
    ls_address address = {.host = {0x20, 1, 0xd, 0xb8, 1, 2, 3, 4, 1}, .port = {1, 1}};
    const ls_remote_key here = ls_address_host(&address);
    address.host[15] = 9;
    const ls_remote_key private_one = ls_address_host(&address);
    address.host[7]++;
    const ls_remote_key elsewhere = ls_address_host(&address);
    assert_true(ls_used_tokens_add(&tokens, &token, &here, 100));
    assert_true(ls_used_tokens_add(&tokens, &token, &private_one, 100));
    assert_false(ls_used_tokens_add(&tokens, &token, &elsewhere, 100));
    ls_used_tokens_reset(&tokens);
}

/* Expired tokens make room. A table full of valid ones refuses a new one and keeps the old ones. */
TEST(test_pending_tokens_full_refuse)
{
    ls_used_tokens tokens;
    ls_used_tokens_init(&tokens);
    const ls_remote_key here = {{1}}, elsewhere = {{2}};
    uint32_t taken = 0;
    for (uint32_t i = 0; i < LS_SERVER_USED_TOKENS; i++) {
        ls_token token = token_of(i, 1000);
        taken += ls_used_tokens_add(&tokens, &token, &here, 100);
    }
    assert_int_equal(taken, LS_SERVER_USED_TOKENS);
    ls_token late = token_of(LS_SERVER_USED_TOKENS + 77, 2000), first = token_of(0, 1000);
    assert_false(ls_used_tokens_add(&tokens, &late, &here, 999));
    assert_false(ls_used_tokens_add(&tokens, &first, &elsewhere, 999));
    assert_true(ls_used_tokens_add(&tokens, &late, &here, 1000));
    assert_false(ls_used_tokens_add(&tokens, &late, &elsewhere, 1000));
    ls_used_tokens_reset(&tokens);
}
