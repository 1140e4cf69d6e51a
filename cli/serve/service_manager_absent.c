/* Windows has no service manager that speaks systemd's protocol. */
#include "cli/serve/service_manager.h"

void ls_service_manager_find(ls_service_manager *manager)
{
    *manager = (ls_service_manager){.socket = -1};
}

void ls_service_manager_say_stopping(ls_service_manager *manager)
{
    (void)manager;
}

void ls_service_manager_step(ls_service_manager *manager, const ls_server *server, uint64_t now_ns)
{
    (void)manager;
    (void)server;
    (void)now_ns;
}

void ls_service_manager_close(ls_service_manager *manager)
{
    (void)manager;
}
