#include "cli/common/server_keys.h"

#include "cli/common/text_file.h"
#include <lockstep/known_servers.h>

#include <inttypes.h>
#include <string.h>

static void add(ls_server_keys *keys, const ls_public_key *key)
{
    keys->list = ls_realloc(keys->list, (keys->count + 1) * sizeof *keys->list);
    keys->list[keys->count++] = *key;
}

/* Parses the text after the last space or '#': "HOST:PORT KEY", "HOST:PORT#KEY", "identity KEY" and
 * "KEY" are all accepted. */
static bool parse_line(const char *line, ls_public_key *key)
{
    for (const char *mark; (mark = strpbrk(line, " #")) != NULL;)
        line = mark + 1;
    return ls_public_key_parse(line, key);
}

/* Reads a key from each line of `text`, which is overwritten. */
static ls_status read_lines(char *text, ls_server_keys *keys, ls_error *error)
{
    uint32_t number = 0;
    for (char *line = text, *next; line; line = next) {
        ls_public_key key;
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        number++;
        if (!line[0] || line[0] == '#')
            continue;
        if (!parse_line(line, &key))
            return ls_error_set(error, LS_ERROR_USAGE,
                                "--key: %s line %" PRIu32 " does not end with a server's public "
                                "key, which has 43 characters",
                                keys->text, number);
        add(keys, &key);
    }
    return keys->count ? LS_OK
                       : ls_error_set(error, LS_ERROR_USAGE, "--key: %s holds no key", keys->text);
}

/* Reads the public key of an identity file. Its secret seed looks like a public key, so the file
 * must never be read as lines of keys. */
static ls_status read_identity(const char *path, ls_server_keys *keys, ls_error *error)
{
    ls_identity identity;
    ls_status status = ls_identity_load(path, &identity, error);
    if (!status)
        add(keys, &identity.public_key);
    ls_identity_reset(&identity);
    return status;
}

static ls_status read_file(const char *path, ls_server_keys *keys, ls_error *error)
{
    static const char identity[] = "lockstep identity ";
    char *text;
    ls_status status = ls_text_file_read(path, LS_KNOWN_SERVERS_BYTES_MAX, &text, error);
    if (status == LS_ERROR_NOT_FOUND)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--key %s is neither a public key nor a file: give the 43 characters "
                            "that follow '#' where `serve` prints \"listening\", the server's "
                            "identity file, or a file of known servers",
                            path);
    if (status)
        return status;
    bool is_identity = strncmp(text, identity, sizeof identity - 1) == 0;
    status = is_identity ? read_identity(path, keys, error) : read_lines(text, keys, error);
    ls_wipe(text, strlen(text));
    ls_free(text);
    return status;
}

ls_status ls_server_keys_read(const char *text, ls_server_keys *keys, ls_error *error)
{
    ls_public_key key;
    ls_server_address address;
    *keys = (ls_server_keys){.text = text};
    if (ls_public_key_parse(text, &key)) {
        add(keys, &key);
        return LS_OK;
    }
    if (ls_server_address_parse(text, &address, NULL) == LS_OK && address.has_key) {
        add(keys, &address.key);
        return LS_OK;
    }
    ls_status status = read_file(text, keys, error);
    if (status)
        ls_server_keys_reset(keys);
    return status && status != LS_ERROR_IO ? LS_ERROR_USAGE : status;
}

void ls_server_keys_reset(ls_server_keys *keys)
{
    ls_free(keys->list);
    *keys = (ls_server_keys){0};
}

bool ls_server_keys_has(const ls_server_keys *keys, const ls_public_key *key)
{
    for (uint32_t i = 0; i < keys->count; i++)
        if (ls_public_key_equal(&keys->list[i], key))
            return true;
    return false;
}
