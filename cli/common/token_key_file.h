/* Reads the file with a matchmaker's key that an option names. */
#ifndef LS_TOKEN_KEY_FILE_H
#define LS_TOKEN_KEY_FILE_H

#include <lockstep/token.h>

/* As ls_token_key_load(), but the error for a missing file says how to create one. */
ls_status ls_token_key_file_read(const char *path, ls_token_key *key, ls_error *error) LS_MUST_USE;

#endif
