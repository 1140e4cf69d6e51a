#include "proto/handshake_client.h"

#include "core/base/fault_injection.h"
#include "proto/accept_fields.h"
#include "proto/handshake_internal.h"
#include "proto/text.h"

#include <sodium.h>
#include <string.h>

enum { STEP_HELLO = 0, STEP_DONE };

/* Copies the client's credential: a pass, a password or a psk derived from one. */
static void copy_credentials(ls_handshake_client *client, const ls_handshake_client_config *config)
{
    if (config->pass) {
        client->has_pass = true;
        client->pass = *config->pass;
        memcpy(client->psk, config->pass->psk, sizeof client->psk);
    } else if (config->password) {
        LS_ASSERT(strlen(config->password) < sizeof client->password);
        client->has_password = true;
        strcpy(client->password, config->password);
    } else if (config->psk) {
        memcpy(client->psk, config->psk, sizeof client->psk);
    }
}

void ls_handshake_client_init(ls_handshake_client *client, const ls_handshake_client_config *config)
{
    LS_ASSERT(sodium_init() >= 0);
    *client =
        (ls_handshake_client){.local = config->local, .flags = config->flags, .step = STEP_HELLO};
    ls_text_copy(client->local.simulation, sizeof client->local.simulation,
                 config->local.simulation);
    ls_text_copy(client->local.build, sizeof client->local.build, config->local.build);
    ls_text_copy(client->name, sizeof client->name, config->name);
    ls_text_copy(client->room, sizeof client->room, config->room);
    copy_credentials(client, config);
    client->trust = config->trust;
    client->trust_context = config->trust_context;
    client->hashes_left = LS_CLIENT_COOKIES;
    if (config->pin) {
        client->has_pin = true;
        client->pin = *config->pin;
    }
    if (config->resume_secret) {
        client->has_resume = true;
        memcpy(client->resume_secret, config->resume_secret, sizeof client->resume_secret);
    }
    ls_entropy_fill(config->entropy, client->ephemeral_secret, sizeof client->ephemeral_secret);
    ls_entropy_fill(config->entropy, client->client_random, sizeof client->client_random);
    LS_ASSERT(crypto_scalarmult_base(client->ephemeral_public, client->ephemeral_secret) == 0);

    uint8_t bytes[LS_HELLO_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(client, &writer);
    ls_handshake_hash(bytes, writer.count, client->hello_hash);
}

void ls_handshake_client_reset(ls_handshake_client *client)
{
    ls_wipe(client, sizeof *client);
}

void ls_handshake_client_hello(const ls_handshake_client *client, ls_writer *writer)
{
    size_t start = writer->count;
    ls_write_u8(writer, LS_HANDSHAKE_HELLO);
    ls_write_bytes(writer, LS_HANDSHAKE_MAGIC, 4);
    ls_write_u16(writer, LS_PROTOCOL_VERSION);
    ls_write_u32(writer, client->local.engine_version);
    ls_write_bytes(writer, client->local.fingerprint, LS_FINGERPRINT_BYTES);
    ls_write_text(writer, client->local.simulation);
    ls_token token = {0};
    if (client->has_pass && !ls_token_peek(client->pass.token, &token))
        token.key_id = 0; /* the token cannot be read: send no key id */
    ls_write_u32(writer, token.key_id);
    ls_write_bytes(writer, client->ephemeral_public, LS_KEY_BYTES);
    ls_write_u32(writer, client->local.capabilities);
    ls_handshake_write_zeros(writer, LS_HELLO_BYTES - (writer->count - start));
}

/* Reads a REJECT and returns its reason as an error; LS_ERROR_CORRUPT for any other message. */
static ls_status read_reject(const ls_handshake_message *message, ls_error *error)
{
    ls_reader reader;
    ls_reader_init(&reader, message->data, message->bytes);
    uint8_t type = ls_read_u8(&reader);
    uint8_t code = ls_read_u8(&reader);
    ls_read_u16(&reader); /* skip lowest and highest version: the reason contains them */
    ls_read_u16(&reader);
    char reason[LS_REASON_BYTES];
    ls_text_read(&reader, reason, sizeof reason);
    if (!ls_reader_done(&reader) || type != LS_HANDSHAKE_REJECT || code < LS_REJECT_VERSION ||
        code >= LS_REJECT_CODE_COUNT)
        return ls_error_set(error, LS_ERROR_CORRUPT, "malformed handshake message");
    if (code == LS_REJECT_BUSY)
        return ls_error_set(error, LS_ERROR_LIMIT, "the server is busy: %s", reason);
    bool is_mismatch = code == LS_REJECT_VERSION || code == LS_REJECT_SIMULATION;
    return ls_error_set(error, is_mismatch ? LS_ERROR_INCOMPATIBLE : LS_ERROR_REFUSED,
                        "the server refuses: %s", reason);
}

static bool is_reject(const ls_handshake_message *message)
{
    return message->bytes > 0 && message->data[0] == LS_HANDSHAKE_REJECT;
}

bool ls_handshake_is_cookie(const ls_handshake_message *message)
{
    return message->bytes > 0 && message->data[0] == LS_HANDSHAKE_COOKIE;
}

struct cookie {
    uint16_t version_min, version_max;
    const uint8_t *fingerprint;
    const uint8_t *hello_hash;
    uint32_t bucket;
    const uint8_t *cookie;
    const uint8_t *server_static;
    uint64_t expiry_s;
    const uint8_t *identity;
    const uint8_t *signature;
    uint32_t capabilities;
};

static bool read_cookie(const ls_handshake_message *message, struct cookie *cookie)
{
    ls_reader reader;
    ls_reader_init(&reader, message->data, message->bytes);
    uint8_t type = ls_read_u8(&reader);
    cookie->version_min = ls_read_u16(&reader);
    cookie->version_max = ls_read_u16(&reader);
    cookie->fingerprint = ls_read_view(&reader, LS_FINGERPRINT_BYTES);
    cookie->hello_hash = ls_read_view(&reader, LS_KEY_BYTES);
    cookie->bucket = ls_read_u32(&reader);
    cookie->cookie = ls_read_view(&reader, LS_KEY_BYTES);
    cookie->server_static = ls_read_view(&reader, LS_KEY_BYTES);
    cookie->expiry_s = ls_read_u64(&reader);
    cookie->identity = ls_read_view(&reader, LS_PUBLIC_KEY_BYTES);
    cookie->signature = ls_read_view(&reader, crypto_sign_BYTES);
    cookie->capabilities = ls_read_u32(&reader);
    return ls_reader_done(&reader) && type == LS_HANDSHAKE_COOKIE;
}

/* True when the COOKIE answers our HELLO. Our server never sends one for another version or
 * simulation: it sends a REJECT. A COOKIE that was issued for another HELLO is useful only to the
 * sender of that HELLO. */
static bool cookie_is_ours(const ls_handshake_client *client, const struct cookie *cookie)
{
    return cookie->version_min <= LS_PROTOCOL_VERSION &&
           cookie->version_max >= LS_PROTOCOL_VERSION &&
           memcmp(cookie->fingerprint, client->local.fingerprint, LS_FINGERPRINT_BYTES) == 0 &&
           (memcmp(cookie->hello_hash, client->hello_hash, LS_KEY_BYTES) == 0 ||
            LS_FAULT(COOKIE_OF_ANY_HELLO));
}

static bool certificate_is_signed(const struct cookie *cookie)
{
    uint8_t bytes[LS_CERTIFICATE_BYTES];
    ls_handshake_certificate_bytes(cookie->server_static, cookie->expiry_s, bytes);
    return crypto_sign_verify_detached(cookie->signature, bytes, sizeof bytes, cookie->identity) ==
           0;
}

ls_status ls_handshake_check_pin(const ls_public_key *pin, const ls_public_key *shown,
                                 ls_error *error)
{
    if (ls_public_key_equal(pin, shown))
        return LS_OK;
    char expected_text[LS_PUBLIC_KEY_TEXT_BYTES], shown_text[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_public_key_format(pin, expected_text);
    ls_public_key_format(shown, shown_text);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "the server is not the expected one: its key is %s, expected is %s; ask "
                        "its operator for the present key",
                        shown_text, expected_text);
}

static ls_status check_identity(const ls_handshake_client *client, const struct cookie *cookie,
                                ls_error *error)
{
    ls_public_key shown;
    memcpy(shown.bytes, cookie->identity, sizeof shown.bytes);
    ls_status status =
        client->has_pin ? ls_handshake_check_pin(&client->pin, &shown, error) : LS_OK;
    if (status == LS_OK && client->has_pass && client->pass.has_server_key)
        status = ls_handshake_check_pin(&client->pass.server_key, &shown, error);
    return status;
}

/* Refuses an expired certificate. Unless the client resumes, refuses an expired token too: the
 * server would not answer the AUTH, and the user would see no reason. */
static ls_status check_times(const ls_handshake_client *client, const struct cookie *cookie,
                             uint64_t unix_s, ls_error *error)
{
    ls_token token;
    if (cookie->expiry_s <= unix_s)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the server's certificate expired %llu s ago; check both clocks",
                            (unsigned long long)(unix_s - cookie->expiry_s));
    if (client->has_pass && !client->has_resume && ls_token_peek(client->pass.token, &token) &&
        token.expiry_s <= unix_s)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the connect token expired %llu s ago; ask the matchmaker for another",
                            (unsigned long long)(unix_s - token.expiry_s));
    return LS_OK;
}

/* Mixes the psk into the key schedule. The password's salt is the server's identity. Without a pin,
 * each identity that answers therefore needs its own hash. */
static ls_status mix_psk(ls_handshake_client *client, const ls_public_key *identity,
                         ls_handshake_state *state, ls_error *error)
{
    uint8_t psk[LS_KEY_BYTES];
    if (!client->has_password) {
        ls_handshake_mix(state, client->psk);
        return LS_OK;
    }
    if (client->hashes_left == 0)
        return ls_error_set(error, LS_ERROR_CORRUPT, "COOKIEs of too many servers");
    client->hashes_left--;
    ls_status status = ls_handshake_password(client->password, identity, psk);
    if (status != LS_OK)
        return ls_error_set(error, status, "no memory to hash the password");
    ls_handshake_mix(state, psk);
    if (client->has_pin) { /* no other identity is possible, so the hash replaces the password */
        memcpy(client->psk, psk, sizeof client->psk);
        ls_wipe(client->password, sizeof client->password);
        client->has_password = false;
    }
    ls_wipe(psk, sizeof psk);
    return LS_OK;
}

/* Returns the kept cookie of this age, 0 for the newest. */
static const ls_handshake_cookie *kept_cookie(const ls_handshake_client *client, uint32_t age)
{
    LS_ASSERT(age < ls_handshake_client_kept(client));
    return &client->cookies[(client->cookie_count - 1 - age) % LS_CLIENT_COOKIES];
}

/* True when both cookies lead to the same key schedule. */
static bool is_like(const ls_handshake_cookie *a, const ls_handshake_cookie *b)
{
    return a->version_min == b->version_min && a->version_max == b->version_max &&
           a->capabilities == b->capabilities && ls_public_key_equal(&a->identity, &b->identity) &&
           memcmp(a->server_static, b->server_static, LS_KEY_BYTES) == 0;
}

/* Returns the newest kept cookie with the same key schedule, NULL when there is none. */
static const ls_handshake_cookie *find_schedule(const ls_handshake_client *client,
                                                const ls_handshake_cookie *cookie)
{
    for (uint32_t age = 0; age < ls_handshake_client_kept(client); age++) {
        if (is_like(kept_cookie(client, age), cookie))
            return kept_cookie(client, age);
    }
    return NULL;
}

/* Computes the cookie's key schedule up to the psk, or copies the schedule of a kept cookie. */
static ls_status begin_schedule(ls_handshake_client *client, ls_handshake_cookie *cookie,
                                ls_error *error)
{
    const ls_handshake_cookie *known = find_schedule(client, cookie);
    if (known) {
        cookie->state = known->state;
        return LS_OK;
    }
    ls_handshake_base base = {.version_min = cookie->version_min,
                              .version_max = cookie->version_max,
                              .capabilities = cookie->capabilities,
                              .hello_hash = client->hello_hash,
                              .server_static = cookie->server_static,
                              .identity = cookie->identity.bytes};
    ls_handshake_state_init(&cookie->state, &base);
    if (!ls_handshake_mix_exchange(&cookie->state, client->ephemeral_secret, cookie->server_static))
        return ls_error_set(error, LS_ERROR_CORRUPT, "COOKIE with a key of low order");
    return mix_psk(client, &cookie->identity, &cookie->state, error);
}

static bool is_kept(const ls_handshake_client *client, const ls_handshake_cookie *cookie)
{
    for (uint32_t age = 0; age < ls_handshake_client_kept(client); age++) {
        const ls_handshake_cookie *kept = kept_cookie(client, age);
        if (kept->bucket == cookie->bucket &&
            memcmp(kept->cookie, cookie->cookie, LS_KEY_BYTES) == 0 && is_like(kept, cookie))
            return true;
    }
    return false;
}

/* Keeps a COOKIE that passed all checks, unless an equal one is kept already. */
static ls_status keep_cookie(ls_handshake_client *client, const struct cookie *cookie,
                             ls_error *error)
{
    ls_handshake_cookie kept = {.bucket = cookie->bucket,
                                .version_min = cookie->version_min,
                                .version_max = cookie->version_max,
                                .capabilities = cookie->capabilities};
    memcpy(kept.cookie, cookie->cookie, sizeof kept.cookie);
    memcpy(kept.server_static, cookie->server_static, sizeof kept.server_static);
    memcpy(kept.identity.bytes, cookie->identity, sizeof kept.identity.bytes);
    if (is_kept(client, &kept))
        return LS_OK;
    ls_status status = begin_schedule(client, &kept, error);
    if (status == LS_OK)
        client->cookies[client->cookie_count++ % LS_CLIENT_COOKIES] = kept;
    ls_wipe(&kept, sizeof kept);
    return status;
}

uint32_t ls_handshake_client_kept(const ls_handshake_client *client)
{
    return client->cookie_count < LS_CLIENT_COOKIES ? client->cookie_count : LS_CLIENT_COOKIES;
}

static ls_status check_trust(const ls_handshake_client *client, ls_error *error)
{
    ls_status status = LS_OK;
    if (!client->has_pin && client->trust)
        status = client->trust(client->trust_context, &client->server_key, error);
    return status ? LS_ERROR_REFUSED : LS_OK;
}

ls_status ls_handshake_client_cookie(ls_handshake_client *client,
                                     const ls_handshake_message *message, uint64_t unix_s,
                                     ls_error *error)
{
    if (client->step != STEP_HELLO)
        return ls_error_set(error, LS_ERROR_CORRUPT, "an unexpected COOKIE");
    if (is_reject(message))
        return read_reject(message, error);
    struct cookie cookie;
    if (!read_cookie(message, &cookie) || !cookie_is_ours(client, &cookie))
        return ls_error_set(error, LS_ERROR_CORRUPT, "malformed COOKIE, or for another HELLO");
    if (!certificate_is_signed(&cookie))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "COOKIE with a certificate that is not signed");
    ls_status status = check_identity(client, &cookie, error);
    if (status == LS_OK)
        status = check_times(client, &cookie, unix_s, error);
    if (status != LS_OK)
        return status;
    memcpy(client->server_key.bytes, cookie.identity, sizeof client->server_key.bytes);
    client->has_server_key = true;
    status = check_trust(client, error);
    return status == LS_OK ? keep_cookie(client, &cookie, error) : status;
}

/* Writes the AUTH for a cookie and advances `state` over the AUTH. */
static void write_auth(const ls_handshake_client *client, const ls_handshake_cookie *cookie,
                       ls_handshake_state *state, ls_writer *writer)
{
    uint8_t bytes[LS_AUTH_PLAIN_BYTES_MAX];
    uint16_t token_bytes = client->has_pass ? LS_TOKEN_BYTES : 0;
    ls_writer plain;
    ls_writer_init(&plain, bytes, sizeof bytes - token_bytes);
    ls_write_bytes(&plain, client->client_random, sizeof client->client_random);
    ls_write_u8(&plain, client->flags);
    ls_write_text(&plain, client->name);
    ls_write_text(&plain, client->local.build);
    ls_write_text(&plain, client->room);
    ls_write_u8(&plain, client->has_resume);
    ls_write_bytes(&plain, client->resume_secret, sizeof client->resume_secret);
    ls_write_u32(&plain, client->local.capabilities & cookie->capabilities);
    ls_handshake_write_zeros(&plain, plain.capacity - plain.count);

    size_t start = writer->count;
    LS_ASSERT(!writer->failed && LS_AUTH_BYTES <= writer->capacity - start);
    ls_write_u8(writer, LS_HANDSHAKE_AUTH);
    ls_write_u32(writer, cookie->bucket);
    ls_write_bytes(writer, cookie->cookie, LS_KEY_BYTES);
    ls_write_bytes(writer, client->ephemeral_public, LS_KEY_BYTES);
    ls_write_bytes(writer, client->hello_hash, LS_KEY_BYTES);
    ls_write_u16(writer, token_bytes);
    ls_write_bytes(writer, client->pass.token, token_bytes);
    start += LS_AUTH_COOKIE_BYTES;
    ls_handshake_absorb(state, writer->data + start, writer->count - start);
    ls_handshake_box_seal(state, "auth box", &plain, writer);
    ls_wipe(bytes, sizeof bytes);
}

void ls_handshake_client_auth(const ls_handshake_client *client, uint32_t age, ls_writer *writer)
{
    const ls_handshake_cookie *cookie = kept_cookie(client, age);
    ls_handshake_state state = cookie->state;
    write_auth(client, cookie, &state, writer);
    ls_wipe(&state, sizeof state);
}

/* Repeats the server's steps of the key schedule and opens the box of an ACCEPT. On entry, `state`
 * is the schedule after the AUTH; on return, the schedule after the ACCEPT. `capabilities` are the
 * ones that both sides have. */
static bool open_accept(const ls_handshake_client *client, const ls_handshake_message *message,
                        uint32_t capabilities, ls_handshake_state *state,
                        ls_handshake_accept *accept)
{
    ls_reader reader;
    ls_reader_init(&reader, message->data, message->bytes);
    uint8_t type = ls_read_u8(&reader);
    const uint8_t *ephemeral = ls_read_view(&reader, LS_KEY_BYTES);
    if (!ephemeral || type != LS_HANDSHAKE_ACCEPT || message->bytes > LS_ACCEPT_BYTES_MAX ||
        ls_reader_left(&reader) < LS_BOX_TAG_BYTES)
        return false;
    size_t bytes = ls_reader_left(&reader) - LS_BOX_TAG_BYTES;
    ls_handshake_absorb(state, ephemeral, LS_KEY_BYTES);
    if (!ls_handshake_mix_exchange(state, client->ephemeral_secret, ephemeral))
        return false;
    uint8_t plain[LS_ACCEPT_PLAIN_BYTES_MAX];
    bool is_valid = ls_handshake_box_open(state, "accept box", &reader, plain) &&
                    ls_accept_read(plain, bytes, capabilities, accept);
    ls_wipe(plain, sizeof plain);
    return is_valid;
}

/* Opens an ACCEPT with the key schedule of this cookie. All cookies of one certificate have the
 * same schedule, so the ACCEPT may answer any of them. */
static bool open_accept_of(const ls_handshake_client *client, const ls_handshake_cookie *cookie,
                           const ls_handshake_message *message, ls_handshake_accept *accept,
                           ls_handshake_state *state)
{
    uint8_t auth[LS_AUTH_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, auth, sizeof auth);
    *state = cookie->state;
    write_auth(client, cookie, state, &writer);
    return open_accept(client, message, client->local.capabilities & cookie->capabilities, state,
                       accept);
}

/* Returns the cookie with the schedule that opens the ACCEPT, and sets `state` to the schedule
 * after the ACCEPT. NULL when none opens it. */
static const ls_handshake_cookie *find_accepted(const ls_handshake_client *client,
                                                const ls_handshake_message *message,
                                                ls_handshake_accept *accept,
                                                ls_handshake_state *state)
{
    for (uint32_t age = 0; age < ls_handshake_client_kept(client); age++) {
        const ls_handshake_cookie *cookie = kept_cookie(client, age);
        bool was_tried = find_schedule(client, cookie) != cookie;
        if (!was_tried && open_accept_of(client, cookie, message, accept, state))
            return cookie;
    }
    return NULL;
}

static void wipe_attempt(ls_handshake_client *client)
{
    ls_wipe(client->cookies, sizeof client->cookies);
    ls_wipe(client->password, sizeof client->password);
    ls_wipe(client->ephemeral_secret, sizeof client->ephemeral_secret);
    ls_wipe(client->resume_secret, sizeof client->resume_secret);
    ls_wipe(client->psk, sizeof client->psk);
    ls_wipe(&client->pass, sizeof client->pass);
}

ls_status ls_handshake_client_accept(ls_handshake_client *client,
                                     const ls_handshake_message *message,
                                     ls_handshake_accept *accept, ls_error *error)
{
    if (client->step != STEP_HELLO || client->cookie_count == 0)
        return ls_error_set(error, LS_ERROR_CORRUPT, "an unexpected ACCEPT");
    if (is_reject(message))
        return read_reject(message, error);
    ls_handshake_state state = {0};
    const ls_handshake_cookie *cookie = find_accepted(client, message, accept, &state);
    if (cookie) {
        client->server_key = cookie->identity;
        ls_handshake_derive_session(&state, &client->keys, &client->carrier);
        client->carrier.connect_id = accept->connect_id;
        client->carrier.capabilities = client->local.capabilities & cookie->capabilities;
        wipe_attempt(client);
        client->step = STEP_DONE;
    } else {
        ls_wipe(accept, sizeof *accept);
    }
    ls_wipe(&state, sizeof state);
    return cookie ? LS_OK : ls_error_set(error, LS_ERROR_CORRUPT, "malformed or forged ACCEPT");
}
