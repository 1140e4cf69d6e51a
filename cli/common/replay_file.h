/* Shared parts of the `lockstep replay` actions that need no simulation. The JSON functions add
 * members. Numbers that may need 64 bits are strings, as in include/lockstep/json.h. */
#ifndef LS_REPLAY_FILE_H
#define LS_REPLAY_FILE_H

#include "core/base/builder.h"
#include <lockstep/identity.h>
#include <lockstep/recording.h>

#define LS_REPLAY_KINDS (LS_RESUME + 1) /* of inputs: docs/replay-format.md */

/* A recording that is read without its simulation. */
typedef struct ls_replay_file {
    ls_recording *recording;
    const ls_recording_header *header;
    const ls_recording_end *end; /* without roots */
    uint64_t end_tick, root_count;
    ls_status end_status; /* CORRUPT or INCOMPATIBLE: more follows end_tick */
    ls_error end_text;
    ls_error rest; /* where the match goes on behind end_tick that cannot be followed; or "" */
} ls_replay_file;

/*   errors  as ls_playback_open_recording: `file` is then zeroed
 *   owns    ls_replay_file_close */
ls_status ls_replay_file_open(const char *path, ls_replay_file *file, ls_error *error) LS_MUST_USE;
/* The same of a file and those in which its match goes on, as one. */
ls_status ls_replay_file_open_match(const char *path, ls_replay_file *file,
                                    ls_error *error) LS_MUST_USE;
/* Says on stderr that ticks up to `to` were asked for and the match goes on, if it does. */
void ls_replay_file_warn_of_rest(const ls_replay_file *file, uint64_t to);
void ls_replay_file_close(ls_replay_file *file);
/* The good part of the file was reported: returns what `status` becomes because of the rest. */
ls_status ls_replay_file_answer(const ls_replay_file *file, ls_status status, ls_error *error);

const char *ls_replay_kind_name(uint32_t kind);
void ls_replay_add_hex(ls_builder *text, const uint8_t *bytes, size_t count);
/* The same as a JSON string. */
void ls_replay_json_hex(ls_builder *text, const char *name, const uint8_t *bytes, size_t count);
/* The server's key as `lockstep keygen` prints it and HOST:PORT#KEY takes it; false when the server
 * had none. */
bool ls_replay_key_format(const ls_recording_header *header, char text[LS_PUBLIC_KEY_TEXT_BYTES]);
/* Members of a JSON object: "simulation" to "first_tick". */
void ls_replay_add_header(ls_builder *text, const ls_recording_header *header);
/* Members of a JSON object: "last_tick" to "end". */
void ls_replay_add_end(ls_builder *text, const ls_replay_file *file);

#endif
