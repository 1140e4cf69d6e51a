#include "cli/serve/resume_list.h"

#include "cli/serve/recordings.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"
#include "server/event_log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* More than the size of a header. */
#define BEGIN_BYTES ((size_t)16 << 10)

/* Reads the room's name from the seats file, if its salt shows that it belongs to this recording.
 */
static bool read_room(const char *path, uint64_t salt, char room[LS_SEATS_FILE_TEXT_BYTES])
{
    char seats_path[LS_PATH_BYTES_MAX];
    ls_seats_file *seats = ls_alloc(sizeof *seats);
    bool is_found = ls_seats_file_path(path, seats_path, sizeof seats_path, NULL) == LS_OK &&
                    ls_seats_file_read(seats_path, seats, NULL) == LS_OK && seats->salt == salt;
    if (is_found)
        memcpy(room, seats->room, LS_SEATS_FILE_TEXT_BYTES);
    ls_free(seats);
    return is_found;
}

/* Reads the fields that the header has. A damaged file leaves them empty: the attempt to resume it
 * reports the damage. */
static void read_header(int file, ls_resume_entry *match)
{
    uint8_t *begin = ls_alloc(BEGIN_BYTES);
    ls_recording *recording;
    ssize_t bytes = read(file, begin, BEGIN_BYTES);
    if (bytes > 0 &&
        ls_recording_open_memory(match->path, begin, (size_t)bytes, &recording, NULL) == LS_OK) {
        const ls_recording_header *header = ls_recording_get_header(recording);
        match->created_unix_s = header->created_unix_s;
        memcpy(match->fingerprint, header->simulation.fingerprint, sizeof match->fingerprint);
        match->has_room = header->has_room;
        if (header->has_room)
            memcpy(match->room, header->room, sizeof match->room);
        else
            (void)read_room(match->path, header->salt, match->room);
        ls_recording_close(recording);
    }
    ls_free(begin);
}

static void look_at(ls_resume_entry *match, uint64_t until_ns)
{
    int file = open(match->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return;
    /* Waits for a process that still writes the file. The lock is not kept, because the resume
     * locks the file again. */
    (void)ls_recordings_lock(file, LOCK_SH, until_ns);
    read_header(file, match);
    close(file);
}

/* Orders matches by room, then by simulation, then newest first. Room names that are numbers sort
 * as numbers. A recording that does not name its room comes after those that do. */
static int compare(const void *a, const void *b)
{
    const ls_resume_entry *left = a, *right = b;
    int order = right->has_room - left->has_room;
    if (order == 0)
        order = strverscmp(left->room, right->room);
    if (order == 0)
        order = memcmp(left->fingerprint, right->fingerprint, sizeof left->fingerprint);
    if (order == 0)
        order = (left->created_unix_s < right->created_unix_s) -
                (left->created_unix_s > right->created_unix_s);
    return order ? order : strverscmp(right->path, left->path);
}

ls_status ls_resume_list(const char *folder, ls_resume_entry **list, uint32_t *count,
                         ls_error *error)
{
    char **paths;
    ls_status status = ls_recordings_list(folder, &paths, count, error);
    *list = NULL;
    if (status || *count == 0)
        return status;
    uint64_t until_ns = ls_monotonic_ns() + LS_RECORDINGS_TIMEOUT_NS;
    *list = ls_alloc(*count * sizeof **list);
    for (uint32_t i = 0; i < *count; i++) {
        (*list)[i].path = paths[i];
        look_at(&(*list)[i], until_ns);
    }
    qsort(*list, *count, sizeof **list, compare);
    ls_free(paths);
    return LS_OK;
}

void ls_resume_list_free(ls_resume_entry *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ls_free(list[i].path);
    ls_free(list);
}

/* Whether both recordings name one room and have one simulation. */
static bool share_room(const ls_resume_entry *left, const ls_resume_entry *right)
{
    return left->has_room && right->has_room && strcmp(left->room, right->room) == 0 &&
           memcmp(left->fingerprint, right->fingerprint, sizeof left->fingerprint) == 0;
}

const ls_resume_entry *ls_resume_entry_newest(const ls_resume_entry *list, uint32_t index)
{
    uint32_t first = index;
    while (first > 0 && share_room(&list[first - 1], &list[index]))
        first--;
    return first < index ? &list[first] : NULL;
}

ls_status ls_resume_entry_refuse(const ls_resume_entry *match, const char *newer, ls_error *error)
{
    bool is_over;
    ls_status status = ls_recordings_is_over(match->path, &is_over, error);
    if (status)
        return status;
    if (is_over)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s: its match is over", match->path);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "the room '%s' has a newer recording: %.512s; this one stays as it is",
                        match->room, newer);
}

void ls_resume_entry_log(ls_log *log, const char *recording, const ls_error *why)
{
    char name[LS_EVENT_LOG_QUOTED_BYTES], reason[LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(log, "recording_not_resumed recording=%s reason=%s",
                 ls_event_log_quote(recording, name), ls_event_log_quote(why->text, reason));
}

void ls_resume_entry_print(ls_async_writer *out, const char *folder, uint32_t resumed,
                           uint32_t count)
{
    if (count)
        ls_async_writer_print(out, "resumed %u of %u unfinished matches\n", resumed, count);
    else
        ls_async_writer_print(out, "nothing to resume in %s\n", folder);
}
