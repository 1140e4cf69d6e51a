/* Reads the address and the manifest of a running match that `serve --broadcast-dir` publishes, and
 * the address of a recording. The server is not trusted. */
#ifndef LS_LIVE_MANIFEST_H
#define LS_LIVE_MANIFEST_H

#include "cli/serve/broadcast_files.h"

/* The folder of a room: http://HOST[:PORT]/live/ROOM/; or a recording: http://HOST[:PORT]/NAME.lsr.
 * https:// instead also proves the web server's name, and encrypts. */
#define LS_LIVE_HOST_BYTES 256
#define LS_LIVE_PATH_BYTES 1024
/* Longer manifests are refused. */
#define LS_LIVE_MANIFEST_BYTES_MAX (LS_BROADCAST_NAME_BYTES + 128)

typedef struct ls_live_url {
    char host[LS_LIVE_HOST_BYTES]; /* without the brackets of an IPv6 address */
    uint16_t port;
    bool has_tls, is_file;         /* is_file: a recording */
    char path[LS_LIVE_PATH_BYTES]; /* of a folder it ends with '/' */
} ls_live_url;

typedef struct ls_live_manifest {
    char match[LS_BROADCAST_NAME_BYTES];
    uint32_t segments;
    uint64_t bytes; /* of all segments; at most LS_RECORDING_FILE_BYTES_MAX */
    ls_broadcast_state state;
} ls_live_manifest;

/* Whether an argument is a URL, not a file: it begins with a scheme. */
bool ls_live_is_url(const char *text);
/* errors  USAGE, with the form that is expected */
ls_status ls_live_url_parse(const char *text, ls_live_url *url, ls_error *error) LS_MUST_USE;
/* Reads `bytes` bytes, which a zero follows.
 *   errors  CORRUPT: no manifest, or a match that is longer than a recording can be;
 *           INCOMPATIBLE: that of another version */
ls_status ls_live_manifest_read(const char *text, size_t bytes, ls_live_manifest *manifest,
                                ls_error *error) LS_MUST_USE;

#endif
