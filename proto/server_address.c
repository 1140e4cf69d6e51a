/* Parses and writes HOST:PORT#KEY. It has its own character classes, because those of the C library
 * depend on the locale. */
#include <lockstep/limits.h>
#include <lockstep/server_address.h>

#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_character(char c)
{
    return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_';
}

/* True for a character of an IPv6 address or of its zone, as in fe80::1%eth0. */
static bool is_ipv6_character(char c)
{
    return is_name_character(c) || c == ':' || c == '%';
}

/* Copies `count` characters of the host in lower case. A zone, the name of an interface, keeps its
 * case. */
static ls_status take_host(const char *host, size_t count, ls_server_address *address,
                           ls_error *error)
{
    bool is_ipv6 = memchr(host, ':', count) != NULL, is_zone = false;
    if (count == 0)
        return ls_error_set(error, LS_ERROR_USAGE, "the address has no host; write HOST:PORT#KEY");
    if (count >= LS_HOST_BYTES)
        return ls_error_set(error, LS_ERROR_USAGE, "the host name is longer than %d characters",
                            LS_HOST_BYTES - 1);
    for (size_t i = 0; i < count; i++) {
        char c = host[i];
        if (!(is_ipv6 ? is_ipv6_character(c) : is_name_character(c)))
            return ls_error_set(error, LS_ERROR_USAGE,
                                "the host name has a character that no host name has, at %zu",
                                i + 1);
        is_zone |= c == '%';
        address->host[i] = c >= 'A' && c <= 'Z' && !is_zone ? (char)(c - 'A' + 'a') : c;
    }
    address->host[count] = 0;
    return LS_OK;
}

static ls_status take_port(const char *text, size_t count, ls_server_address *address,
                           ls_error *error)
{
    uint32_t port = 0;
    for (size_t i = 0; i < count && i < 6; i++)
        port = is_digit(text[i]) ? port * 10 + (uint32_t)(text[i] - '0') : UINT32_MAX / 16;
    if (count < 1 || count > 5 || port < 1 || port > UINT16_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "the port '%.*s' is not a number from 1 to 65535",
                            (int)(count > 16 ? 16 : count), text);
    address->port = (uint16_t)port;
    return LS_OK;
}

/* The parts of the text: begin and end of the host, and the port, NULL when there is none. */
struct split {
    const char *host, *host_end, *port;
};

static ls_status split_brackets(const char *text, const char *end, struct split *split,
                                ls_error *error)
{
    const char *close = memchr(text, ']', (size_t)(end - text));
    if (!close || (close + 1 != end && close[1] != ':'))
        return ls_error_set(error, LS_ERROR_USAGE, "an IPv6 address is written [ADDRESS]:PORT");
    *split = (struct split){text + 1, close, close + 1 == end ? NULL : close + 2};
    if (!memchr(split->host, ':', (size_t)(close - split->host)))
        return ls_error_set(error, LS_ERROR_USAGE, "the text between brackets is no IPv6 address");
    return LS_OK;
}

static ls_status split_address(const char *text, const char *end, struct split *split,
                               ls_error *error)
{
    if (text < end && *text == '[')
        return split_brackets(text, end, split, error);
    const char *colon = memchr(text, ':', (size_t)(end - text));
    if (colon && memchr(colon + 1, ':', (size_t)(end - colon - 1)))
        return ls_error_set(error, LS_ERROR_USAGE, "an IPv6 address is written [ADDRESS]:PORT");
    *split = (struct split){text, colon ? colon : end, colon ? colon + 1 : NULL};
    return LS_OK;
}

ls_status ls_server_address_parse(const char *text, ls_server_address *address, ls_error *error)
{
    ls_server_address result = {.port = LS_PORT_DEFAULT};
    const char *hash = strchr(text, '#');
    const char *end = hash ? hash : text + strlen(text);
    struct split split = {0};
    ls_status status = split_address(text, end, &split, error);
    if (status == LS_OK)
        status = take_host(split.host, (size_t)(split.host_end - split.host), &result, error);
    if (status == LS_OK && split.port)
        status = take_port(split.port, (size_t)(end - split.port), &result, error);
    if (status != LS_OK)
        return status;
    if (hash && !ls_public_key_parse(hash + 1, &result.key))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "the key after '#' is not the 43 characters that the server printed");
    result.has_key = hash != NULL;
    *address = result;
    return LS_OK;
}

void ls_server_address_format(const ls_server_address *address,
                              char text[LS_SERVER_ADDRESS_TEXT_BYTES])
{
    char key[LS_PUBLIC_KEY_TEXT_BYTES] = "";
    if (address->has_key)
        ls_public_key_format(&address->key, key);
    bool is_ipv6 = strchr(address->host, ':') != NULL;
    int count = snprintf(text, LS_SERVER_ADDRESS_TEXT_BYTES, "%s%s%s:%u%s%s", is_ipv6 ? "[" : "",
                         address->host, is_ipv6 ? "]" : "", address->port,
                         address->has_key ? "#" : "", key);
    LS_ASSERT(count > 0 && count < LS_SERVER_ADDRESS_TEXT_BYTES);
}
