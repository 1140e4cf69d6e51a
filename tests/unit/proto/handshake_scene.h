/* A server and a client before their handshake. Tests change both configs before
 * fixture_start(). */
#ifndef LS_HANDSHAKE_SCENE_H
#define LS_HANDSHAKE_SCENE_H

#include "test.h"

#include "proto/handshake_client.h"
#include "proto/handshake_server.h"
#include "tests/support/remotes.h"

#define FIXTURE_NOW_S  UINT64_C(1800000000)
#define FIXTURE_NOW_NS UINT64_C(5000000000)

typedef struct fixture_message {
    uint8_t data[LS_MTU_BYTES];
    size_t bytes;
} fixture_message;

typedef struct fixture {
    uint64_t server_seed, client_seed, token_seed;
    ls_entropy server_entropy, client_entropy, token_entropy;
    ls_identity identity;
    ls_handshake_server_config server_config;
    ls_handshake_client_config client_config;
    ls_handshake_server server;
    ls_handshake_client client;
    ls_handshake_auth auth;
    ls_handshake_accept granted, accepted;
    fixture_message hello, cookie, authorization, accept;
    ls_remote remote; /* the client's */
    ls_token_key token_key;
    ls_token token;
    ls_pass pass;
    uint64_t now_ns, unix_s;
    ls_error error;
} fixture;

static inline void fixture_setup(fixture *f)
{
    *f = (fixture){.server_seed = 1,
                   .client_seed = 2,
                   .token_seed = 4,
                   .remote = LS_REMOTE_IPV4(192, 0, 2, 7, 4000),
                   .now_ns = FIXTURE_NOW_NS,
                   .unix_s = FIXTURE_NOW_S};
    f->server_entropy = test_entropy(&f->server_seed);
    f->client_entropy = test_entropy(&f->client_seed);
    f->token_entropy = test_entropy(&f->token_seed);
    uint64_t identity_seed = 3;
    ls_entropy identity_entropy = test_entropy(&identity_seed);
    ls_identity_init(&f->identity, &identity_entropy);
    ls_handshake_local local = {.engine_version = 4,
                                .capabilities = LS_LINK_CAPABILITIES,
                                .fingerprint = "0123456789abcde",
                                .simulation = "skirmish 1.2",
                                .build = "gcc 12 x86_64 linux"};
    f->server_config = (ls_handshake_server_config){.local = local,
                                                    .identity = &f->identity,
                                                    .entropy = &f->server_entropy,
                                                    .unix_s = FIXTURE_NOW_S};
    f->client_config = (ls_handshake_client_config){.local = local,
                                                    .entropy = &f->client_entropy,
                                                    .pin = &f->identity.public_key,
                                                    .name = "Ada",
                                                    .room = "lobby",
                                                    .flags = LS_HANDSHAKE_BOT};
    strcpy(f->client_config.local.build, "clang 14 wasm browser");
    f->granted = (ls_handshake_accept){.player = 1,
                                       .connect_id = 0xc0ffee,
                                       .epoch = 3,
                                       .tick = 1234,
                                       .room = "lobby",
                                       .match = {.seed = 9, .tick_rate = 60, .player_count = 2}};
    f->token = (ls_token){.not_before_s = FIXTURE_NOW_S - 5,
                          .expiry_s = FIXTURE_NOW_S + 60,
                          .client = "player 17",
                          .room = "lobby",
                          .rights = LS_TOKEN_PLAY,
                          .address_count = 1,
                          .addresses = {LS_ADDRESS_IPV4(203, 0, 113, 9, 7777)}};
}

/* Gives the server the matchmaker's key, and the client a pass for f->token. */
static inline void fixture_issue(fixture *f)
{
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_token_key_init(&f->token_key, 7, &f->token_entropy);
    assert_ok(ls_token_issue(&f->token_key, &f->token_entropy, &f->token, bytes));
    ls_pass_init(&f->pass, &f->token, bytes);
    f->server_config.token_keys = &f->token_key;
    f->server_config.token_key_count = 1;
    f->client_config.pass = &f->pass;
}

/* Both configs must be complete. */
static inline void fixture_start(fixture *f)
{
    ls_handshake_server_init(&f->server, &f->server_config);
    ls_handshake_client_init(&f->client, &f->client_config);
}

#endif
