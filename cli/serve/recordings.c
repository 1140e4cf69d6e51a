#include "cli/serve/recordings.h"

#include "cli/common/clock.h"
#include "cli/common/user_file.h"
#include "core/base/builder.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"
#include <lockstep/file_sink.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MAX    1000
#define LOCK_POLL_NS (5 * LS_NS_PER_MS)
/* A resume retries for this time while the recording is locked. Retention and the viewer lock it
 * while they read whether its match is over, perhaps just when a successor opens the recording. */
#define LOOK_NS LS_SECOND_NS
/* More than a header has. */
#define HEAD_BYTES (64 << 10)

ls_status ls_recordings_make_folder(const char *path, ls_error *error)
{
    ls_status status = ls_make_folders(path, 0777, error);
    if (status)
        ls_error_set(error, status,
                     "--record %s: %.512s; give a folder that this user can create or write to",
                     path, error->text);
    return status;
}

ls_status ls_recordings_find_folder(const char *path, ls_error *error)
{
    struct stat found;
    int code = stat(path, &found) != 0 ? errno : S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
    if (!code)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_NOT_FOUND,
                        "--resume %.512s: %s; give the folder that an earlier server recorded "
                        "to, or an empty one that exists",
                        path, strerror(code));
}

static bool format_name(const ls_recording_place *place, const char *number,
                        char path[LS_PATH_BYTES_MAX])
{
    char time[LS_CLOCK_TEXT_BYTES];
    ls_clock_format_file(time);
    int count = snprintf(path, LS_PATH_BYTES_MAX, "%s/%s-%s-%" PRIu64 "%s.lsr", place->folder,
                         place->sim, time, place->seed, number);
    return count >= 0 && count < LS_PATH_BYTES_MAX;
}

bool ls_recordings_name(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX])
{
    return format_name(place, "", path);
}

static ls_status refuse_name(const ls_recording_place *place, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_IO,
                        "no name is left for a recording in %s; record to another folder",
                        place->folder);
}

/* Chooses a free name, because no recording is ever replaced: a second match with the same second
 * and seed gets a number. */
static ls_status choose_name(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX],
                             ls_error *error)
{
    for (uint32_t i = 1; i < NAMES_MAX; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%u", i);
        if (!format_name(place, number, path))
            break;
        if (access(path, F_OK) != 0)
            return LS_OK;
    }
    return refuse_name(place, error);
}

bool ls_recordings_lock(int file, int operation, uint64_t until_ns)
{
    bool is_locked;
    while (!(is_locked = flock(file, operation | LOCK_NB) == 0) &&
           (errno == EWOULDBLOCK || errno == EINTR) && ls_monotonic_ns() < until_ns)
        ls_clock_sleep_until(ls_monotonic_ns() + LOCK_POLL_NS);
    return is_locked;
}

/* Locks the folder against other processes that choose a name. The wait is limited, because the
 * folder may be locked for another purpose. Without the lock, a second server with the same second
 * and seed fails to start. */
static int lock_folder(const char *folder)
{
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0)
        (void)ls_recordings_lock(lock, LOCK_EX, ls_monotonic_ns() + LS_RECORDINGS_TIMEOUT_NS);
    return lock;
}

ls_status ls_recordings_create(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX],
                               ls_sink *sink, int *lock, ls_error *error)
{
    *lock = lock_folder(place->folder);
    ls_status status = choose_name(place, path, error);
    if (!status)
        status = ls_file_sink_create(path, sink, error);
    if (status && *lock >= 0)
        close(*lock);
    if (status)
        *lock = -1;
    return status;
}

ls_status ls_recordings_prepare(const ls_recording_place *place, char path[LS_PATH_BYTES_MAX],
                                ls_sink *sink, ls_error *error)
{
    return ls_recordings_name(place, path) ? ls_file_sink_prepare(path, sink, error)
                                           : refuse_name(place, error);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

ls_status ls_recordings_list(const char *folder, char ***paths, uint32_t *count, ls_error *error)
{
    *paths = NULL;
    *count = 0;
    DIR *directory = opendir(folder);
    if (!directory && errno == ENOENT)
        return LS_OK;
    if (!directory)
        return ls_error_set(error, LS_ERROR_IO, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!entry->d_name[ls_series_stem(entry->d_name)])
            continue; /* does not end in ".lsr" */
        char path[LS_PATH_BYTES_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        *paths = ls_realloc(*paths, (*count + 1) * sizeof **paths);
        (*paths)[(*count)++] = ls_text_duplicate(path);
    }
    closedir(directory);
    if (*count)
        qsort(*paths, *count, sizeof **paths, compare);
    return LS_OK;
}

void ls_recordings_list_free(char **paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ls_free(paths[i]);
    ls_free(paths);
}

uint32_t ls_recordings_count_evidence(const char *path)
{
    char folder[LS_PATH_BYTES_MAX], begin[LS_PATH_BYTES_MAX];
    size_t above = ls_path_folder_length(path);
    const char *name = ls_path_name(path);
    uint32_t count = 0;
    snprintf(folder, sizeof folder, "%.*s", above ? (int)above : 1, above ? path : ".");
    snprintf(begin, sizeof begin, "%.*s.desync-", ls_series_stem(name), name);
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
        count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    if (directory)
        closedir(directory);
    return count;
}

/* Non-blocking, because the open of a named pipe would wait for its writer. */
void ls_recordings_simulation(const char *path, char name[LS_RECORDING_TEXT_BYTES])
{
    ls_recording *recording = NULL;
    uint8_t *head = ls_alloc(HEAD_BYTES);
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t bytes = file >= 0 ? read(file, head, HEAD_BYTES) : 0;
    name[0] = 0;
    if (bytes > 0 && ls_recording_open_memory(path, head, (size_t)bytes, &recording, NULL) == LS_OK)
        snprintf(name, LS_RECORDING_TEXT_BYTES, "%s",
                 ls_recording_get_header(recording)->simulation.name);
    ls_recording_close(recording);
    if (file >= 0)
        close(file);
    ls_free(head);
}

ls_status ls_recordings_is_over(const char *path, bool *is_over, ls_error *error)
{
    ls_series *series;
    ls_status status = ls_series_open(path, &series, error);
    if (status)
        return status;
    *is_over = ls_recording_find_end(ls_series_last(series))->is_closed;
    ls_series_close(series);
    return LS_OK;
}

/* Refuses a file that is not the first of its match: it is resumed together with the first. */
static ls_status check_beginning(const char *path, const ls_recording_header *header,
                                 ls_error *error)
{
    char first[LS_PATH_BYTES_MAX];
    if (header->first_tick == 0)
        return LS_OK;
    if (ls_series_first_name(path, header->segment, first, sizeof first) &&
        access(first, F_OK) == 0)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%s: continues %s", path, first);
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "it begins at tick %" PRIu64 ", within its match: only a match that "
                        "was recorded from its start can be resumed",
                        header->first_tick);
}

/* Opens the last file to continue it. Then reads all files again, because opening may have cut a
 * torn end. */
static ls_status resume(const char *path, ls_recorder **recorder, ls_series **series,
                        ls_error *error)
{
    ls_recording_end found = {0};
    const char *name = (*series)->names[(*series)->count - 1];
    uint64_t until_ns = ls_monotonic_ns() + LOOK_NS;
    ls_status status;
    while ((status = ls_recorder_resume(name ? name : path, recorder, &found, error)) ==
               LS_ERROR_REFUSED &&
           !found.is_closed && ls_monotonic_ns() < until_ns)
        ls_clock_sleep_until(ls_monotonic_ns() + LOCK_POLL_NS);
    if (status == LS_ERROR_REFUSED && found.is_closed)
        status = LS_ERROR_NOT_FOUND;
    if (status)
        return status;
    ls_series_close(*series);
    return ls_series_open(path, series, error);
}

ls_status ls_recordings_resume(const char *path, const ls_program *program, ls_recorder **recorder,
                               ls_series **series, uint32_t *epoch, ls_error *error)
{
    ls_recording_simulation simulation = ls_recording_simulation_of(program);
    *recorder = NULL;
    ls_status status = ls_series_open(path, series, error);
    /* This check is first: a finished match is not resumed, no matter which build recorded it. */
    if (!status && ls_recording_find_end(ls_series_last(*series))->is_closed)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "%s: its match is over", path);
    if (!status)
        status = ls_recording_check_simulation((*series)->files[0], &simulation, error);
    if (!status)
        status = check_beginning(path, ls_recording_get_header((*series)->files[0]), error);
    if (!status)
        status = resume(path, recorder, series, error);
    if (status) {
        ls_recorder_destroy(*recorder);
        *recorder = NULL;
        ls_series_close(*series);
        *series = NULL;
        return status;
    }
    *epoch = ls_recorder_epoch(*recorder) + 1;
    return LS_OK;
}
