#include "replays/recorder.h"

#include "core/plant.h"
#include "replays/file_sink.h"
#include "replays/prefix.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { CHAIN_BYTES = LS_RECORD_CHECKSUM_BYTES, NAME_BYTES = 256 };

/* `buffer` starts with the eight bytes that end the file; the record to append is encoded behind
 * them, since its checksum covers both. */
struct ls_recorder {
    ls_sink sink;
    uint64_t salt;
    uint32_t player_count;
    uint64_t first_tick;
    uint64_t next_tick;
    uint64_t synced_tick;
    uint64_t root_tick; /* whose root comes next */
    uint64_t bytes;
    uint32_t epoch;
    bool is_open;    /* the sink was not closed yet */
    bool is_syncing; /* a ticket is out */
    bool failed;
    ls_error failure;
    char name[NAME_BYTES];
    ls_record_roots roots; /* they wait for the next record; the last is of root_tick - 1 */
    uint8_t buffer[CHAIN_BYTES + LS_RECORD_BYTES_MAX];
};

_Static_assert(LS_RECORDING_PREFIX_BYTES + LS_RECORD_HEAD_BYTES + LS_RECORD_HEADER_PAYLOAD_MAX +
                       LS_RECORD_CHECKSUM_BYTES <=
                   CHAIN_BYTES + LS_RECORD_BYTES_MAX,
               "the header fits the recorder's buffer");

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

/* Marks the recording as failed for good and says how much of it can be read. */
static ls_status fail(ls_recorder *recorder, int code, const char *doing, ls_error *error)
{
    uint64_t count = recorder->next_tick - recorder->first_tick;
    recorder->failed = true;
    ls_error_set(&recorder->failure, LS_ERROR_IO,
                 "%s: cannot %s (after %" PRIu64 " ticks, byte %" PRIu64 "): %s; %s",
                 recorder->name, doing, count, recorder->bytes, strerror(code), remedy(code));
    return ls_error_set(error, LS_ERROR_IO, "%s", recorder->failure.text);
}

static ls_status refuse_failed(const ls_recorder *recorder, ls_error *error)
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
            return fail(recorder, count ? (int)-count : EIO, "append", error);
        LS_ASSERT((uint64_t)count <= bytes - done);
        done += LS_PLANT(SHORT_WRITE_IS_WHOLE) ? bytes - done : (size_t)count;
        recorder->bytes += (uint64_t)count;
    }
    return LS_OK;
}

/* Writes what the writer holds from `from` on and keeps its last bytes as the next record's start.
 */
static ls_status append_record(ls_recorder *recorder, const ls_writer *writer, size_t from,
                               ls_error *error)
{
    LS_ASSERT(!writer->failed);
    ls_status status = append_bytes(recorder, writer->data + from, writer->count - from, error);
    memmove(recorder->buffer, writer->data + writer->count - CHAIN_BYTES, CHAIN_BYTES);
    return status;
}

static void record_writer_init(ls_recorder *recorder, ls_writer *writer)
{
    ls_writer_init(writer, recorder->buffer, sizeof recorder->buffer);
    writer->count = CHAIN_BYTES;
}

static ls_status write_header(ls_recorder *recorder, const ls_recording_header *header,
                              ls_error *error)
{
    ls_writer writer;
    ls_writer_init(&writer, recorder->buffer, sizeof recorder->buffer);
    ls_status status = ls_record_encode_header(header, &writer, error);
    if (status != LS_OK)
        return status;
    status = append_record(recorder, &writer, 0, error);
    if (status != LS_OK)
        return status;
    /* The first sync gives a file its name, so this is where a taken name shows. */
    int result = recorder->sink.sync(recorder->sink.context);
    return result ? fail(recorder, -result, "create", error) : LS_OK;
}

static ls_recorder *make(ls_sink sink, const char *name, const ls_recording_header *header)
{
    ls_recorder *made = ls_alloc(sizeof *made);
    made->sink = sink;
    made->is_open = true;
    made->salt = header->salt;
    made->player_count = header->match.player_count;
    made->first_tick = header->first_tick;
    made->next_tick = header->first_tick;
    made->synced_tick = header->first_tick;
    made->root_tick = header->first_tick;
    strncpy(made->name, name, sizeof made->name - 1);
    return made;
}

ls_status ls_recorder_create_on(ls_sink sink, const char *name, const ls_recording_header *header,
                                ls_recorder **recorder, ls_error *error)
{
    ls_recorder *made = make(sink, name, header);
    ls_status status = write_header(made, header, error);
    if (status != LS_OK) {
        ls_recorder_destroy(made);
        made = NULL;
    }
    *recorder = made;
    return status;
}

ls_recorder *ls_recorder_continue(const ls_recorder_prefix *prefix)
{
    ls_recorder *made = make(prefix->sink, prefix->name, prefix->header);
    made->next_tick += prefix->end->tick_count;
    made->synced_tick = made->next_tick;
    made->root_tick = prefix->end->root_tick;
    made->bytes = prefix->end->valid_bytes;
    made->epoch = prefix->end->epoch.epoch;
    memcpy(made->buffer, prefix->chain, CHAIN_BYTES);
    return made;
}

ls_status ls_recorder_create(const char *path, const ls_recording_header *header,
                             ls_recorder **recorder, ls_error *error)
{
    ls_sink sink;
    *recorder = NULL;
    ls_status status = ls_file_sink_create(path, &sink, error);
    return status == LS_OK ? ls_recorder_create_on(sink, path, header, recorder, error) : status;
}

void ls_recorder_destroy(ls_recorder *recorder)
{
    LS_ASSERT(!recorder || !recorder->is_syncing);
    if (recorder && recorder->is_open)
        (void)recorder->sink.close(recorder->sink.context);
    ls_free(recorder);
}

/* What the reader would refuse must not be written: the rest of the file would be lost with it. */
static bool frame_is_readable(const ls_recorder *recorder, const ls_writer *writer)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_record_roots roots;
    ls_record record;
    ls_reader reader;
    if (writer->failed)
        return false;
    ls_reader_init(&reader, writer->data, writer->count);
    return ls_record_verify(&reader, CHAIN_BYTES, recorder->salt, &record) &&
           ls_record_decode_frame(&record, recorder->player_count, inputs, &frame, &roots);
}

/* Appends what the writer holds; the roots that waited are in it. */
static ls_status append_with_roots(ls_recorder *recorder, const ls_writer *writer, ls_error *error)
{
    recorder->roots.count = 0;
    return append_record(recorder, writer, CHAIN_BYTES, error);
}

ls_status ls_recorder_add_root(ls_recorder *recorder, uint64_t root, ls_error *error)
{
    if (recorder->failed)
        return refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && recorder->root_tick <= recorder->next_tick);
    if (recorder->roots.count == LS_RECORD_ROOTS_MAX) {
        ls_writer writer;
        record_writer_init(recorder, &writer);
        ls_record_encode_roots(&recorder->roots, recorder->salt, &writer);
        ls_status status = append_with_roots(recorder, &writer, error);
        if (status != LS_OK)
            return status;
    }
    recorder->roots.values[recorder->roots.count++] = root;
    recorder->root_tick++;
    return LS_OK;
}

ls_status ls_recorder_append(ls_recorder *recorder, const ls_frame *frame, ls_error *error)
{
    if (recorder->failed)
        return refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && frame->tick == recorder->next_tick);
    if (frame->tick + 1 - recorder->root_tick > LS_RECORDING_LAG_TICKS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: tick %" PRIu64 " is not written: the match was simulated only "
                            "before tick %" PRIu64 ", and may be %d ticks behind its frames",
                            recorder->name, frame->tick, recorder->root_tick,
                            LS_RECORDING_LAG_TICKS_MAX);
    ls_writer writer;
    record_writer_init(recorder, &writer);
    ls_record_encode_frame(frame, &recorder->roots, recorder->salt, &writer);
    if (!frame_is_readable(recorder, &writer))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s: the frame of tick %" PRIu64 " breaks the limits of its match",
                            recorder->name, frame->tick);
    ls_status status = append_with_roots(recorder, &writer, error);
    if (status == LS_OK)
        recorder->next_tick++;
    return status;
}

ls_status ls_recorder_begin_epoch(ls_recorder *recorder, uint32_t epoch, int64_t unix_s,
                                  ls_error *error)
{
    if (recorder->failed)
        return refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && epoch > recorder->epoch);
    const ls_recording_epoch record = {recorder->next_tick, epoch, unix_s};
    ls_writer writer;
    record_writer_init(recorder, &writer);
    ls_record_encode_epoch(&record, recorder->salt, &writer);
    ls_status status = append_record(recorder, &writer, CHAIN_BYTES, error);
    if (status == LS_OK)
        recorder->epoch = epoch;
    return status;
}

ls_status ls_recorder_sync_begin(ls_recorder *recorder, ls_recorder_ticket *ticket, ls_error *error)
{
    if (recorder->failed)
        return refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && !recorder->is_syncing);
    *ticket = (ls_recorder_ticket){.sink = recorder->sink, .tick = recorder->next_tick};
    recorder->is_syncing = true;
    return LS_OK;
}

void ls_recorder_sync_run(ls_recorder_ticket *ticket)
{
    LS_ASSERT(!ticket->is_run);
    ticket->result = ticket->sink.sync(ticket->sink.context);
    ticket->is_run = true;
}

ls_status ls_recorder_sync_end(ls_recorder *recorder, const ls_recorder_ticket *ticket,
                               ls_error *error)
{
    LS_ASSERT(recorder->is_syncing && ticket->is_run);
    recorder->is_syncing = false;
    if (ticket->result == 0)
        recorder->synced_tick = LS_PLANT(SYNC_PROMISES_MORE) ? recorder->next_tick : ticket->tick;
    if (LS_PLANT(FAILED_SYNC_COUNTS)) {
        recorder->synced_tick = ticket->tick;
        return LS_OK;
    }
    /* An append may have failed meanwhile; the first failure is the one that is told. */
    if (recorder->failed)
        return refuse_failed(recorder, error);
    return ticket->result ? fail(recorder, -ticket->result, "sync", error) : LS_OK;
}

ls_status ls_recorder_sync(ls_recorder *recorder, ls_error *error)
{
    ls_recorder_ticket ticket;
    ls_status status = ls_recorder_sync_begin(recorder, &ticket, error);
    if (status != LS_OK)
        return status;
    ls_recorder_sync_run(&ticket);
    return ls_recorder_sync_end(recorder, &ticket, error);
}

ls_status ls_recorder_finish(ls_recorder *recorder, ls_closing_reason reason, ls_error *error)
{
    LS_ASSERT(!recorder->is_syncing);
    if (recorder->failed)
        return refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open);
    LS_ASSERT(reason == LS_CLOSING_FAILED || recorder->root_tick == recorder->next_tick + 1);
    ls_recording_closing closing = {
        .tick_count = recorder->next_tick - recorder->first_tick,
        .reason = (uint8_t)reason,
    };
    ls_writer writer;
    record_writer_init(recorder, &writer);
    ls_record_encode_closing(&closing, &recorder->roots, recorder->salt, &writer);
    ls_status status = append_with_roots(recorder, &writer, error);
    if (status == LS_OK)
        status = ls_recorder_sync(recorder, error);
    if (status != LS_OK)
        return status;
    recorder->is_open = false;
    int result = recorder->sink.close(recorder->sink.context);
    return result ? fail(recorder, -result, "close", error) : LS_OK;
}

uint64_t ls_recorder_tick(const ls_recorder *recorder)
{
    return recorder->next_tick;
}

uint64_t ls_recorder_root_tick(const ls_recorder *recorder)
{
    return recorder->root_tick;
}

uint32_t ls_recorder_epoch(const ls_recorder *recorder)
{
    return recorder->epoch;
}

uint64_t ls_recorder_bytes(const ls_recorder *recorder)
{
    return recorder->bytes;
}

uint64_t ls_recorder_unsynced_ticks(const ls_recorder *recorder)
{
    return recorder->next_tick - recorder->synced_tick;
}

bool ls_recorder_is_syncing(const ls_recorder *recorder)
{
    return recorder->is_syncing;
}

bool ls_recorder_has_failed(const ls_recorder *recorder)
{
    return recorder->failed;
}
