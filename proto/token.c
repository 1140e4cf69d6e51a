#include <lockstep/token.h>

#include "proto/text.h"
#include "proto/token_internal.h"
#include <lockstep/bytes.h>

#include <sodium.h>
#include <string.h>

_Static_assert(LS_TOKEN_NONCE_BYTES == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES, "nonce size");
_Static_assert(LS_TOKEN_TAG_BYTES == crypto_aead_xchacha20poly1305_ietf_ABYTES, "tag size");
_Static_assert(LS_TOKEN_ID_BYTES + LS_CLIENT_ID_BYTES + LS_ROOM_BYTES + 2 +
                       LS_TOKEN_ADDRESSES_MAX * sizeof(ls_address) + LS_PUBLIC_KEY_BYTES +
                       LS_FINGERPRINT_BYTES + 32 <=
                   LS_TOKEN_PLAIN_BYTES,
               "the longest content fits");

enum { SEALED_OFFSET = LS_TOKEN_PUBLIC_BYTES + LS_TOKEN_NONCE_BYTES };

void ls_token_seal(const ls_token_key *key, const uint8_t plain[LS_TOKEN_PLAIN_BYTES],
                   uint8_t bytes[LS_TOKEN_BYTES])
{
    crypto_aead_xchacha20poly1305_ietf_encrypt(bytes + SEALED_OFFSET, NULL, plain,
                                               LS_TOKEN_PLAIN_BYTES, bytes, LS_TOKEN_PUBLIC_BYTES,
                                               NULL, bytes + LS_TOKEN_PUBLIC_BYTES, key->secret);
}

bool ls_token_unseal(const ls_token_key *key, const uint8_t bytes[LS_TOKEN_BYTES],
                     uint8_t plain[LS_TOKEN_PLAIN_BYTES])
{
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            plain, NULL, NULL, bytes + SEALED_OFFSET, LS_TOKEN_BYTES - SEALED_OFFSET, bytes,
            LS_TOKEN_PUBLIC_BYTES, bytes + LS_TOKEN_PUBLIC_BYTES, key->secret) == 0)
        return true;
    ls_wipe(plain, LS_TOKEN_PLAIN_BYTES);
    return false;
}

static bool life_is_sound(const ls_token *token)
{
    return token->not_before_s < token->expiry_s &&
           token->expiry_s - token->not_before_s <= LS_TOKEN_LIFE_S_MAX;
}

static bool rights_are_sound(const ls_token *token)
{
    return token->rights != 0 && !(token->rights & ~(LS_TOKEN_PLAY | LS_TOKEN_SPECTATE));
}

/* Checks a text of our own caller, which may lack the terminating zero. */
static bool is_text(const char *text, size_t capacity)
{
    return strnlen(text, capacity) < capacity && ls_text_is_valid(text);
}

static bool can_be_issued(const ls_token *token)
{
    return life_is_sound(token) && rights_are_sound(token) &&
           token->address_count <= LS_TOKEN_ADDRESSES_MAX &&
           is_text(token->client, sizeof token->client) && token->client[0] &&
           is_text(token->room, sizeof token->room);
}

static void write_plain(const ls_token *token, uint8_t plain[LS_TOKEN_PLAIN_BYTES])
{
    ls_writer writer;
    memset(plain, 0, LS_TOKEN_PLAIN_BYTES);
    ls_writer_init(&writer, plain, LS_TOKEN_PLAIN_BYTES);
    ls_write_bytes(&writer, token->id, sizeof token->id);
    ls_write_text(&writer, token->client);
    ls_write_text(&writer, token->room);
    ls_write_u8(&writer, token->rights);
    ls_write_u8(&writer, (uint8_t)token->address_count);
    ls_write_bytes(&writer, token->addresses, token->address_count * sizeof(ls_address));
    ls_write_bytes(&writer, token->server.bytes, sizeof token->server.bytes);
    ls_write_bytes(&writer, token->fingerprint, sizeof token->fingerprint);
    ls_write_bytes(&writer, token->psk, sizeof token->psk);
    LS_ASSERT(!writer.failed);
}

ls_status ls_token_issue(const ls_token_key *key, const ls_entropy *entropy, ls_token *token,
                         uint8_t bytes[LS_TOKEN_BYTES])
{
    LS_ASSERT(sodium_init() >= 0);
    if (!can_be_issued(token))
        return LS_ERROR_USAGE;
    token->key_id = key->id;
    ls_entropy_fill(entropy, token->id, sizeof token->id);
    ls_entropy_fill(entropy, token->psk, sizeof token->psk);
    ls_writer writer;
    ls_writer_init(&writer, bytes, LS_TOKEN_BYTES);
    ls_write_u32(&writer, token->key_id);
    ls_write_u8(&writer, LS_TOKEN_VERSION);
    ls_write_u64(&writer, token->not_before_s);
    ls_write_u64(&writer, token->expiry_s);
    LS_ASSERT(writer.count == LS_TOKEN_PUBLIC_BYTES);
    ls_entropy_fill(entropy, bytes + writer.count, LS_TOKEN_NONCE_BYTES);
    uint8_t plain[LS_TOKEN_PLAIN_BYTES];
    write_plain(token, plain);
    ls_token_seal(key, plain, bytes);
    ls_wipe(plain, sizeof plain);
    return LS_OK;
}

bool ls_token_peek(const uint8_t bytes[LS_TOKEN_BYTES], ls_token *token)
{
    ls_reader reader;
    ls_reader_init(&reader, bytes, LS_TOKEN_PUBLIC_BYTES);
    *token = (ls_token){.key_id = ls_read_u32(&reader)};
    uint8_t version = ls_read_u8(&reader);
    token->not_before_s = ls_read_u64(&reader);
    token->expiry_s = ls_read_u64(&reader);
    if (ls_reader_done(&reader) && version == LS_TOKEN_VERSION && token->key_id != 0 &&
        life_is_sound(token))
        return true;
    ls_token_reset(token);
    return false;
}

static bool read_plain(const uint8_t plain[LS_TOKEN_PLAIN_BYTES], ls_token *token)
{
    ls_reader reader;
    ls_reader_init(&reader, plain, LS_TOKEN_PLAIN_BYTES);
    ls_read_bytes(&reader, token->id, sizeof token->id);
    ls_text_read(&reader, token->client, sizeof token->client);
    ls_text_read(&reader, token->room, sizeof token->room);
    token->rights = ls_read_u8(&reader);
    token->address_count = ls_read_u8(&reader);
    if (token->address_count > LS_TOKEN_ADDRESSES_MAX)
        return false;
    ls_read_bytes(&reader, token->addresses, token->address_count * sizeof(ls_address));
    ls_read_bytes(&reader, token->server.bytes, sizeof token->server.bytes);
    ls_read_bytes(&reader, token->fingerprint, sizeof token->fingerprint);
    ls_read_bytes(&reader, token->psk, sizeof token->psk);
    size_t left = ls_reader_left(&reader);
    const uint8_t *padding = ls_read_view(&reader, left);
    return ls_reader_done(&reader) && sodium_is_zero(padding, left) && token->client[0] &&
           rights_are_sound(token);
}

static ls_status check_time(const ls_token *token, uint64_t unix_s, ls_error *error)
{
    if (unix_s >= token->expiry_s)
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token expired %llu s ago",
                            (unsigned long long)(unix_s - token->expiry_s));
    if (unix_s < token->not_before_s)
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token is %llu s early",
                            (unsigned long long)(token->not_before_s - unix_s));
    return LS_OK;
}

static const ls_token_key *find_key(const ls_token_rule *rule, uint32_t id)
{
    for (uint32_t i = 0; i < rule->key_count; i++)
        if (rule->keys[i].id == id)
            return &rule->keys[i];
    return NULL;
}

bool ls_token_names(const ls_token *token, const ls_address *addresses, uint32_t count)
{
    if (count == 0 || token->address_count == 0)
        return true;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < token->address_count; k++)
            if (memcmp(&addresses[i], &token->addresses[k], sizeof(ls_address)) == 0)
                return true;
    return false;
}

static ls_status check_place(const ls_token *token, const ls_token_rule *rule, ls_error *error)
{
    if (rule->identity && !sodium_is_zero(token->server.bytes, sizeof token->server.bytes) &&
        !ls_public_key_equal(rule->identity, &token->server))
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token is for another server");
    if (rule->fingerprint && !sodium_is_zero(token->fingerprint, sizeof token->fingerprint) &&
        memcmp(rule->fingerprint, token->fingerprint, sizeof token->fingerprint) != 0)
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token is for another simulation");
    return LS_OK;
}

static ls_status open_sealed(const ls_token_rule *rule, const uint8_t bytes[LS_TOKEN_BYTES],
                             ls_token *token, ls_error *error)
{
    const ls_token_key *key = find_key(rule, token->key_id);
    if (!key)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "no key has the connect token's id %u",
                            token->key_id);
    uint8_t plain[LS_TOKEN_PLAIN_BYTES];
    if (!ls_token_unseal(key, bytes, plain))
        return ls_error_set(error, LS_ERROR_CORRUPT, "the connect token is forged or damaged");
    bool is_valid = read_plain(plain, token);
    ls_wipe(plain, sizeof plain);
    if (!is_valid)
        return ls_error_set(error, LS_ERROR_CORRUPT, "the connect token's content is malformed");
    return check_place(token, rule, error);
}

ls_status ls_token_open(const ls_token_rule *rule, const uint8_t bytes[LS_TOKEN_BYTES],
                        ls_token *token, ls_error *error)
{
    ls_status status;
    if (ls_token_peek(bytes, token))
        status = check_time(token, rule->unix_s, error);
    else
        status = ls_error_set(error, LS_ERROR_CORRUPT, "malformed connect token");
    if (status == LS_OK)
        status = open_sealed(rule, bytes, token, error);
    if (status != LS_OK)
        ls_token_reset(token);
    return status;
}

void ls_token_reset(ls_token *token)
{
    ls_wipe(token, sizeof *token);
}
