#include "cli/common/child_state.h"

#include "core/base/platform_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OUTPUT_BYTES 600 /* how much of a dead child's last output is shown */

static uint64_t timeout_of(const ls_child *child)
{
    bool is_search = child->report->has_no_steps && child->timeout_ns < LS_CHILD_SEARCH_NS;
    return is_search ? LS_CHILD_SEARCH_NS : child->timeout_ns;
}

bool ls_child_is_late(ls_child *child, uint64_t now_ns)
{
    uint64_t ticks = __atomic_load_n(&child->report->ticks, __ATOMIC_RELAXED);
    if (ticks != child->progress) {
        child->progress = ticks;
        child->progress_ns = now_ns;
    }
    return now_ns - child->progress_ns > timeout_of(child);
}

/* Adds where the child was. A place in a system is more exact than what the child said it was
 * doing. */
static void add_place(const ls_child_report *report, char *text, size_t bytes)
{
    if (report->crash.is_in_system)
        ls_crash_print_place(&report->crash, text, bytes);
    else if (report->doing[0])
        snprintf(text, bytes, " at: %.150s", report->doing);
}

void ls_child_note_death(ls_child *child, const char *end)
{
    ls_child_report *report = child->report;
    char how[96], place[400] = "";
    if (child->is_stuck)
        snprintf(how, sizeof how, "no progress in %.3g s",
                 (double)timeout_of(child) / (double)LS_SECOND_NS);
    else if (report->crash.signal)
        snprintf(how, sizeof how, "killed by signal %d (%s)", report->crash.signal,
                 ls_crash_signal_text(report->crash.signal));
    else
        snprintf(how, sizeof how, "%s", end);
    add_place(report, place, sizeof place);
    report->status = LS_ERROR_DIVERGED;
    ls_error_set(&report->error, LS_ERROR_DIVERGED, "%s%s", how, place);
}

/* Adds the last lines of the child's output, joined into one. */
static void add_output(const ls_child *child, ls_error *error)
{
    char tail[OUTPUT_BYTES + 1];
    ls_descriptor_kind kind;
    uint64_t bytes;
    if (ls_descriptor_examine(child->output_file, &kind, &bytes) != 0 || bytes == 0)
        return;
    int64_t from = bytes > OUTPUT_BYTES ? (int64_t)bytes - OUTPUT_BYTES : 0;
    int64_t count = pread(child->output_file, tail, OUTPUT_BYTES, (off_t)from);
    if (count <= 0)
        return;
    while (count && tail[count - 1] == '\n')
        count--;
    tail[count] = 0;
    size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, "; it printed: %s", tail);
}

ls_status ls_child_status(const ls_child *child, ls_error *error)
{
    *error = child->report->error;
    error->text[sizeof error->text - 1] = 0;
    if (!child->report->is_done && child->output_file > 0)
        add_output(child, error);
    return child->report->status;
}

/* Writes the bytes to the beginning of the file. */
static bool put(int file, const void *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        int64_t written = pwrite(file, (const char *)bytes + done, count - done, (int64_t)done);
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

ls_status ls_child_give(ls_child *child, const void *bytes, size_t count, ls_error *error)
{
    if (!put(child->bytes_file, bytes, count))
        return ls_error_set(error, LS_ERROR_IO, "cannot hand over %zu bytes: %s", count,
                            strerror(errno));
    return LS_OK;
}

int ls_file_make(const uint8_t *bytes, size_t count)
{
    int file = memfd_create("handover", MFD_CLOEXEC);
    if (file < 0 || put(file, bytes, count))
        return file;
    close(file);
    return -1;
}

ls_status ls_file_take(int file, uint8_t **bytes, size_t *count, ls_error *error)
{
    ls_descriptor_kind kind;
    uint64_t length;
    int code = ls_descriptor_examine(file, &kind, &length);
    if (code != 0)
        return ls_error_set(error, LS_ERROR_IO, "cannot read what was handed over: %s",
                            strerror(-code));
    *count = (size_t)length;
    *bytes = ls_alloc(*count + 1);
    size_t done = 0;
    while (done < *count) {
        int64_t got = pread(file, *bytes + done, *count - done, (int64_t)done);
        if (got <= 0) {
            ls_free(*bytes);
            *bytes = NULL;
            return ls_error_set(error, LS_ERROR_IO, "cannot read what was handed over");
        }
        done += (size_t)got;
    }
    return LS_OK;
}

ls_status ls_child_take(const ls_child *child, uint8_t **bytes, size_t *count, ls_error *error)
{
    return ls_file_take(child->bytes_file, bytes, count, error);
}
