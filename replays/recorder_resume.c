/* Resumes a recording after its writer died. It cuts off only what a dying writer leaves behind.
 * Bytes that were once complete are never dropped, because players have seen those ticks. */
#include "replays/recorder_begin.h"
#include "replays/recording_internal.h"
#include "replays/recording_signatures.h"
#include <lockstep/file_sink.h>

#include <inttypes.h>
#include <string.h>

/* Fills in the data that a recorder needs to continue; `memory` and `chain` come from the existing
 * bytes. */
static ls_status take_prefix(const ls_recorder_existing *config, const ls_recording *recording,
                             ls_recorder_prefix *prefix, ls_error *error)
{
    ls_recording_signed vouched;
    const ls_recording_index *index = &recording->index;
    const uint8_t *end = config->existing.data + index->end.valid_bytes;
    ls_status status = ls_recording_hash(recording, &prefix->hash, &vouched, error);
    prefix->signed_tick = vouched.tick;
    prefix->next_keyframe = index->last.next_keyframe;
    prefix->next_columns = index->last.next_columns;
    prefix->memory = index->states;
    memcpy(prefix->chain, end - sizeof prefix->chain, sizeof prefix->chain);
    return status;
}

/* Checks whether the recording can be resumed. */
static ls_status judge(const ls_recording *recording, ls_error *error)
{
    const ls_recording_end *end = ls_recording_find_end(recording);
    const ls_recording_header *header = ls_recording_get_header(recording);
    if (end->is_closed)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s: cannot be continued: its match is over (%s, %" PRIu64 " ticks)",
                            recording->name, ls_closing_reason_name(end->closing.reason),
                            end->tick_count);
    if (header->first_tick && recording->index.keyframe_count == 0)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "%s: cannot be continued: its first state is missing", recording->name);
    return LS_OK;
}

/* Reads the recording to its end. */
static ls_status inspect(const ls_recorder_existing *config, ls_recording **recording,
                         ls_recorder_prefix *prefix, ls_recording_end *found, ls_error *error)
{
    const ls_recording_tick *tick;
    ls_status status = ls_recording_open_memory(config->name, config->existing.data,
                                                config->existing.bytes, recording, error);
    if (status != LS_OK)
        return status;
    do {
        status = ls_recording_next(*recording, &tick, error);
    } while (tick);
    *found = *ls_recording_find_end(*recording);
    found->roots = (ls_recording_roots){.first_tick = found->root_tick};
    if (status == LS_OK)
        status = judge(*recording, error);
    return status == LS_OK ? take_prefix(config, *recording, prefix, error) : status;
}

/* Copies the last state of each seat, an input, because truncating frees the bytes that it points
 * to. */
static void keep_states(ls_state_memory *memory, uint8_t kept[][LS_STATE_BYTES_MAX])
{
    for (uint32_t i = 0; i < LS_PLAYERS_MAX; i++)
        if (memory->bytes[i])
            memory->data[i] = memcpy(kept[i], memory->data[i], memory->bytes[i]);
}

/* Also syncs when nothing is cut: bytes of the dead writer may not be on disk yet. */
static ls_status cut(const ls_recorder_existing *config, const ls_recording_end *found,
                     ls_error *error)
{
    const ls_sink *sink = &config->existing.sink;
    int result = config->existing.truncate(sink->context, found->valid_bytes);
    if (result == 0)
        result = sink->sync(sink->context);
    if (result != 0)
        return ls_error_set(error, LS_ERROR_IO,
                            "%s: cannot cut off what follows byte %" PRIu64 ": %s; check the disk",
                            config->name, found->valid_bytes, strerror(-result));
    return LS_OK;
}

ls_status ls_recorder_resume_on(const ls_recorder_existing *config, ls_recorder **recorder,
                                ls_recording_end *found, ls_error *error)
{
    ls_recorder_prefix prefix = {.sink = config->existing.sink, .name = config->name, .end = found};
    ls_recording *recording = NULL;
    uint8_t kept[LS_PLAYERS_MAX][LS_STATE_BYTES_MAX];
    *recorder = NULL;
    *found = (ls_recording_end){0};
    ls_status status = inspect(config, &recording, &prefix, found, error);
    if (status == LS_OK) {
        prefix.header = ls_recording_get_header(recording);
        keep_states(&prefix.memory, kept);
        status = cut(config, found, error);
    }
    if (status == LS_OK)
        *recorder = ls_recorder_continue(&prefix);
    else
        (void)config->existing.sink.close(config->existing.sink.context);
    ls_recording_close(recording);
    return status;
}

ls_status ls_recorder_resume(const char *path, ls_recorder **recorder, ls_recording_end *found,
                             ls_error *error)
{
    ls_recorder_existing config = {.name = path};
    *recorder = NULL;
    *found = (ls_recording_end){0};
    ls_status status = ls_file_sink_open(path, &config.existing, error);
    return status == LS_OK ? ls_recorder_resume_on(&config, recorder, found, error) : status;
}
