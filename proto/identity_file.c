/* Identities as files. */
#include "proto/identity_internal.h"
#include "proto/private_file.h"

#include <sodium.h>
#include <string.h>

/* File: this line, then the seed in the text form of a key, then a newline. */
#define FILE_HEAD "lockstep identity 1\n"
enum { FILE_BYTES = sizeof FILE_HEAD - 1 + LS_PUBLIC_KEY_TEXT_BYTES };

/* Reads the identity from the content of its file; overwrites `text`. */
static bool parse_file(char *text, size_t bytes, ls_identity *identity)
{
    size_t head = sizeof FILE_HEAD - 1;
    if (bytes != FILE_BYTES || memcmp(text, FILE_HEAD, head) != 0 || text[bytes - 1] != '\n')
        return false;
    text[bytes - 1] = 0;
    uint8_t seed[LS_IDENTITY_SEED_BYTES];
    bool is_valid = ls_identity_parse_bytes(text + head, seed);
    if (is_valid)
        ls_identity_from_seed(identity, seed);
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
    uint8_t seed[LS_IDENTITY_SEED_BYTES];
    char text[FILE_BYTES + 1] = FILE_HEAD;
    LS_ASSERT(crypto_sign_ed25519_sk_to_seed(seed, identity->secret_key) == 0);
    ls_identity_format_bytes(seed, text + sizeof FILE_HEAD - 1);
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
