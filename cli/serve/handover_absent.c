/* `lockstep admin drain --successor` on Windows, which has no such sockets here. */
#include "cli/serve/handover.h"

ls_handover *ls_handover_create(ls_server *server, ls_rooms *rooms, ls_log *log)
{
    (void)server;
    (void)rooms;
    (void)log;
    return NULL;
}

void ls_handover_destroy(ls_handover *handover)
{
    (void)handover;
}

bool ls_handover_step(ls_handover *handover, uint64_t now_ns)
{
    (void)handover;
    (void)now_ns;
    return false;
}
