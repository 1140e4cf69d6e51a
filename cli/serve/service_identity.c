#include "cli/serve/service_identity.h"

#include "cli/common/user_file.h"
#include "core/base/platform_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Whether the file exists and does not begin like an identity file. */
static bool is_foreign(const char *path)
{
    static const char head[] = "lockstep identity ";
    char begin[sizeof head] = "";
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    ssize_t count = read(descriptor, begin, sizeof begin - 1);
    close(descriptor);
    return count >= 0 && strcmp(begin, head) != 0;
}

/* Loads or creates the file of --identity. ls_identity_load_or_create() checks the mode before the
 * content. A foreign file needs its own error, so that no user is told to chmod it. */
static ls_status load_given_identity(const char *path, ls_identity *identity, ls_error *error)
{
    ls_status status = ls_identity_load_or_create(path, identity, NULL, error);
    if ((status == LS_ERROR_REFUSED || status == LS_ERROR_CORRUPT) && is_foreign(path))
        return ls_error_set(
            error, LS_ERROR_CORRUPT,
            "%s is not an identity file; --identity with the name of no file creates "
            "one",
            path);
    return status;
}

/* A temporary key must be requested: a new key at each start would make every returning player
 * refuse the server. A machine without a place for a key is a container, for example, or a service
 * without HOME. */
ls_status ls_service_identity_load(const ls_service_options *options, ls_log *log,
                                   ls_identity *identity, ls_error *error)
{
    if (options->has_temporary_identity) {
        ls_log_line(log, "identity_temporary remedy=\"keep a key with --identity FILE\"");
        ls_identity_init(identity, NULL);
        return LS_OK;
    }
    if (options->identity)
        return load_given_identity(options->identity, identity, error);
    char own[LS_PATH_BYTES_MAX];
    ls_status status = ls_user_file("identity", own, error);
    if (!status)
        status = ls_identity_load_or_create(own, identity, NULL, error);
    if (status != LS_ERROR_IO && status != LS_ERROR_NOT_FOUND)
        return status;
    return ls_error_set(
        error, LS_ERROR_IO,
        "there is no folder for the server's key: %.700s; name a file with --identity FILE, or "
        "serve with a key for this run alone: --temporary-identity",
        error->text);
}
