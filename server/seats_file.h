/* The seats of a match, stored beside its recording (NAME.seats, docs/replay-format.md). A resumed
 * room knows its players by their resume secrets. The file holds hashes of the secrets, never a
 * secret. */
#ifndef LS_SEATS_FILE_H
#define LS_SEATS_FILE_H

#include "proto/secret.h"
#include <lockstep/limits.h>
#include <lockstep/match.h>

#define LS_SEATS_FILE_VERSION    1
#define LS_SEATS_FILE_TEXT_BYTES LS_NAME_BYTES /* of each text, its end included */
#define LS_SEATS_FILE_BYTES_MAX                                                                    \
    (8 + 4 + 8 + 4 + LS_SEATS_FILE_TEXT_BYTES + 1 +                                                \
     LS_PLAYERS_MAX * (1 + LS_SECRET_HASH_BYTES + 2 * LS_SEATS_FILE_TEXT_BYTES) + 8)

typedef struct ls_seats_file_seat {
    uint8_t seat;
    uint8_t secret_hash[LS_SECRET_HASH_BYTES]; /* ls_secret_hash of the resume secret */
    char client[LS_SEATS_FILE_TEXT_BYTES]; /* the matchmaker's id of the player; "" without one */
    char name[LS_SEATS_FILE_TEXT_BYTES];   /* for people */
} ls_seats_file_seat;

typedef struct ls_seats_file {
    uint64_t salt;  /* of the recording that it belongs to */
    uint32_t epoch; /* of the room when it was written */
    char room[LS_SEATS_FILE_TEXT_BYTES];
    uint32_t count;
    ls_seats_file_seat seats[LS_PLAYERS_MAX]; /* ascending; unused seats are left out */
} ls_seats_file;

/* NAME.lsr -> NAME.seats; a path that does not end in .lsr gets the suffix.
 *   errors  LIMIT when it does not fit `bytes` */
ls_status ls_seats_file_path(const char *recording, char *path, size_t bytes,
                             ls_error *error) LS_MUST_USE;

/* Encodes the file. Asserts counts, order and terminated texts; overflow, and a text with control
 * characters, set writer->failed. */
void ls_seats_file_encode(const ls_seats_file *file, ls_writer *writer);

/* From hostile bytes; each content has one encoding. `name` begins the messages.
 *   errors  CORRUPT, INCOMPATIBLE for another version; `*file` is then zeros */
ls_status ls_seats_file_decode(const char *name, ls_reader *reader, ls_seats_file *file,
                               ls_error *error) LS_MUST_USE;

/* Replaces the file atomically, mode 0600: a reader finds the old or the new one. Waits for the
 * disk.
 *   errors  USAGE for a text with control characters, IO
 *   thread  any */
ls_status ls_seats_file_write(const char *path, const ls_seats_file *file,
                              ls_error *error) LS_MUST_USE;

/*   errors  NOT_FOUND; REFUSED when others may write it; CORRUPT, INCOMPATIBLE, IO
 *   thread  any */
ls_status ls_seats_file_read(const char *path, ls_seats_file *file, ls_error *error) LS_MUST_USE;

#endif
