/* Hands one task at a time from the thread that has its turn to the network thread, which never
 * waits: it looks for a task between two steps. */
#ifndef LS_ADMIN_DESK_H
#define LS_ADMIN_DESK_H

#include "cli/serve/admin_task.h"
#include "core/base/platform.h"

/* The network thread looks for a task much more often; a longer wait means that it hangs. */
#define LS_ADMIN_TASK_TIMEOUT_NS (5 * LS_SECOND_NS)

typedef struct ls_admin_desk {
    ls_mutex turn; /* held for a whole request, which may need several tasks */
    ls_mutex mutex;
    ls_wake done;
    ls_admin_task *task;
    uint32_t state; /* of the task: see admin_desk.c */
    bool is_closed; /* the network thread takes no more */
    ls_link *link;  /* woken for a task */
} ls_admin_desk;

void ls_admin_desk_init(ls_admin_desk *desk, ls_link *link);
void ls_admin_desk_destroy(ls_admin_desk *desk);

/* The thread of the socket and that of the HTTP port take turns: one request at a time, so that
 * none changes a file while another does. */
void ls_admin_desk_begin_turn(ls_admin_desk *desk);
void ls_admin_desk_end_turn(ls_admin_desk *desk);

/* Has the network thread do a task. False: it hangs or has ended, and the task is not done.
 *   thread  the one that has its turn */
bool ls_admin_desk_ask(ls_admin_desk *desk, ls_admin_task *task) LS_MUST_USE;

/* Does the task that waits, if one does.
 *   thread  that of the server */
void ls_admin_desk_serve(ls_admin_desk *desk, const ls_admin_subject *subject, uint64_t now_ns);

/* The network thread takes no more tasks: the one that waits is given back.
 *   thread  that of the server */
void ls_admin_desk_close(ls_admin_desk *desk);

#endif
