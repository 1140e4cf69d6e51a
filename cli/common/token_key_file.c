#include "cli/common/token_key_file.h"

ls_status ls_token_key_file_read(const char *path, ls_token_key *key, ls_error *error)
{
    ls_status status = ls_token_key_load(path, key, error);
    if (status != LS_ERROR_NOT_FOUND)
        return status;
    return ls_error_set(error, status, "%.900s; `lockstep keygen --token-key FILE` makes one",
                        error->text);
}
