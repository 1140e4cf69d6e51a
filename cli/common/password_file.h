/* The file that holds a server's password in its first line, for whoever sets it and whoever comes
 * in with it. */
#ifndef LS_PASSWORD_FILE_H
#define LS_PASSWORD_FILE_H

#include <lockstep/limits.h>

#include <lockstep/base.h>

/* Secret: wipe it.
 *   errors  as ls_identity_load: NOT_FOUND, REFUSED (others can read it), IO; USAGE for an empty
 *           line, LIMIT for a long one. The text is then empty */
ls_status ls_password_file_read(const char *path, char text[LS_PASSWORD_BYTES],
                                ls_error *error) LS_MUST_USE;

#endif
