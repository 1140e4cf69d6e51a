/* A server and a client that shake hands in memory, with every message kept. */
#ifndef LS_HANDSHAKE_FIXTURE_H
#define LS_HANDSHAKE_FIXTURE_H

#include "test.h"

#include "proto/handshake_client.h"

#define FIXTURE_NOW_S  UINT64_C(1800000000)
#define FIXTURE_NOW_NS UINT64_C(5000000000)

typedef struct fixture_message {
    uint8_t data[LS_CONTROL_BYTES_MAX];
    size_t bytes;
} fixture_message;

typedef struct fixture {
    uint64_t server_seed, client_seed;
    ls_entropy server_entropy, client_entropy;
    ls_identity identity;
    ls_handshake_server_config server_config;
    ls_handshake_client_config client_config;
    ls_handshake_server server;
    ls_handshake_client client;
    ls_handshake_auth auth;
    ls_handshake_accept granted, accepted;
    fixture_message hello, cookie, authorization, accept;
    const char *address;
    uint64_t now_ns, unix_s;
    ls_error error;
} fixture;

static inline void fixture_setup(fixture *f)
{
    *f = (fixture){.server_seed = 1,
                   .client_seed = 2,
                   .address = "192.0.2.7:4000",
                   .now_ns = FIXTURE_NOW_NS,
                   .unix_s = FIXTURE_NOW_S};
    f->server_entropy = test_entropy(&f->server_seed);
    f->client_entropy = test_entropy(&f->client_seed);
    uint64_t identity_seed = 3;
    ls_entropy identity_entropy = test_entropy(&identity_seed);
    ls_identity_init(&f->identity, &identity_entropy);
    ls_handshake_local local = {.engine_version = 4,
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
                                                    .flags = LS_HANDSHAKE_BOT};
    strcpy(f->client_config.local.build, "clang 14 wasm browser");
    f->granted = (ls_handshake_accept){
        .player = 1, .tick = 1234, .match = {.seed = 9, .tick_rate = 60, .player_count = 2}};
}

/* After the configs are as the test wants them. */
static inline void fixture_start(fixture *f)
{
    ls_handshake_server_init(&f->server, &f->server_config);
    ls_handshake_client_init(&f->client, &f->client_config);
}

static inline ls_handshake_message fixture_view(const fixture *f, const fixture_message *message)
{
    return (ls_handshake_message){
        .data = message->data, .bytes = message->bytes, .address = f->address, .now_ns = f->now_ns};
}

static inline ls_writer fixture_writer(fixture_message *message)
{
    ls_writer writer;
    ls_writer_init(&writer, message->data, sizeof message->data);
    return writer;
}

static inline void fixture_send_hello(fixture *f)
{
    ls_writer writer = fixture_writer(&f->hello);
    ls_handshake_client_hello(&f->client, &writer);
    f->hello.bytes = writer.count;
}

static inline ls_status fixture_serve_hello(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->hello);
    ls_writer writer = fixture_writer(&f->cookie);
    ls_status status = ls_handshake_server_hello(&f->server, &message, &writer, &f->error);
    f->cookie.bytes = writer.count;
    return status;
}

static inline ls_status fixture_take_cookie(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->cookie);
    return ls_handshake_client_cookie(&f->client, &message, f->unix_s, &f->error);
}

static inline void fixture_send_auth(fixture *f)
{
    ls_writer writer = fixture_writer(&f->authorization);
    ls_handshake_client_auth(&f->client, &writer);
    f->authorization.bytes = writer.count;
}

static inline ls_status fixture_serve_auth(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->authorization);
    return ls_handshake_server_auth(&f->server, &message, &f->auth, &f->error);
}

static inline void fixture_send_accept(fixture *f)
{
    ls_writer writer = fixture_writer(&f->accept);
    ls_handshake_server_accept(&f->server, &f->auth, &f->granted, &writer);
    assert_false(writer.failed);
    f->accept.bytes = writer.count;
}

static inline ls_status fixture_take_accept(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->accept);
    return ls_handshake_client_accept(&f->client, &message, &f->accepted, &f->error);
}

/* Up to and with the AUTH. */
static inline void fixture_reach_auth(fixture *f)
{
    fixture_start(f);
    fixture_send_hello(f);
    assert_int_equal(fixture_serve_hello(f), LS_OK);
    assert_int_equal(fixture_take_cookie(f), LS_OK);
    fixture_send_auth(f);
}

static inline void fixture_reach_accept(fixture *f)
{
    fixture_reach_auth(f);
    assert_int_equal(fixture_serve_auth(f), LS_OK);
    fixture_send_accept(f);
}

#endif
