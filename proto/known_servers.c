#include <lockstep/known_servers.h>

#include "proto/private_file.h"

#include <stdio.h>
#include <string.h>

/* The longest line: an address without its key, a space, a key. */
enum { LINE_BYTES = LS_SERVER_ADDRESS_TEXT_BYTES + 1 };

static void format_host_port(const ls_server_address *address,
                             char text[LS_SERVER_ADDRESS_TEXT_BYTES])
{
    ls_server_address bare = *address;
    bare.has_key = false;
    ls_server_address_format(&bare, text);
}

/* Splits a line of the file; false when ls_known_servers_add() would not write such a line. */
static bool parse_line(const char *line, size_t bytes, ls_server_address *address,
                       ls_public_key *key)
{
    char text[LINE_BYTES];
    if (bytes >= sizeof text || memchr(line, 0, bytes))
        return false;
    memcpy(text, line, bytes);
    text[bytes] = 0;
    char *space = strchr(text, ' ');
    if (!space)
        return false;
    *space = 0;
    return ls_server_address_parse(text, address, NULL) == LS_OK && !address->has_key &&
           ls_public_key_parse(space + 1, key);
}

/* The arguments of a look-up in the file. */
struct query {
    const char *path;
    const ls_server_address *address;
    const ls_public_key *shown;
};

static ls_status refuse(const struct query *query, uint32_t line, const ls_public_key *known,
                        ls_error *error)
{
    char known_text[LS_PUBLIC_KEY_TEXT_BYTES], shown_text[LS_PUBLIC_KEY_TEXT_BYTES];
    char host_port[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_public_key_format(known, known_text);
    ls_public_key_format(query->shown, shown_text);
    format_host_port(query->address, host_port);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "the key of %s has changed: %s line %u has %s, the server now shows %s; "
                        "someone may be between you and it. If its operator confirms the new key, "
                        "remove line %u of %s",
                        host_port, query->path, line, known_text, shown_text, line, query->path);
}

/* Looks the address up in the file's text. */
static ls_status look_up(const struct query *query, const char *text, size_t bytes, ls_error *error)
{
    uint32_t number = 0;
    for (const char *line = text, *end = text + bytes; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t count = newline ? (size_t)(newline - line) : (size_t)(end - line);
        ls_server_address known;
        ls_public_key key;
        number++;
        if (count > 0 && line[0] != '#') {
            if (!parse_line(line, count, &known, &key))
                return ls_error_set(error, LS_ERROR_CORRUPT,
                                    "%s line %u is not HOST:PORT KEY; correct or remove it",
                                    query->path, number);
            if (known.port == query->address->port && strcmp(known.host, query->address->host) == 0)
                return ls_public_key_equal(&key, query->shown) ? LS_OK
                                                               : refuse(query, number, &key, error);
        }
        line += count + 1;
    }
    return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s does not know this server", query->path);
}

ls_status ls_known_servers_check(const char *path, const ls_server_address *address,
                                 const ls_public_key *shown, ls_error *error)
{
    ls_private_file file = {.path = path, .bytes_max = LS_KNOWN_SERVERS_BYTES_MAX};
    char *text;
    size_t bytes;
    ls_status status = ls_private_file_read(&file, &text, &bytes, error);
    if (status != LS_OK)
        return status;
    struct query query = {path, address, shown};
    status = look_up(&query, text, bytes, error);
    ls_free(text);
    return status;
}

/* Writes the file again with one more line. */
static ls_status append(const char *path, const ls_private_file_content *old, const char *line,
                        ls_error *error)
{
    size_t line_bytes = strlen(line);
    const char *old_text = old->bytes;
    bool needs_newline = old->count > 0 && old_text[old->count - 1] != '\n';
    size_t bytes = old->count + needs_newline + line_bytes;
    if (bytes > LS_KNOWN_SERVERS_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "%s is full (%u bytes); remove old lines", path,
                            LS_KNOWN_SERVERS_BYTES_MAX);
    char *text = ls_alloc(bytes);
    if (old->count)
        memcpy(text, old_text, old->count);
    if (needs_newline)
        text[old->count] = '\n';
    memcpy(text + bytes - line_bytes, line, line_bytes);
    ls_private_file_content content = {.bytes = text, .count = bytes, .replace = true};
    ls_status status = ls_private_file_write(path, &content, error);
    ls_free(text);
    return status;
}

ls_status ls_known_servers_add(const char *path, const ls_server_address *address,
                               const ls_public_key *key, ls_error *error)
{
    ls_private_file file = {.path = path, .bytes_max = LS_KNOWN_SERVERS_BYTES_MAX};
    char *text = NULL;
    size_t bytes = 0;
    ls_status status = ls_private_file_read(&file, &text, &bytes, error);
    if (status == LS_OK)
        status = look_up(&(struct query){path, address, key}, text, bytes, error);
    if (status == LS_ERROR_NOT_FOUND) {
        char host_port[LS_SERVER_ADDRESS_TEXT_BYTES], key_text[LS_PUBLIC_KEY_TEXT_BYTES];
        char line[LS_SERVER_ADDRESS_TEXT_BYTES + LS_PUBLIC_KEY_TEXT_BYTES + 2];
        format_host_port(address, host_port);
        ls_public_key_format(key, key_text);
        snprintf(line, sizeof line, "%s %s\n", host_port, key_text);
        status =
            append(path, &(ls_private_file_content){.bytes = text, .count = bytes}, line, error);
    }
    ls_free(text);
    return status;
}
