/* Appends the records besides ticks: keyframes, column hashes, evidence, signatures. */
#include "replays/recorder_extras.h"

#include "replays/recorder_internal.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(LS_SIGNATURE_BYTES == LS_RECORDING_SIGNATURE_BYTES, "one length of signatures");

/* Allocates a writer for a record that may be larger than a tick's. */
static void begin_large(const ls_recorder *recorder, size_t payload_bytes, ls_writer *writer)
{
    size_t bytes = CHAIN_BYTES + LS_RECORD_HEAD_BYTES + payload_bytes + LS_RECORD_CHECKSUM_BYTES;
    ls_writer_init(writer, ls_alloc(bytes), bytes);
    ls_write_bytes(writer, recorder->buffer, CHAIN_BYTES);
}

static ls_status end_large(ls_recorder *recorder, const ls_writer *writer, ls_error *error)
{
    ls_status status = ls_recorder_append_record(recorder, writer, CHAIN_BYTES, error);
    ls_free(writer->data);
    return status;
}

ls_status ls_recorder_append_keyframe(ls_recorder *recorder, const ls_recording_keyframe *keyframe,
                                      ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    bool is_full = keyframe->base_tick == keyframe->tick;
    LS_ASSERT(recorder->is_open && keyframe->tick >= recorder->next_keyframe &&
              keyframe->tick <= recorder->next_tick && keyframe->bytes);
    LS_ASSERT(is_full || keyframe->base_tick == recorder->full_tick);
    if (keyframe->bytes > LS_KEYFRAME_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: the keyframe of tick %" PRIu64 " has %zu bytes, over the maximum "
                            "of %zu: it is not written",
                            recorder->name, keyframe->tick, keyframe->bytes, LS_KEYFRAME_BYTES_MAX);
    ls_writer writer;
    begin_large(recorder, LS_RECORD_KEYFRAME_HEAD_MAX + keyframe->bytes, &writer);
    ls_record_encode_keyframe(keyframe, recorder->salt, &writer);
    ls_status status = end_large(recorder, &writer, error);
    if (status != LS_OK)
        return status;
    recorder->next_keyframe = keyframe->tick + 1;
    if (is_full)
        recorder->full_tick = keyframe->tick;
    return LS_OK;
}

ls_status ls_recorder_append_columns(ls_recorder *recorder, uint64_t tick, const uint64_t *hashes,
                                     uint32_t count, ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open && tick >= recorder->next_columns && tick <= recorder->next_tick);
    LS_ASSERT(count >= 1 && count <= LS_RECORD_COLUMNS_MAX);
    ls_writer writer;
    begin_large(recorder, LS_NUMBER_BYTES + 8 * (size_t)count, &writer);
    ls_record_encode_columns(tick, hashes, count, recorder->salt, &writer);
    recorder->next_columns = tick + 1;
    return end_large(recorder, &writer, error);
}

ls_status ls_recorder_append_evidence(ls_recorder *recorder, const uint8_t *data, size_t bytes,
                                      ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open);
    if (bytes > LS_EVIDENCE_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT,
                            "%s: %zu bytes of evidence are over the maximum of %zu: they are not "
                            "written",
                            recorder->name, bytes, LS_EVIDENCE_BYTES_MAX);
    ls_writer writer;
    begin_large(recorder, bytes, &writer);
    ls_record_encode_evidence(data, bytes, recorder->salt, &writer);
    return end_large(recorder, &writer, error);
}

ls_status ls_recorder_append_link(ls_recorder *recorder, const ls_recording_link *link,
                                  ls_error *error)
{
    ls_writer writer;
    ls_recorder_writer_init(recorder, &writer);
    ls_record_encode_link(link, recorder->salt, &writer);
    return ls_recorder_append_record(recorder, &writer, CHAIN_BYTES, error);
}

bool ls_recorder_get_link(const ls_recorder *recorder, ls_recording_link *link)
{
    if (!recorder->has_key)
        return false;
    *link = (ls_recording_link){
        .salt = recorder->salt, .tick = recorder->next_tick, .bytes = recorder->whole_bytes};
    ls_running_hash_get(&recorder->hash, link->hash);
    return true;
}

bool ls_recorder_sign_with(ls_recorder *recorder, const ls_identity *identity)
{
    if (!recorder->has_key || !ls_public_key_equal(&recorder->key, &identity->public_key))
        return false;
    recorder->identity = *identity;
    recorder->signs = true;
    return true;
}

ls_status ls_recorder_sign(ls_recorder *recorder, ls_error *error)
{
    if (recorder->failed)
        return ls_recorder_refuse_failed(recorder, error);
    LS_ASSERT(recorder->is_open);
    if (!recorder->signs || recorder->signed_bytes == recorder->bytes)
        return LS_OK;
    ls_recording_signature signature = {.tick = recorder->next_tick};
    ls_running_hash_sign(&recorder->hash, signature.tick, &recorder->identity, signature.bytes);
    ls_writer writer;
    ls_recorder_writer_init(recorder, &writer);
    ls_record_encode_signature(&signature, recorder->salt, &writer);
    ls_status status = ls_recorder_append_record(recorder, &writer, CHAIN_BYTES, error);
    if (status == LS_OK) {
        recorder->signed_tick = signature.tick;
        recorder->signed_bytes = recorder->bytes;
    }
    return status;
}
