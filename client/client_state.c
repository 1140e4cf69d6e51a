#include <lockstep/client_state.h>

bool ls_client_state_is_final(ls_client_state state)
{
    return state >= LS_CLIENT_ENDED;
}

const char *ls_client_state_name(ls_client_state state)
{
    static const char *const names[] = {"handshake", "connecting", "loading", "playing", "resuming",
                                        "ended",     "refused",    "lost",    "failed"};
    return (unsigned)state < LS_COUNT_OF(names) ? names[state] : "unknown";
}
