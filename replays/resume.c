/* Takes up a recording whose writer died. Only what a dying writer leaves is cut off; whatever was
 * whole once had been shown to people and is never dropped. */
#include "replays/file_sink.h"
#include "replays/prefix.h"

#include <inttypes.h>
#include <string.h>

/* Reads it to its end and says whether it can be gone on with. */
static ls_status inspect(const ls_recorder_existing *config, ls_recording_header *header,
                         ls_recording_end *found, ls_error *error)
{
    ls_recording *recording;
    const ls_recording_tick *tick;
    ls_status status = ls_recording_open_memory(config->name, config->existing.data,
                                                config->existing.bytes, &recording, error);
    if (status != LS_OK)
        return status;
    do {
        status = ls_recording_next(recording, &tick, error);
    } while (tick);
    *header = *ls_recording_get_header(recording);
    *found = *ls_recording_get_end(recording);
    found->roots = (ls_recording_roots){.first_tick = found->root_tick};
    ls_recording_close(recording);
    if (status == LS_OK && found->is_closed)
        status = ls_error_set(
            error, LS_ERROR_REFUSED, "%s: cannot go on: its match is over (%s, %" PRIu64 " ticks)",
            config->name, ls_closing_reason_name(found->closing.reason), found->tick_count);
    return status;
}

/* Also when there is nothing to cut: the bytes of a dead writer may not be on the disk yet. */
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
    ls_recording_header header;
    uint8_t chain[LS_RECORD_CHECKSUM_BYTES];
    *recorder = NULL;
    *found = (ls_recording_end){0};
    ls_status status = inspect(config, &header, found, error);
    if (status == LS_OK) {
        memcpy(chain, config->existing.data + found->valid_bytes - sizeof chain, sizeof chain);
        status = cut(config, found, error);
    }
    if (status != LS_OK) {
        (void)config->existing.sink.close(config->existing.sink.context);
        return status;
    }
    *recorder = ls_recorder_continue(&(ls_recorder_prefix){.sink = config->existing.sink,
                                                           .name = config->name,
                                                           .header = &header,
                                                           .end = found,
                                                           .chain = chain});
    return LS_OK;
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
