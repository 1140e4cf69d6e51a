#include "cli/outlet.h"

#include "cli/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOSE_NS   (LS_NS_PER_S / 2)
#define NOTE_BYTES 64

struct ls_outlet {
    int file;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, idle;
    bool is_stopping, is_writing, has_failed;
    uint64_t dropped; /* lines, since the last that found room */
    uint32_t count;
    char kept[LS_OUTLET_BYTES], written[LS_OUTLET_BYTES]; /* the second is the thread's */
};

/* Returns 0 or the error that lost the rest. */
static int write_all(int file, const char *bytes, size_t count)
{
    while (count) {
        ssize_t done = write(file, bytes, count);
        if (done < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = file, .events = POLLOUT};
            (void)poll(&room, 1, -1);
        } else if (done < 0 && errno != EINTR) {
            return errno;
        } else if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
    return 0;
}

/* Holds the mutex; there is always room for it. */
static void note_dropped(ls_outlet *self)
{
    if (!self->dropped)
        return;
    self->count +=
        (uint32_t)snprintf(self->kept + self->count, NOTE_BYTES, "lines_dropped count=%llu\n",
                           (unsigned long long)self->dropped);
    self->dropped = 0;
}

static void *work(void *argument)
{
    ls_outlet *self = argument;
    pthread_mutex_lock(&self->mutex);
    for (;;) {
        while (!self->count && !self->is_stopping)
            pthread_cond_wait(&self->work, &self->mutex);
        if (!self->count)
            break;
        note_dropped(self);
        uint32_t count = self->count;
        memcpy(self->written, self->kept, count);
        self->count = 0;
        self->is_writing = true;
        pthread_mutex_unlock(&self->mutex);
        int code = write_all(self->file, self->written, count);
        pthread_mutex_lock(&self->mutex);
        self->is_writing = false;
        self->has_failed |= code && code != EPIPE;
        pthread_cond_signal(&self->idle);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

static void destroy(ls_outlet *self)
{
    pthread_cond_destroy(&self->idle);
    pthread_cond_destroy(&self->work);
    pthread_mutex_destroy(&self->mutex);
    ls_free(self);
}

ls_status ls_outlet_open(int file, ls_outlet **outlet, ls_error *error)
{
    ls_outlet *self = ls_alloc(sizeof *self);
    pthread_condattr_t monotonic;
    self->file = file;
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->work, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&self->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int code = pthread_create(&self->thread, NULL, work, self);
    if (code) {
        destroy(self);
        *outlet = NULL;
        return ls_error_set(error, LS_ERROR_IO, "cannot start a thread: %s", strerror(code));
    }
    *outlet = self;
    return LS_OK;
}

void ls_outlet_print(ls_outlet *outlet, const char *format, ...)
{
    char line[LS_OUTLET_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    uint32_t bytes = length < 0 ? 0 : (uint32_t)length;
    if (bytes >= sizeof line) {
        bytes = sizeof line - 1;
        line[bytes - 1] = '\n';
    }
    pthread_mutex_lock(&outlet->mutex);
    bool has_room = outlet->count + bytes + 2 * NOTE_BYTES <= LS_OUTLET_BYTES;
    if (has_room) {
        note_dropped(outlet);
        memcpy(outlet->kept + outlet->count, line, bytes);
        outlet->count += bytes;
        pthread_cond_signal(&outlet->work);
    } else {
        outlet->dropped++;
    }
    pthread_mutex_unlock(&outlet->mutex);
}

/* Whether the thread has written all in time. Holds the mutex. */
static bool wait_until_idle(ls_outlet *self)
{
    uint64_t until_ns = ls_clock_now_ns() + CLOSE_NS;
    struct timespec until = {.tv_sec = (time_t)(until_ns / LS_NS_PER_S),
                             .tv_nsec = (long)(until_ns % LS_NS_PER_S)};
    while (self->count || self->is_writing)
        if (pthread_cond_timedwait(&self->idle, &self->mutex, &until) != 0)
            return false;
    return true;
}

bool ls_outlet_close(ls_outlet *outlet, bool *is_left)
{
    *is_left = false;
    if (!outlet)
        return true;
    pthread_mutex_lock(&outlet->mutex);
    outlet->is_stopping = true;
    pthread_cond_signal(&outlet->work);
    bool is_idle = wait_until_idle(outlet), is_good = !outlet->has_failed;
    pthread_mutex_unlock(&outlet->mutex);
    if (!is_idle) {
        /* It stands in a write that may never end: thread and memory are left to the process's end.
         */
        pthread_detach(outlet->thread);
        *is_left = true;
        return is_good;
    }
    pthread_join(outlet->thread, NULL);
    destroy(outlet);
    return is_good;
}
