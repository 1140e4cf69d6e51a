/* The seats of a match, stored beside its recording (NAME.seats, docs/replay-format.md). A resumed
 * room recognizes its players by their resume secrets. The file holds only hashes of the secrets.
 */
#ifndef LS_SEATS_FILE_H
#define LS_SEATS_FILE_H

#include "proto/secret.h"
#include <lockstep/limits.h>
#include <lockstep/match.h>

#define LS_SEATS_FILE_VERSION    4
#define LS_SEATS_FILE_TEXT_BYTES LS_NAME_BYTES /* size of each text, with its end */
#define LS_SEATS_FILE_BYTES_MAX                                                                    \
    (8 + 4 + 8 + 4 + LS_SEATS_FILE_TEXT_BYTES + 1 + 1 +                                            \
     LS_PLAYERS_MAX * (2 + LS_SECRET_HASH_BYTES + 2 * LS_SEATS_FILE_TEXT_BYTES) + 8)

typedef struct ls_seats_file_seat {
    uint8_t seat;
    bool is_light; /* its last session reported no roots: only a light client may return */
    bool was_resynced, was_asked;              /* as in ls_seat */
    uint8_t secret_hash[LS_SECRET_HASH_BYTES]; /* ls_secret_hash of the resume secret */
    char client[LS_SEATS_FILE_TEXT_BYTES]; /* the matchmaker's id of the player; "" without one */
    char name[LS_SEATS_FILE_TEXT_BYTES];   /* the player's name, for people only */
} ls_seats_file_seat;

typedef struct ls_seats_file {
    uint64_t salt;  /* salt of the recording that the file belongs to */
    uint32_t epoch; /* epoch of the room when the file was written */
    char room[LS_SEATS_FILE_TEXT_BYTES];
    bool requires_token; /* the room admits only clients with a connect token */
    bool is_on_request;  /* the room ends when it is empty */
    uint32_t count;
    ls_seats_file_seat seats[LS_PLAYERS_MAX]; /* ascending; unused seats are left out */
} ls_seats_file;

/* Derives the path: NAME.lsr becomes NAME.seats; any other path gets the suffix .seats.
 *   errors  LIMIT: the path does not fit in `bytes` */
ls_status ls_seats_file_path(const char *recording, char *path, size_t bytes,
                             ls_error *error) LS_MUST_USE;

/* Encodes the file. Asserts the count, ascending seats and terminated texts. Overflow, or a text
 * with control characters, sets writer->failed. */
void ls_seats_file_encode(const ls_seats_file *file, ls_writer *writer);

/* Decodes a file of hostile bytes; each content has exactly one encoding. `name` begins the error
 * text.
 *   errors  CORRUPT; INCOMPATIBLE: another version. After any of them `*file` is zeroed */
ls_status ls_seats_file_decode(const char *name, ls_reader *reader, ls_seats_file *file,
                               ls_error *error) LS_MUST_USE;

/* Replaces the file atomically with mode 0600: a reader finds the old or the new one. Waits for the
 * disk.
 *   errors  USAGE: a text has control characters; IO
 *   thread  any */
ls_status ls_seats_file_write(const char *path, const ls_seats_file *file,
                              ls_error *error) LS_MUST_USE;

/* Reads and decodes a file.
 *   errors  NOT_FOUND; REFUSED: group or others have any access to the file, or it is not a regular
 *           file; CORRUPT, INCOMPATIBLE, IO
 *   thread  any */
ls_status ls_seats_file_read(const char *path, ls_seats_file *file, ls_error *error) LS_MUST_USE;

#endif
