#include "cli/watch/fetched_recording.h"

#include "cli/common/candidates.h"
#include "cli/common/clock.h"
#include "cli/common/output.h"
#include "cli/common/progress_bar.h"
#include "cli/serve/http_client.h"
#include "cli/watch/live_feed.h"
#include "core/base/bounds.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"
#include <lockstep/recording_format.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define PAUSE_NS       (LS_SECOND_NS / 50)
#define NAME_BYTES_MAX 200

/* A file, its folder, which holds nothing else, and the argument that it stands for. */
typedef struct fetched_copy {
    char folder[1024], path[LS_PATH_BYTES_MAX];
    char *url;
} fetched_copy;

/* The copies of this process. */
static struct {
    fetched_copy *copies;
    uint32_t count;
    pid_t owner;
} all;

/* The request for a file. The thread of `client` fills it, until `is_over`. */
typedef struct request {
    ls_http_client *client;
    const ls_live_url *url;
    ls_builder bytes;
    uint64_t got, total; /* read by the other thread, too; total 0: unknown */
    bool has_begun, is_over;
    uint32_t code;
    ls_error reason;
} request;

static void begin(void *context)
{
    request *self = context;
    const ls_http_client_request get = {
        .method = "GET", .path = self->url->path, .kept_bytes_max = LS_RECORDING_FILE_BYTES_MAX};
    if (self->has_begun)
        return;
    self->has_begun = true;
    ls_http_client_begin(self->client, 0, &get);
}

static void begun(void *context, uint32_t slot, uint64_t bytes)
{
    request *self = context;
    (void)slot;
    __atomic_store_n(&self->total, bytes, __ATOMIC_RELAXED);
}

static bool received(void *context, uint32_t slot, const char *data, size_t bytes)
{
    request *self = context;
    (void)slot;
    ls_builder_put(&self->bytes, data, bytes);
    __atomic_store_n(&self->got, self->bytes.count, __ATOMIC_RELAXED);
    return true;
}

static void ended(void *context, uint32_t slot, uint32_t code, const char *reason)
{
    request *self = context;
    (void)slot;
    self->code = code;
    ls_error_set(&self->reason, LS_ERROR_IO, "%s", reason);
    __atomic_store_n(&self->is_over, true, __ATOMIC_RELEASE);
}

static ls_status judge(const char *url, const request *done, ls_error *error)
{
    if (done->code == 200 && done->bytes.count)
        return LS_OK;
    if (done->code == 200)
        return ls_error_set(error, LS_ERROR_CORRUPT, "%.256s: the file is empty", url);
    if (done->code == 404 || done->code == 410)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "%.256s: there is no such file", url);
    if (done->code / 100 == 3)
        return ls_error_set(error, LS_ERROR_IO,
                            "%.256s: the file has moved (code %u): give the URL that it has now",
                            url, (unsigned)done->code);
    if (done->code)
        return ls_error_set(error, LS_ERROR_IO, "%.256s: the server answers with code %u", url,
                            (unsigned)done->code);
    return ls_error_set(error, LS_ERROR_IO, "%.256s: the server does not answer (%.256s)", url,
                        done->reason.text);
}

static ls_status get_file(const char *url, const ls_live_url *parts, ls_builder *bytes,
                          ls_error *error)
{
    request self = {.url = parts};
    const ls_http_client_config config = {.host = parts->host,
                                          .port = parts->port,
                                          .has_tls = parts->has_tls,
                                          .step = begin,
                                          .begun = begun,
                                          .received = received,
                                          .ended = ended,
                                          .context = &self};
    ls_status status = ls_http_client_open(&config, &self.client, error);
    if (status)
        return status;
    ls_tick_progress progress;
    ls_byte_progress_begin(&progress);
    while (!__atomic_load_n(&self.is_over, __ATOMIC_ACQUIRE)) {
        ls_clock_sleep_until(ls_monotonic_ns() + PAUSE_NS);
        ls_tick_progress_show(&progress, __atomic_load_n(&self.got, __ATOMIC_RELAXED),
                              __atomic_load_n(&self.total, __ATOMIC_RELAXED));
    }
    ls_tick_progress_end(&progress);
    ls_http_client_close(self.client);
    *bytes = self.bytes;
    return judge(url, &self, error);
}

/* Fetches all segments that the room has now. */
static ls_status get_match(const char *url, ls_builder *bytes, ls_error *error)
{
    ls_live_feed *feed;
    ls_live_news news = {0};
    ls_status status = ls_live_feed_open(url, &feed, error);
    if (status)
        return status;
    ls_tick_progress progress;
    ls_byte_progress_begin(&progress);
    for (;;) {
        ls_live_feed_take(feed, bytes, &news);
        if (news.has_begun || news.is_over)
            break;
        ls_tick_progress_show(&progress, bytes->count, 0);
        ls_clock_sleep_until(ls_monotonic_ns() + PAUSE_NS);
    }
    ls_tick_progress_end(&progress);
    ls_live_feed_close(feed);
    return news.has_begun ? LS_OK
                          : ls_error_set(error, news.status, "%.256s: %.512s", url, news.text);
}

static ls_status make_folder(fetched_copy *copy, ls_error *error)
{
    const char *place = getenv("TMPDIR");
    snprintf(copy->folder, sizeof copy->folder, "%.1000s/lockstep-XXXXXX",
             place && *place ? place : "/tmp");
    if (mkdtemp(copy->folder))
        return LS_OK;
    ls_status status =
        ls_error_set(error, LS_ERROR_IO, "%.512s: %s", copy->folder, strerror(errno));
    copy->folder[0] = 0;
    return status;
}

/* Writes the file into a folder of its own, with the last part of the URL's path as its name. */
static ls_status keep(fetched_copy *copy, const ls_live_url *parts, const ls_builder *bytes,
                      ls_error *error)
{
    size_t end = strlen(parts->path) - !parts->is_file; /* without the slash */
    size_t from = end;
    while (from && parts->path[from - 1] != '/')
        from--;
    ls_status status = make_folder(copy, error);
    if (status)
        return status;
    snprintf(copy->path, sizeof copy->path, "%s/%.*s%s", copy->folder,
             (int)ls_min(end - from, NAME_BYTES_MAX), parts->path + from,
             parts->is_file ? "" : ".lsr");
    return ls_output_write(copy->path, bytes, error);
}

static ls_status fetch(fetched_copy *copy, const ls_live_url *parts, char **argument,
                       ls_error *error)
{
    ls_builder bytes = {0};
    copy->url = *argument;
    ls_status status = parts->is_file ? get_file(copy->url, parts, &bytes, error)
                                      : get_match(copy->url, &bytes, error);
    if (!status)
        status = keep(copy, parts, &bytes, error);
    ls_free(bytes.data);
    if (!status)
        *argument = copy->path;
    return status;
}

static void drop(const fetched_copy *copy)
{
    if (copy->path[0])
        (void)unlink(copy->path);
    if (copy->folder[0])
        (void)rmdir(copy->folder);
}

/* Called at the end of the process, also after wrong options, which end it at once. Child processes
 * call this, too, and leave the files to their parent. */
static void drop_all(void)
{
    for (uint32_t i = 0; i < all.count && getpid() == all.owner; i++)
        drop(&all.copies[i]);
}

static ls_status fetch_all(const ls_fetched_command *command, int count, char **arguments,
                           ls_error *error)
{
    ls_status status = LS_OK;
    ls_live_url parts;
    all.copies = ls_alloc((size_t)count * sizeof *all.copies);
    all.owner = getpid();
    (void)atexit(drop_all);
    for (int i = 1; !status && i < count; i++) {
        if (!ls_live_is_url(arguments[i]))
            continue;
        status = ls_live_url_parse(arguments[i], &parts, error);
        if (!status && (parts.is_file || !command->follows_matches))
            status = fetch(&all.copies[all.count++], &parts, &arguments[i], error);
    }
    return status;
}

static void keep_all(const char *name)
{
    for (uint32_t i = 0; i < all.count; i++)
        fprintf(stderr, "lockstep %s: %s is kept as %s\n", name, all.copies[i].url,
                all.copies[i].path);
    all.count = 0;
}

const char *ls_fetched_recording_name(const char *path)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (strcmp(all.copies[i].path, path) == 0)
            return all.copies[i].url;
    return path;
}

ls_exit ls_fetched_recording_run(const ls_fetched_command *command, int count, char **arguments)
{
    ls_error error;
    ls_status status = LS_OK;
    if (!ls_candidates_are_asked())
        status = fetch_all(command, count, arguments, &error);
    if (status)
        return ls_command_fail(command->name, status, &error);
    ls_exit code = command->run(count, arguments);
    if (command->keeps_bad && (code == LS_EXIT_DIVERGED || code == LS_EXIT_CORRUPT))
        keep_all(command->name);
    return code;
}
