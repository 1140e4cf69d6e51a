/* Reads the file with a server's password in its first line, for the server and for players. */
#ifndef LS_PASSWORD_FILE_H
#define LS_PASSWORD_FILE_H

#include <lockstep/limits.h>

#include <lockstep/base.h>

/* Reads the password, a secret that the caller wipes.
 *   errors  as ls_identity_load: NOT_FOUND, REFUSED (others can read it), IO; USAGE for an empty
 *           line, LIMIT for a long one. After an error the text is empty */
ls_status ls_password_file_read(const char *path, char text[LS_PASSWORD_BYTES],
                                ls_error *error) LS_MUST_USE;

#endif
