#include "proto/handshake.h"

#include "proto/handshake_internal.h"
#include "proto/text.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

void ls_handshake_server_init(ls_handshake_server *server, const ls_handshake_server_config *config)
{
    LS_ASSERT(sodium_init() >= 0);
    *server = (ls_handshake_server){.local = config->local, .identity = *config->identity};
    ls_text_copy(server->local.simulation, sizeof server->local.simulation,
                 config->local.simulation);
    ls_text_copy(server->local.build, sizeof server->local.build, config->local.build);
    if (config->entropy)
        server->entropy = *config->entropy;
    if (config->psk)
        memcpy(server->psk, config->psk, sizeof server->psk);
    ls_entropy_fill(&server->entropy, server->static_secret, sizeof server->static_secret);
    ls_entropy_fill(&server->entropy, server->cookie_secret, sizeof server->cookie_secret);
    LS_ASSERT(crypto_scalarmult_base(server->static_public, server->static_secret) == 0);
    ls_handshake_server_renew(server, config->unix_s);
}

void ls_handshake_server_reset(ls_handshake_server *server)
{
    ls_wipe(server, sizeof *server);
}

void ls_handshake_server_renew(ls_handshake_server *server, uint64_t unix_s)
{
    /* Written so that a wall clock set back also renews: else clients would see a certificate that
     * outlives its life. */
    if (server->expiry_s > unix_s && server->expiry_s - unix_s > LS_CERTIFICATE_LIFE_S / 2 &&
        server->expiry_s - unix_s <= LS_CERTIFICATE_LIFE_S)
        return;
    server->expiry_s = unix_s + LS_CERTIFICATE_LIFE_S;
    uint8_t bytes[LS_CERTIFICATE_BYTES];
    ls_handshake_certificate_bytes(server->static_public, server->expiry_s, bytes);
    LS_ASSERT(crypto_sign_detached(server->signature, NULL, bytes, sizeof bytes,
                                   server->identity.secret_key) == 0);
}

void ls_handshake_reject(ls_reject_code code, const char *reason, ls_writer *reply)
{
    char text[LS_REASON_BYTES];
    ls_text_copy(text, sizeof text, reason);
    ls_write_u8(reply, LS_HANDSHAKE_REJECT);
    ls_write_u8(reply, (uint8_t)code);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_text(reply, text);
}

struct hello {
    uint16_t protocol_version;
    uint32_t engine_version;
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    char simulation[LS_SIMULATION_TEXT_BYTES];
    uint8_t ephemeral[LS_KEY_BYTES];
};

/* The part that every protocol version shares. */
static bool read_hello_head(ls_reader *reader, struct hello *hello)
{
    uint8_t type = ls_read_u8(reader);
    const uint8_t *magic = ls_read_view(reader, 4);
    hello->protocol_version = ls_read_u16(reader);
    return !reader->failed && type == LS_HANDSHAKE_HELLO &&
           memcmp(magic, LS_HANDSHAKE_MAGIC, 4) == 0;
}

static bool read_hello_body(ls_reader *reader, struct hello *hello)
{
    hello->engine_version = ls_read_u32(reader);
    ls_read_bytes(reader, hello->fingerprint, sizeof hello->fingerprint);
    ls_text_read(reader, hello->simulation, sizeof hello->simulation);
    uint32_t token_key = ls_read_u32(reader);
    ls_read_bytes(reader, hello->ephemeral, sizeof hello->ephemeral);
    return ls_handshake_read_zeros(reader) && token_key == 0 && ls_reader_done(reader);
}

/* cookie = K(cookie secret, "cookie" bucket, hello hash, e_c, address) */
static void make_cookie(const ls_handshake_server *server, const ls_handshake_base *base,
                        const ls_handshake_message *message, const uint8_t ephemeral[LS_KEY_BYTES],
                        uint8_t cookie[LS_KEY_BYTES])
{
    uint8_t head[LS_LABEL_BYTES + 4 + 2 * LS_KEY_BYTES];
    ls_handshake_label("cookie", head);
    ls_writer writer;
    ls_writer_init(&writer, head + LS_LABEL_BYTES, sizeof head - LS_LABEL_BYTES);
    ls_write_u32(&writer, base->bucket);
    ls_write_bytes(&writer, base->hello_hash, LS_KEY_BYTES);
    ls_write_bytes(&writer, ephemeral, LS_KEY_BYTES);
    crypto_generichash_state hash;
    crypto_generichash_init(&hash, server->cookie_secret, LS_KEY_BYTES, LS_KEY_BYTES);
    crypto_generichash_update(&hash, head, sizeof head);
    crypto_generichash_update(&hash, (const uint8_t *)message->address, strlen(message->address));
    crypto_generichash_final(&hash, cookie, LS_KEY_BYTES);
}

static uint32_t bucket_of(uint64_t now_ns)
{
    return (uint32_t)(now_ns / LS_COOKIE_BUCKET_NS);
}

static void write_cookie(const ls_handshake_server *server, const ls_handshake_message *message,
                         const struct hello *hello, ls_writer *reply)
{
    uint8_t hello_hash[LS_KEY_BYTES], cookie[LS_KEY_BYTES];
    ls_handshake_hash(message->data, message->bytes, hello_hash);
    ls_handshake_base base = {.hello_hash = hello_hash, .bucket = bucket_of(message->now_ns)};
    make_cookie(server, &base, message, hello->ephemeral, cookie);

    ls_write_u8(reply, LS_HANDSHAKE_COOKIE);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_bytes(reply, server->local.fingerprint, LS_FINGERPRINT_BYTES);
    ls_write_u32(reply, base.bucket);
    ls_write_bytes(reply, cookie, sizeof cookie);
    ls_write_bytes(reply, server->static_public, sizeof server->static_public);
    ls_write_u64(reply, server->expiry_s);
    ls_write_bytes(reply, server->identity.public_key.bytes, LS_PUBLIC_KEY_BYTES);
    ls_write_bytes(reply, server->signature, sizeof server->signature);
    LS_ASSERT(!reply->failed && reply->count <= LS_COOKIE_BYTES_MAX);
}

/* Says the same to both sides. */
static ls_status refuse(ls_reject_code code, const char *reason, ls_writer *reply, ls_error *error)
{
    ls_handshake_reject(code, reason, reply);
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE, "%s", reason);
}

static ls_status refuse_simulation(const ls_handshake_local *local, const struct hello *hello,
                                   ls_writer *reply, ls_error *error)
{
    char theirs[2 * LS_FINGERPRINT_BYTES + 1], ours[2 * LS_FINGERPRINT_BYTES + 1];
    sodium_bin2hex(theirs, sizeof theirs, hello->fingerprint, LS_FINGERPRINT_BYTES);
    sodium_bin2hex(ours, sizeof ours, local->fingerprint, LS_FINGERPRINT_BYTES);
    char reason[LS_REASON_BYTES];
    if (strcmp(hello->simulation, local->simulation) == 0) {
        snprintf(reason, sizeof reason,
                 "simulations differ: other sources of '%s' (fingerprint %s, the server's is %s); "
                 "use the module that the server runs",
                 local->simulation, theirs, ours);
        return refuse(LS_REJECT_SIMULATION, reason, reply, error);
    }
    snprintf(reason, sizeof reason,
             "simulations differ: the client has '%s' (fingerprint %s), the server '%s' "
             "(fingerprint %s)",
             hello->simulation, theirs, local->simulation, ours);
    return refuse(LS_REJECT_SIMULATION, reason, reply, error);
}

ls_status ls_handshake_server_hello(const ls_handshake_server *server,
                                    const ls_handshake_message *message, ls_writer *reply,
                                    ls_error *error)
{
    ls_reader reader;
    ls_reader_init(&reader, message->data, message->bytes);
    struct hello hello;
    if (message->bytes != LS_HELLO_BYTES || !read_hello_head(&reader, &hello))
        return ls_error_set(error, LS_ERROR_CORRUPT, "malformed HELLO");
    char reason[LS_REASON_BYTES];
    if (hello.protocol_version != LS_PROTOCOL_VERSION) {
        snprintf(reason, sizeof reason,
                 "protocol versions differ: the client speaks %u, the server %u",
                 hello.protocol_version, LS_PROTOCOL_VERSION);
        return refuse(LS_REJECT_VERSION, reason, reply, error);
    }
    if (!read_hello_body(&reader, &hello))
        return ls_error_set(error, LS_ERROR_CORRUPT, "malformed HELLO");
    if (hello.engine_version != server->local.engine_version) {
        snprintf(reason, sizeof reason, "engine versions differ: the client has %u, the server %u",
                 hello.engine_version, server->local.engine_version);
        return refuse(LS_REJECT_VERSION, reason, reply, error);
    }
    if (memcmp(hello.fingerprint, server->local.fingerprint, LS_FINGERPRINT_BYTES) != 0)
        return refuse_simulation(&server->local, &hello, reply, error);
    write_cookie(server, message, &hello, reply);
    return LS_OK;
}

/* Reads what stands before the box and checks the cookie; the box is what is left in the reader. */
static ls_status read_auth_header(const ls_handshake_server *server,
                                  const ls_handshake_message *message, ls_reader *reader,
                                  ls_handshake_auth *auth)
{
    if (message->bytes != LS_AUTH_BYTES || ls_read_u8(reader) != LS_HANDSHAKE_AUTH)
        return LS_ERROR_CORRUPT;
    ls_handshake_base base = {.version_min = LS_PROTOCOL_VERSION,
                              .version_max = LS_PROTOCOL_VERSION,
                              .server_static = server->static_public,
                              .identity = server->identity.public_key.bytes};
    ls_read_bytes(reader, auth->client_ephemeral, LS_KEY_BYTES);
    base.hello_hash = ls_read_view(reader, LS_KEY_BYTES);
    base.bucket = ls_read_u32(reader);
    base.cookie = ls_read_view(reader, LS_KEY_BYTES);
    if (ls_read_u16(reader) != 0)
        return LS_ERROR_CORRUPT;
    uint32_t bucket = bucket_of(message->now_ns);
    if (bucket - base.bucket > 1) /* also one from the future, which wraps */
        return LS_ERROR_REFUSED;
    uint8_t cookie[LS_KEY_BYTES];
    make_cookie(server, &base, message, auth->client_ephemeral, cookie);
    if (sodium_memcmp(cookie, base.cookie, sizeof cookie) != 0)
        return LS_ERROR_REFUSED;
    ls_handshake_state_init(&auth->state, server->psk, &base);
    return LS_OK;
}

static bool read_auth_box(ls_handshake_auth *auth, const uint8_t *plain)
{
    ls_reader reader;
    ls_reader_init(&reader, plain, LS_AUTH_PLAIN_BYTES);
    ls_read_view(&reader, LS_KEY_BYTES); /* the client's random: it is in the transcript */
    auth->flags = ls_read_u8(&reader);
    ls_text_read(&reader, auth->name, sizeof auth->name);
    ls_text_read(&reader, auth->build, sizeof auth->build);
    uint8_t has_resume = ls_read_u8(&reader);
    auth->has_resume = has_resume == 1;
    ls_read_bytes(&reader, auth->resume_secret, sizeof auth->resume_secret);
    bool is_canonical =
        has_resume == 1 ||
        (has_resume == 0 && sodium_is_zero(auth->resume_secret, sizeof auth->resume_secret));
    return ls_handshake_read_zeros(&reader) && is_canonical &&
           !(auth->flags & ~(LS_HANDSHAKE_SPECTATE | LS_HANDSHAKE_BOT));
}

static ls_status open_auth(const ls_handshake_server *server, const ls_handshake_message *message,
                           ls_handshake_auth *auth)
{
    ls_reader reader;
    ls_reader_init(&reader, message->data, message->bytes);
    ls_status status = read_auth_header(server, message, &reader, auth);
    if (status != LS_OK)
        return status;
    if (!ls_handshake_mix_exchange(&auth->state, server->static_secret, auth->client_ephemeral))
        return LS_ERROR_CORRUPT;
    ls_handshake_absorb(&auth->state, message->data, LS_AUTH_HEADER_BYTES);
    uint8_t plain[LS_AUTH_PLAIN_BYTES];
    bool is_valid = ls_handshake_box_open(&auth->state, "auth box", &reader, plain) &&
                    read_auth_box(auth, plain);
    ls_wipe(plain, sizeof plain);
    return is_valid ? LS_OK : LS_ERROR_CORRUPT;
}

ls_status ls_handshake_server_auth(const ls_handshake_server *server,
                                   const ls_handshake_message *message, ls_handshake_auth *auth,
                                   ls_error *error)
{
    *auth = (ls_handshake_auth){0};
    ls_status status = open_auth(server, message, auth);
    if (status == LS_OK)
        return LS_OK;
    ls_handshake_auth_reset(auth);
    return ls_error_set(error, status,
                        status == LS_ERROR_REFUSED
                            ? "AUTH with a cookie that is expired or of another address"
                            : "malformed AUTH, or not sealed to this server");
}

void ls_handshake_server_accept(const ls_handshake_server *server, ls_handshake_auth *auth,
                                ls_handshake_accept *accept, ls_writer *reply)
{
    uint8_t secret[LS_KEY_BYTES], ephemeral[LS_KEY_BYTES];
    ls_entropy_fill(&server->entropy, secret, sizeof secret);
    ls_entropy_fill(&server->entropy, accept->resume_secret, sizeof accept->resume_secret);
    memcpy(accept->build, server->local.build, sizeof accept->build);
    LS_ASSERT(crypto_scalarmult_base(ephemeral, secret) == 0);
    ls_handshake_absorb(&auth->state, ephemeral, sizeof ephemeral);
    /* A point of low order has failed against the static key already. */
    LS_ASSERT(ls_handshake_mix_exchange(&auth->state, secret, auth->client_ephemeral));

    uint8_t bytes[LS_ACCEPT_PLAIN_BYTES_MAX];
    ls_writer plain;
    ls_writer_init(&plain, bytes, sizeof bytes);
    ls_write_u8(&plain, accept->player);
    ls_write_u64(&plain, accept->tick);
    ls_match_encode(&accept->match, &plain);
    ls_write_text(&plain, accept->build);
    ls_write_bytes(&plain, accept->resume_secret, sizeof accept->resume_secret);
    ls_write_u8(reply, LS_HANDSHAKE_ACCEPT);
    ls_write_bytes(reply, ephemeral, sizeof ephemeral);
    ls_handshake_box_seal(&auth->state, "accept box", &plain, reply);
    ls_handshake_derive_session(&auth->state, &auth->keys);
    ls_wipe(bytes, sizeof bytes);
    ls_wipe(secret, sizeof secret);
    ls_wipe(&auth->state, sizeof auth->state);
}

void ls_handshake_auth_reset(ls_handshake_auth *auth)
{
    ls_wipe(auth, sizeof *auth);
}
