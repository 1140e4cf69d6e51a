#include "cli/serve/broadcast_files.h"

#include "cli/common/user_file.h"
#include "core/base/descriptor_all.h"
#include <lockstep/recording_series.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The longest path of a folder; the rest of a path is for its files. The formats repeat the number:
 * %.3500s. */
#define FOLDER_BYTES_MAX 3500

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

/* Encodes the name of a room or a recording, which may have any characters: letters, digits, '-'
 * and '_' stay, and every other byte becomes '~' and two digits. An empty name becomes '~'. */
static void encode_name(const char *text, char name[LS_BROADCAST_NAME_BYTES])
{
    char *to = name;
    for (const char *at = text; *at && at < text + LS_BROADCAST_TEXT_MAX; at++) {
        if (is_plain(*at))
            *to++ = *at;
        else
            to += sprintf(to, "~%02x", (unsigned)(uint8_t)*at);
    }
    if (to == name)
        *to++ = '~';
    *to = 0;
}

bool ls_broadcast_files_init(ls_broadcast_files *files, const char *folder, const char *room,
                             const char *recording)
{
    char name[LS_BROADCAST_NAME_BYTES], stem[LS_BROADCAST_TEXT_MAX + 1];
    const char *file = ls_path_name(recording);
    *files = (ls_broadcast_files){0};
    encode_name(room, name);
    if (snprintf(files->folder, sizeof files->folder, "%s/%s", folder, name) > FOLDER_BYTES_MAX ||
        snprintf(stem, sizeof stem, "%.*s", ls_series_stem(file), file) > LS_BROADCAST_TEXT_MAX)
        return false;
    encode_name(stem, files->match);
    return true;
}

/* Writes the file under a hidden name, which is not served, and renames it when it is whole. */
int ls_broadcast_files_replace(const char *folder, const char *name, const void *data, size_t bytes)
{
    char path[LS_PATH_BYTES_MAX], made[LS_PATH_BYTES_MAX];
    snprintf(path, sizeof path, "%.3500s/%s", folder, name);
    snprintf(made, sizeof made, "%.3500s/.%s", folder, name);
    (void)ls_path_remove(made); /* left by a process that ended */
    int file = ls_descriptor_create(made);
    if (file == -ENOENT && ls_make_folders(folder, 0777, NULL) == LS_OK)
        file = ls_descriptor_create(made);
    if (file < 0)
        return file;
    int result = ls_descriptor_write_all(file, data, bytes), closed = ls_descriptor_close(file);
    if (!result)
        result = closed;
    if (!result)
        result = ls_path_rename(made, path);
    if (result)
        (void)ls_path_remove(made);
    return result;
}

void ls_broadcast_files_segment(const char *match, uint32_t number,
                                char name[LS_BROADCAST_SEGMENT_BYTES])
{
    snprintf(name, LS_BROADCAST_SEGMENT_BYTES, "%s-%" PRIu32 ".seg", match, number);
}

int ls_broadcast_files_add(ls_broadcast_files *files, const void *data, size_t bytes)
{
    char name[LS_BROADCAST_SEGMENT_BYTES];
    ls_broadcast_files_segment(files->match, files->segments, name);
    int result = ls_broadcast_files_replace(files->folder, name, data, bytes);
    if (result)
        return result;
    files->segments++;
    files->bytes += bytes;
    return 0;
}

const char *ls_broadcast_files_state(ls_broadcast_state state)
{
    static const char *const states[] = {"live", "ended", "broken"};
    return states[state];
}

int ls_broadcast_files_tell(const ls_broadcast_files *files, ls_broadcast_state state)
{
    char text[LS_BROADCAST_NAME_BYTES + 128];
    int count =
        snprintf(text, sizeof text,
                 "lockstep-live %d\nmatch=%s segments=%" PRIu32 " bytes=%" PRIu64 " state=%s\n",
                 LS_BROADCAST_VERSION, files->match, files->segments, files->bytes,
                 ls_broadcast_files_state(state));
    return ls_broadcast_files_replace(files->folder, "live", text, (size_t)count);
}

void ls_broadcast_files_remove(ls_broadcast_files *files, bool has_manifest)
{
    char name[LS_BROADCAST_SEGMENT_BYTES], path[LS_PATH_BYTES_MAX];
    snprintf(path, sizeof path, "%.3500s/live", files->folder);
    if (has_manifest)
        (void)ls_path_remove(path);
    while (files->segments) {
        ls_broadcast_files_segment(files->match, --files->segments, name);
        snprintf(path, sizeof path, "%.3500s/%s", files->folder, name);
        (void)ls_path_remove(path);
    }
    files->bytes = 0;
}
