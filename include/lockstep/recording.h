/* Reads a recording: the longest prefix of it that is valid, and why that prefix ends. No byte of
 * the file is used before its checksum is right; nothing after a damage is replayed. */
#ifndef LS_RECORDING_H
#define LS_RECORDING_H

#include <lockstep/program.h>
#include <lockstep/recording_tick.h>

typedef struct ls_recording ls_recording;

/* Reads a whole file, as long as it is at this moment, and checks it to the end of its valid
 * prefix.
 *   errors  NOT_FOUND; IO (no right, a directory, a disk error); LIMIT over the maximum above;
 *           CORRUPT when it is no recording or its header is damaged; INCOMPATIBLE for another
 *           format version. One line: name, byte, remedy. `*recording` is then NULL
 *   owns    the caller closes it
 *   thread  all calls on one recording: one at a time */
ls_status ls_recording_open(const char *path, ls_recording **recording,
                            ls_error *error) LS_MUST_USE;

/* The same over the caller's bytes, which must outlive it. `name` is for messages. */
ls_status ls_recording_open_memory(const char *name, const void *data, size_t bytes,
                                   ls_recording **recording, ls_error *error) LS_MUST_USE;

void ls_recording_close(ls_recording *recording); /* NULL is allowed */

const ls_recording_header *ls_recording_get_header(const ls_recording *recording);

/* The description of a program in its recordings. */
ls_recording_simulation ls_recording_simulation_of(const ls_program *program);
/* Whether this program's code would replay it exactly: fingerprint and rules version are equal.
 *   errors  INCOMPATIBLE with a message that names both sides */
ls_status ls_recording_check_simulation(const ls_recording *recording,
                                        const ls_recording_simulation *simulation,
                                        ls_error *error) LS_MUST_USE;

/* Gives the next tick, or NULL when the valid prefix is over; ls_recording_get_end then gives the
 * reason.
 *   order   ticks ascend by one from the header's first_tick
 *   errors  CORRUPT and INCOMPATIBLE as at their kind of end, with the last good tick. All ticks
 *           given before stay good. Repeats itself when called again
 *   owns    `*tick` belongs to the recording, until the next call */
ls_status ls_recording_next(ls_recording *recording, const ls_recording_tick **tick,
                            ls_error *error) LS_MUST_USE;

/* Back to before the first tick. */
void ls_recording_rewind(ls_recording *recording);

/* Moves the reading position: the next ls_recording_next() gives the frame of `tick`, or the end
 * for the tick after the last. Its roots are those that became known since the previous frame.
 *   errors  USAGE when the valid prefix has no such tick; the position is then unchanged */
ls_status ls_recording_seek(ls_recording *recording, uint64_t tick, ls_error *error) LS_MUST_USE;

/* Counts the part read so far; `kind` says whether that is all. */
const ls_recording_end *ls_recording_get_end(const ls_recording *recording);
/* The same as it will be when all was read; without roots. */
const ls_recording_end *ls_recording_find_end(const ls_recording *recording);

/* One line for people on how the recording ends. */
void ls_recording_describe_end(const ls_recording *recording, ls_error *text);
/* Moves to the end; then as ls_recording_next(), with a line in `text` also when all is well. */
ls_status ls_recording_read_end(ls_recording *recording, ls_error *text) LS_MUST_USE;

/* The records of the valid prefix besides frames, independent of the position. Lists ascend by tick
 * and, like all pointers into the file, live as long as the recording. A keyframe's base is in the
 * list; ls_keyframe_decode() and a root check its bytes. */
uint32_t ls_recording_keyframes(const ls_recording *recording, const ls_recording_keyframe **list);
/* The full one of a tick, the last if there are several; NULL when the list has none. */
const ls_recording_keyframe *ls_recording_find_full(const ls_recording_keyframe *list,
                                                    uint32_t count, uint64_t tick);
uint32_t ls_recording_columns_list(const ls_recording *recording,
                                   const ls_recording_columns **list);
/* False when the root of the world before that tick is not known. */
bool ls_recording_find_root(const ls_recording *recording, uint64_t tick,
                            uint64_t *root) LS_MUST_USE;
/* NULL when there is none; the first. */
const uint8_t *ls_recording_evidence(const ls_recording *recording, size_t *bytes);

/* NULL when the file is the first of its match, or does not describe the one before it. */
const ls_recording_link *ls_recording_get_link(const ls_recording *recording);

/* How far the server's key (header.server_key) vouches for the file. */
typedef struct ls_recording_signed {
    bool has_key;   /* the server has an identity: signatures are to be expected */
    uint32_t count; /* signatures that are right */
    uint64_t tick;  /* the ticks below it are signed; the header's first tick: none */
    uint64_t bytes; /* bytes of the file proven to be as the server wrote them */
} ls_recording_signed;

/* Hashes the valid prefix and checks every signature; about a millisecond per megabyte. Does not
 * prove the owner of the key: compare it with a known one.
 *   errors  CORRUPT when one is wrong, at its byte: the bytes before it were changed, or it is
 *           forged. `*result` then covers the right ones before it */
ls_status ls_recording_check_signatures(const ls_recording *recording, ls_recording_signed *result,
                                        ls_error *error) LS_MUST_USE;

#endif
