/* `serve --take-over` on Windows, which has no such sockets here. */
#include "cli/serve/takeover.h"

ls_status ls_takeover_create(const ls_takeover_config *config, ls_takeover **takeover,
                             ls_error *error)
{
    (void)config;
    *takeover = NULL;
    return ls_error_set(error, LS_ERROR_USAGE, "--take-over: not on Windows");
}

void ls_takeover_destroy(ls_takeover *takeover)
{
    (void)takeover;
}

void ls_takeover_print(const ls_takeover *takeover)
{
    (void)takeover;
}

bool ls_takeover_step(ls_takeover *takeover)
{
    (void)takeover;
    return false;
}
