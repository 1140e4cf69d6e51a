#include "cli/serve/service_keys.h"

#include "cli/common/password_file.h"
#include "cli/common/token_key_file.h"
#include <lockstep/handshake.h>

#include <inttypes.h>

/* Refuses two keys with one id, because only the first would be tried. */
static ls_status check_token_key(const ls_service_options *options, const ls_token_key *keys,
                                 uint32_t index, ls_error *error)
{
    const char *const *paths = options->token_keys;
    uint32_t id = keys[index].id;
    for (uint32_t i = 0; i < index; i++)
        if (keys[i].id == id)
            return ls_error_set(
                error, LS_ERROR_USAGE,
                "--token-key %.300s and --token-key %.300s both have the id %" PRIu32
                ": give each file once, and each key an id of its own "
                "(`lockstep keygen --token-key --id N`)",
                paths[i], paths[index], id);
    return LS_OK;
}

ls_status ls_service_keys_load(const ls_service_options *options,
                               ls_token_key keys[LS_TOKEN_KEYS_MAX], ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < options->token_key_count; i++) {
        status = ls_token_key_file_read(options->token_keys[i], &keys[i], error);
        if (!status)
            status = check_token_key(options, keys, i, error);
    }
    if (!status && options->require_token && !options->token_key_count)
        status = ls_error_set(error, LS_ERROR_USAGE,
                              "--require-token needs the matchmaker's key: --token-key FILE "
                              "(`lockstep keygen --token-key` makes one)");
    return status;
}

ls_status ls_service_keys_password(const ls_service_options *options, const ls_public_key *identity,
                                   uint8_t psk[32], ls_error *error)
{
    char text[LS_PASSWORD_BYTES];
    if (!options->password)
        return LS_OK;
    ls_status status = ls_password_file_read(options->password, text, error);
    if (!status)
        status = ls_handshake_password(text, identity, psk);
    if (status == LS_ERROR_IO && text[0])
        ls_error_set(error, status, "no memory to derive a key from the password");
    ls_wipe(text, sizeof text);
    return status;
}

void ls_service_keys_reset(ls_token_key keys[LS_TOKEN_KEYS_MAX])
{
    for (uint32_t i = 0; i < LS_TOKEN_KEYS_MAX; i++)
        ls_token_key_reset(&keys[i]);
}
