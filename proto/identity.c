#include <lockstep/identity.h>

#include "proto/private_file.h"
#include <lockstep/limits.h>

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(((ls_identity *)0)->secret_key) == crypto_sign_SECRETKEYBYTES, "key size");
_Static_assert(LS_PUBLIC_KEY_BYTES == crypto_sign_SEEDBYTES, "one text form for seed and key");

/* File: this line, then the seed in the text form of a key, then a newline. */
#define FILE_HEAD "lockstep identity 1\n"
enum { FILE_BYTES = sizeof FILE_HEAD - 1 + LS_PUBLIC_KEY_TEXT_BYTES };

static void from_seed(ls_identity *identity, const uint8_t seed[crypto_sign_SEEDBYTES])
{
    LS_ASSERT(sodium_init() >= 0);
    LS_ASSERT(crypto_sign_seed_keypair(identity->public_key.bytes, identity->secret_key, seed) ==
              0);
}

void ls_identity_init(ls_identity *identity, const ls_entropy *entropy)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    ls_entropy_fill(entropy, seed, sizeof seed);
    from_seed(identity, seed);
    ls_wipe(seed, sizeof seed);
}

void ls_identity_reset(ls_identity *identity)
{
    ls_wipe(identity, sizeof *identity);
}

static void format_bytes(const uint8_t bytes[LS_PUBLIC_KEY_BYTES],
                         char text[LS_PUBLIC_KEY_TEXT_BYTES])
{
    sodium_bin2base64(text, LS_PUBLIC_KEY_TEXT_BYTES, bytes, LS_PUBLIC_KEY_BYTES,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* Reads the text form that keys and seeds share; on false, `bytes` is zeroed. libsodium reads some
 * bytes above 127 as letters, so the result is formatted again and compared. */
static bool parse_bytes(const char *text, uint8_t bytes[LS_PUBLIC_KEY_BYTES])
{
    size_t count = 0;
    char again[LS_PUBLIC_KEY_TEXT_BYTES] = "";
    bool is_valid =
        strlen(text) == LS_PUBLIC_KEY_TEXT_BYTES - 1 &&
        sodium_base642bin(bytes, LS_PUBLIC_KEY_BYTES, text, LS_PUBLIC_KEY_TEXT_BYTES - 1, NULL,
                          &count, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
        count == LS_PUBLIC_KEY_BYTES;
    if (is_valid) {
        format_bytes(bytes, again);
        is_valid = strcmp(again, text) == 0;
    }
    ls_wipe(again, sizeof again);
    if (!is_valid)
        ls_wipe(bytes, LS_PUBLIC_KEY_BYTES);
    return is_valid;
}

/* Reads the identity from the content of its file; overwrites `text`. */
static bool parse_file(char *text, size_t bytes, ls_identity *identity)
{
    size_t head = sizeof FILE_HEAD - 1;
    if (bytes != FILE_BYTES || memcmp(text, FILE_HEAD, head) != 0 || text[bytes - 1] != '\n')
        return false;
    text[bytes - 1] = 0;
    uint8_t seed[crypto_sign_SEEDBYTES];
    bool is_valid = parse_bytes(text + head, seed);
    if (is_valid)
        from_seed(identity, seed);
    ls_wipe(seed, sizeof seed);
    return is_valid;
}

ls_status ls_identity_load(const char *path, ls_identity *identity, ls_error *error)
{
    ls_identity_reset(identity);
    ls_private_file file = {.path = path, .bytes_max = 4096, .must_be_secret = true};
    char *text;
    size_t bytes;
    ls_status status = ls_private_file_read(&file, &text, &bytes, error);
    if (status != LS_OK)
        return status;
    bool is_valid = parse_file(text, bytes, identity);
    ls_wipe(text, bytes);
    ls_free(text);
    if (is_valid)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_CORRUPT,
                        "%s is not an identity file; move it away to have a new one made", path);
}

ls_status ls_identity_save(const char *path, const ls_identity *identity, ls_error *error)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    char text[FILE_BYTES + 1] = FILE_HEAD;
    LS_ASSERT(crypto_sign_ed25519_sk_to_seed(seed, identity->secret_key) == 0);
    format_bytes(seed, text + sizeof FILE_HEAD - 1);
    text[FILE_BYTES - 1] = '\n';
    ls_private_file_content content = {.bytes = text, .count = FILE_BYTES};
    ls_status status = ls_private_file_write(path, &content, error);
    ls_wipe(seed, sizeof seed);
    ls_wipe(text, sizeof text);
    return status;
}

ls_status ls_identity_load_or_create(const char *path, ls_identity *identity, bool *created,
                                     ls_error *error)
{
    if (created)
        *created = false;
    ls_status status = ls_identity_load(path, identity, error);
    if (status != LS_ERROR_NOT_FOUND)
        return status;
    ls_identity_init(identity, NULL);
    status = ls_identity_save(path, identity, error);
    if (status == LS_ERROR_REFUSED) /* another process created the file first: use its identity */
        return ls_identity_load(path, identity, error);
    if (status != LS_OK)
        ls_identity_reset(identity);
    else if (created)
        *created = true;
    return status;
}

void ls_public_key_format(const ls_public_key *key, char text[LS_PUBLIC_KEY_TEXT_BYTES])
{
    format_bytes(key->bytes, text);
}

bool ls_public_key_parse(const char *text, ls_public_key *key)
{
    return parse_bytes(text, key->bytes);
}

bool ls_public_key_equal(const ls_public_key *a, const ls_public_key *b)
{
    return sodium_memcmp(a->bytes, b->bytes, LS_PUBLIC_KEY_BYTES) == 0;
}
