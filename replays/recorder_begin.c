/* Begins and ends a recording: header, first keyframe, closing record. */
#include "replays/recorder_begin.h"

#include "replays/recorder_extras.h"
#include <lockstep/file_sink.h>

#include <string.h>

_Static_assert(LS_RECORDING_PREFIX_BYTES + LS_RECORD_HEAD_BYTES + LS_RECORD_HEADER_PAYLOAD_MAX +
                       LS_RECORD_CHECKSUM_BYTES + LS_RECORD_HEAD_BYTES +
                       LS_RECORD_ROOM_PAYLOAD_MAX + LS_RECORD_CHECKSUM_BYTES <=
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
    /* The first sync gives the file its name; it fails if the name is in use. */
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
    ls_status status = ls_recorder_append_with_roots(recorder, &writer, error);
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
