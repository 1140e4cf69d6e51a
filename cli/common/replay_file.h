/* Shared parts of the `lockstep replay` actions that need no simulation. In JSON, numbers that may
 * need 64 bits are strings, as in include/lockstep/json.h. */
#ifndef LS_REPLAY_FILE_H
#define LS_REPLAY_FILE_H

#include "core/base/builder.h"
#include <lockstep/identity.h>
#include <lockstep/recording.h>

#define LS_REPLAY_KINDS (LS_RESUME + 1) /* kinds of inputs: docs/replay-format.md */

/* A recording that is opened without its simulation. */
typedef struct ls_replay_file {
    ls_recording *recording;
    const ls_recording_header *header;
    const ls_recording_end *end; /* without roots */
    uint64_t end_tick, root_count;
    ls_status end_status; /* CORRUPT or INCOMPATIBLE: after end_tick the file has more, which cannot
                             be read */
    ls_error end_text;
    ls_error rest; /* a later part of the match that cannot be read; or "" */
} ls_replay_file;

/* Opens a recording.
 *   errors  as ls_match_playback_open_recording: `file` is then zeroed
 *   owns    ls_replay_file_close */
ls_status ls_replay_file_open(const char *path, ls_replay_file *file, ls_error *error) LS_MUST_USE;
/* Like ls_replay_file_open(), for a file and the later files of its match, as one recording. */
ls_status ls_replay_file_open_match(const char *path, ls_replay_file *file,
                                    ls_error *error) LS_MUST_USE;
/* Warns on stderr if ticks up to `to` were requested and the match has a later part that cannot be
 * read. */
void ls_replay_file_warn_of_gap(const ls_replay_file *file, uint64_t to);
void ls_replay_file_close(ls_replay_file *file);
/* Returns the status of a command that has reported the readable part: `status` if it is an error,
 * else `end_status`. */
ls_status ls_replay_file_answer(const ls_replay_file *file, ls_status status, ls_error *error);

const char *ls_replay_kind_name(uint32_t kind);
void ls_replay_add_hex(ls_builder *text, const uint8_t *bytes, size_t count);
/* Adds a member with the bytes in hexadecimal, as a JSON string. */
void ls_replay_json_hex(ls_builder *text, const char *name, const uint8_t *bytes, size_t count);
/* Prints the server's key in the form of `lockstep keygen` and HOST:PORT#KEY. False if the server
 * had no key. */
bool ls_replay_key_format(const ls_recording_header *header, char text[LS_PUBLIC_KEY_TEXT_BYTES]);
/* Adds the members "simulation" to "room" to a JSON object. */
void ls_replay_add_header(ls_builder *text, const ls_recording_header *header);
/* Adds the members "last_tick" to "end" to a JSON object. */
void ls_replay_add_end(ls_builder *text, const ls_replay_file *file);

#endif
