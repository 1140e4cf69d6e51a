#include <lockstep/recorder.h>

#include "core/base/fault_injection.h"
#include "core/base/platform_file.h"
#include "core/schema/match_equal.h"
#include "replays/recorder_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *remedy(int code)
{
    if (code == EEXIST)
        return "a recording is never replaced: choose another name";
    if (code == EFBIG || ls_code_is_full(code))
        return "free space, or record elsewhere";
    return "check the disk, or record elsewhere";
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

/* Writes one record with a single write; only after a short write it writes the rest. */
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

ls_status ls_recorder_append_with_roots(ls_recorder *recorder, const ls_writer *writer,
                                        ls_error *error)
{
    recorder->roots.count = 0;
    return ls_recorder_append_record(recorder, writer, CHAIN_BYTES, error);
}

/* Tests the frame as a reader would. If a reader refused a written frame, the rest of the file
 * would be lost, too. */
static bool frame_is_readable(const ls_recorder *recorder, const ls_frame *frame,
                              const ls_writer *writer)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_state_memory memory = recorder->states;
    ls_frame read;
    ls_record_roots roots;
    ls_record record;
    ls_reader reader;
    if (writer->failed || frame->count > LS_FRAME_INPUTS_MAX)
        return false;
    ls_reader_init(&reader, writer->data, writer->count);
    return ls_record_verify(&reader, CHAIN_BYTES, recorder->salt, &record) &&
           ls_record_decode_frame(&record, recorder->player_count, &memory, inputs, &read,
                                  &roots) &&
           ls_frame_equal(&read, frame);
}

void ls_recorder_keep_states(ls_recorder *recorder, const ls_state_memory *memory)
{
    recorder->states = (ls_state_memory){0};
    for (uint32_t i = 0; i < LS_PLAYERS_MAX; i++) {
        if (!memory->bytes[i])
            continue;
        memmove(recorder->kept[i], memory->data[i], memory->bytes[i]);
        recorder->states.bytes[i] = memory->bytes[i];
        recorder->states.data[i] = recorder->kept[i];
    }
}

ls_status ls_recorder_add_root(ls_recorder *recorder, uint64_t root, ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && recorder->root_tick <= recorder->next_tick);
    if (recorder->roots.count == LS_RECORD_ROOTS_MAX) {
        ls_writer writer;
        ls_recorder_writer_init(recorder, &writer);
        ls_record_encode_roots(&recorder->roots, recorder->salt, &writer);
        ls_status status = ls_recorder_append_with_roots(recorder, &writer, error);
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
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && frame->tick == recorder->next_tick);
    LS_ASSERT(recorder->first_tick == 0 || recorder->next_keyframe > recorder->first_tick);
    if (frame->tick + 1 - recorder->root_tick > LS_RECORDING_LAG_TICKS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: tick %" PRIu64 " is not written: the match was simulated only "
                            "before tick %" PRIu64 ", and may lag its frames by %d ticks",
                            recorder->name, frame->tick, recorder->root_tick,
                            LS_RECORDING_LAG_TICKS_MAX);
    ls_writer writer;
    ls_state_memory memory = recorder->states;
    ls_recorder_writer_init(recorder, &writer);
    ls_record_encode_frame(frame, &recorder->roots, &memory, recorder->salt, &writer);
    if (!frame_is_readable(recorder, frame, &writer))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s: the frame of tick %" PRIu64 " breaks the limits of its match",
                            recorder->name, frame->tick);
    ls_recorder_keep_states(recorder, &memory);
    ls_status status = ls_recorder_append_with_roots(recorder, &writer, error);
    if (status == LS_OK)
        recorder->next_tick++;
    return status;
}

ls_status ls_recorder_begin_epoch(ls_recorder *recorder, uint32_t epoch, int64_t unix_s,
                                  ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && epoch > recorder->epoch);
    const ls_recording_epoch record = {recorder->next_tick, epoch, unix_s};
    ls_writer writer;
    ls_recorder_writer_init(recorder, &writer);
    ls_record_encode_epoch(&record, recorder->salt, &writer);
    ls_status status = ls_recorder_append_record(recorder, &writer, CHAIN_BYTES, error);
    if (status == LS_OK)
        recorder->epoch = epoch;
    return status;
}

ls_status ls_recorder_sync_begin(ls_recorder *recorder, ls_recorder_ticket *ticket, ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
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
        recorder->synced_tick = LS_FAULT(SYNC_PROMISES_MORE) ? recorder->next_tick : ticket->tick;
    if (LS_FAULT(FAILED_SYNC_COUNTS)) {
        recorder->synced_tick = ticket->tick;
        return LS_OK;
    }
    /* If an append failed meanwhile, reports that first failure. */
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    return ticket->result ? ls_recorder_fail(recorder, -ticket->result, "sync", error) : LS_OK;
}

ls_status ls_recorder_sync(ls_recorder *recorder, ls_error *error)
{
    ls_recorder_ticket ticket = {0};
    ls_status status = ls_recorder_sync_begin(recorder, &ticket, error);
    if (status != LS_OK)
        return status;
    ls_recorder_sync_run(&ticket);
    return ls_recorder_sync_end(recorder, &ticket, error);
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

uint64_t ls_recorder_next_keyframe(const ls_recorder *recorder)
{
    return recorder->next_keyframe;
}

uint64_t ls_recorder_unsigned_ticks(const ls_recorder *recorder)
{
    return recorder->signs ? recorder->next_tick - recorder->signed_tick : 0;
}

uint64_t ls_recorder_unsynced_ticks(const ls_recorder *recorder)
{
    return recorder->next_tick - recorder->synced_tick;
}
