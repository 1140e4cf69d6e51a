#include "test.h"

#include "proto/token_internal.h"

#define NOW_S UINT64_C(1800000000)

typedef struct fixture {
    uint64_t seed;
    ls_entropy entropy;
    ls_token_key keys[2];
    ls_token token, opened;
    ls_token_rule rule;
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_error error;
} fixture;

static void setup(fixture *f)
{
    *f = (fixture){.seed = 1};
    f->entropy = test_entropy(&f->seed);
    ls_token_key_init(&f->keys[0], 3, &f->entropy);
    ls_token_key_init(&f->keys[1], 7, &f->entropy);
    f->token = (ls_token){
        .not_before_s = NOW_S - 5,
        .expiry_s = NOW_S + 60,
        .client = "player 17",
        .room = "Zähring",
        .rights = LS_TOKEN_PLAY | LS_TOKEN_SPECTATE,
        .address_count = 2,
        .addresses = {LS_ADDRESS_IPV4(203, 0, 113, 9, 7777), LS_ADDRESS_IPV4(203, 0, 113, 9, 7778)},
        .server = {{9}},
        .fingerprint = "0123456789abcde"};
    f->rule = (ls_token_rule){.keys = f->keys, .key_count = 2, .unix_s = NOW_S};
}

static void issue(fixture *f)
{
    assert_ok(ls_token_issue(&f->keys[1], &f->entropy, &f->token, f->bytes));
}

static ls_status open_it(fixture *f)
{
    f->error.text[0] = 0;
    ls_status status = ls_token_open(&f->rule, f->bytes, &f->opened, &f->error);
    assert_int_equal(status == LS_OK, f->error.text[0] == 0);
    if (status != LS_OK) {
        uint8_t zeros[sizeof f->opened] = {0};
        assert_memory_equal(&f->opened, zeros, sizeof zeros);
    }
    return status;
}

/* Compares each member, because padding may differ. */
static void assert_arrived(const fixture *f)
{
    const ls_token *a = &f->token, *b = &f->opened;
    assert_int_equal(a->key_id, b->key_id);
    assert_int_equal(a->not_before_s, b->not_before_s);
    assert_int_equal(a->expiry_s, b->expiry_s);
    assert_memory_equal(a->id, b->id, sizeof a->id);
    assert_memory_equal(a->client, b->client, sizeof a->client);
    assert_memory_equal(a->room, b->room, sizeof a->room);
    assert_int_equal(a->rights, b->rights);
    assert_int_equal(a->address_count, b->address_count);
    assert_memory_equal(a->addresses, b->addresses, sizeof a->addresses);
    assert_memory_equal(&a->server, &b->server, sizeof a->server);
    assert_memory_equal(a->fingerprint, b->fingerprint, sizeof a->fingerprint);
    assert_memory_equal(a->psk, b->psk, sizeof a->psk);
}

TEST(test_token_arrives)
{
    fixture f;
    setup(&f);
    issue(&f);
    assert_ok(open_it(&f));
    assert_int_equal(f.opened.key_id, 7);
    assert_arrived(&f);
    uint8_t zeros[32] = {0};
    assert_memory_not_equal(f.token.psk, zeros, sizeof zeros);
    assert_memory_not_equal(f.token.id, zeros, sizeof f.token.id);
}

/* All fields with their longest values, then with their shortest. */
TEST(test_token_holds_its_limits)
{
    fixture f;
    setup(&f);
    memset(f.token.client, 'c', LS_CLIENT_ID_BYTES - 1);
    memset(f.token.room, 'r', LS_ROOM_BYTES);
    f.token.room[LS_ROOM_BYTES - 1] = 0;
    f.token.address_count = LS_TOKEN_ADDRESSES_MAX;
    f.token.expiry_s = f.token.not_before_s + LS_TOKEN_LIFE_S_MAX;
    issue(&f);
    assert_ok(open_it(&f));
    assert_arrived(&f);
    memset(&f.token, 0, sizeof f.token);
    f.token.not_before_s = NOW_S;
    f.token.expiry_s = NOW_S + 1;
    f.token.client[0] = 'c';
    f.token.rights = 1;
    issue(&f);
    assert_ok(open_it(&f));
    assert_arrived(&f);
}

static void expect_usage(const fixture *f, const ls_token *changed)
{
    ls_token token = *changed;
    uint8_t bytes[LS_TOKEN_BYTES] = {0}, zeros[LS_TOKEN_BYTES] = {0};
    assert_int_equal(ls_token_issue(&f->keys[0], &f->entropy, &token, bytes), LS_ERROR_USAGE);
    assert_memory_equal(bytes, zeros, sizeof zeros);
}
#define EXPECT_USAGE(change)                                                                       \
    do {                                                                                           \
        ls_token token = f.token;                                                                  \
        change;                                                                                    \
        expect_usage(&f, &token);                                                                  \
    } while (0)

TEST(test_token_issue_refuses_invalid_tokens)
{
    fixture f;
    setup(&f);
    EXPECT_USAGE(token.client[0] = 0);
    EXPECT_USAGE(token.client[0] = '\n');
    EXPECT_USAGE(memset(token.client, 'c', sizeof token.client));
    EXPECT_USAGE(token.room[1] = (char)0xff);
    EXPECT_USAGE(memset(token.room, 'r', sizeof token.room));
    EXPECT_USAGE(token.rights = 0);
    EXPECT_USAGE(token.rights = 4);
    EXPECT_USAGE(token.address_count = LS_TOKEN_ADDRESSES_MAX + 1);
    EXPECT_USAGE(token.expiry_s = token.not_before_s);
    EXPECT_USAGE(token.expiry_s = token.not_before_s - 1);
    EXPECT_USAGE(token.expiry_s = token.not_before_s + LS_TOKEN_LIFE_S_MAX + 1);
}

TEST(test_token_with_any_bit_flipped_is_refused)
{
    fixture f;
    setup(&f);
    issue(&f);
    for (size_t bit = 0; bit < LS_TOKEN_BYTES * 8; bit++) {
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(open_it(&f), LS_OK);
        f.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_ok(open_it(&f));
}

TEST(test_token_has_its_time)
{
    fixture f;
    setup(&f);
    issue(&f);
    f.rule.unix_s = f.token.expiry_s - 1;
    assert_ok(open_it(&f));
    f.rule.unix_s++;
    assert_int_equal(open_it(&f), LS_ERROR_REFUSED);
    assert_non_null(strstr(f.error.text, "expired"));
    f.rule.unix_s = f.token.not_before_s;
    assert_ok(open_it(&f));
    f.rule.unix_s--;
    assert_int_equal(open_it(&f), LS_ERROR_REFUSED);
    assert_non_null(strstr(f.error.text, "early"));
    f.rule.unix_s = UINT64_MAX;
    assert_int_equal(open_it(&f), LS_ERROR_REFUSED);
    f.rule.unix_s = 0;
    assert_int_equal(open_it(&f), LS_ERROR_REFUSED);
}

TEST(test_token_needs_its_key)
{
    fixture f;
    setup(&f);
    issue(&f);
    f.rule.key_count = 1; /* only the other key */
    assert_int_equal(open_it(&f), LS_ERROR_NOT_FOUND);
    f.rule.key_count = 0;
    assert_int_equal(open_it(&f), LS_ERROR_NOT_FOUND);
    f.rule.key_count = 2;
    uint32_t seven = f.keys[1].id;
    f.keys[1].id = f.keys[0].id;
    f.keys[0].id = seven; /* a key with the right id and other bytes fails */
    assert_int_equal(open_it(&f), LS_ERROR_CORRUPT);
}

TEST(test_token_is_for_a_room_and_server)
{
    fixture f;
    setup(&f);
    issue(&f);
    ls_public_key identity = f.token.server, other = {{8}};
    f.rule.identity = &other;
    assert_int_equal(open_it(&f), LS_ERROR_REFUSED);
    f.rule.identity = &identity;
    f.rule.fingerprint = (const uint8_t *)"0123456789abcdX";
    assert_int_equal(open_it(&f), LS_ERROR_REFUSED);
    assert_non_null(strstr(f.error.text, "simulation"));
    f.rule.fingerprint = (const uint8_t *)"0123456789abcde";
    ls_address own[2] = {LS_ADDRESS_IPV4(203, 0, 113, 8, 7777), f.token.addresses[1]};
    assert_ok(open_it(&f));
    assert_false(ls_token_names(&f.opened, own, 1));
    assert_true(ls_token_names(&f.opened, own, 2));
    assert_true(ls_token_names(&f.opened, NULL, 0));
}

TEST(test_token_for_any_room_and_server_is_taken_everywhere)
{
    fixture f;
    setup(&f);
    f.token.address_count = 0;
    f.token.server = (ls_public_key){{0}};
    memset(f.token.fingerprint, 0, sizeof f.token.fingerprint);
    issue(&f);
    ls_public_key identity = {{8}};
    ls_address own = LS_ADDRESS_IPV4(10, 0, 0, 1, 0);
    f.rule.identity = &identity;
    f.rule.fingerprint = (const uint8_t *)"0123456789abcdX";
    assert_ok(open_it(&f));
    assert_true(ls_token_names(&f.opened, &own, 1));
}

/* Opens a token that was sealed with the right key but has one byte of its content changed. */
static ls_status open_forged(fixture *f, size_t at, uint8_t value)
{
    uint8_t plain[LS_TOKEN_PLAIN_BYTES], before;
    issue(f);
    assert_true(ls_token_unseal(&f->keys[1], f->bytes, plain));
    before = plain[at];
    plain[at] = value;
    assert_int_not_equal(before, value);
    ls_token_seal(&f->keys[1], plain, f->bytes);
    return open_it(f);
}

TEST(test_token_content_is_canonical)
{
    fixture f;
    setup(&f);
    /* With one character each and no address, every offset of the content is known. */
    enum { CLIENT = 16, ROOM = 18, RIGHTS = 20, COUNT, SERVER, PADDING = SERVER + 32 + 16 + 32 };
    strcpy(f.token.client, "c");
    strcpy(f.token.room, "r");
    f.token.rights = LS_TOKEN_PLAY;
    f.token.address_count = 0;
    assert_ok(open_forged(&f, CLIENT + 1, 'd'));
    assert_string_equal(f.opened.client, "d");
    assert_int_equal(open_forged(&f, CLIENT + 1, '\n'), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, CLIENT, 0), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, CLIENT, LS_CLIENT_ID_BYTES), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, CLIENT, 255), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, ROOM + 1, 0x80), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, ROOM, LS_ROOM_BYTES), LS_ERROR_CORRUPT);
    assert_ok(open_forged(&f, RIGHTS, 3));
    assert_int_equal(open_forged(&f, RIGHTS, 0), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, RIGHTS, 5), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, COUNT, LS_TOKEN_ADDRESSES_MAX + 1), LS_ERROR_CORRUPT);
    assert_int_equal(open_forged(&f, COUNT, 255), LS_ERROR_CORRUPT);
    assert_ok(open_forged(&f, SERVER, 1));
    for (size_t at = PADDING; at < LS_TOKEN_PLAIN_BYTES; at++)
        assert_int_equal(open_forged(&f, at, 1), LS_ERROR_CORRUPT);
}

/* Content that is valid except for an empty client name. */
TEST(test_token_names_a_client)
{
    fixture f;
    setup(&f);
    strcpy(f.token.client, "c");
    issue(&f);
    uint8_t plain[LS_TOKEN_PLAIN_BYTES];
    assert_true(ls_token_unseal(&f.keys[1], f.bytes, plain));
    plain[16] = 0;
    memmove(plain + 17, plain + 18, sizeof plain - 18);
    ls_token_seal(&f.keys[1], plain, f.bytes);
    assert_int_equal(open_it(&f), LS_ERROR_CORRUPT);
}

TEST(test_token_peek_reads_the_public_part)
{
    fixture f;
    setup(&f);
    issue(&f);
    ls_token seen, expected = {.key_id = 7, .not_before_s = NOW_S - 5, .expiry_s = NOW_S + 60};
    assert_true(ls_token_peek(f.bytes, &seen));
    assert_memory_equal(&seen, &expected, sizeof seen);
    f.bytes[LS_TOKEN_BYTES - 1] ^= 1; /* ls_token_peek() does not authenticate */
    assert_true(ls_token_peek(f.bytes, &seen));
    f.bytes[4]++; /* a future version */
    assert_false(ls_token_peek(f.bytes, &seen));
    assert_int_equal(seen.key_id, 0);
    f.bytes[4]--;
    f.bytes[0] = 0;
    assert_false(ls_token_peek(f.bytes, &seen));
    f.bytes[0] = 7;
    memset(f.bytes + 5, 0, 8); /* longer than LS_TOKEN_LIFE_S_MAX */
    assert_false(ls_token_peek(f.bytes, &seen));
    memset(f.bytes + 5, 0xff, 8);
    assert_false(ls_token_peek(f.bytes, &seen));
}

TEST(test_token_two_of_a_kind_share_nothing)
{
    fixture f;
    setup(&f);
    issue(&f);
    ls_token first = f.token;
    uint8_t bytes[LS_TOKEN_BYTES];
    memcpy(bytes, f.bytes, sizeof bytes);
    issue(&f);
    assert_memory_not_equal(first.id, f.token.id, sizeof first.id);
    assert_memory_not_equal(first.psk, f.token.psk, sizeof first.psk);
    assert_memory_not_equal(bytes + LS_TOKEN_PUBLIC_BYTES, f.bytes + LS_TOKEN_PUBLIC_BYTES,
                            LS_TOKEN_NONCE_BYTES);
}
