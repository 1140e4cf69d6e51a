#include <lockstep/recorder.h>

#include "core/base/fault_injection.h"
#include "replays/recorder_internal.h"
#include <lockstep/file_sink.h>

#include <inttypes.h>
#include <string.h>

_Static_assert(LS_RECORDING_PREFIX_BYTES + LS_RECORD_HEAD_BYTES + LS_RECORD_HEADER_PAYLOAD_MAX +
                       LS_RECORD_CHECKSUM_BYTES <=
                   CHAIN_BYTES + LS_RECORD_BYTES_MAX,
               "the header fits the recorder's buffer");

static ls_status write_header(ls_recorder *recorder, const ls_recorder_config *config,
                              ls_error *error)
{
    ls_writer writer;
    ls_writer_init(&writer, recorder->buffer, sizeof recorder->buffer);
    ls_status status = ls_record_encode_header(config->header, &writer, error);
    if (status == LS_OK)
        status = ls_recorder_append_record(recorder, &writer, 0, error);
    if (status == LS_OK && config->keyframe)
        status = ls_recorder_append_keyframe(recorder, config->keyframe, error);
    if (status == LS_OK && config->link)
        status = ls_recorder_append_link(recorder, config->link, error);
    if (status != LS_OK)
        return status;
    /* The first sync gives a file its name, so this is where a taken name shows. */
    int result = recorder->sink.sync(recorder->sink.context);
    return result ? ls_recorder_fail(recorder, -result, "create", error) : LS_OK;
}

static ls_recorder *make(ls_sink sink, const char *name, const ls_recording_header *header)
{
    static const uint8_t no_key[LS_PUBLIC_KEY_BYTES];
    ls_recorder *made = ls_alloc(sizeof *made);
    made->sink = sink;
    made->is_open = true;
    made->salt = header->salt;
    made->player_count = header->match.player_count;
    made->first_tick = made->next_tick = made->synced_tick = made->root_tick = header->first_tick;
    made->signed_tick = made->next_keyframe = made->next_columns = header->first_tick;
    made->full_tick = UINT64_MAX;
    made->epoch = header->first_epoch;
    made->has_key = memcmp(header->server_key, no_key, sizeof no_key) != 0;
    memcpy(made->key.bytes, header->server_key, sizeof made->key.bytes);
    ls_running_hash_init(&made->hash);
    strncpy(made->name, name, sizeof made->name - 1);
    return made;
}

ls_status ls_recorder_begin(const ls_recorder_config *config, ls_recorder **recorder,
                            ls_error *error)
{
    const ls_recording_header *header = config->header;
    ls_recorder *made = make(config->sink, config->name, header);
    LS_ASSERT(config->keyframe ? config->keyframe->tick == header->first_tick &&
                                     config->keyframe->base_tick == header->first_tick
                               : header->first_tick == 0);
    bool signs = config->identity && ls_recorder_sign_with(made, config->identity);
    LS_ASSERT(signs == made->signs);
    ls_status status = write_header(made, config, error);
    if (status != LS_OK) {
        ls_recorder_destroy(made);
        made = NULL;
    }
    *recorder = made;
    return status;
}

ls_status ls_recorder_create_on(ls_sink sink, const char *name, const ls_recording_header *header,
                                ls_recorder **recorder, ls_error *error)
{
    return ls_recorder_begin(&(ls_recorder_config){.sink = sink, .name = name, .header = header},
                             recorder, error);
}

ls_recorder *ls_recorder_continue(const ls_recorder_prefix *prefix)
{
    const ls_recording_end *end = prefix->end;
    ls_recorder *made = make(prefix->sink, prefix->name, prefix->header);
    made->next_tick += end->tick_count;
    made->synced_tick = made->next_tick;
    made->root_tick = end->root_tick;
    made->bytes = made->whole_bytes = end->valid_bytes;
    made->epoch = end->epoch.epoch;
    made->signed_tick = prefix->signed_tick;
    made->next_keyframe = prefix->next_keyframe;
    made->next_columns = prefix->next_columns;
    made->hash = prefix->hash;
    ls_recorder_keep_states(made, &prefix->memory);
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
    if (recorder)
        ls_identity_reset(&recorder->identity);
    ls_free(recorder);
}

static bool is_same_input(const ls_input *a, const ls_input *b)
{
    return a->player == b->player && a->kind == b->kind && a->bytes == b->bytes &&
           (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}

/* What the reader would refuse must not be written: the rest of the file would be lost with it. */
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
    if (!ls_record_verify(&reader, CHAIN_BYTES, recorder->salt, &record) ||
        !ls_record_decode_frame(&record, recorder->player_count, &memory, inputs, &read, &roots) ||
        read.count != frame->count)
        return false;
    for (uint32_t i = 0; i < read.count; i++)
        if (!is_same_input(&inputs[i], &frame->inputs[i]))
            return false;
    return true;
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

/* Appends what the writer holds; the roots that waited are in it. */
static ls_status append_with_roots(ls_recorder *recorder, const ls_writer *writer, ls_error *error)
{
    recorder->roots.count = 0;
    return ls_recorder_append_record(recorder, writer, CHAIN_BYTES, error);
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
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && frame->tick == recorder->next_tick);
    LS_ASSERT(recorder->first_tick == 0 || recorder->next_keyframe > recorder->first_tick);
    if (frame->tick + 1 - recorder->root_tick > LS_RECORDING_LAG_TICKS_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: tick %" PRIu64 " is not written: the match was simulated only "
                            "before tick %" PRIu64 ", and may be %d ticks behind its frames",
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
    ls_status status = append_with_roots(recorder, &writer, error);
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
    /* An append may have failed meanwhile; the first failure is the one that is told. */
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

ls_status ls_recorder_finish(ls_recorder *recorder, ls_closing_reason reason, ls_error *error)
{
    LS_ASSERT(!recorder->is_syncing);
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open);
    LS_ASSERT(reason == LS_CLOSING_FAILED || reason == LS_CLOSING_CUT ||
              recorder->root_tick == recorder->next_tick + 1);
    ls_recording_closing closing = {
        .tick_count = recorder->next_tick - recorder->first_tick,
        .reason = (uint8_t)reason,
    };
    ls_writer writer;
    ls_recorder_writer_init(recorder, &writer);
    ls_record_encode_closing(&closing, &recorder->roots, recorder->salt, &writer);
    ls_status status = append_with_roots(recorder, &writer, error);
    if (status == LS_OK)
        status = ls_recorder_sign(recorder, error);
    if (status == LS_OK)
        status = ls_recorder_sync(recorder, error);
    if (status != LS_OK)
        return status;
    recorder->is_open = false;
    int result = recorder->sink.close(recorder->sink.context);
    return result ? ls_recorder_fail(recorder, -result, "close", error) : LS_OK;
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

bool ls_recorder_is_syncing(const ls_recorder *recorder)
{
    return recorder->is_syncing;
}

bool ls_recorder_has_failed(const ls_recorder *recorder)
{
    return recorder->failed;
}
