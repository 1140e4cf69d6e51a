/* `serve --on-finished` on Windows, which has no posix_spawn(). */
#include "cli/serve/finished_hook.h"

ls_status ls_finished_hook_open(const ls_finished_hook_config *config, ls_finished_hook **hook,
                                ls_error *error)
{
    *hook = NULL;
    if (!config->command)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE, "--on-finished: not on Windows");
}

void ls_finished_hook_close(ls_finished_hook *hook)
{
    (void)hook;
}

void ls_finished_hook_add(ls_finished_hook *hook, const char *recording)
{
    (void)hook;
    (void)recording;
}

uint64_t ls_finished_hook_failures(const ls_finished_hook *hook)
{
    (void)hook;
    return 0;
}
