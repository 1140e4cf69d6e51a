#include <lockstep/recording.h>

#include "core/base/builder.h"
#include "core/base/platform_file.h"
#include "replays/file.h"
#include "replays/recording_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ls_status ls_recording_open_memory(const char *name, const void *data, size_t bytes,
                                   ls_recording **recording, ls_error *error)
{
    ls_recording *made = ls_alloc(sizeof *made);
    ls_reader file;
    ls_reader_init(&file, data, bytes);
    ls_status status = ls_record_decode_header(name, &file, &made->header, error);
    if (status != LS_OK) {
        ls_free(made);
        made = NULL;
    } else {
        made->name = ls_text_duplicate(name);
        ls_cursor_init(&made->cursor, &file, file.offset, &made->header);
        ls_recording_index_make(&made->index, &made->cursor);
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
    ls_status status = ls_file_open(path, false, &descriptor, error);
    if (status == LS_OK) {
        status = ls_file_read(path, descriptor, &data, &bytes, error);
        (void)ls_descriptor_close(descriptor);
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
    ls_recording_index_reset(&recording->index);
    if (recording->joined)
        recording->joined_vtable->destroy(recording->joined);
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

ls_recording_simulation ls_recording_simulation_of(const ls_program *program)
{
    const ls_sim *sim = ls_program_sim(program);
    ls_recording_simulation own = {.rules_version = LS_ENGINE_RULES,
                                   .schema = ls_program_schema(program)};
    memcpy(own.fingerprint, ls_program_fingerprint(program), LS_FINGERPRINT_BYTES);
    snprintf(own.name, sizeof own.name, "%s", sim->name);
    snprintf(own.version, sizeof own.version, "%s", sim->version);
    return own;
}

ls_status ls_recording_check_simulation(const ls_recording *recording,
                                        const ls_recording_simulation *simulation, ls_error *error)
{
    const ls_recording_simulation *recorded = &recording->header.simulation;
    if (recorded->rules_version != simulation->rules_version)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s: was recorded under engine rules %" PRIu32
                            ", this program has %" PRIu32 ": use the program that recorded it (%s)",
                            recording->name, recorded->rules_version, simulation->rules_version,
                            recording->header.build);
    if (memcmp(recorded->fingerprint, simulation->fingerprint, sizeof recorded->fingerprint) == 0)
        return LS_OK;
    char left[33], right[33];
    format_fingerprint(recorded->fingerprint, left);
    format_fingerprint(simulation->fingerprint, right);
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "%s: was recorded with simulation %s %s (fingerprint %s), this is %s %s "
                        "(%s): use the build that recorded it",
                        recording->name, recorded->name, recorded->version, left, simulation->name,
                        simulation->version, right);
}

void ls_recording_rewind(ls_recording *recording)
{
    if (recording->joined)
        LS_ASSERT(recording->joined_vtable->seek(recording, recording->header.first_tick, NULL) ==
                  LS_OK);
    else
        ls_cursor_move(&recording->cursor, &recording->index.places[0]);
}

ls_status ls_recording_seek(ls_recording *recording, uint64_t tick, ls_error *error)
{
    uint64_t first = recording->header.first_tick;
    uint64_t count = recording->index.end.tick_count;
    ls_cursor *cursor = &recording->cursor;
    ls_record record;
    if (recording->joined)
        return recording->joined_vtable->seek(recording, tick, error);
    if (tick < first || tick - first > count)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s: has no tick %" PRIu64 ": it has %" PRIu64 " ticks from %" PRIu64
                            " on",
                            recording->name, tick, count, first);
    ls_cursor_move(cursor, ls_recording_index_place(&recording->index, tick, first));
    while (ls_cursor_tick(cursor) < tick) {
        LS_ASSERT(ls_cursor_step(cursor, &record)); /* the index has verified these records */
        if (record.type == LS_RECORD_FRAME)
            cursor->root_count = 0;
    }
    return LS_OK;
}

const ls_recording_end *ls_recording_get_end(const ls_recording *recording)
{
    return &recording->cursor.place.end;
}

const ls_recording_end *ls_recording_find_end(const ls_recording *recording)
{
    return &recording->index.end;
}

uint32_t ls_recording_keyframes(const ls_recording *recording, const ls_recording_keyframe **list)
{
    *list = recording->index.keyframes;
    return recording->index.keyframe_count;
}

const ls_recording_keyframe *ls_recording_find_full(const ls_recording_keyframe *list,
                                                    uint32_t count, uint64_t tick)
{
    while (count-- > 0)
        if (list[count].tick == tick && list[count].base_tick == tick)
            return &list[count];
    return NULL;
}

uint32_t ls_recording_columns_list(const ls_recording *recording, const ls_recording_columns **list)
{
    *list = recording->index.columns;
    return recording->index.columns_count;
}

bool ls_recording_find_root(const ls_recording *recording, uint64_t tick, uint64_t *root)
{
    uint64_t at = tick - recording->header.first_tick;
    if (recording->joined)
        return recording->joined_vtable->find_root(recording->joined, tick, root);
    if (tick < recording->header.first_tick || at >= recording->index.root_count)
        return false;
    *root = recording->index.roots[at];
    return true;
}

const uint8_t *ls_recording_evidence(const ls_recording *recording, size_t *bytes)
{
    *bytes = recording->index.evidence_bytes;
    return recording->index.evidence;
}

const ls_recording_link *ls_recording_get_link(const ls_recording *recording)
{
    return recording->index.has_link ? &recording->index.link : NULL;
}

/* Formats "after tick 41", or a text for no tick. */
static void format_last_tick(const ls_recording *recording, char *text, size_t bytes)
{
    uint64_t count = recording->cursor.place.end.tick_count;
    if (count == 0)
        snprintf(text, bytes, "before the first tick");
    else
        snprintf(text, bytes, "after tick %" PRIu64, recording->header.first_tick + count - 1);
}

static void describe_damage(const ls_recording *recording, const char *last, const char *closing,
                            ls_error *text)
{
    const ls_recording_end *end = &recording->cursor.place.end;
    if (end->is_closed)
        ls_error_set(text, LS_OK,
                     "%s: ends at byte %" PRIu64 " %s (%s); the %" PRIu64
                     " bytes that follow are damaged or no part of it",
                     recording->name, end->valid_bytes, last, closing, end->ignored_bytes);
    else if (end->tick_count == 0 && end->later_keyframes == 0)
        ls_error_set(text, LS_OK,
                     "%s: is damaged at byte %" PRIu64 ", %s, and nothing of the match can be "
                     "saved: restore the file from a copy",
                     recording->name, end->valid_bytes, last);
    else
        ls_error_set(text, LS_OK,
                     "%s: is damaged at byte %" PRIu64 ", %s: restore the file from a copy, or let "
                     "`lockstep replay repair %s` save the %" PRIu64 " ticks before it and what is "
                     "whole after it (%" PRIu32 " keyframe%s to begin with)",
                     recording->name, end->valid_bytes, last, recording->name, end->tick_count,
                     end->later_keyframes, end->later_keyframes == 1 ? "" : "s");
}

void ls_recording_describe_end(const ls_recording *recording, ls_error *text)
{
    const ls_recording_end *end = &recording->cursor.place.end;
    char last[48];
    if (recording->joined) {
        ls_recording_describe_end(recording->joined_vtable->file(recording->joined), text);
        return;
    }
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
                     "%s: ends at byte %" PRIu64 " %s (%s); %" PRIu64 " bytes of %s follow",
                     recording->name, end->valid_bytes, last, closing, end->ignored_bytes,
                     end->kind == LS_RECORDING_TORN ? "an incomplete record" : "zeros");
        break;
    case LS_RECORDING_DAMAGED:
        describe_damage(recording, last, closing, text);
        break;
    case LS_RECORDING_UNKNOWN_TYPE:
        ls_error_set(text, LS_OK,
                     "%s: has a record of type %u at byte %" PRIu64 ", %s, that this program does "
                     "not know: use a newer one",
                     recording->name, recording->cursor.file.data[end->valid_bytes],
                     end->valid_bytes, last);
        break;
    }
}

/* Sets the end from the index, which has read the same records and classified the tail. */
static void finish(ls_recording *recording)
{
    ls_recording_end *end = &recording->cursor.place.end;
    *end = recording->index.end;
    end->roots = ls_cursor_roots(&recording->cursor);
}

static ls_status end_status(ls_recording_end_kind kind)
{
    switch (kind) {
    case LS_RECORDING_DAMAGED:
        return LS_ERROR_CORRUPT;
    case LS_RECORDING_UNKNOWN_TYPE:
        return LS_ERROR_INCOMPATIBLE;
    default:
        return LS_OK;
    }
}

ls_status ls_recording_next(ls_recording *recording, const ls_recording_tick **tick,
                            ls_error *error)
{
    ls_cursor *cursor = &recording->cursor;
    ls_record record;
    if (recording->joined)
        return recording->joined_vtable->next(recording, tick, error);
    *tick = NULL;
    if (cursor->place.end.kind == LS_RECORDING_RUNNING) {
        cursor->root_count = 0;
        while (ls_cursor_step(cursor, &record)) {
            if (record.type == LS_RECORD_FRAME) {
                *tick = &cursor->tick;
                return LS_OK;
            }
        }
        finish(recording);
    }
    ls_status status = end_status(cursor->place.end.kind);
    if (status != LS_OK)
        ls_recording_describe_end(recording, error);
    return status;
}

ls_status ls_recording_read_end(ls_recording *recording, ls_error *text)
{
    const ls_recording_tick *tick;
    uint64_t end = recording->header.first_tick + recording->index.end.tick_count;
    LS_ASSERT(ls_recording_seek(recording, end, NULL) == LS_OK);
    ls_status status = ls_recording_next(recording, &tick, NULL);
    ls_recording_describe_end(recording, text);
    return status;
}
