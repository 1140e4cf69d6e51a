#include <lockstep/pass.h>

#include "proto/armor.h"
#include <lockstep/bytes.h>

#include <sodium.h>
#include <string.h>

#define HEAD "lockstep pass 1\n"
enum {
    ADDRESSES_BYTES = LS_TOKEN_ADDRESSES_MAX * sizeof(ls_address),
    CONTENT_BYTES = LS_TOKEN_BYTES + 32 + LS_PUBLIC_KEY_BYTES + 1 + ADDRESSES_BYTES,
};
_Static_assert(CONTENT_BYTES <= LS_ARMOR_BYTES_MAX && CONTENT_BYTES % 3 == 0, "content size");
_Static_assert(LS_ARMOR_TEXT_BYTES(sizeof HEAD - 1, CONTENT_BYTES) == LS_PASS_TEXT_BYTES,
               "text size");

static const ls_armor armor = {.what = "a connect token", .head = HEAD, .bytes = CONTENT_BYTES};

void ls_pass_init(ls_pass *pass, const ls_token *token, const uint8_t bytes[LS_TOKEN_BYTES])
{
    *pass = (ls_pass){.server_key = token->server, .address_count = token->address_count};
    pass->has_server_key = !sodium_is_zero(token->server.bytes, sizeof token->server.bytes);
    memcpy(pass->token, bytes, sizeof pass->token);
    memcpy(pass->psk, token->psk, sizeof pass->psk);
    memcpy(pass->addresses, token->addresses, token->address_count * sizeof(ls_address));
}

void ls_pass_reset(ls_pass *pass)
{
    ls_wipe(pass, sizeof *pass);
}

static void encode(const ls_pass *pass, uint8_t bytes[CONTENT_BYTES])
{
    LS_ASSERT(pass->address_count <= LS_TOKEN_ADDRESSES_MAX);
    memset(bytes, 0, CONTENT_BYTES);
    ls_writer writer;
    ls_writer_init(&writer, bytes, CONTENT_BYTES);
    ls_write_bytes(&writer, pass->token, sizeof pass->token);
    ls_write_bytes(&writer, pass->psk, sizeof pass->psk);
    ls_write_bytes(&writer, pass->server_key.bytes, sizeof pass->server_key.bytes);
    ls_write_u8(&writer, (uint8_t)pass->address_count);
    ls_write_bytes(&writer, pass->addresses, pass->address_count * sizeof(ls_address));
    LS_ASSERT(!writer.failed);
}

static bool decode(const uint8_t bytes[CONTENT_BYTES], ls_pass *pass)
{
    ls_reader reader;
    ls_reader_init(&reader, bytes, CONTENT_BYTES);
    *pass = (ls_pass){0};
    ls_read_bytes(&reader, pass->token, sizeof pass->token);
    ls_read_bytes(&reader, pass->psk, sizeof pass->psk);
    ls_read_bytes(&reader, pass->server_key.bytes, sizeof pass->server_key.bytes);
    pass->has_server_key = !sodium_is_zero(pass->server_key.bytes, sizeof pass->server_key.bytes);
    pass->address_count = ls_read_u8(&reader);
    if (pass->address_count > LS_TOKEN_ADDRESSES_MAX)
        return false;
    ls_read_bytes(&reader, pass->addresses, pass->address_count * sizeof(ls_address));
    size_t left = ls_reader_left(&reader);
    const uint8_t *unused = ls_read_view(&reader, left);
    ls_token token;
    return sodium_is_zero(unused, left) && ls_token_peek(pass->token, &token);
}

/* Decodes and wipes the bytes; wipes the pass too when they are invalid. */
static bool take(uint8_t bytes[CONTENT_BYTES], ls_pass *pass)
{
    bool is_valid = decode(bytes, pass);
    if (!is_valid)
        ls_pass_reset(pass);
    ls_wipe(bytes, CONTENT_BYTES);
    return is_valid;
}

void ls_pass_format(const ls_pass *pass, char text[LS_PASS_TEXT_BYTES])
{
    uint8_t bytes[CONTENT_BYTES];
    encode(pass, bytes);
    ls_armor_format(&armor, bytes, text);
    ls_wipe(bytes, sizeof bytes);
}

bool ls_pass_parse(const char *text, ls_pass *pass)
{
    uint8_t bytes[CONTENT_BYTES];
    ls_pass_reset(pass);
    return ls_armor_parse(&armor, text, bytes) && take(bytes, pass);
}

ls_status ls_pass_load(const char *path, ls_pass *pass, ls_error *error)
{
    uint8_t bytes[CONTENT_BYTES];
    ls_pass_reset(pass);
    ls_status status = ls_armor_load(&armor, path, bytes, error);
    if (status == LS_OK && !take(bytes, pass))
        status = ls_error_set(error, LS_ERROR_CORRUPT, "%s holds no connect token", path);
    return status;
}

ls_status ls_pass_save(const char *path, const ls_pass *pass, ls_error *error)
{
    uint8_t bytes[CONTENT_BYTES];
    encode(pass, bytes);
    ls_status status = ls_armor_save(&armor, path, bytes, error);
    ls_wipe(bytes, sizeof bytes);
    return status;
}
