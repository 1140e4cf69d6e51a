#include "replays/recording.h"

#include "replays/file.h"
#include "replays/replays_internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct ls_recording {
    ls_reader file; /* its offset is the next record's */
    size_t first_record_at;
    uint8_t *owned; /* the file's bytes, or NULL when they are the caller's */
    char *name;
    ls_recording_header header;
    ls_recording_tick tick;
    ls_recording_end end;
    ls_status status; /* of the end */
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    uint32_t
        root_count; /* read since the tick that was given last: the next tick's, or the end's */
    uint64_t roots[LS_RECORDING_LAG_TICKS_MAX + 1];
};

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(ls_alloc(bytes), text, bytes);
}

ls_status ls_recording_open_memory(const char *name, const void *data, size_t bytes,
                                   ls_recording **recording, ls_error *error)
{
    ls_recording *made = ls_alloc(sizeof *made);
    ls_reader_init(&made->file, data, bytes);
    ls_status status = ls_record_decode_header(name, &made->file, &made->header, error);
    if (status != LS_OK) {
        ls_free(made);
        made = NULL;
    } else {
        made->name = copy_text(name);
        made->first_record_at = made->file.offset;
        ls_recording_rewind(made);
    }
    *recording = made;
    return status;
}

ls_status ls_recording_open(const char *path, ls_recording **recording, ls_error *error)
{
    int descriptor;
    size_t bytes = 0;
    uint8_t *data = NULL;
    *recording = NULL;
    ls_status status = ls_file_open(path, O_RDONLY, &descriptor, error);
    if (status == LS_OK) {
        status = ls_file_read(path, descriptor, &data, &bytes, error);
        close(descriptor);
    }
    if (status == LS_OK)
        status = ls_recording_open_memory(path, data, bytes, recording, error);
    if (status == LS_OK)
        (*recording)->owned = data;
    else
        ls_free(data);
    return status;
}

void ls_recording_close(ls_recording *recording)
{
    if (!recording)
        return;
    ls_free(recording->owned);
    ls_free(recording->name);
    ls_free(recording);
}

const ls_recording_header *ls_recording_get_header(const ls_recording *recording)
{
    return &recording->header;
}

static void format_fingerprint(const uint8_t fingerprint[16], char text[33])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", fingerprint[i]);
}

ls_status ls_recording_check_simulation(const ls_recording *recording,
                                        const ls_recording_simulation *simulation, ls_error *error)
{
    const ls_recording_simulation *theirs = &recording->header.simulation;
    if (theirs->rules_version != simulation->rules_version)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s: was recorded under engine rules %" PRIu32
                            ", this program has %" PRIu32 ": use the program that recorded it (%s)",
                            recording->name, theirs->rules_version, simulation->rules_version,
                            recording->header.build);
    if (memcmp(theirs->fingerprint, simulation->fingerprint, sizeof theirs->fingerprint) == 0)
        return LS_OK;
    char left[33], right[33];
    format_fingerprint(theirs->fingerprint, left);
    format_fingerprint(simulation->fingerprint, right);
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "%s: was recorded with simulation %s %s (fingerprint %s), this is %s %s "
                        "(%s): use the build that recorded it",
                        recording->name, theirs->name, theirs->version, left, simulation->name,
                        simulation->version, right);
}

void ls_recording_rewind(ls_recording *recording)
{
    recording->file.offset = recording->first_record_at;
    recording->end = (ls_recording_end){.valid_bytes = recording->first_record_at,
                                        .root_tick = recording->header.first_tick};
    recording->status = LS_OK;
    recording->root_count = 0;
}

const ls_recording_end *ls_recording_get_end(const ls_recording *recording)
{
    return &recording->end;
}

/* " after tick 41", or how to say that there is none. */
static void format_last_tick(const ls_recording *recording, char *text, size_t bytes)
{
    uint64_t count = recording->end.tick_count;
    if (count == 0)
        snprintf(text, bytes, "before the first tick");
    else
        snprintf(text, bytes, "after tick %" PRIu64, recording->header.first_tick + count - 1);
}

void ls_recording_describe_end(const ls_recording *recording, ls_error *text)
{
    const ls_recording_end *end = &recording->end;
    char last[48];
    format_last_tick(recording, last, sizeof last);
    const char *closing =
        end->is_closed ? ls_closing_reason_name(end->closing.reason) : "not closed";
    switch (end->kind) {
    case LS_RECORDING_RUNNING:
        ls_error_set(text, LS_OK, "%s: read up to byte %" PRIu64 ", %s", recording->name,
                     end->valid_bytes, last);
        break;
    case LS_RECORDING_CLEAN:
        ls_error_set(text, LS_OK, "%s: closed (%s) %s, %" PRIu64 " bytes", recording->name, closing,
                     last, end->valid_bytes);
        break;
    case LS_RECORDING_OPEN:
        ls_error_set(text, LS_OK,
                     "%s: ends at byte %" PRIu64 " %s without a closing record: its writer was "
                     "stopped, or is still at work",
                     recording->name, end->valid_bytes, last);
        break;
    case LS_RECORDING_TORN:
    case LS_RECORDING_ZEROS:
        ls_error_set(text, LS_OK,
                     "%s: ends at byte %" PRIu64 " %s (%s); %" PRIu64
                     " bytes of %s behind it are ignored",
                     recording->name, end->valid_bytes, last, closing, end->ignored_bytes,
                     end->kind == LS_RECORDING_TORN ? "an incomplete record" : "zeros");
        break;
    case LS_RECORDING_DAMAGED:
        ls_error_set(text, LS_OK,
                     "%s: is damaged at byte %" PRIu64 ", %s: restore the file from a copy, or use "
                     "the %" PRIu64 " ticks before it",
                     recording->name, end->valid_bytes, last, end->tick_count);
        break;
    case LS_RECORDING_UNKNOWN_TYPE:
        ls_error_set(text, LS_OK,
                     "%s: has a record of type %u at byte %" PRIu64 ", %s, that this program does "
                     "not know: use a newer one",
                     recording->name, recording->file.data[end->valid_bytes + 4], end->valid_bytes,
                     last);
        break;
    }
}

static ls_recording_roots new_roots(const ls_recording *recording)
{
    return (ls_recording_roots){.first_tick = recording->end.root_tick - recording->root_count,
                                .count = recording->root_count,
                                .values = recording->roots};
}

/* Ends the prefix at the current record. */
static void finish(ls_recording *recording, ls_recording_end_kind kind)
{
    ls_recording_end *end = &recording->end;
    if (kind == LS_RECORDING_OPEN && end->is_closed)
        kind = LS_RECORDING_CLEAN;
    end->kind = kind;
    end->roots = new_roots(recording);
    end->ignored_bytes = recording->file.count - end->valid_bytes;
    if (kind == LS_RECORDING_DAMAGED)
        recording->status = LS_ERROR_CORRUPT;
    if (kind == LS_RECORDING_UNKNOWN_TYPE)
        recording->status = LS_ERROR_INCOMPATIBLE;
}

/* The tick of the next frame, and the last whose root a record may hold here. */
static uint64_t next_tick(const ls_recording *recording)
{
    return recording->header.first_tick + recording->end.tick_count;
}

static bool has_room(const ls_recording *recording, const ls_record_roots *roots)
{
    return roots->count <= next_tick(recording) + 1 - recording->end.root_tick;
}

/* The rule of the lag leaves no more between two frames than there is room for. */
static void take_values(ls_recording *recording, const ls_record_roots *roots)
{
    LS_ASSERT(recording->root_count + roots->count <= LS_COUNT_OF(recording->roots));
    memcpy(recording->roots + recording->root_count, roots->values,
           roots->count * sizeof roots->values[0]);
    recording->root_count += roots->count;
    recording->end.root_tick += roots->count;
}

/* Takes a verified frame. A right checksum over wrong content is a faulty or hostile writer; that
 * counts as damage too. */
static bool take_frame(ls_recording *recording, const ls_record *record)
{
    const ls_recording_end *end = &recording->end;
    ls_recording_tick *tick = &recording->tick;
    ls_record_roots roots;
    if (!ls_record_decode_frame(record, recording->header.match.player_count, recording->inputs,
                                &tick->frame, &roots) ||
        tick->frame.tick != next_tick(recording) || !has_room(recording, &roots) ||
        tick->frame.tick + 1 - end->root_tick - roots.count > LS_RECORDING_LAG_TICKS_MAX)
        return false;
    take_values(recording, &roots);
    tick->roots = new_roots(recording);
    tick->epoch = end->epoch.epoch;
    return true;
}

static bool take_roots(ls_recording *recording, const ls_record *record)
{
    ls_record_roots roots;
    if (!ls_record_decode_roots(record, &roots) || !has_room(recording, &roots))
        return false;
    take_values(recording, &roots);
    return true;
}

static bool take_epoch(ls_recording *recording, const ls_record *record)
{
    ls_recording_end *end = &recording->end;
    ls_recording_epoch epoch;
    if (!ls_record_decode_epoch(record, &epoch) || epoch.tick != next_tick(recording) ||
        epoch.epoch <= end->epoch.epoch)
        return false;
    end->epoch = epoch;
    end->epoch_count++;
    return true;
}

/* Only a match that could not go on, or that ended for a reason of a later version, may have ticks
 * whose roots nobody knows. */
static bool needs_all_roots(uint8_t reason)
{
    return reason >= LS_CLOSING_FINISHED && reason <= LS_CLOSING_ABANDONED;
}

static bool take_closing(ls_recording *recording, const ls_record *record)
{
    ls_recording_end *end = &recording->end;
    ls_recording_closing closing;
    ls_record_roots roots;
    if (!ls_record_decode_closing(record, &closing, &roots) ||
        closing.tick_count != end->tick_count || !has_room(recording, &roots) ||
        (needs_all_roots(closing.reason) &&
         end->root_tick + roots.count != next_tick(recording) + 1))
        return false;
    take_values(recording, &roots);
    end->closing = closing;
    end->is_closed = true;
    return true;
}

/* Takes a verified record that must be known; false when its content is wrong or out of place. */
static bool take(ls_recording *recording, const ls_record *record)
{
    if (recording->end.is_closed)
        return false;
    switch (record->type) {
    case LS_RECORD_FRAME:
        return take_frame(recording, record);
    case LS_RECORD_CLOSING:
        return take_closing(recording, record);
    case LS_RECORD_ROOTS:
        return take_roots(recording, record);
    case LS_RECORD_EPOCH:
        return take_epoch(recording, record);
    default: /* a second header */
        return false;
    }
}

/* Reads one record and moves behind it, or ends the prefix there. True when it was a frame. */
static bool step(ls_recording *recording)
{
    ls_reader *file = &recording->file;
    ls_record record;
    if (!ls_record_verify(file, file->offset, recording->header.salt, &record)) {
        finish(recording, ls_tail_classify(file, file->offset, recording->header.salt));
        return false;
    }
    bool is_frame = record.type == LS_RECORD_FRAME;
    bool is_skipped = record.type & LS_RECORD_SKIPPABLE;
    if (!is_skipped && record.type > LS_RECORD_EPOCH) {
        finish(recording, LS_RECORDING_UNKNOWN_TYPE);
        return false;
    }
    if (!is_skipped && !take(recording, &record)) {
        finish(recording, LS_RECORDING_DAMAGED);
        return false;
    }
    file->offset += record.bytes;
    recording->end.valid_bytes = file->offset;
    recording->end.tick_count += is_frame;
    return is_frame;
}

ls_status ls_recording_next(ls_recording *recording, const ls_recording_tick **tick,
                            ls_error *error)
{
    *tick = NULL;
    if (recording->end.kind == LS_RECORDING_RUNNING)
        recording->root_count = 0;
    while (recording->end.kind == LS_RECORDING_RUNNING) {
        if (step(recording)) {
            *tick = &recording->tick;
            return LS_OK;
        }
    }
    if (recording->status != LS_OK)
        ls_recording_describe_end(recording, error);
    return recording->status;
}
