/* A file that keeps a seat after the program has ended: a client that has it can resume the seat.
 */
#ifndef LS_SEAT_FILE_H
#define LS_SEAT_FILE_H

#include <lockstep/identity.h>
#include <lockstep/limits.h>

/* Secret: wipe it. */
typedef struct ls_seat {
    ls_public_key server; /* who gave it; no other program is shown it */
    uint8_t secret[LS_RESUME_BYTES];
} ls_seat;

/* errors  as ls_identity_load: NOT_FOUND, REFUSED (others can read it), CORRUPT, IO */
ls_status ls_seat_file_read(const char *path, ls_seat *seat, ls_error *error) LS_MUST_USE;
/* Writes a new file, mode 0600, and renames it: a reader sees the old content or the new.
 *   errors  LS_ERROR_IO */
ls_status ls_seat_file_write(const char *path, const ls_seat *seat, ls_error *error) LS_MUST_USE;

#endif
