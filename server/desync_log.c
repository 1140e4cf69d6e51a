#include "server/desync_log.h"

#include <stdio.h>

void ls_desync_log_write(const ls_room *room, const ls_desync_subject *subject, const char *event,
                         const char *text)
{
    char name[LS_EVENT_LOG_QUOTED_BYTES];
    ls_event_log_write(&room->log, "%s tick=%llu peer=%u player=%d name=%s %s", event,
                       (unsigned long long)subject->tick, ls_peer_slot(subject->peer),
                       subject->seat, ls_event_log_quote(subject->name, name), text);
}

void ls_desync_log_unexplained(ls_room *room, const ls_desync_subject *subject, const char *why)
{
    char reason[LS_EVENT_LOG_QUOTED_BYTES], text[LS_EVENT_LOG_QUOTED_BYTES + 8];
    snprintf(text, sizeof text, "reason=%s", ls_event_log_quote(why, reason));
    ls_desync_log_write(room, subject, "desync_unexplained", text);
    room->stats.desyncs_unexplained++;
}
