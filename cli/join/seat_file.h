/* A file that keeps a seat after the program has ended. A client with this file can resume the
 * seat. */
#ifndef LS_SEAT_FILE_H
#define LS_SEAT_FILE_H

#include <lockstep/identity.h>
#include <lockstep/limits.h>

/* Lets a client resume its seat. Secret: wipe it. */
typedef struct ls_resume_ticket {
    ls_public_key server; /* that issued the ticket; no other server may see the secret */
    uint8_t secret[LS_RESUME_BYTES];
} ls_resume_ticket;

/* Reads the file.
 *   errors  those of ls_identity_load(): NOT_FOUND, REFUSED (other users can read it), CORRUPT, IO
 */
ls_status ls_seat_file_read(const char *path, ls_resume_ticket *ticket,
                            ls_error *error) LS_MUST_USE;
/* Replaces the file atomically, mode 0600: a reader sees the old content or the new.
 *   errors  LS_ERROR_IO */
ls_status ls_seat_file_write(const char *path, const ls_resume_ticket *ticket,
                             ls_error *error) LS_MUST_USE;

#endif
