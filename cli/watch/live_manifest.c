#include "cli/watch/live_manifest.h"

#include "cli/common/number.h"
#include <lockstep/recording_format.h>

#include <stdio.h>
#include <string.h>

#define DIGITS      "0123456789"
#define LETTERS     "abcdefghijklmnopqrstuvwxyz"
#define NAME        LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "-_~"
#define SEGMENT_MAX 9999999

#define RECORDING ".lsr"

/* The bytes of the scheme; 0: another one, or a file. */
static size_t scheme_of(const char *text, bool *has_tls)
{
    static const char http[] = "http://", https[] = "https://";
    *has_tls = strncmp(text, https, strlen(https)) == 0;
    if (*has_tls)
        return strlen(https);
    return strncmp(text, http, strlen(http)) == 0 ? strlen(http) : 0;
}

bool ls_live_is_url(const char *text)
{
    bool has_tls;
    return scheme_of(text, &has_tls) > 0;
}

/* Splits HOST, HOST:PORT or [ADDRESS]:PORT. */
static bool read_host(const char *text, size_t length, ls_live_url *url)
{
    char whole[LS_LIVE_HOST_BYTES];
    uint64_t port = url->has_tls ? 443 : 80;
    if (length >= sizeof whole)
        return false;
    snprintf(whole, sizeof whole, "%.*s", (int)length, text);
    char *host = whole, *end = strchr(whole, ':');
    if (whole[0] == '[') {
        host++;
        end = strchr(whole, ']');
        if (!end)
            return false;
        *end++ = 0;
    }
    if (end && *end) {
        if (*end != ':' || !ls_parse_u64(end + 1, 1, UINT16_MAX, &port))
            return false;
        *end = 0;
    }
    snprintf(url->host, sizeof url->host, "%s", host);
    url->port = (uint16_t)port;
    return host[0] && host[strspn(host, NAME ".:")] == 0;
}

static bool read_path(const char *path, ls_live_url *url)
{
    size_t length = strlen(path), ending = strlen(RECORDING);
    url->is_file = length > ending && strcmp(path + length - ending, RECORDING) == 0;
    for (const char *at = path; *at; at++)
        if (*at <= ' ' || *at > '~' || strchr("?#\\", *at))
            return false;
    const char *slash = url->is_file || (length && path[length - 1] == '/') ? "" : "/";
    return length > 1 &&
           snprintf(url->path, sizeof url->path, "%s%s", path, slash) < LS_LIVE_PATH_BYTES;
}

ls_status ls_live_url_parse(const char *text, ls_live_url *url, ls_error *error)
{
    *url = (ls_live_url){0};
    const char *host = text + scheme_of(text, &url->has_tls);
    size_t length = strcspn(host, "/");
    if (read_host(host, length, url) && read_path(host + length, url))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%.256s: give the folder of the room, http://HOST:PORT/live/ROOM/, or a "
                        "recording, http://HOST:PORT/NAME.lsr",
                        text);
}

/* Takes " KEY=VALUE" with a value of these characters. */
static bool take(const char **at, const char *key, const char *characters, char *value,
                 size_t bytes)
{
    size_t length = strlen(key);
    if (strncmp(*at, key, length) != 0)
        return false;
    *at += length;
    length = strspn(*at, characters);
    if (!length || length >= bytes)
        return false;
    memcpy(value, *at, length);
    value[length] = 0;
    *at += length;
    return true;
}

static bool read_state(const char *text, ls_broadcast_state *state)
{
    for (*state = LS_BROADCAST_LIVE; *state <= LS_BROADCAST_BROKEN; (*state)++)
        if (strcmp(text, ls_broadcast_files_state(*state)) == 0)
            return true;
    return false;
}

ls_status ls_live_manifest_read(const char *text, size_t bytes, ls_live_manifest *manifest,
                                ls_error *error)
{
    char segments[24], count[24], state[8];
    const char *at = text;
    uint64_t number;
    char version[24] = "";
    *manifest = (ls_live_manifest){0};
    if (take(&at, "lockstep-live ", DIGITS, version, sizeof version) &&
        !(ls_parse_u64(version, 0, UINT64_MAX, &number) && number == LS_BROADCAST_VERSION))
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "the match is published by another version of Lockstep");
    if (!version[0] || !take(&at, "\nmatch=", NAME, manifest->match, sizeof manifest->match) ||
        !take(&at, " segments=", DIGITS, segments, sizeof segments) ||
        !take(&at, " bytes=", DIGITS, count, sizeof count) ||
        !take(&at, " state=", LETTERS, state, sizeof state) || strcmp(at, "\n") != 0 ||
        (size_t)(at + 1 - text) != bytes || !ls_parse_u64(segments, 1, SEGMENT_MAX, &number) ||
        !ls_parse_u64(count, 1, UINT64_MAX, &manifest->bytes) ||
        !read_state(state, &manifest->state))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "the server's answer does not describe a running match");
    manifest->segments = (uint32_t)number;
    if (manifest->bytes > LS_RECORDING_FILE_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "this match is longer than 1 GiB, the most that a recording has");
    return LS_OK;
}
