/* The files of one broadcast match: segments, which never change, and the manifest `live`. Each is
 * written under another name and then renamed, so that no reader sees a part of one. */
#ifndef LS_BROADCAST_FILES_H
#define LS_BROADCAST_FILES_H

#include "core/base/platform_file.h"

#define LS_BROADCAST_VERSION       1
#define LS_BROADCAST_TEXT_MAX      128 /* bytes of a name that is encoded */
#define LS_BROADCAST_NAME_BYTES    (3 * LS_BROADCAST_TEXT_MAX + 2)
#define LS_BROADCAST_SEGMENT_BYTES (LS_BROADCAST_NAME_BYTES + 16)
/* Lists the rooms with a running match, by their folders, as JSON. */
#define LS_BROADCAST_LIST "rooms.json"

/* The state of a match in its manifest. */
typedef enum ls_broadcast_state {
    LS_BROADCAST_LIVE,
    LS_BROADCAST_ENDED,
    LS_BROADCAST_BROKEN, /* the match may go on, but nothing more is published */
} ls_broadcast_state;

typedef struct ls_broadcast_files {
    char folder[LS_PATH_BYTES_MAX];      /* of the room */
    char match[LS_BROADCAST_NAME_BYTES]; /* the recording, without .lsr */
    uint32_t segments;                   /* that are there: MATCH-0.seg and so on */
    uint64_t bytes;                      /* of all of them */
} ls_broadcast_files;

/* Names the files of a match; false when a name is too long. */
bool ls_broadcast_files_init(ls_broadcast_files *files, const char *folder, const char *room,
                             const char *recording) LS_MUST_USE;
/* The name of a segment, from 0 on. */
void ls_broadcast_files_segment(const char *match, uint32_t number,
                                char name[LS_BROADCAST_SEGMENT_BYTES]);
/* The word for a state in a manifest. */
const char *ls_broadcast_files_state(ls_broadcast_state state);
/* Writes the next segment.
 *   errors  -errno, also of the two functions below; nothing has then changed, and the call may be
 *           repeated */
int ls_broadcast_files_add(ls_broadcast_files *files, const void *data, size_t bytes) LS_MUST_USE;
int ls_broadcast_files_tell(const ls_broadcast_files *files, ls_broadcast_state state) LS_MUST_USE;
/* Replaces one file of a folder by these bytes. */
int ls_broadcast_files_replace(const char *folder, const char *name, const void *data,
                               size_t bytes) LS_MUST_USE;
/* Removes the segments, and the manifest if `has_manifest` says that it is of this match. */
void ls_broadcast_files_remove(ls_broadcast_files *files, bool has_manifest);

#endif
