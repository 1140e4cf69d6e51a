#include "cli/common/replay_file.h"

#include "cli/common/match_playback.h"
#include "core/base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void look(ls_replay_file *file)
{
    file->header = ls_recording_get_header(file->recording);
    file->end = ls_recording_find_end(file->recording);
    file->end_tick = file->header->first_tick + file->end->tick_count;
    file->root_count = file->end->root_tick - file->header->first_tick;
    file->end_status = ls_recording_read_end(file->recording, &file->end_text);
}

ls_status ls_replay_file_open(const char *path, ls_replay_file *file, ls_error *error)
{
    *file = (ls_replay_file){0};
    ls_status status = ls_match_playback_open_recording(path, &file->recording, error);
    if (!status)
        look(file);
    return status;
}

ls_status ls_replay_file_open_match(const char *path, ls_replay_file *file, ls_error *error)
{
    *file = (ls_replay_file){0};
    ls_status status = ls_match_playback_open_match(path, &file->recording, &file->rest, error);
    if (!status)
        look(file);
    return status;
}

void ls_replay_file_warn_of_gap(const ls_replay_file *file, uint64_t to)
{
    if (file->rest.text[0] && to > file->end_tick)
        fprintf(stderr, "lockstep: warning: this ends before tick %" PRIu64 "; %s\n",
                file->end_tick, file->rest.text);
}

void ls_replay_file_close(ls_replay_file *file)
{
    ls_recording_close(file->recording);
    *file = (ls_replay_file){0};
}

ls_status ls_replay_file_answer(const ls_replay_file *file, ls_status status, ls_error *error)
{
    if (status || !file->end_status)
        return status;
    *error = file->end_text;
    return file->end_status;
}

const char *ls_replay_kind_name(uint32_t kind)
{
    static const char *const names[LS_REPLAY_KINDS] = {"order",      "join",  "leave", "state",
                                                       "substitute", "pause", "resume"};
    return kind < LS_REPLAY_KINDS ? names[kind] : "unknown";
}

void ls_replay_add_hex(ls_builder *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ls_builder_add(text, "%02x", bytes[i]);
}

static void add_match(ls_builder *text, const ls_match *match)
{
    ls_json_open(text, "match", '{');
    ls_json_u64_string(text, "seed", match->seed);
    ls_json_u64(text, "seats", match->player_count);
    ls_json_u64(text, "tick_rate", match->tick_rate);
    ls_json_open(text, "options", '[');
    for (uint32_t i = 0; i < match->option_count; i++)
        ls_json_i64_string(text, NULL, match->options[i]);
    ls_json_close(text, ']');
    ls_json_close(text, '}');
}

bool ls_replay_key_format(const ls_recording_header *header, char text[LS_PUBLIC_KEY_TEXT_BYTES])
{
    ls_public_key key;
    uint8_t all = 0;
    memcpy(key.bytes, header->server_key, sizeof key.bytes);
    for (size_t i = 0; i < sizeof key.bytes; i++)
        all |= key.bytes[i];
    ls_public_key_format(&key, text);
    return all != 0;
}

void ls_replay_json_hex(ls_builder *text, const char *name, const uint8_t *bytes, size_t count)
{
    ls_json_key(text, name);
    ls_builder_add(text, "\"");
    ls_replay_add_hex(text, bytes, count);
    ls_builder_add(text, "\"");
}

void ls_replay_add_header(ls_builder *text, const ls_recording_header *header)
{
    const ls_recording_simulation *simulation = &header->simulation;
    char key[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_json_string(text, "simulation", simulation->name);
    ls_json_string(text, "version", simulation->version);
    ls_replay_json_hex(text, "fingerprint", simulation->fingerprint,
                       sizeof simulation->fingerprint);
    ls_json_u64(text, "rules", simulation->rules_version);
    ls_json_i64(text, "created", header->created_unix_s);
    ls_json_string(text, "build", header->build);
    ls_json_string(text, "server_key", ls_replay_key_format(header, key) ? key : NULL);
    add_match(text, &header->match);
    ls_json_u64_string(text, "first_tick", header->first_tick);
    ls_json_string(text, "room", header->has_room ? header->room : NULL);
}

void ls_replay_add_end(ls_builder *text, const ls_replay_file *file)
{
    const ls_recording_end *end = file->end;
    ls_json_u64_string(text, "last_tick", file->end_tick);
    ls_json_u64_string(text, "roots", file->root_count);
    ls_json_bool(text, "is_closed", end->is_closed);
    ls_json_bool(text, "is_good", file->end_status == LS_OK);
    ls_json_u64_string(text, "bytes", end->valid_bytes);
    ls_json_u64_string(text, "ignored_bytes", end->ignored_bytes);
    ls_json_string(text, "end", file->end_text.text);
}
