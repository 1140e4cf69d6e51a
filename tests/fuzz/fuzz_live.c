/* Arbitrary bytes as the manifest of a running match, and as a URL: what is read is within its
 * bounds and names only files of its folder, and a refusal has a sentence. */
#include "cli/watch/live_manifest.h"
#include <lockstep/recording_format.h>

#include <ctype.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_manifest(const char *text, size_t bytes)
{
    ls_live_manifest manifest;
    ls_error error = {""};
    if (ls_live_manifest_read(text, bytes, &manifest, &error) != LS_OK) {
        LS_ASSERT(error.text[0]);
        return;
    }
    LS_ASSERT(bytes <= LS_LIVE_MANIFEST_BYTES_MAX);
    LS_ASSERT(manifest.segments && manifest.segments <= 9999999);
    LS_ASSERT(manifest.bytes && manifest.bytes <= LS_RECORDING_FILE_BYTES_MAX);
    LS_ASSERT(manifest.state <= LS_BROADCAST_BROKEN);
    LS_ASSERT(manifest.match[0]);
    for (const char *at = manifest.match; *at; at++)
        LS_ASSERT(isalnum((unsigned char)*at) || strchr("-_~", *at));
}

static void check_url(const char *text)
{
    ls_live_url url;
    ls_error error = {""};
    if (ls_live_url_parse(text, &url, &error) != LS_OK) {
        LS_ASSERT(error.text[0]);
        return;
    }
    LS_ASSERT(url.host[0] && url.port && url.path[0] == '/');
    LS_ASSERT(url.is_file || url.path[strlen(url.path) - 1] == '/');
    LS_ASSERT(!strpbrk(url.host, "/\r\n @") && !strpbrk(url.path, "\r\n ?#\\"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char text[4 * LS_LIVE_PATH_BYTES];
    if (bytes >= sizeof text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = 0;
    check_manifest(text, bytes);
    check_url(text);
    return 0;
}
