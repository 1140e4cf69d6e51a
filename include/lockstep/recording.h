/* Reads the longest valid prefix of a recording, and tells why it ends. No byte is used before its
 * checksum is verified; nothing after damage is replayed. */
#ifndef LS_RECORDING_H
#define LS_RECORDING_H

#include <lockstep/program.h>
#include <lockstep/recording_tick.h>

typedef struct ls_recording ls_recording;

/* Reads a whole file in its present length, and checks it to the end of its valid prefix.
 *   errors  NOT_FOUND; IO (no permission, a directory, a disk error); LIMIT over
 *           LS_RECORDING_FILE_BYTES_MAX; CORRUPT: not a recording, or its header is damaged;
 *           INCOMPATIBLE: another format version. The message is one line: name, byte, remedy.
 *           `*recording` is then NULL
 *   owns    the caller closes it
 *   thread  all calls on one recording: one at a time */
LS_API ls_status ls_recording_open(const char *path, ls_recording **recording,
                                   ls_error *error) LS_MUST_USE;

/* Reads a recording from memory, which must outlive it. `name` is for messages.
 *   errors  CORRUPT and INCOMPATIBLE as ls_recording_open() */
LS_API ls_status ls_recording_open_memory(const char *name, const void *data, size_t bytes,
                                          ls_recording **recording, ls_error *error) LS_MUST_USE;

LS_API void ls_recording_close(ls_recording *recording); /* NULL is allowed */

LS_API const ls_recording_header *ls_recording_get_header(const ls_recording *recording);

/* The description that a program's recordings have in their header. */
LS_API ls_recording_simulation ls_recording_simulation_of(const ls_program *program);
/* Whether this program's code replays the recording exactly: fingerprint and rules version are
 * equal.
 *   errors  INCOMPATIBLE with a message that names both sides */
LS_API ls_status ls_recording_check_simulation(const ls_recording *recording,
                                               const ls_recording_simulation *simulation,
                                               ls_error *error) LS_MUST_USE;

/* Gives the next tick, or NULL at the end of the valid prefix; ls_recording_get_end() then gives
 * the reason.
 *   order   ticks ascend by one from the header's first_tick
 *   errors  CORRUPT and INCOMPATIBLE by the kind of end, with the last valid tick in the message.
 *           All ticks given before remain valid. Repeated calls return the same error
 *   owns    `*tick` belongs to the recording, until the next call */
LS_API ls_status ls_recording_next(ls_recording *recording, const ls_recording_tick **tick,
                                   ls_error *error) LS_MUST_USE;

/* Moves the reading position to before the first tick. */
LS_API void ls_recording_rewind(ls_recording *recording);

/* Moves the reading position: the next ls_recording_next() gives the frame of `tick`, or the end
 * for the tick after the last. Its roots are those that were recorded since the previous frame.
 *   errors  USAGE when the valid prefix lacks the tick; the position is then unchanged */
LS_API ls_status ls_recording_seek(ls_recording *recording, uint64_t tick,
                                   ls_error *error) LS_MUST_USE;

/* Describes the part read so far; `kind` says whether that is all. */
LS_API const ls_recording_end *ls_recording_get_end(const ls_recording *recording);
/* Describes the whole file like ls_recording_get_end() after the last tick, but without roots. */
LS_API const ls_recording_end *ls_recording_find_end(const ls_recording *recording);

/* One line for people on how the recording ends. */
LS_API void ls_recording_describe_end(const ls_recording *recording, ls_error *text);
/* Moves to the end, with a line in `text` also on success.
 *   errors  as ls_recording_next() */
LS_API ls_status ls_recording_read_end(ls_recording *recording, ls_error *text) LS_MUST_USE;

/* The keyframes of the valid prefix, independent of the reading position. This list and that of
 * columns ascend by tick. All pointers into the file are valid as long as the recording. Each
 * keyframe's base is in the list; ls_keyframe_decode() and a root check its bytes. */
LS_API uint32_t ls_recording_keyframes(const ls_recording *recording,
                                       const ls_recording_keyframe **list);
/* The last full keyframe of exactly this tick, NULL when there is none. */
LS_API const ls_recording_keyframe *ls_recording_find_full(const ls_recording_keyframe *list,
                                                           uint32_t count, uint64_t tick);
LS_API uint32_t ls_recording_columns_list(const ls_recording *recording,
                                          const ls_recording_columns **list);
/* The root of the world before `tick`; false when it is not recorded. */
LS_API bool ls_recording_find_root(const ls_recording *recording, uint64_t tick,
                                   uint64_t *root) LS_MUST_USE;
/* The first evidence in the file; NULL when there is none. */
LS_API const uint8_t *ls_recording_evidence(const ls_recording *recording, size_t *bytes);

/* NULL when the file is the first of its match, or does not describe the previous file. */
LS_API const ls_recording_link *ls_recording_get_link(const ls_recording *recording);

/* The part of the file that signatures by header.server_key cover. */
typedef struct ls_recording_signed {
    bool has_key;   /* the server has an identity: signatures are expected */
    uint32_t count; /* valid signatures */
    uint64_t tick;  /* lower ticks are signed; the header's first tick: none is */
    uint64_t bytes; /* bytes of the file that are proven to be the server's */
} ls_recording_signed;

/* Hashes the valid prefix and checks every signature, in about a millisecond per megabyte. It does
 * not prove who owns the key: compare the key with a known one.
 *   errors  CORRUPT with the byte of a wrong signature: the bytes before it were changed, or it is
 *           forged. `*result` then covers the valid signatures before it */
LS_API ls_status ls_recording_check_signatures(const ls_recording *recording,
                                               ls_recording_signed *result,
                                               ls_error *error) LS_MUST_USE;

#endif
