#include "cli/serve/broadcast.h"

#include "cli/common/user_file.h"
#include "cli/serve/broadcast_files.h"
#include "core/base/json_writer.h"
#include "core/base/platform.h"
#include "server/event_log.h"

#include <errno.h>
#include <string.h>

#define STEP_NS (LS_SECOND_NS / 4)

/* A segment that is not published yet. */
struct chunk {
    struct chunk *next;
    uint64_t cut_ns; /* no byte of it is younger */
    ls_builder bytes;
};

struct stream {
    struct stream *next; /* older */
    ls_broadcast *owner;
    ls_sink sink; /* of the recording */
    char *simulation;
    uint32_t players;
    /* Under the mutex. */
    ls_builder fresh;
    uint64_t waiting; /* bytes in `fresh` and in chunks */
    bool is_named;    /* the recording has its name, and stays */
    bool is_broken;   /* the recording has failed */
    bool is_flood;    /* too much waits, or nothing is published any more */
    bool is_closed;
    /* Only the thread that steps uses the rest. */
    struct chunk *first, *last;
    uint64_t cut_ns, retry_ns, ended_ns; /* ended_ns 0: not ended */
    bool is_failing;
    ls_broadcast_state state;
    ls_broadcast_files files;
};

struct ls_broadcast {
    ls_broadcast_config config;
    ls_mutex mutex;
    ls_wake work;
    ls_thread thread;
    bool is_started, is_stopping;
    char *list;             /* of running matches, as written; NULL: not yet */
    struct stream *streams; /* newest first; only the thread that steps removes one */
    uint64_t failures;      /* written by any thread */
};

/* The sink of a stream */

static int64_t append(void *context, const void *data, size_t bytes)
{
    struct stream *self = context;
    int64_t count = self->sink.append(self->sink.context, data, bytes);
    if (count == -EINTR)
        return count;
    ls_mutex_lock(&self->owner->mutex);
    self->is_broken |= count <= 0;
    self->is_flood |= count > 0 && self->waiting + (uint64_t)count > LS_BROADCAST_WAITING_MAX;
    if (count > 0 && !self->is_flood) {
        ls_builder_put(&self->fresh, data, (size_t)count);
        self->waiting += (uint64_t)count;
    }
    ls_mutex_unlock(&self->owner->mutex);
    return count;
}

static int sync_data(void *context)
{
    struct stream *self = context;
    int result = self->sink.sync(self->sink.context);
    ls_mutex_lock(&self->owner->mutex);
    self->is_named |= result == 0;
    self->is_broken |= result != 0;
    ls_mutex_unlock(&self->owner->mutex);
    return result;
}

static int close_sink(void *context)
{
    struct stream *self = context;
    ls_broadcast *owner = self->owner;
    int result = self->sink.close(self->sink.context);
    ls_mutex_lock(&owner->mutex);
    self->is_closed = true;
    ls_wake_one(&owner->work);
    ls_mutex_unlock(&owner->mutex);
    return result;
}

/* Relaxed: the count publishes nothing else. */
static void count_failure(ls_broadcast *self)
{
    __atomic_add_fetch(&self->failures, 1, __ATOMIC_RELAXED);
}

uint64_t ls_broadcast_failures(const ls_broadcast *broadcast)
{
    return broadcast ? __atomic_load_n(&broadcast->failures, __ATOMIC_RELAXED) : 0;
}

static void log_problem(const ls_broadcast *self, const char *match, const char *reason)
{
    char quoted[2][LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(self->config.log, "broadcast_failed match=%s reason=%s",
                 ls_event_log_quote(match, quoted[0]), ls_event_log_quote(reason, quoted[1]));
}

void ls_broadcast_add(ls_broadcast *broadcast, const ls_broadcast_match *match, ls_sink *sink)
{
    if (!broadcast)
        return;
    struct stream *stream = ls_alloc(sizeof *stream);
    if (!ls_broadcast_files_init(&stream->files, broadcast->config.folder, match->room,
                                 match->recording)) {
        log_problem(broadcast, match->recording, "its name is too long");
        count_failure(broadcast);
        ls_free(stream);
        return;
    }
    stream->owner = broadcast;
    stream->simulation = ls_text_duplicate(match->simulation);
    stream->players = match->players;
    stream->sink = *sink;
    *sink = (ls_sink){stream, append, sync_data, close_sink};
    ls_mutex_lock(&broadcast->mutex);
    stream->next = broadcast->streams;
    broadcast->streams = stream;
    ls_mutex_unlock(&broadcast->mutex);
}

/* Steps */

/* The facts that decide a step, read under one lock. */
struct look {
    bool is_closed, is_flood, is_broken;
};

/* Makes a chunk of the fresh bytes, if it is time. */
static struct look cut(struct stream *self, uint64_t now_ns)
{
    struct chunk *chunk = NULL;
    ls_mutex_lock(&self->owner->mutex);
    struct look look = {self->is_closed, self->is_flood, self->is_broken};
    bool is_due =
        self->is_closed || !self->cut_ns || now_ns - self->cut_ns >= LS_BROADCAST_SEGMENT_NS;
    if (self->is_named && is_due && self->fresh.count) {
        chunk = ls_alloc(sizeof *chunk);
        *chunk = (struct chunk){.cut_ns = now_ns, .bytes = self->fresh};
        self->fresh = (ls_builder){0};
    }
    ls_mutex_unlock(&self->owner->mutex);
    if (!chunk)
        return look;
    self->cut_ns = now_ns;
    *(self->first ? &self->last->next : &self->first) = chunk;
    self->last = chunk;
    return look;
}

static void drop_first(struct stream *self)
{
    struct chunk *chunk = self->first;
    self->first = chunk->next;
    ls_mutex_lock(&self->owner->mutex);
    self->waiting -= chunk->bytes.count;
    ls_mutex_unlock(&self->owner->mutex);
    ls_free(chunk->bytes.data);
    ls_free(chunk);
}

/* Notes the result of a write; the first failure in a row is logged. */
static bool has_written(struct stream *self, int result, uint64_t now_ns)
{
    if (result && !self->is_failing)
        log_problem(self->owner, self->files.match, strerror(-result));
    if (result)
        count_failure(self->owner);
    self->is_failing = result != 0;
    self->retry_ns = result ? now_ns + LS_BROADCAST_SEGMENT_NS : 0;
    return result == 0;
}

/* Whether the first chunk is to be published now. The delay keeps a running match secret from its
 * players; the rest of an ended match is published at once. */
static bool is_due(const struct stream *self, const struct look *look, uint64_t now_ns)
{
    return self->first && (look->is_closed || now_ns - self->first->cut_ns >=
                                                  self->owner->config.delay_s * LS_SECOND_NS);
}

static void end(struct stream *self, ls_broadcast_state state, uint64_t now_ns)
{
    ls_mutex_lock(&self->owner->mutex);
    self->is_flood = true;
    ls_free(self->fresh.data);
    self->fresh = (ls_builder){0};
    ls_mutex_unlock(&self->owner->mutex);
    while (self->first)
        drop_first(self);
    self->state = state;
    self->ended_ns = now_ns ? now_ns : 1;
    if (self->files.segments)
        (void)has_written(self, ls_broadcast_files_tell(&self->files, state), now_ns);
}

/* Removes the files of the room's older matches, and ends the broadcast of those that still run. */
static void replace_older(const struct stream *self)
{
    for (struct stream *older = self->next; older; older = older->next) {
        if (strcmp(older->files.folder, self->files.folder) != 0)
            continue;
        ls_broadcast_files_remove(&older->files, false);
        if (!older->ended_ns)
            end(older, LS_BROADCAST_BROKEN, 1);
    }
}

static void publish(struct stream *self, uint64_t now_ns)
{
    uint32_t before = self->files.segments;
    if (self->ended_ns || now_ns < self->retry_ns)
        return;
    const struct look look = cut(self, now_ns);
    if (look.is_flood) {
        log_problem(self->owner, self->files.match, "too many bytes wait to be written");
        count_failure(self->owner);
        end(self, LS_BROADCAST_BROKEN, now_ns);
        return;
    }
    while (is_due(self, &look, now_ns) &&
           has_written(self,
                       ls_broadcast_files_add(&self->files, self->first->bytes.data,
                                              self->first->bytes.count),
                       now_ns))
        drop_first(self);
    if (before == 0 && self->files.segments)
        replace_older(self);
    if (look.is_closed)
        end(self, self->first || look.is_broken ? LS_BROADCAST_BROKEN : LS_BROADCAST_ENDED, now_ns);
    else if (self->files.segments > before)
        (void)has_written(self, ls_broadcast_files_tell(&self->files, self->state), now_ns);
}

static void free_stream(struct stream *self)
{
    while (self->first)
        drop_first(self);
    ls_free(self->fresh.data);
    ls_free(self->simulation);
    ls_free(self);
}

static bool is_gone(const struct stream *self, uint64_t now_ns)
{
    return self->is_closed && self->ended_ns &&
           (!self->files.segments || now_ns - self->ended_ns >= LS_BROADCAST_KEEP_NS);
}

/* Forgets the matches that have ended long ago. */
static void sweep(ls_broadcast *self, uint64_t now_ns)
{
    struct stream *gone = NULL;
    ls_mutex_lock(&self->mutex);
    for (struct stream **at = &self->streams; *at;) {
        struct stream *stream = *at;
        if (!is_gone(stream, now_ns)) {
            at = &stream->next;
            continue;
        }
        *at = stream->next;
        stream->next = gone;
        gone = stream;
    }
    ls_mutex_unlock(&self->mutex);
    while (gone) {
        struct stream *next = gone->next;
        ls_broadcast_files_remove(&gone->files, gone->files.segments > 0);
        free_stream(gone);
        gone = next;
    }
}

static void list_room(const struct stream *self, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "room", ls_path_name(self->files.folder));
    ls_json_string(text, "simulation", self->simulation);
    ls_json_u64(text, "players", self->players);
    ls_json_close(text, '}');
}

/* Writes the list of running matches, if it has changed. A failure is not logged, and the next step
 * tries again. */
static void list_rooms(ls_broadcast *self, const struct stream *stream)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '[');
    for (; stream; stream = stream->next)
        if (stream->files.segments && !stream->ended_ns)
            list_room(stream, &text);
    ls_json_close(&text, ']');
    if (strcmp(text.data, self->list ? self->list : "") != 0 &&
        ls_broadcast_files_replace(self->config.folder, LS_BROADCAST_LIST, text.data, text.count) ==
            0) {
        ls_free(self->list);
        self->list = text.data;
        text.data = NULL;
    }
    ls_free(text.data);
}

void ls_broadcast_step(ls_broadcast *broadcast, uint64_t now_ns)
{
    ls_mutex_lock(&broadcast->mutex);
    struct stream *stream = broadcast->streams;
    ls_mutex_unlock(&broadcast->mutex);
    for (struct stream *each = stream; each; each = each->next)
        publish(each, now_ns);
    list_rooms(broadcast, stream);
    sweep(broadcast, now_ns);
}

/* The thread */

static bool wait_for_work(ls_broadcast *self)
{
    ls_mutex_lock(&self->mutex);
    bool is_stopping = self->is_stopping;
    if (!is_stopping)
        (void)ls_wake_wait_for(&self->work, &self->mutex, STEP_NS);
    ls_mutex_unlock(&self->mutex);
    return !is_stopping;
}

static void run(void *argument)
{
    while (wait_for_work(argument))
        ls_broadcast_step(argument, ls_monotonic_ns());
}

ls_status ls_broadcast_create(const ls_broadcast_config *config, ls_broadcast **broadcast,
                              ls_error *error)
{
    *broadcast = NULL;
    if (!config->folder)
        return LS_OK;
    ls_status status = ls_make_folders(config->folder, 0777, error);
    if (status)
        return ls_error_set(error, status,
                            "--broadcast-dir %s: %.512s; give a folder that this user can create "
                            "or write to",
                            config->folder, error->text);
    ls_broadcast *self = ls_alloc(sizeof *self);
    self->config = *config;
    ls_mutex_init(&self->mutex);
    ls_wake_init(&self->work);
    *broadcast = self;
    return LS_OK;
}

ls_status ls_broadcast_start(ls_broadcast *broadcast, ls_error *error)
{
    if (!broadcast)
        return LS_OK;
    broadcast->is_started = ls_thread_start(&broadcast->thread, run, broadcast);
    return broadcast->is_started ? LS_OK
                                 : ls_error_set(error, LS_ERROR_IO, "cannot start a thread");
}

/* A sink that is still open belongs to a thread that was given up: its stream is leaked with it. */
void ls_broadcast_destroy(ls_broadcast *broadcast)
{
    if (!broadcast)
        return;
    if (broadcast->is_started) {
        ls_mutex_lock(&broadcast->mutex);
        broadcast->is_stopping = true;
        ls_wake_one(&broadcast->work);
        ls_mutex_unlock(&broadcast->mutex);
        ls_thread_join(&broadcast->thread);
    }
    ls_broadcast_step(broadcast, ls_monotonic_ns());
    ls_free(broadcast->list);
    bool has_open = false;
    for (struct stream *stream = broadcast->streams, *next; stream; stream = next) {
        next = stream->next;
        has_open |= !stream->is_closed;
        if (stream->is_closed)
            free_stream(stream);
    }
    if (has_open)
        return;
    ls_wake_destroy(&broadcast->work);
    ls_mutex_destroy(&broadcast->mutex);
    ls_free(broadcast);
}
