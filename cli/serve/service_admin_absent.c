/* `serve --admin` and `serve --http-token` on Windows, which has neither such sockets nor HTTP
 * here.
 */
#include "cli/serve/service_admin.h"

ls_status ls_service_admin_open(const ls_service_admin_config *config, ls_service_admin **admin,
                                ls_error *error)
{
    *admin = NULL;
    if (!config->path && !config->has_http && !config->has_lobby)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE, "%s: not on Windows",
                        config->path       ? "--admin"
                        : config->has_http ? "--http-token"
                                           : "--lobby");
}

void ls_service_admin_stop(ls_service_admin *admin)
{
    (void)admin;
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

bool ls_service_admin_take(ls_service_admin *admin, ls_metrics *metrics)
{
    (void)admin;
    (void)metrics;
    return false;
}

ls_status ls_service_admin_open_room(ls_service_admin *admin, const char *from, const char *room,
                                     const char *wishes, ls_error *error)
{
    (void)admin;
    (void)from;
    (void)room;
    (void)wishes;
    return ls_error_set(error, LS_ERROR_REFUSED, "rooms on demand: not on Windows");
}

bool ls_service_admin_admits(ls_service_admin *admin, const ls_http_post *post,
                             ls_http_answer *answer)
{
    (void)admin;
    (void)post;
    (void)answer;
    return false;
}

void ls_service_admin_post(ls_service_admin *admin, const ls_http_post *post,
                           ls_http_answer *answer)
{
    (void)admin;
    (void)post;
    (void)answer;
}
