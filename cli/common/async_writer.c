#include "cli/common/async_writer.h"

#include "cli/common/clock.h"
#include "cli/common/log_json.h"
#include "core/base/builder.h"
#include "core/base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLOSE_NS   (LS_SECOND_NS / 2)
#define NOTE_BYTES 64

/* The texts around the number in a note for dropped lines. */
struct note {
    const char *begin, *end;
};
static const struct note text_note = {"lines_dropped count=", "\n"};
static const struct note json_note = {"{\"event\": \"lines_dropped\", \"count\": ", "}\n"};

struct ls_async_writer {
    int file;
    ls_thread thread;
    ls_mutex mutex;
    ls_wake work, done;
    bool is_stopping, is_done, has_failed;
    const struct note *note; /* set before the first line is printed */
    const char *reopen;      /* path of the file that replaces the present one; NULL: none */
    const char *path;        /* of the file, for rotation; set before the first line is printed */
    uint64_t bytes_max;      /* of the file; 0: no limit */
    uint64_t dropped;        /* lines dropped since the last line that found room */
    uint64_t lost_ever;      /* lines dropped or not taken by the file; the thread adds, too */
    uint32_t count;
    char kept[LS_ASYNC_WRITER_BYTES];
    /* Used by the thread alone: the bytes being written, the number of lines that the file did not
     * take, the bytes of the file since it was opened last or could not be rotated, and whether the
     * file ends within a line. */
    char written[1 + NOTE_BYTES + LS_ASYNC_WRITER_BYTES];
    uint64_t lost, file_bytes;
    bool is_torn;
};

/* Writes all bytes, waiting for room. Returns how many were written; `*code` is the error that
 * stopped the write, or 0. */
static size_t write_all(int file, const char *bytes, size_t count, int *code)
{
    size_t total = 0;
    *code = 0;
    while (total < count) {
        ssize_t done = write(file, bytes + total, count - total);
        if (done < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = file, .events = POLLOUT};
            (void)poll(&room, 1, -1);
        } else if (done < 0 && errno != EINTR) {
            *code = errno;
            break;
        } else if (done > 0) {
            total += (size_t)done;
        }
    }
    return total;
}

/* Prints the note for dropped lines; returns its length in bytes. */
static uint32_t print_note(const ls_async_writer *self, char *at, uint64_t lines)
{
    return (uint32_t)snprintf(at, NOTE_BYTES, "%s%llu%s", self->note->begin,
                              (unsigned long long)lines, self->note->end);
}

/* Adds a note for dropped lines; there is always room for one. The caller holds the mutex. */
static void note_dropped(ls_async_writer *self)
{
    if (!self->dropped)
        return;
    self->count += print_note(self, self->kept + self->count, self->dropped);
    self->dropped = 0;
}

/* Relaxed: the count publishes nothing else. */
static void count_ever(ls_async_writer *self, uint64_t lines)
{
    __atomic_add_fetch(&self->lost_ever, lines, __ATOMIC_RELAXED);
}

/* Counts the lines that were not written completely; a note counts as the number of lines that it
 * reports, which have been counted before in lost_ever. */
static uint64_t count_lost(ls_async_writer *self, const char *text, size_t written, size_t count)
{
    const char *note = self->note->begin;
    uint64_t lines = 0;
    for (size_t at = 0, end; at < count; at = end) {
        const char *line = text + at, *stop = memchr(line, '\n', count - at);
        end = stop ? at + (size_t)(stop - line) + 1 : count;
        if (end <= written)
            continue;
        bool is_note = strncmp(line, note, strlen(note)) == 0;
        lines += is_note ? strtoull(line + strlen(note), NULL, 10) : 1;
        count_ever(self, !is_note);
    }
    return lines;
}

/* Moves the kept lines to `written`, after a note for lost lines. The caller holds the mutex. */
static uint32_t collect(ls_async_writer *self)
{
    uint32_t bytes = 0;
    if (self->is_torn)
        self->written[bytes++] = '\n';
    if (self->lost)
        bytes += print_note(self, self->written + bytes, self->lost);
    self->lost = 0;
    note_dropped(self);
    memcpy(self->written + bytes, self->kept, self->count);
    bytes += self->count;
    self->count = 0;
    return bytes;
}

/* Writes the bytes. Returns the error that lost lines, or 0. */
static int write_out(ls_async_writer *self, uint32_t bytes)
{
    int code;
    /* The newline that ends a torn line; it belongs to no line that follows. */
    size_t end = self->is_torn && bytes;
    size_t written = write_all(self->file, self->written, bytes, &code);
    self->file_bytes += written;
    if (written)
        self->is_torn = self->written[written - 1] != '\n';
    self->lost =
        count_lost(self, self->written + end, written > end ? written - end : 0, bytes - end);
    return code;
}

/* Prints a line of the writer's own. */
static void note_failure(ls_async_writer *self, const char *event, const char *path, int code)
{
    char line[LS_ASYNC_WRITER_LINE_BYTES];
    ls_builder json = {0};
    snprintf(line, sizeof line, "%s file=%s reason=\"%s\"", event, path, strerror(code));
    if (self->note == &json_note)
        ls_log_json_add(&json, line);
    ls_async_writer_print(self, "%s\n", json.data ? json.data : line);
    ls_free(json.data);
}

static void count_file_bytes(ls_async_writer *self)
{
    struct stat facts;
    self->file_bytes = fstat(self->file, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

static int open_log(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/* Puts the open file, if there is one, under the descriptor of the present one, so the caller's
 * number stays valid. */
static void use(ls_async_writer *self, const char *path, int file)
{
    if (file >= 0 && dup3(file, self->file, O_CLOEXEC) >= 0) {
        count_file_bytes(self);
    } else {
        /* Count the old file as empty: otherwise each batch of lines would try to rotate it
         * again. */
        self->file_bytes = 0;
        note_failure(self, "log_not_reopened", path, errno);
    }
    if (file >= 0)
        close(file);
}

/* The name of an old file: 1 is the newest; 0 is only used while FILE is being rotated. */
static char *old_name(const char *path, uint32_t number)
{
    ls_builder name = {0};
    ls_builder_add(&name, "%s.%u", path, number);
    return name.data;
}

/* Returns the error, or 0. A file that is missing is no error: another program may have moved it.
 */
static int move(const char *from, const char *to)
{
    return rename(from, to) == 0 || errno == ENOENT ? 0 : errno;
}

/* Renames FILE.4 to FILE.5 and so on, and FILE.0 to FILE.1 last. Returns the error, or 0. */
static int move_old_files(const char *path)
{
    int code = 0;
    for (uint32_t i = LS_ASYNC_WRITER_OLD_FILES; !code && i > 0; i--) {
        char *from = old_name(path, i - 1), *to = old_name(path, i);
        code = move(from, to);
        ls_free(from);
        ls_free(to);
    }
    return code;
}

/* Renames the files and opens a new one. The old files are moved only when FILE could be renamed
 * and a new one is open, because a failure would lose one of them at each attempt. Returns the
 * error, and then FILE has its name again; or 0. */
static int begin_file(const char *path, int *file)
{
    char *moved = old_name(path, 0);
    int code = move(path, moved);
    *file = -1;
    if (!code) {
        *file = open_log(path);
        code = *file < 0 ? errno : move_old_files(path);
        if (code && *file >= 0)
            close(*file);
        if (code)
            (void)move(moved, path);
    }
    ls_free(moved);
    return code;
}

/* Begins a new file before one that has lines would exceed the limit. A torn line is ended first.
 * After a failure it tries again when `bytes_max` more bytes have been written. */
static void rotate(ls_async_writer *self, uint32_t bytes)
{
    if (!self->bytes_max || !self->file_bytes || self->is_torn ||
        self->file_bytes + bytes <= self->bytes_max)
        return;
    int file, code = begin_file(self->path, &file);
    if (!code) {
        use(self, self->path, file);
        return;
    }
    note_failure(self, "log_not_rotated", self->path, code);
    self->file_bytes = 0;
}

/* The thread. Before it ends, it writes the note for lost lines once more, because there may be
 * room again. */
static void work(void *argument)
{
    ls_async_writer *self = argument;
    ls_mutex_lock(&self->mutex);
    for (bool is_last = false; !is_last;) {
        while (!self->count && !self->is_stopping && !self->reopen)
            ls_wake_wait(&self->work, &self->mutex);
        const char *path = self->reopen;
        self->reopen = NULL;
        is_last = !self->count && !path;
        uint32_t bytes = is_last && !self->lost ? 0 : collect(self);
        ls_mutex_unlock(&self->mutex);
        rotate(self, bytes);
        int code = write_out(self, bytes);
        if (path)
            use(self, path, open_log(path));
        ls_mutex_lock(&self->mutex);
        self->has_failed |= code && code != EPIPE;
    }
    self->is_done = true;
    ls_wake_one(&self->done);
    ls_mutex_unlock(&self->mutex);
}

static void destroy(ls_async_writer *self)
{
    ls_wake_destroy(&self->done);
    ls_wake_destroy(&self->work);
    ls_mutex_destroy(&self->mutex);
    ls_free(self);
}

ls_status ls_async_writer_open(int file, ls_async_writer **writer, ls_error *error)
{
    ls_async_writer *self = ls_alloc(sizeof *self);
    self->file = file;
    self->note = &text_note;
    ls_mutex_init(&self->mutex);
    ls_wake_init(&self->work);
    ls_wake_init(&self->done);
    if (!ls_thread_start(&self->thread, work, self)) {
        destroy(self);
        *writer = NULL;
        return ls_error_set(error, LS_ERROR_IO, "cannot start a thread");
    }
    *writer = self;
    return LS_OK;
}

void ls_async_writer_use_json(ls_async_writer *writer)
{
    ls_mutex_lock(&writer->mutex);
    writer->note = &json_note;
    ls_mutex_unlock(&writer->mutex);
}

void ls_async_writer_rotate(ls_async_writer *writer, const char *path, uint64_t bytes_max)
{
    ls_mutex_lock(&writer->mutex);
    writer->path = path;
    writer->bytes_max = bytes_max;
    count_file_bytes(writer);
    ls_mutex_unlock(&writer->mutex);
}

void ls_async_writer_print(ls_async_writer *writer, const char *format, ...)
{
    char line[LS_ASYNC_WRITER_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    uint32_t bytes = length < 0 ? 0 : (uint32_t)length;
    if (bytes >= sizeof line) {
        bytes = sizeof line - 1;
        line[bytes - 1] = '\n';
    }
    ls_mutex_lock(&writer->mutex);
    bool fits = writer->count + bytes + 2 * NOTE_BYTES <= LS_ASYNC_WRITER_BYTES;
    if (fits) {
        note_dropped(writer);
        memcpy(writer->kept + writer->count, line, bytes);
        writer->count += bytes;
        ls_wake_one(&writer->work);
    } else {
        writer->dropped++;
        count_ever(writer, 1);
    }
    ls_mutex_unlock(&writer->mutex);
}

uint64_t ls_async_writer_lost(const ls_async_writer *writer)
{
    return writer ? __atomic_load_n(&writer->lost_ever, __ATOMIC_RELAXED) : 0;
}

void ls_async_writer_reopen(ls_async_writer *writer, const char *path)
{
    ls_mutex_lock(&writer->mutex);
    writer->reopen = path;
    ls_wake_one(&writer->work);
    ls_mutex_unlock(&writer->mutex);
}

/* Returns whether the thread has written everything in time. The caller holds the mutex. */
static bool wait_until_done(ls_async_writer *self)
{
    uint64_t until_ns = ls_monotonic_ns() + CLOSE_NS;
    while (!self->is_done) {
        uint64_t now_ns = ls_monotonic_ns();
        if (now_ns >= until_ns)
            return false;
        (void)ls_wake_wait_for(&self->done, &self->mutex, until_ns - now_ns);
    }
    return true;
}

bool ls_async_writer_close(ls_async_writer *writer, bool *is_left)
{
    *is_left = false;
    if (!writer)
        return true;
    ls_mutex_lock(&writer->mutex);
    writer->is_stopping = true;
    ls_wake_one(&writer->work);
    bool is_done = wait_until_done(writer), is_good = !writer->has_failed;
    ls_mutex_unlock(&writer->mutex);
    if (!is_done) {
        /* The thread hangs in a write that may never return, so it and its memory stay until the
         * process ends. */
        ls_thread_detach(&writer->thread);
        *is_left = true;
        return is_good;
    }
    ls_thread_join(&writer->thread);
    destroy(writer);
    return is_good;
}
