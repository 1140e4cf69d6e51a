/* A matchmaker's key as text: include/lockstep/token.h. */
#include "proto/armor.h"
#include <lockstep/token.h>

#include <lockstep/bytes.h>

enum { CONTENT_BYTES = 4 + 32 };

static const ls_armor armor = {
    .what = "a matchmaker's key", .head = "lockstep token key 1\n", .bytes = CONTENT_BYTES};

void ls_token_key_init(ls_token_key *key, uint32_t id, const ls_entropy *entropy)
{
    LS_ASSERT(id != 0);
    key->id = id;
    ls_entropy_fill(entropy, key->secret, sizeof key->secret);
}

void ls_token_key_reset(ls_token_key *key)
{
    ls_wipe(key, sizeof *key);
}

ls_status ls_token_key_load(const char *path, ls_token_key *key, ls_error *error)
{
    uint8_t bytes[CONTENT_BYTES];
    ls_status status = ls_armor_load(&armor, path, bytes, error);
    ls_reader reader;
    ls_reader_init(&reader, bytes, sizeof bytes);
    key->id = ls_read_u32(&reader);
    ls_read_bytes(&reader, key->secret, sizeof key->secret);
    ls_wipe(bytes, sizeof bytes);
    if (status == LS_OK && key->id == 0) {
        ls_token_key_reset(key);
        status = ls_error_set(error, LS_ERROR_CORRUPT, "%s: 0 is no key id", path);
    }
    return status;
}

ls_status ls_token_key_save(const char *path, const ls_token_key *key, ls_error *error)
{
    uint8_t bytes[CONTENT_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_write_u32(&writer, key->id);
    ls_write_bytes(&writer, key->secret, sizeof key->secret);
    ls_status status = ls_armor_save(&armor, path, bytes, error);
    ls_wipe(bytes, sizeof bytes);
    return status;
}
