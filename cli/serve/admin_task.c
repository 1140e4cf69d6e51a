#include "cli/serve/admin_task.h"

#include "proto/link_web.h"

#include <string.h>

/* Finds the room that is named, or the only one. */
static ls_room *find_room(ls_admin_task *task, const ls_admin_subject *subject)
{
    ls_room *room = task->room ? ls_server_find_room(subject->server, task->room)
                               : ls_server_room(subject->server, 0);
    if (!room && task->room)
        task->status = ls_error_set(&task->error, LS_ERROR_NOT_FOUND,
                                    "no open room is called '%.80s'; `lockstep admin rooms` lists "
                                    "them%s",
                                    task->room,
                                    task->verb == LS_ADMIN_SAY ? "; quote a text with blanks" : "");
    else if (!room)
        task->status = ls_error_set(&task->error, LS_ERROR_NOT_FOUND, "no room is open");
    else if (!task->room && ls_server_room(subject->server, 1))
        task->status = ls_error_set(&task->error, LS_ERROR_USAGE,
                                    "several rooms are open: name one; `lockstep admin rooms` "
                                    "lists them");
    if (task->status)
        return NULL;
    strcpy(task->name, ls_room_name(room));
    return room;
}

/* Finds a room with a running match. */
static ls_room *find_match(ls_admin_task *task, const ls_admin_subject *subject)
{
    ls_room *room = find_room(task, subject);
    if (!room)
        return NULL;
    ls_room_stats stats = ls_room_get_stats(room);
    if (stats.state == LS_ROOM_RUNNING)
        return room;
    task->status =
        ls_error_set(&task->error, LS_ERROR_REFUSED, "the match is not running: it is %s",
                     ls_metrics_state_name(ls_metrics_state_of(&stats)));
    return NULL;
}

static void pause_match(ls_admin_task *task, const ls_admin_subject *subject)
{
    ls_room *room = find_match(task, subject);
    bool wants_pause = task->verb == LS_ADMIN_PAUSE;
    if (room && !ls_room_pause(room, wants_pause))
        task->status = ls_error_set(&task->error, LS_ERROR_REFUSED, "the match is %s",
                                    wants_pause ? "paused already" : "not paused");
}

static void close_match(ls_admin_task *task, const ls_admin_subject *subject, uint64_t now_ns)
{
    ls_room *room = find_room(task, subject);
    if (!room)
        return;
    if (ls_room_get_stats(room).state >= LS_ROOM_ENDING)
        task->status = ls_error_set(&task->error, LS_ERROR_REFUSED, "the match is ending already");
    else
        ls_room_drain(room, now_ns);
}

/* Begins a checkpoint, or asks for its result. */
static void take_checkpoint(ls_admin_task *task, const ls_admin_subject *subject)
{
    if (task->checkpoint.number) {
        task->status = ls_room_checkpoint_poll(subject->server, &task->checkpoint, &task->error);
        task->is_pending = !task->status && !task->checkpoint.is_durable;
        return;
    }
    ls_room *room = find_room(task, subject);
    if (room)
        task->status = ls_room_checkpoint_begin(room, &task->checkpoint, &task->error);
    task->is_pending = !task->status && !task->checkpoint.is_durable;
    if (room && task->status == LS_ERROR_NOT_FOUND)
        task->status = ls_error_set(&task->error, LS_ERROR_REFUSED,
                                    "the match is not recorded: the server needs --record DIR");
}

/* Tells a room, or all. */
static void say(ls_admin_task *task, const ls_admin_subject *subject, uint64_t now_ns)
{
    ls_room *room = task->room ? find_room(task, subject) : NULL;
    if (room)
        task->told = ls_room_say(room, task->text, now_ns);
    if (task->room)
        return;
    for (uint32_t i = 0; (room = ls_server_room(subject->server, i)) != NULL; i++)
        task->told += ls_room_say(room, task->text, now_ns);
}

static void kick(ls_admin_task *task, const ls_admin_subject *subject, uint64_t now_ns)
{
    task->roster_count = ls_roster_take(subject->server, task->roster);
    for (uint32_t i = 0; i < task->roster_count; i++) {
        const ls_roster_entry *entry = &task->roster[i];
        if (ls_peer_slot(entry->peer) != task->peer)
            continue;
        strcpy(task->name, entry->room);
        strcpy(task->player, entry->name);
        ls_server_kick(subject->server, entry->peer, task->text, now_ns);
        return;
    }
    task->status = ls_error_set(&task->error, LS_ERROR_NOT_FOUND,
                                "no session has the number %u; `lockstep admin players` lists them",
                                task->peer);
}

/* Puts the bans in effect, and ends the sessions that they cover. */
static void ban(ls_admin_task *task, const ls_admin_subject *subject, uint64_t now_ns)
{
    ls_service_rights *rights = subject->rights;
    ls_bans before = rights->bans;
    rights->bans = task->bans;
    rights->has_new_bans = true;
    task->bans = before;
    if (task->verb == LS_ADMIN_UNBAN)
        return;
    task->roster_count = ls_roster_take(subject->server, task->roster);
    for (uint32_t i = 0; i < task->roster_count; i++) {
        const ls_roster_entry *entry = &task->roster[i];
        const ls_address address = ls_link_web_address(subject->web, &entry->remote);
        if (!ls_bans_cover(&rights->bans, &address, entry->client))
            continue;
        ls_server_kick(subject->server, entry->peer, "banned by the one who runs the server",
                       now_ns);
        task->kicked++;
    }
}

/* Begins to read the files again, or asks for the result. */
static void reload(ls_admin_task *task, const ls_admin_subject *subject)
{
    const ls_rights_reload *result;
    if (!task->reload.number)
        task->reload.number = ls_service_rights_reload(subject->rights);
    result = ls_service_rights_result(subject->rights, task->reload.number);
    task->is_pending = !result;
    if (!result)
        return;
    task->reload = *result;
    task->status = result->status;
    task->error = result->error;
}

void ls_admin_task_run(ls_admin_task *task, const ls_admin_subject *subject, uint64_t now_ns)
{
    task->status = LS_OK;
    task->is_pending = false;
    switch (task->verb) {
    case LS_ADMIN_ROOM:
        if (!find_room(task, subject))
            return;
        ls_metrics_take(&task->metrics, subject->metrics, now_ns);
        return;
    case LS_ADMIN_SERVER:
        task->handover = *ls_handover_get_news(subject->handover);
        ls_metrics_take(&task->metrics, subject->metrics, now_ns);
        return;
    case LS_ADMIN_ROOMS:
    case LS_ADMIN_METRICS:
        ls_metrics_take(&task->metrics, subject->metrics, now_ns);
        return;
    case LS_ADMIN_PLAYERS:
        if (!task->room || find_room(task, subject))
            task->roster_count = ls_roster_take(subject->server, task->roster);
        return;
    case LS_ADMIN_BANS:
        ls_bans_copy(&subject->rights->bans, &task->bans);
        return;
    case LS_ADMIN_KICK:
        kick(task, subject, now_ns);
        return;
    case LS_ADMIN_BAN:
    case LS_ADMIN_UNBAN:
        ban(task, subject, now_ns);
        return;
    case LS_ADMIN_PAUSE:
    case LS_ADMIN_RESUME:
        pause_match(task, subject);
        return;
    case LS_ADMIN_CHECKPOINT:
        take_checkpoint(task, subject);
        return;
    case LS_ADMIN_SAY:
        say(task, subject, now_ns);
        return;
    case LS_ADMIN_OPEN:
        task->status = ls_rooms_allocate(subject->rooms, task->allocation, &task->error);
        return;
    case LS_ADMIN_CLOSE:
        close_match(task, subject, now_ns);
        return;
    case LS_ADMIN_DRAIN:
        task->status = ls_handover_begin(subject->handover, &task->successor, &task->error);
        return;
    case LS_ADMIN_RELOAD:
        reload(task, subject);
        return;
    case LS_ADMIN_LOG_LEVEL:
    case LS_ADMIN_VERBS:
        return; /* cli/serve/admin_answer.c */
    }
}
