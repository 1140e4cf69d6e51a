/* The file of a matchmaker's key, as an option names it. */
#ifndef LS_TOKEN_KEY_FILE_H
#define LS_TOKEN_KEY_FILE_H

#include <lockstep/token.h>

/* ls_token_key_load, and where there is no such file the text says how one is made. */
ls_status ls_token_key_file_read(const char *path, ls_token_key *key, ls_error *error) LS_MUST_USE;

#endif
