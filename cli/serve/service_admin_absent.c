/* `serve --admin` on Windows, which has no such sockets here. */
#include "cli/serve/service_admin.h"

ls_status ls_service_admin_open(const ls_service_admin_config *config, ls_service_admin **admin,
                                ls_error *error)
{
    *admin = NULL;
    if (!config->path)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE, "--admin: not on Windows");
}

void ls_service_admin_close(ls_service_admin *admin)
{
    (void)admin;
}

void ls_service_admin_step(ls_service_admin *admin, uint64_t now_ns)
{
    (void)admin;
    (void)now_ns;
}
