/* The part of an admin request that the network thread does: it takes numbers, or changes server
 * and rooms. The only texts that it formats are addresses, and it waits for nothing. */
#ifndef LS_ADMIN_TASK_H
#define LS_ADMIN_TASK_H

#include "cli/common/admin_request.h"
#include "cli/serve/handover.h"
#include "cli/serve/metrics.h"
#include "cli/serve/rooms.h"
#include "cli/serve/service_rights.h"
#include "server/room_checkpoint.h"
#include "server/roster.h"

/* The server's side, on which the network thread works. */
typedef struct ls_admin_subject {
    ls_server *server;
    const ls_link *web; /* NULL: no players over WebSocket */
    const ls_metrics_source *metrics;
    ls_handover *handover;
    ls_rooms *rooms;
    ls_service_rights *rights;
} ls_admin_subject;

typedef struct ls_admin_task {
    ls_admin_verb verb;
    const char *room;              /* NULL: the only one */
    uint32_t peer;                 /* KICK: the number of a connection */
    const char *text;              /* KICK: why; SAY: what */
    ls_room_checkpoint checkpoint; /* CHECKPOINT: number 0 begins one, others ask for its result */
    ls_rights_reload reload;       /* RELOAD: number 0 begins one, others ask for its result */
    const ls_room_allocation *allocation; /* OPEN */
    ls_successor successor;               /* DRAIN: where the matches go on */
    /* BAN and UNBAN: the bans to put into effect, after the task the previous ones; BANS: a copy of
     * the current ones */
    ls_bans bans;
    /* Results: */
    bool is_pending; /* CHECKPOINT and RELOAD: give the task again for the result */
    ls_status status;
    ls_error error;
    char name[LS_ROOM_BYTES]; /* of the room */
    char player[LS_NAME_BYTES];
    ls_handover_news handover; /* of SERVER */
    ls_metrics metrics;        /* of SERVER, ROOMS, ROOM and METRICS */
    ls_roster_entry *roster;   /* of PLAYERS, KICK and BAN; room for peers_max, by the caller */
    uint32_t roster_count, kicked, told;
} ls_admin_task;

/*   thread  that of the server */
void ls_admin_task_run(ls_admin_task *task, const ls_admin_subject *subject, uint64_t now_ns);

#endif
