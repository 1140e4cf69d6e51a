#include "cli/serve/handover.h"

#include "cli/common/clock.h"
#include "cli/serve/room_resume.h"
#include "server/event_log.h"
#include "server/room_handover.h"

#include <stdio.h>
#include <string.h>

/* The time for the other process to restore a match. The clients wait meanwhile. */
#define PATIENCE_NS (5 * LS_NS_PER_S)

typedef enum stage {
    STAGE_IDLE,      /* no successor */
    STAGE_CHOOSING,  /* the next room */
    STAGE_RELEASING, /* the room stops, and lets go of its files */
    STAGE_ASKED,     /* the successor restores it */
    STAGE_RETURNING, /* the successor has failed: the room closes, to be opened again */
} stage;

struct ls_handover {
    ls_server *server;
    ls_rooms *rooms;
    ls_log *log;
    ls_successor successor;
    stage stage;
    bool ends;     /* no further room is handed over */
    bool has_told; /* the log has why the next room must wait */
    ls_room_place *place;
    uint64_t asked_ns;
    char recording[LS_PATH_BYTES_MAX];
};

ls_handover *ls_handover_create(ls_server *server, ls_rooms *rooms, ls_log *log)
{
    ls_handover *self = ls_alloc(sizeof *self);
    *self =
        (ls_handover){.server = server, .rooms = rooms, .log = log, .successor.socket.file = -1};
    return self;
}

void ls_handover_destroy(ls_handover *self)
{
    if (!self)
        return;
    ls_successor_close(&self->successor.socket);
    ls_free(self);
}

static void log_event(const ls_handover *self, const char *event, const char *reason)
{
    char address[LS_ADDRESS_TEXT_BYTES], quoted[LS_EVENT_LOG_QUOTED_BYTES];
    char line[LS_EVENT_LOG_QUOTED_BYTES + 160];
    ls_address_format(&self->successor.address, address);
    snprintf(line, sizeof line, "%s address=%s%s%s", event, address, reason ? " reason=" : "",
             reason ? ls_event_log_quote(reason, quoted) : "");
    ls_log_line(self->log, line);
}

static const char *file_name(const char *path)
{
    size_t above = ls_path_folder_length(path);
    return path + above + (above > 0);
}

static void end(ls_handover *self)
{
    ls_successor_send(&self->successor.socket, "done");
    ls_successor_close(&self->successor.socket);
    self->stage = STAGE_IDLE;
    log_event(self, "handover_done", NULL);
}

/* Gives the handover up: the rooms that are here go on, and newcomers are taken again. */
static void abandon(ls_handover *self, const char *why)
{
    ls_successor_close(&self->successor.socket);
    ls_server_set_successor(self->server, NULL, false);
    self->ends = true;
    log_event(self, "handover_failed", why);
}

/* Leaves a room to be played to its end in this process. */
static void keep(const ls_handover *self, ls_room *room, const char *why)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES], name[LS_EVENT_LOG_QUOTED_BYTES];
    char line[2 * LS_EVENT_LOG_QUOTED_BYTES + 64];
    snprintf(line, sizeof line, "handover_kept room=%s reason=%s",
             ls_event_log_quote(ls_room_name(room), name), ls_event_log_quote(why, quoted));
    ls_log_line(self->log, line);
    ls_room_handover_play_out(room);
}

ls_status ls_handover_begin(ls_handover *self, const ls_successor *successor, ls_error *error)
{
    if (self->stage != STAGE_IDLE || ls_server_has_successor(self->server)) {
        ls_successor_socket unused = successor->socket;
        ls_successor_close(&unused);
        return ls_error_set(error, LS_ERROR_REFUSED, "the server is being drained already");
    }
    self->successor = *successor;
    self->ends = !successor->is_same_sim;
    ls_server_set_successor(self->server, &successor->address, successor->is_same_sim);
    log_event(self, "handover_begins", NULL);
    ls_room *room;
    for (uint32_t i = 0; !successor->is_same_sim && (room = ls_server_room(self->server, i)); i++)
        keep(self, room, "the successor has another build of the simulation");
    self->stage = STAGE_CHOOSING;
    return LS_OK;
}

/* Stops the next room that can be handed over. */
static void choose(ls_handover *self, uint64_t now_ns)
{
    bool is_left = false;
    ls_room *room;
    ls_error why;
    for (uint32_t i = 0; !self->ends && (room = ls_server_room(self->server, i)) != NULL; i++) {
        ls_room_place *place = ls_room_place_find(self->rooms, room);
        if (!place || place->is_kept)
            continue;
        ls_status status = ls_room_handover_begin(room, now_ns, &why);
        if (status == LS_ERROR_NOT_FOUND) {
            place->is_kept = true;
            if (ls_room_get_stats(room).state < LS_ROOM_ENDING)
                keep(self, room, why.text);
        }
        if (status == LS_ERROR_REFUSED && !is_left && !self->has_told)
            log_event(self, "handover_waits", why.text);
        is_left |= status == LS_ERROR_REFUSED;
        if (status)
            continue;
        self->place = place;
        self->stage = STAGE_RELEASING;
        snprintf(self->recording, sizeof self->recording, "%s", place->recording);
        return;
    }
    self->has_told = is_left;
    if (!is_left)
        end(self);
}

/* The match returns to this process, at the tick where it stopped. */
static void take_back(ls_handover *self, const char *why, uint64_t now_ns)
{
    abandon(self, why);
    ls_room_handover_end(self->place->room, NULL, now_ns);
    self->stage = STAGE_RETURNING;
}

static void ask(ls_handover *self, uint64_t now_ns)
{
    if (!ls_room_handover_is_released(self->place->room) || !ls_room_place_has_seats(self->place))
        return;
    if (self->place->status) {
        take_back(self, self->place->error.text, now_ns);
        return;
    }
    ls_successor_send(&self->successor.socket, "take %s", file_name(self->recording));
    self->asked_ns = now_ns;
    self->stage = STAGE_ASKED;
}

static void await(ls_handover *self, uint64_t now_ns)
{
    char line[LS_SUCCESSOR_LINE_BYTES];
    bool has_line = ls_successor_receive(&self->successor.socket, line);
    if (has_line && strncmp(line, "taken ", 6) == 0 &&
        strcmp(line + 6, file_name(self->recording)) == 0) {
        ls_room_handover_end(self->place->room, &self->successor.address, now_ns);
        self->stage = STAGE_CHOOSING;
    } else if (has_line) {
        take_back(self, line, now_ns);
    } else if (self->successor.socket.file < 0) {
        take_back(self, "the successor has ended", now_ns);
    } else if (now_ns - self->asked_ns >= PATIENCE_NS) {
        take_back(self, "the successor does not answer", now_ns);
    }
}

/* Opens the room again, when it is closed. */
static void open_again(ls_handover *self)
{
    ls_error why;
    if (self->place->room)
        return;
    self->place = NULL; /* the room may get the same place again */
    self->stage = STAGE_IDLE;
    if (ls_room_resume_taken(self->rooms, self->recording, &why))
        log_event(self, "handover_lost", why.text);
}

bool ls_handover_step(ls_handover *self, uint64_t now_ns)
{
    bool is_gone = self->place && !self->place->room;
    if (self->stage == STAGE_IDLE)
        return false;
    if (is_gone && (self->stage == STAGE_RELEASING || self->stage == STAGE_ASKED))
        self->stage = STAGE_CHOOSING; /* the match has failed meanwhile */
    switch (self->stage) {
    case STAGE_CHOOSING:
        self->place = NULL;
        choose(self, now_ns);
        break;
    case STAGE_RELEASING:
        ask(self, now_ns);
        break;
    case STAGE_ASKED:
        await(self, now_ns);
        break;
    case STAGE_RETURNING:
        open_again(self);
        break;
    case STAGE_IDLE:
        break;
    }
    return self->stage != STAGE_IDLE;
}
