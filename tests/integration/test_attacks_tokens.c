/* Attack table rows 5 to 11: connect tokens that are forged, expired, stolen, or issued for another
 * server or simulation. */
#include "raw_client.h"
#include <lockstep/limits.h>

#include <stdio.h>

enum { NOW_S = 1700000000 };

typedef struct fixture {
    ls_token_key key;
    arena *room;
} fixture;

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    fixture *f = context;
    (void)room;
    server->token_keys = &f->key;
    server->token_key_count = 1;
    server->require_token = true;
}

static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    ls_token_key_init(&f->key, 7, NULL);
    f->room = arena_create(&(arena_config){.seed = 1,
                                           .conditions = {.delay_ns = 5 * MS},
                                           .players = 2,
                                           .prepare = prepare,
                                           .context = f});
    arena_run(f->room, 10 * MS);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    arena_destroy(f->room);
    ls_token_key_reset(&f->key);
    ls_free(f);
    return 0;
}

static ls_token token_for(const char *client)
{
    ls_token token = {
        .not_before_s = NOW_S - 10, .expiry_s = NOW_S + 3600, .rights = LS_TOKEN_PLAY};
    strcpy(token.client, client);
    return token;
}

static void issue(const ls_token_key *key, ls_token token, ls_pass *pass)
{
    uint8_t bytes[LS_TOKEN_BYTES];
    assert_ok(ls_token_issue(key, NULL, &token, bytes));
    ls_pass_init(pass, &token, bytes);
}

static puppet *come(const fixture *f, const ls_pass *pass)
{
    ls_handshake_client_config config = puppet_config(f->room, "p");
    config.pass = pass;
    return puppet_create(f->room, &config);
}

/* Asserts that an AUTH with this pass gets no answer, is counted, and leaves no state. */
static void assert_dropped(const fixture *f, const ls_pass *pass)
{
    uint64_t before = ls_server_get_stats(f->room->server).tokens_refused;
    puppet *client = come(f, pass);
    assert_false(client->has_accept);
    assert_string_equal(client->refusal, "");
    assert_int_equal(ls_server_get_stats(f->room->server).tokens_refused, before + 1);
    assert_int_equal(ls_server_get_stats(f->room->server).handshakes_expired, 0);
    puppet_destroy(client);
}

TESTS_AROUND(begin, end);

TEST(test_attack_05_forged_tokens)
{
    fixture *f = *state;
    ls_pass good, bad;
    issue(&f->key, token_for("anna"), &good);
    /* A token sealed with another key of the same id, and a good token with changed bits. */
    ls_token_key other;
    ls_token_key_init(&other, 7, NULL);
    issue(&other, token_for("anna"), &bad);
    assert_dropped(f, &bad);
    for (uint32_t i = 0; i < 8; i++) {
        bad = good;
        bad.token[LS_TOKEN_BYTES - 1 - 25 * i] ^= (uint8_t)(1u << i);
        assert_dropped(f, &bad);
    }
    puppet *client = come(f, &good);
    assert_true(client->has_accept);
    puppet_destroy(client);
}

TEST(test_attack_06_tokens_out_of_their_time_or_place)
{
    fixture *f = *state;
    ls_pass pass;
    ls_token token = token_for("anna");
    token.not_before_s = NOW_S + 1000;
    token.expiry_s = NOW_S + 2000;
    issue(&f->key, token, &pass);
    assert_dropped(f, &pass);
    token = token_for("anna");
    token.fingerprint[0] = 1; /* issued for another simulation */
    issue(&f->key, token, &pass);
    assert_dropped(f, &pass);
    token = token_for("anna");
    token.server.bytes[5] =
        1; /* issued for another server; the client would refuse the pass itself */
    issue(&f->key, token, &pass);
    pass.has_server_key = false;
    assert_dropped(f, &pass);
    /* A token that has just expired, from a client that does not check the time. */
    token = token_for("anna");
    token.expiry_s = NOW_S + 60;
    issue(&f->key, token, &pass);
    arena_run(f->room, 61 * S);
    assert_dropped(f, &pass);
}

/* A token seen on the path is refused from the attacker's address. The owner's repeated AUTH gets
 * the same answer bytes. */
TEST(test_attack_07_replayed_tokens)
{
    fixture *f = *state;
    ls_pass pass;
    issue(&f->key, token_for("anna"), &pass);
    ls_handshake_client_config config = puppet_config(f->room, "p");
    config.pass = &pass;
    raw_client *owner = raw_create(f->room, &config);
    raw_get_cookie(owner, f->room);
    const ls_address thief = LS_ADDRESS_IPV4(192, 0, 2, 9, 257);
    ls_network_inject(f->room->network, &thief, owner->auth, LS_AUTH_BYTES);
    raw_run(owner, f->room, 20 * MS);
    ls_link_post(owner->link, NULL, owner->auth, LS_AUTH_BYTES);
    raw_run(owner, f->room, 20 * MS);
    assert_int_equal(owner->answers, 1);
    uint8_t first[LS_MTU_BYTES];
    memcpy(first, owner->answer, owner->answer_bytes);
    for (uint32_t i = 0; i < 10; i++)
        ls_link_post(owner->link, NULL, owner->auth, LS_AUTH_BYTES);
    raw_run(owner, f->room, 20 * MS);
    assert_int_equal(owner->answers, 11);
    assert_memory_equal(first, owner->answer, owner->answer_bytes);
    ls_network_inject(f->room->network, &thief, owner->auth, LS_AUTH_BYTES);
    raw_run(owner, f->room, 20 * MS);
    assert_int_equal(ls_network_get_stray(f->room->network).bytes, 0);
    /* An attacker with its own cookie and the psk: the token is bound to another host. */
    raw_client *copy = raw_create(f->room, &config);
    raw_get_cookie(copy, f->room);
    ls_link_post(copy->link, NULL, copy->auth, LS_AUTH_BYTES);
    raw_run(copy, f->room, 50 * MS);
    assert_int_equal(copy->answers, 0);
    assert_int_equal(ls_server_get_stats(f->room->server).tokens_refused, 1);
    raw_destroy(copy);
    raw_destroy(owner);
}

/* Only clients with a valid token learn that the room is full. */
TEST(test_attack_10_full_is_told_only_with_a_token)
{
    fixture *f = *state;
    ls_pass passes[4];
    puppet *clients[3];
    static const char *const names[] = {"anna", "bert", "cleo", "dora"};
    for (uint32_t i = 0; i < 4; i++)
        issue(&f->key, token_for(names[i]), &passes[i]);
    for (uint32_t i = 0; i < 3; i++)
        clients[i] = come(f, &passes[i]);
    assert_true(clients[0]->has_accept && clients[1]->has_accept);
    assert_false(clients[2]->has_accept);
    assert_non_null(strstr(clients[2]->refusal, "all seats are taken"));
    passes[3].token[100] ^= 1;
    assert_dropped(f, &passes[3]);
    /* A seat reserved by AUTH is free again after five seconds without CONFIRM. */
    puppet_run(clients[0], f->room, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    ls_pass again;
    issue(&f->key, token_for("elsa"), &again);
    puppet *late = come(f, &again);
    assert_true(late->has_accept);
    puppet_destroy(late);
    for (uint32_t i = 0; i < 3; i++)
        puppet_destroy(clients[i]);
}
