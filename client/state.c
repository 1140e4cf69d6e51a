#include "client/client_internal.h"

ls_client_state ls_client_get_state(const ls_client *client)
{
    return client->state;
}

bool ls_client_is_final(const ls_client *client)
{
    return client->state >= LS_CLIENT_ENDED;
}

const char *ls_client_state_name(ls_client_state state)
{
    static const char *const names[] = {"handshake", "connecting", "loading", "playing", "resuming",
                                        "ended",     "refused",    "lost",    "failed"};
    return (unsigned)state < LS_COUNT_OF(names) ? names[state] : "unknown";
}

const char *ls_client_reason(const ls_client *client)
{
    return client->reason;
}

ls_status ls_client_refusal(const ls_client *client)
{
    return client->state == LS_CLIENT_REFUSED ? client->entry.refusal : LS_OK;
}
