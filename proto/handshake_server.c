#include "proto/handshake_server.h"

#include "core/base/fault_injection.h"
#include "proto/accept_fields.h"
#include "proto/handshake_internal.h"
#include "proto/text.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

static void copy_rules(ls_handshake_server *server, const ls_handshake_server_config *config)
{
    LS_ASSERT(config->token_key_count <= LS_TOKEN_KEYS_MAX &&
              config->address_count <= LS_TOKEN_ADDRESSES_MAX);
    server->require_token = config->require_token;
    server->token_key_count = config->token_key_count;
    server->address_count = config->address_count;
    for (uint32_t i = 0; i < config->token_key_count; i++)
        server->token_keys[i] = config->token_keys[i];
    for (uint32_t i = 0; i < config->address_count; i++)
        server->addresses[i] = config->addresses[i];
}

static void begin_era(ls_handshake_server *server, uint64_t unix_s)
{
    ls_handshake_era *era = &server->era;
    ls_entropy_fill(&server->entropy, era->static_secret, sizeof era->static_secret);
    ls_entropy_fill(&server->entropy, era->cookie_secret, sizeof era->cookie_secret);
    LS_ASSERT(crypto_scalarmult_base(era->static_public, era->static_secret) == 0);
    era->expiry_s = unix_s + LS_CERTIFICATE_LIFE_S;
    uint8_t bytes[LS_CERTIFICATE_BYTES];
    ls_handshake_certificate_bytes(era->static_public, era->expiry_s, bytes);
    LS_ASSERT(crypto_sign_detached(era->signature, NULL, bytes, sizeof bytes,
                                   server->identity.secret_key) == 0);
}

void ls_handshake_server_init(ls_handshake_server *server, const ls_handshake_server_config *config)
{
    LS_ASSERT(sodium_init() >= 0);
    *server = (ls_handshake_server){.local = config->local, .identity = *config->identity};
    ls_text_copy(server->local.simulation, sizeof server->local.simulation,
                 config->local.simulation);
    ls_text_copy(server->local.build, sizeof server->local.build, config->local.build);
    if (config->entropy)
        server->entropy = *config->entropy;
    if (config->psk) {
        server->has_psk = true;
        memcpy(server->psk, config->psk, sizeof server->psk);
    }
    copy_rules(server, config);
    begin_era(server, config->unix_s);
}

void ls_handshake_server_reset(ls_handshake_server *server)
{
    ls_wipe(server, sizeof *server);
}

void ls_handshake_server_renew(ls_handshake_server *server, uint64_t unix_s, uint64_t now_ns)
{
    uint64_t expiry_s = server->era.expiry_s;
    if (now_ns >= server->past_until_ns)
        ls_wipe(&server->past, sizeof server->past);
    /* Also renew when the wall clock was set back: otherwise a certificate would be valid for
     * longer than its life. */
    if (expiry_s > unix_s && expiry_s - unix_s > LS_CERTIFICATE_LIFE_S / 2 &&
        expiry_s - unix_s <= LS_CERTIFICATE_LIFE_S)
        return;
    server->past = server->era;
    server->past_until_ns = now_ns + 2 * LS_COOKIE_BUCKET_NS;
    begin_era(server, unix_s);
}

struct hello {
    uint16_t protocol_version;
    uint32_t engine_version;
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    char simulation[LS_SIMULATION_TEXT_BYTES];
    uint32_t token_key;
    uint8_t ephemeral[LS_KEY_BYTES];
    uint32_t capabilities;
};

/* Reads the part of a HELLO that all protocol versions share. */
static bool read_hello_head(ls_reader *reader, struct hello *hello)
{
    uint8_t type = ls_read_u8(reader);
    const uint8_t *magic = ls_read_view(reader, 4);
    hello->protocol_version = ls_read_u16(reader);
    return !reader->failed && type == LS_HANDSHAKE_HELLO &&
           memcmp(magic, LS_HANDSHAKE_MAGIC, 4) == 0;
}

/* Reads the rest of a HELLO. It must end in zeros, unless the client has capabilities that this
 * server does not know: these may have fields there. */
static bool read_hello_body(ls_reader *reader, uint32_t known_capabilities, struct hello *hello)
{
    hello->engine_version = ls_read_u32(reader);
    ls_read_bytes(reader, hello->fingerprint, sizeof hello->fingerprint);
    ls_text_read(reader, hello->simulation, sizeof hello->simulation);
    hello->token_key = ls_read_u32(reader);
    ls_read_bytes(reader, hello->ephemeral, sizeof hello->ephemeral);
    hello->capabilities = ls_read_u32(reader);
    return !reader->failed &&
           ((hello->capabilities & ~known_capabilities) || ls_handshake_read_zeros(reader));
}

/* The inputs of a cookie that the client repeats in its AUTH. */
struct cookie_base {
    uint32_t bucket;
    const uint8_t *hello_hash, *ephemeral;
};

/* cookie = K(cookie secret, "cookie" bucket, hello hash, e_c, the client's remote). The
 * bucket changes every minute, which has the effect of a new secret. */
static void make_cookie(const ls_handshake_era *era, const struct cookie_base *base,
                        const ls_handshake_message *message, uint8_t cookie[LS_KEY_BYTES])
{
    uint8_t bytes[LS_LABEL_BYTES + 4 + 2 * LS_KEY_BYTES + LS_REMOTE_BYTES];
    ls_handshake_label("cookie", bytes);
    ls_writer writer = {.data = bytes, .capacity = sizeof bytes, .count = LS_LABEL_BYTES};
    ls_write_u32(&writer, base->bucket);
    ls_write_bytes(&writer, base->hello_hash, LS_KEY_BYTES);
    ls_write_bytes(&writer, base->ephemeral, LS_KEY_BYTES);
    ls_write_bytes(&writer, message->remote.bytes, sizeof message->remote.bytes);
    LS_ASSERT(!writer.failed && writer.count == sizeof bytes);
    crypto_generichash(cookie, LS_KEY_BYTES, bytes, sizeof bytes, era->cookie_secret, LS_KEY_BYTES);
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
    const struct cookie_base base = {.bucket = bucket_of(message->now_ns),
                                     .hello_hash = hello_hash,
                                     .ephemeral = hello->ephemeral};
    const ls_handshake_era *era = &server->era;
    make_cookie(era, &base, message, cookie);

    ls_write_u8(reply, LS_HANDSHAKE_COOKIE);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_u16(reply, LS_PROTOCOL_VERSION);
    ls_write_bytes(reply, server->local.fingerprint, LS_FINGERPRINT_BYTES);
    ls_write_bytes(reply, hello_hash, sizeof hello_hash);
    ls_write_u32(reply, base.bucket);
    ls_write_bytes(reply, cookie, sizeof cookie);
    ls_write_bytes(reply, era->static_public, sizeof era->static_public);
    ls_write_u64(reply, era->expiry_s);
    ls_write_bytes(reply, server->identity.public_key.bytes, LS_PUBLIC_KEY_BYTES);
    ls_write_bytes(reply, era->signature, sizeof era->signature);
    ls_write_u32(reply, server->local.capabilities);
    LS_ASSERT(!reply->failed && reply->count <= LS_COOKIE_BYTES_MAX);
}

/* Writes a REJECT and sets the error, both with the same text. */
static ls_status refuse(ls_reject_code code, const char *reason, ls_writer *reply, ls_error *error)
{
    ls_handshake_reject(code, reason, reply);
    return ls_error_set(error, code == LS_REJECT_TOKEN ? LS_ERROR_REFUSED : LS_ERROR_INCOMPATIBLE,
                        "%s", reason);
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
    ls_status status = refuse(LS_REJECT_SIMULATION, reason, reply, error);
    return hello->simulation[0] ? status : LS_ERROR_NOT_FOUND;
}

/* Refuses an unsuitable token already at the HELLO, because an AUTH with such a token gets no
 * answer. */
static ls_status refuse_token(const struct hello *hello, ls_writer *reply, ls_error *error)
{
    char reason[LS_REASON_BYTES];
    if (hello->token_key == 0)
        return refuse(
            LS_REJECT_TOKEN,
            "the server admits only players with a connect token; ask its matchmaker for one",
            reply, error);
    snprintf(reason, sizeof reason,
             "the connect token is by key %u, which the server does not know; ask its matchmaker "
             "for another",
             hello->token_key);
    return refuse(LS_REJECT_TOKEN, reason, reply, error);
}

static bool token_key_suits(const ls_handshake_server *server, uint32_t key_id)
{
    bool is_known = false;
    for (uint32_t i = 0; i < server->token_key_count; i++)
        is_known = is_known || server->token_keys[i].id == key_id;
    return key_id ? is_known : !server->require_token;
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
    if (hello.protocol_version != LS_PROTOCOL_VERSION && !LS_FAULT(OTHER_VERSION_ENTERS)) {
        snprintf(reason, sizeof reason,
                 "protocol versions differ: the client speaks %u, the server %u",
                 hello.protocol_version, LS_PROTOCOL_VERSION);
        return refuse(LS_REJECT_VERSION, reason, reply, error);
    }
    if (!read_hello_body(&reader, server->local.capabilities, &hello))
        return ls_error_set(error, LS_ERROR_CORRUPT, "malformed HELLO");
    if (hello.engine_version != server->local.engine_version) {
        snprintf(reason, sizeof reason, "engine versions differ: the client has %u, the server %u",
                 hello.engine_version, server->local.engine_version);
        return refuse(LS_REJECT_VERSION, reason, reply, error);
    }
    if (memcmp(hello.fingerprint, server->local.fingerprint, LS_FINGERPRINT_BYTES) != 0)
        return refuse_simulation(&server->local, &hello, reply, error);
    if (!token_key_suits(server, hello.token_key))
        return refuse_token(&hello, reply, error);
    write_cookie(server, message, &hello, reply);
    return LS_OK;
}

/* The fields of an AUTH before its box; the pointers refer to the message. */
struct auth_head {
    struct cookie_base base;
    const uint8_t *cookie;
    const uint8_t *token;        /* NULL: none */
    const ls_handshake_era *era; /* the era of the cookie; NULL: the cookie is not valid */
};

/* Reads the fields; the rest of the reader is then the box. */
static bool read_auth_head(const ls_handshake_message *message, struct auth_head *head,
                           ls_reader *reader)
{
    ls_reader_init(reader, message->data, message->bytes);
    if (message->bytes != LS_AUTH_BYTES || ls_read_u8(reader) != LS_HANDSHAKE_AUTH)
        return false;
    *head = (struct auth_head){.base.bucket = ls_read_u32(reader)};
    head->cookie = ls_read_view(reader, LS_KEY_BYTES);
    head->base.ephemeral = ls_read_view(reader, LS_KEY_BYTES);
    head->base.hello_hash = ls_read_view(reader, LS_KEY_BYTES);
    uint16_t token_bytes = ls_read_u16(reader);
    if (token_bytes)
        head->token = ls_read_view(reader, token_bytes);
    return !reader->failed && (token_bytes == 0 || token_bytes == LS_TOKEN_BYTES);
}

static bool is_cookie_of(const ls_handshake_era *era, const ls_handshake_message *message,
                         const struct auth_head *head)
{
    uint8_t cookie[LS_KEY_BYTES];
    make_cookie(era, &head->base, message, cookie);
    return sodium_memcmp(cookie, head->cookie, sizeof cookie) == 0;
}

/* Returns the era of a valid cookie, NULL for an invalid one. */
static const ls_handshake_era *find_era(const ls_handshake_server *server,
                                        const ls_handshake_message *message,
                                        const struct auth_head *head)
{
    /* A bucket of the future fails too: the unsigned difference wraps. */
    if (bucket_of(message->now_ns) - head->base.bucket > 1)
        return NULL;
    if (is_cookie_of(&server->era, message, head))
        return &server->era;
    bool has_past = message->now_ns < server->past_until_ns;
    return has_past && is_cookie_of(&server->past, message, head) ? &server->past : NULL;
}

bool ls_handshake_server_knows(const ls_handshake_server *server,
                               const ls_handshake_message *message, const uint8_t **ephemeral)
{
    ls_reader reader;
    struct auth_head head;
    if (!read_auth_head(message, &head, &reader) || !find_era(server, message, &head))
        return false;
    *ephemeral = head.base.ephemeral;
    return true;
}

/* Returns the time for the check of the token. An expired token is marked and judged as of one
 * second before its expiry, because it still admits a client that resumes a seat. An unreadable
 * token is left to ls_token_open, which refuses it. */
static uint64_t token_time(const uint8_t *bytes, uint64_t unix_s, ls_handshake_auth *auth)
{
    ls_token token;
    auth->token_is_expired = ls_token_peek(bytes, &token) && token.expiry_s <= unix_s;
    return auth->token_is_expired ? token.expiry_s - 1 : unix_s;
}

static ls_status open_token(const ls_handshake_server *server, const ls_handshake_message *message,
                            const struct auth_head *head, ls_handshake_auth *auth, ls_error *error)
{
    auth->has_token = head->token != NULL;
    auth->is_open = !auth->has_token && !server->has_psk;
    if (!auth->has_token)
        return server->require_token
                   ? ls_error_set(error, LS_ERROR_REFUSED, "AUTH without a connect token")
                   : LS_OK;
    ls_token_rule rule = {.keys = server->token_keys,
                          .key_count = server->token_key_count,
                          .unix_s = token_time(head->token, message->unix_s, auth),
                          .identity = &server->identity.public_key,
                          .fingerprint = server->local.fingerprint};
    ls_status status = ls_token_open(&rule, head->token, &auth->token, error);
    auth->token_is_elsewhere =
        !status && !ls_token_names(&auth->token, server->addresses, server->address_count);
    return status;
}

static bool read_auth_plain(const ls_handshake_server *server, ls_handshake_auth *auth,
                            const uint8_t *plain, size_t bytes)
{
    ls_reader reader;
    ls_reader_init(&reader, plain, bytes);
    ls_read_view(&reader,
                 LS_KEY_BYTES); /* skip the client's random bytes: the transcript has them */
    auth->flags = ls_read_u8(&reader);
    ls_text_read(&reader, auth->name, sizeof auth->name);
    ls_text_read(&reader, auth->build, sizeof auth->build);
    ls_text_read(&reader, auth->room, sizeof auth->room);
    uint8_t has_resume = ls_read_u8(&reader);
    auth->has_resume = has_resume == 1;
    ls_read_bytes(&reader, auth->resume_secret, sizeof auth->resume_secret);
    auth->carrier.capabilities = ls_read_u32(&reader);
    bool is_canonical =
        has_resume == 1 ||
        (has_resume == 0 && sodium_is_zero(auth->resume_secret, sizeof auth->resume_secret));
    return ls_handshake_read_zeros(&reader) && is_canonical &&
           !(auth->carrier.capabilities & ~server->local.capabilities) &&
           !(auth->flags & ~LS_HANDSHAKE_FLAGS);
}

/* Runs the key schedule up to the AUTH's box and opens the box. */
static bool open_auth_box(const ls_handshake_server *server, const ls_handshake_message *message,
                          const struct auth_head *head, ls_reader *box, ls_handshake_auth *auth)
{
    const ls_handshake_base base = {.version_min = LS_PROTOCOL_VERSION,
                                    .version_max = LS_PROTOCOL_VERSION,
                                    .capabilities = server->local.capabilities,
                                    .hello_hash = head->base.hello_hash,
                                    .server_static = head->era->static_public,
                                    .identity = server->identity.public_key.bytes};
    memcpy(auth->client_ephemeral, head->base.ephemeral, LS_KEY_BYTES);
    ls_handshake_state_init(&auth->state, &base);
    if (!ls_handshake_mix_exchange(&auth->state, head->era->static_secret, auth->client_ephemeral))
        return false;
    ls_handshake_mix(&auth->state, auth->has_token ? auth->token.psk : server->psk);
    ls_wipe(auth->token.psk, sizeof auth->token.psk);
    ls_handshake_absorb(&auth->state, message->data + LS_AUTH_COOKIE_BYTES,
                        box->offset - LS_AUTH_COOKIE_BYTES);
    uint8_t plain[LS_AUTH_PLAIN_BYTES_MAX];
    size_t bytes = ls_reader_left(box) - LS_BOX_TAG_BYTES;
    bool is_valid = ls_handshake_box_open(&auth->state, "auth box", box, plain) &&
                    read_auth_plain(server, auth, plain, bytes);
    ls_wipe(plain, sizeof plain);
    return is_valid;
}

static ls_status fail_auth(ls_handshake_auth *auth, ls_handshake_check failed, ls_status status)
{
    ls_handshake_auth_reset(auth);
    auth->failed = failed;
    return status;
}

ls_status ls_handshake_server_auth(const ls_handshake_server *server,
                                   const ls_handshake_message *message, ls_handshake_auth *auth,
                                   ls_error *error)
{
    ls_reader reader;
    struct auth_head head;
    *auth = (ls_handshake_auth){0};
    if (!read_auth_head(message, &head, &reader))
        return fail_auth(auth, LS_HANDSHAKE_CHECK_FORM,
                         ls_error_set(error, LS_ERROR_CORRUPT, "malformed AUTH"));
    head.era = find_era(server, message, &head);
    if (!head.era)
        return fail_auth(auth, LS_HANDSHAKE_CHECK_COOKIE,
                         ls_error_set(error, LS_ERROR_REFUSED,
                                      "AUTH with a cookie that is expired or of another address"));
    ls_status status = open_token(server, message, &head, auth, error);
    if (status != LS_OK)
        return fail_auth(auth, LS_HANDSHAKE_CHECK_TOKEN, status);
    if (!open_auth_box(server, message, &head, &reader, auth))
        return fail_auth(auth, LS_HANDSHAKE_CHECK_BOX,
                         ls_error_set(error, LS_ERROR_CORRUPT,
                                      "malformed AUTH, or not sealed to this server with its "
                                      "password"));
    return LS_OK;
}

void ls_handshake_server_accept(const ls_handshake_server *server, ls_handshake_auth *auth,
                                ls_handshake_accept *accept, ls_writer *reply)
{
    LS_ASSERT(accept->connect_id != 0);
    uint8_t secret[LS_KEY_BYTES], ephemeral[LS_KEY_BYTES];
    ls_entropy_fill(&server->entropy, secret, sizeof secret);
    ls_entropy_fill(&server->entropy, accept->resume_secret, sizeof accept->resume_secret);
    memcpy(accept->build, server->local.build, sizeof accept->build);
    LS_ASSERT(crypto_scalarmult_base(ephemeral, secret) == 0);
    ls_handshake_absorb(&auth->state, ephemeral, sizeof ephemeral);
    /* Cannot fail: a point of low order has failed against the static key already. */
    LS_ASSERT(ls_handshake_mix_exchange(&auth->state, secret, auth->client_ephemeral));

    uint8_t bytes[LS_ACCEPT_PLAIN_BYTES_MAX];
    ls_writer plain;
    ls_writer_init(&plain, bytes, sizeof bytes);
    ls_accept_write(accept, auth->carrier.capabilities, &plain);
    ls_write_u8(reply, LS_HANDSHAKE_ACCEPT);
    ls_write_bytes(reply, ephemeral, sizeof ephemeral);
    ls_handshake_box_seal(&auth->state, "accept box", &plain, reply);
    ls_handshake_derive_session(&auth->state, &auth->keys, &auth->carrier);
    auth->carrier.connect_id = accept->connect_id;
    ls_wipe(bytes, sizeof bytes);
    ls_wipe(secret, sizeof secret);
    ls_wipe(&auth->state, sizeof auth->state);
}

void ls_handshake_auth_reset(ls_handshake_auth *auth)
{
    ls_wipe(auth, sizeof *auth);
}
