#include "cli/serve/bans.h"

#include "cli/common/text_file.h"
#include "core/base/builder.h"
#include "core/base/grow.h"
#include "core/base/platform_file.h"
#include "proto/host_name.h"
#include "proto/private_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENT         "client:"
#define HOST_BITS      (8 * LS_ADDRESS_HOST_BYTES)
#define HOME_BITS      64 /* of an IPv6 address; one host has all addresses that begin with them */
#define MAPPED_BITS    96 /* before the IPv4 address in an address of IPv6 form */
#define FILE_BYTES_MAX ((size_t)LS_BANS_MAX * LS_BAN_TEXT_BYTES * 2)

static ls_status parse_client(const char *client, ls_ban *ban, ls_error *error)
{
    size_t bytes = strlen(client);
    if (!bytes || bytes >= sizeof ban->client || client[0] == ' ' || client[bytes - 1] == ' ')
        return ls_error_set(error, LS_ERROR_USAGE,
                            "'client:%.40s': give 1 to %zu bytes, the name in the connect token, "
                            "without a blank at either end",
                            client, sizeof ban->client - 1);
    strcpy(ban->client, client);
    return LS_OK;
}

static void clear_rest(ls_ban *ban)
{
    for (uint32_t bit = ban->bits; bit < HOST_BITS; bit++)
        ban->prefix.host[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
}

/* Reads the digits after the slash. */
static bool parse_bits(const char *text, uint32_t max, uint32_t *bits)
{
    size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 3 || text[digits])
        return false;
    *bits = (uint32_t)strtoul(text, NULL, 10);
    return *bits >= 1 && *bits <= max;
}

/* Reads an address; one of IPv4 must be written as it is printed. The resolver also takes 192.0.2
 * and 010.0.0.1, which mean something else than one expects. */
static bool parse_host(const char *host, ls_address *address)
{
    char again[LS_ADDRESS_TEXT_BYTES];
    if (strchr(host, '%') || !ls_resolve_numeric(host, 0, address))
        return false;
    ls_address_format_host(address, again);
    return strchr(host, ':') || strcmp(host, again) == 0;
}

ls_status ls_ban_parse(const char *text, ls_ban *ban, ls_error *error)
{
    char host[LS_ADDRESS_TEXT_BYTES];
    size_t bytes = strcspn(text, "/");
    *ban = (ls_ban){0};
    if (strncmp(text, CLIENT, strlen(CLIENT)) == 0)
        return parse_client(text + strlen(CLIENT), ban, error);
    snprintf(host, sizeof host, "%.*s", (int)bytes, text);
    if (bytes == 0 || bytes >= sizeof host || !parse_host(host, &ban->prefix))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "'%.80s' is no address: give 192.0.2.7, 192.0.2.0/24, 2001:db8::/32, "
                            "or client:ID for a player of connect tokens",
                            text);
    bool is_ipv4 = ls_address_is_ipv4(&ban->prefix);
    uint32_t max = is_ipv4 ? HOST_BITS - MAPPED_BITS : HOST_BITS, bits = is_ipv4 ? max : HOME_BITS;
    if (text[bytes] && !parse_bits(text + bytes + 1, max, &bits))
        return ls_error_set(error, LS_ERROR_USAGE, "'%.80s': after the slash give 1 to %" PRIu32,
                            text, max);
    ban->bits = (uint8_t)(bits + (is_ipv4 ? MAPPED_BITS : 0));
    clear_rest(ban);
    return LS_OK;
}

static bool is_of_ipv4(const ls_ban *ban)
{
    return ban->bits > MAPPED_BITS && ls_address_is_ipv4(&ban->prefix);
}

void ls_ban_format(const ls_ban *ban, char text[LS_BAN_TEXT_BYTES])
{
    char host[LS_ADDRESS_TEXT_BYTES];
    if (!ban->bits) {
        snprintf(text, LS_BAN_TEXT_BYTES, CLIENT "%s", ban->client);
        return;
    }
    bool is_ipv4 = is_of_ipv4(ban);
    uint32_t bits = ban->bits - (is_ipv4 ? MAPPED_BITS : 0u);
    ls_address_format_host(&ban->prefix, host);
    if (bits == (is_ipv4 ? HOST_BITS - MAPPED_BITS : HOME_BITS))
        snprintf(text, LS_BAN_TEXT_BYTES, "%s", host);
    else
        snprintf(text, LS_BAN_TEXT_BYTES, "%s/%" PRIu32, host, bits);
}

/* A short prefix of IPv6 does not cover IPv4, although addresses have the same form here. */
static bool covers(const ls_ban *ban, const ls_address *address, const char *client)
{
    uint32_t whole = ban->bits / 8u, rest = ban->bits % 8u;
    if (!ban->bits)
        return strcmp(ban->client, client) == 0;
    return is_of_ipv4(ban) == ls_address_is_ipv4(address) &&
           memcmp(ban->prefix.host, address->host, whole) == 0 &&
           (!rest || (ban->prefix.host[whole] ^ address->host[whole]) >> (8 - rest) == 0);
}

bool ls_bans_cover(const ls_bans *bans, const ls_address *address, const char *client)
{
    for (uint32_t i = 0; i < bans->count; i++)
        if (covers(&bans->list[i], address, client))
            return true;
    return false;
}

static void append(ls_bans *bans, const ls_ban *ban)
{
    bans->list = ls_grow(bans->list, bans->count, &bans->capacity, sizeof *bans->list);
    bans->list[bans->count++] = *ban;
}

void ls_bans_copy(const ls_bans *bans, ls_bans *result)
{
    *result = (ls_bans){.is_unsaved = bans->is_unsaved};
    for (uint32_t i = 0; i < bans->count; i++)
        append(result, &bans->list[i]);
}

static bool is_equal(const ls_ban *a, const ls_ban *b)
{
    return memcmp(a, b, offsetof(ls_ban, is_unsaved)) == 0;
}

bool ls_bans_are_equal(const ls_bans *a, const ls_bans *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (!is_equal(&a->list[i], &b->list[i]))
            return false;
    return a->count == b->count;
}

static bool find(const ls_bans *bans, const ls_ban *ban, uint32_t *index)
{
    for (*index = 0; *index < bans->count; ++*index)
        if (is_equal(&bans->list[*index], ban))
            return true;
    return false;
}

bool ls_bans_have(const ls_bans *bans, const ls_ban *ban)
{
    uint32_t index;
    return find(bans, ban, &index);
}

bool ls_bans_have_unsaved(const ls_bans *bans, const ls_ban *ban)
{
    uint32_t index;
    return find(bans, ban, &index) && bans->list[index].is_unsaved;
}

uint32_t ls_bans_add_unsaved(ls_bans *bans, const ls_bans *more)
{
    uint32_t before = bans->count;
    for (uint32_t i = 0; i < more->count && bans->count < LS_BANS_MAX; i++)
        if (more->list[i].is_unsaved && !ls_bans_have(bans, &more->list[i]))
            append(bans, &more->list[i]);
    return bans->count - before;
}

void ls_bans_mark_unsaved(ls_bans *bans, const ls_ban *ban)
{
    uint32_t index;
    if (find(bans, ban, &index))
        bans->list[index].is_unsaved = true;
}

void ls_bans_mark_saved(ls_bans *bans)
{
    bans->is_unsaved = false;
    for (uint32_t i = 0; i < bans->count; i++)
        bans->list[i].is_unsaved = false;
}

/* Adds a ban in place. */
static ls_status insert(ls_bans *bans, const ls_ban *ban, ls_error *error)
{
    char text[LS_BAN_TEXT_BYTES];
    uint32_t index;
    ls_ban_format(ban, text);
    if (find(bans, ban, &index))
        return ls_error_set(error, LS_ERROR_REFUSED, "%s is banned already", text);
    if (bans->count == LS_BANS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "there are %d bans, the most: ban a larger prefix, or unban some",
                            LS_BANS_MAX);
    append(bans, ban);
    return LS_OK;
}

ls_status ls_bans_add(const ls_bans *bans, const ls_ban *ban, ls_bans *result, ls_error *error)
{
    ls_bans_copy(bans, result);
    return insert(result, ban, error);
}

ls_status ls_bans_remove(const ls_bans *bans, const ls_ban *ban, ls_bans *result, ls_error *error)
{
    char text[LS_BAN_TEXT_BYTES];
    uint32_t index;
    ls_ban_format(ban, text);
    ls_bans_copy(bans, result);
    if (!find(result, ban, &index))
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "%s is not banned; `lockstep admin bans` lists the bans", text);
    result->list[index] = result->list[--result->count];
    return LS_OK;
}

void ls_bans_reset(ls_bans *bans)
{
    ls_free(bans->list);
    *bans = (ls_bans){0};
}

static ls_status read_line(const char *path, uint32_t number, char *line, ls_bans *bans,
                           ls_error *error)
{
    ls_ban ban;
    line += strspn(line, " \t");
    size_t bytes = strlen(line);
    while (bytes && strchr(" \t\r", line[bytes - 1]))
        line[--bytes] = 0;
    if (!line[0] || line[0] == '#')
        return LS_OK;
    ls_status status = ls_ban_parse(line, &ban, error);
    if (!status)
        status = insert(bans, &ban, error);
    if (status)
        return ls_error_set(error, LS_ERROR_USAGE, "%.300s:%" PRIu32 ": %.500s", path, number,
                            error->text);
    return LS_OK;
}

ls_status ls_bans_read(const char *path, ls_bans *bans, ls_error *error)
{
    char *text, *next;
    uint32_t number = 0;
    *bans = (ls_bans){0};
    ls_status status = ls_text_file_read(path, FILE_BYTES_MAX, &text, error);
    if (status == LS_ERROR_NOT_FOUND)
        return ls_bans_check(path, error);
    for (char *line = text; !status && line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        status = read_line(path, ++number, line, bans, error);
    }
    ls_free(text);
    if (status)
        ls_bans_reset(bans);
    return status;
}

ls_status ls_bans_write(const char *path, const ls_bans *bans, ls_error *error)
{
    ls_builder text = {0};
    ls_builder_add(&text, "# bans of lockstep serve: one ADDRESS[/BITS] or client:ID a line\n");
    for (uint32_t i = 0; i < bans->count; i++) {
        char ban[LS_BAN_TEXT_BYTES];
        ls_ban_format(&bans->list[i], ban);
        ls_builder_add(&text, "%s\n", ban);
    }
    const ls_private_file_content content = {
        .bytes = text.data, .count = text.count, .replace = true};
    ls_status status = ls_private_file_write(path, &content, error);
    ls_free(text.data);
    return status;
}

ls_status ls_bans_check(const char *path, ls_error *error)
{
    int file = ls_descriptor_open(path, false);
    if (file >= 0)
        (void)ls_descriptor_close(file);
    return file == -ENOENT ? ls_private_file_check(path, error) : LS_OK;
}
