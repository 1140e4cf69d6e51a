/* Arbitrary bytes in place of each handshake message, and as the content of the two sealed boxes
 * under valid keys, which a fuzzer cannot find. No answer exceeds its limit, a refusal leaves no
 * state, and accepted content has exactly one byte form. The first byte of an input selects the
 * case. */
#include "proto/handshake_client.h"
#include "proto/handshake_internal.h"
#include "proto/handshake_server.h"
#include "tests/support/remotes.h"

#include <string.h>

#define NOW_S UINT64_C(1800000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

typedef enum kind { HELLO = 0, COOKIE, AUTH, ACCEPT, AUTH_CONTENT, ACCEPT_CONTENT, KINDS } kind;

/* Both sides at each step of the handshake, created once and identical in every run. */
typedef struct scene {
    ls_handshake_server server;
    ls_handshake_client fresh, waiting; /* before the COOKIE, before the ACCEPT */
    ls_handshake_auth auth;
    uint8_t hello[LS_HELLO_BYTES], cookie[LS_COOKIE_BYTES_MAX], authorization[LS_AUTH_BYTES];
    uint8_t accept[LS_ACCEPT_BYTES_MAX];
    size_t cookie_bytes, accept_bytes, auth_head_bytes;
} scene;

static void fill_step(void *context, void *bytes, size_t count)
{
    memset(bytes, ++*(uint8_t *)context, count);
}

static ls_handshake_message message_of(const uint8_t *data, size_t bytes)
{
    return (ls_handshake_message){.data = data,
                                  .bytes = bytes,
                                  .remote = LS_REMOTE_IPV4(192, 0, 2, 7, 4000),
                                  .now_ns = 7 * LS_COOKIE_BUCKET_NS,
                                  .unix_s = NOW_S};
}

static ls_writer writer_of(uint8_t *data, size_t capacity)
{
    ls_writer writer;
    ls_writer_init(&writer, data, capacity);
    return writer;
}

static void make_ends(scene *s, const ls_entropy *entropy)
{
    ls_identity identity;
    ls_token_key key;
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_pass pass;
    ls_token token = {.not_before_s = NOW_S,
                      .expiry_s = NOW_S + 60,
                      .client = "player 17",
                      .rights = LS_TOKEN_PLAY};
    ls_identity_init(&identity, entropy);
    ls_token_key_init(&key, 7, entropy);
    LS_ASSERT(ls_token_issue(&key, entropy, &token, bytes) == LS_OK);
    ls_pass_init(&pass, &token, bytes);
    const ls_handshake_local local = {.engine_version = 4, .simulation = "duel 1"};
    ls_handshake_server_init(&s->server, &(ls_handshake_server_config){.local = local,
                                                                       .identity = &identity,
                                                                       .entropy = entropy,
                                                                       .unix_s = NOW_S,
                                                                       .token_keys = &key,
                                                                       .token_key_count = 1});
    ls_handshake_client_init(
        &s->fresh,
        &(ls_handshake_client_config){
            .local = local, .entropy = entropy, .pass = &pass, .name = "Ada", .room = "lobby"});
}

static void make_scene(scene *s)
{
    uint8_t draw = 0;
    ls_entropy entropy = {.fill = fill_step, .context = &draw};
    make_ends(s, &entropy);
    ls_writer writer = writer_of(s->hello, sizeof s->hello);
    ls_handshake_client_hello(&s->fresh, &writer);
    ls_handshake_message message = message_of(s->hello, sizeof s->hello);
    writer = writer_of(s->cookie, sizeof s->cookie);
    LS_ASSERT(ls_handshake_server_hello(&s->server, &message, &writer, NULL) == LS_OK);
    s->cookie_bytes = writer.count;
    s->waiting = s->fresh;
    message = message_of(s->cookie, s->cookie_bytes);
    LS_ASSERT(ls_handshake_client_cookie(&s->waiting, &message, NOW_S, NULL) == LS_OK);
    writer = writer_of(s->authorization, sizeof s->authorization);
    ls_handshake_client_auth(&s->waiting, 0, &writer);
    s->auth_head_bytes = LS_AUTH_HEADER_BYTES + LS_TOKEN_BYTES;
    message = message_of(s->authorization, sizeof s->authorization);
    LS_ASSERT(ls_handshake_server_auth(&s->server, &message, &s->auth, NULL) == LS_OK);
    ls_handshake_auth auth = s->auth;
    ls_handshake_accept accept = {
        .player = 1, .connect_id = 5, .match = {.tick_rate = 20, .player_count = 2}};
    writer = writer_of(s->accept, sizeof s->accept);
    ls_handshake_server_accept(&s->server, &auth, &accept, &writer);
    s->accept_bytes = writer.count;
    s->server.entropy = (ls_entropy){0}; /* this function's entropy source ends here */
}

static void receive_hello(const scene *s, const ls_handshake_message *message)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply = writer_of(bytes, sizeof bytes);
    ls_status status = ls_handshake_server_hello(&s->server, message, &reply, NULL);
    LS_ASSERT(!reply.failed && reply.count <= LS_COOKIE_BYTES_MAX);
    LS_ASSERT((status == LS_ERROR_CORRUPT) == (reply.count == 0));
}

/* COOKIE and ACCEPT cannot be forged: an accepted message is the real one. */
static void receive_cookie(const scene *s, const ls_handshake_message *message)
{
    ls_handshake_client client = s->fresh;
    if (ls_handshake_client_cookie(&client, message, NOW_S, NULL) != LS_OK)
        LS_ASSERT(memcmp(&client, &s->fresh, sizeof client) == 0);
    else
        LS_ASSERT(ls_public_key_equal(&client.server_key, &s->waiting.server_key));
}

static void receive_auth(const scene *s, const ls_handshake_message *message)
{
    ls_handshake_auth auth;
    const uint8_t *ephemeral;
    bool is_known = ls_handshake_server_knows(&s->server, message, &ephemeral);
    if (ls_handshake_server_auth(&s->server, message, &auth, NULL) == LS_OK) {
        LS_ASSERT(is_known && memcmp(message->data, s->authorization, LS_AUTH_BYTES) == 0);
        return;
    }
    LS_ASSERT(is_known == (auth.failed > LS_HANDSHAKE_CHECK_COOKIE));
    ls_handshake_auth empty = {.failed = auth.failed};
    LS_ASSERT(memcmp(&auth, &empty, sizeof auth) == 0);
}

static void receive_accept(const scene *s, const ls_handshake_message *message)
{
    ls_handshake_client client = s->waiting;
    ls_handshake_accept accept;
    if (ls_handshake_client_accept(&client, message, &accept, NULL) == LS_OK)
        LS_ASSERT(message->bytes == s->accept_bytes &&
                  memcmp(message->data, s->accept, s->accept_bytes) == 0);
    else
        LS_ASSERT(memcmp(&client, &s->waiting, sizeof client) == 0);
}

/* Sends an AUTH message with `content` in its sealed box. */
static void receive_auth_content(const scene *s, const uint8_t *content, size_t bytes)
{
    uint8_t sent[LS_AUTH_BYTES], again[LS_AUTH_PLAIN_BYTES_MAX] = {0};
    ls_writer plain = {.data = (uint8_t *)content, .capacity = bytes, .count = bytes};
    memcpy(sent, s->authorization, s->auth_head_bytes);
    ls_writer writer = {.data = sent, .capacity = sizeof sent, .count = s->auth_head_bytes};
    ls_handshake_state state = s->waiting.cookies[0].state;
    ls_handshake_absorb(&state, sent + LS_AUTH_COOKIE_BYTES, writer.count - LS_AUTH_COOKIE_BYTES);
    ls_handshake_box_seal(&state, "auth box", &plain, &writer);
    ls_handshake_message message = message_of(sent, writer.count);
    ls_handshake_auth auth;
    if (ls_handshake_server_auth(&s->server, &message, &auth, NULL) != LS_OK) {
        LS_ASSERT(auth.failed == LS_HANDSHAKE_CHECK_BOX);
        return;
    }
    writer = writer_of(again, bytes);
    ls_write_bytes(&writer, content, 32); /* the client's random, which the server does not keep */
    ls_write_u8(&writer, auth.flags);
    ls_write_text(&writer, auth.name);
    ls_write_text(&writer, auth.build);
    ls_write_text(&writer, auth.room);
    ls_write_u8(&writer, auth.has_resume);
    ls_write_bytes(&writer, auth.resume_secret, sizeof auth.resume_secret);
    LS_ASSERT(!writer.failed && memcmp(again, content, bytes) == 0);
}

static void receive_accept_content(const scene *s, const uint8_t *content, size_t bytes)
{
    uint8_t sent[LS_ACCEPT_BYTES_MAX], again[LS_ACCEPT_PLAIN_BYTES_MAX];
    ls_writer plain = {.data = (uint8_t *)content, .capacity = bytes, .count = bytes};
    ls_writer writer = writer_of(sent, sizeof sent);
    ls_write_u8(&writer, LS_HANDSHAKE_ACCEPT);
    ls_write_bytes(&writer, s->server.era.static_public, 32); /* as e_s any key pair works */
    ls_handshake_state state = s->auth.state;
    ls_handshake_absorb(&state, s->server.era.static_public, 32);
    LS_ASSERT(ls_handshake_mix_exchange(&state, s->server.era.static_secret,
                                        s->waiting.ephemeral_public));
    ls_handshake_box_seal(&state, "accept box", &plain, &writer);
    ls_handshake_message message = message_of(sent, writer.count);
    ls_handshake_client client = s->waiting;
    ls_handshake_accept accept;
    if (ls_handshake_client_accept(&client, &message, &accept, NULL) != LS_OK)
        return;
    writer = writer_of(again, sizeof again);
    ls_write_u8(&writer, accept.player);
    ls_write_u32(&writer, accept.connect_id);
    ls_write_u32(&writer, accept.epoch);
    ls_write_u64(&writer, accept.tick);
    ls_match_encode(&accept.match, &writer);
    ls_write_text(&writer, accept.room);
    ls_write_text(&writer, accept.build);
    ls_write_bytes(&writer, accept.resume_secret, sizeof accept.resume_secret);
    LS_ASSERT(!writer.failed && writer.count == bytes && memcmp(again, content, bytes) == 0);
    LS_ASSERT(client.carrier.connect_id == accept.connect_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static scene s;
    static bool is_made;
    if (!is_made)
        make_scene(&s);
    is_made = true;
    if (bytes == 0)
        return 0;
    kind what = data[0] % KINDS;
    ls_handshake_message message = message_of(data + 1, bytes - 1);
    uint8_t content[LS_AUTH_PLAIN_BYTES_MAX] = {0};
    size_t auth_bytes = LS_AUTH_BYTES - s.auth_head_bytes - LS_BOX_TAG_BYTES;
    if (what == HELLO)
        receive_hello(&s, &message);
    else if (what == COOKIE)
        receive_cookie(&s, &message);
    else if (what == AUTH)
        receive_auth(&s, &message);
    else if (what == ACCEPT)
        receive_accept(&s, &message);
    else if (what == AUTH_CONTENT) {
        memcpy(content, message.data, message.bytes < auth_bytes ? message.bytes : auth_bytes);
        receive_auth_content(&s, content, auth_bytes);
    } else if (message.bytes <= LS_ACCEPT_PLAIN_BYTES_MAX)
        receive_accept_content(&s, message.data, message.bytes);
    return 0;
}
