/* How a recorder's bytes get to its sink, and what a failure of that means. */
#include "core/base/fault_injection.h"
#include "replays/recorder_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *remedy(int code)
{
    switch (code) {
    case EEXIST:
        return "a recording is never replaced: choose another name";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "free space, or record elsewhere";
    default:
        return "check the disk, or record elsewhere";
    }
}

ls_status ls_recorder_fail(ls_recorder *recorder, int code, const char *doing, ls_error *error)
{
    uint64_t count = recorder->next_tick - recorder->first_tick;
    recorder->failed = true;
    ls_error_set(&recorder->failure, LS_ERROR_IO,
                 "%s: cannot %s (after %" PRIu64 " ticks, byte %" PRIu64 "): %s; %s",
                 recorder->name, doing, count, recorder->bytes, strerror(code), remedy(code));
    return ls_error_set(error, LS_ERROR_IO, "%s", recorder->failure.text);
}

ls_status ls_recorder_refuse_failed(const ls_recorder *recorder, ls_error *error)
{
    (void)ls_error_set(error, LS_ERROR_IO, "%s", recorder->failure.text);
    return LS_ERROR_IO;
}

/* One write for one record; only what the system left over is written again, where it belongs. */
static ls_status append_bytes(ls_recorder *recorder, const uint8_t *data, size_t bytes,
                              ls_error *error)
{
    size_t done = 0;
    while (done < bytes) {
        int64_t count = recorder->sink.append(recorder->sink.context, data + done, bytes - done);
        if (count == -EINTR)
            continue;
        if (count <= 0)
            return ls_recorder_fail(recorder, count ? (int)-count : EIO, "append", error);
        LS_ASSERT((uint64_t)count <= bytes - done);
        done += LS_FAULT(SHORT_WRITE_IS_WHOLE) ? bytes - done : (size_t)count;
        recorder->bytes += (uint64_t)count;
    }
    return LS_OK;
}

ls_status ls_recorder_append_record(ls_recorder *recorder, const ls_writer *writer, size_t from,
                                    ls_error *error)
{
    LS_ASSERT(!writer->failed);
    const uint8_t *data = writer->data + from;
    size_t bytes = writer->count - from;
    ls_status status = append_bytes(recorder, data, bytes, error);
    if (status == LS_OK && recorder->has_key)
        ls_running_hash_add(&recorder->hash, data, bytes);
    if (status == LS_OK)
        recorder->whole_bytes = recorder->bytes;
    memmove(recorder->buffer, data + bytes - CHAIN_BYTES, CHAIN_BYTES);
    return status;
}

void ls_recorder_writer_init(ls_recorder *recorder, ls_writer *writer)
{
    ls_writer_init(writer, recorder->buffer, sizeof recorder->buffer);
    writer->count = CHAIN_BYTES;
}
