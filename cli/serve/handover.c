#include "cli/serve/handover.h"

#include "cli/common/clock.h"
#include "cli/serve/recordings.h"
#include "cli/serve/room_resume.h"
#include "core/base/builder.h"
#include "core/base/platform_file.h"
#include "server/event_log.h"
#include "server/room_handover.h"
#include "server/server_successor.h"
#include <lockstep/recording_series.h>

#include <stdio.h>
#include <string.h>
#include <sys/file.h>

/* The time for the other process to open a recording. The clients wait meanwhile. */
#define TIMEOUT_NS (5 * LS_SECOND_NS)
/* The time between two looks at a recording that another process has, and the time for a process
 * that has died to let go of it. */
#define LOOK_NS (50 * LS_NS_PER_MS)
#define GONE_NS (2 * LS_SECOND_NS)

/* Each recording is locked by the process that writes it. So the lock decides which process has a
 * match: while the successor has it, this one does not take the match back. */
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
    ls_handover_news news;
    stage stage;
    bool ends;     /* no further room is handed over */
    bool has_told; /* the log has why the handover waits */
    ls_room_place *place;
    uint64_t since_ns; /* when STAGE_ASKED or STAGE_RETURNING began */
    uint64_t look_ns;  /* the next look at the recording */
    char recording[LS_PATH_BYTES_MAX];
    char *file;                    /* the last file of the recording; owned */
    char why[LS_ERROR_TEXT_BYTES]; /* RETURNING: what has failed */
    uint32_t kept;                 /* matches that are played to their ends here */
    char kept_why[LS_REASON_BYTES - 64];
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
    ls_free(self->file);
    ls_free(self);
}

static void log_event(const ls_handover *self, const char *event, const char *reason)
{
    char address[LS_ADDRESS_TEXT_BYTES], quoted[LS_EVENT_LOG_QUOTED_BYTES];
    ls_address_format(&self->successor.address, address);
    ls_log_print(self->log, "%s address=%s%s%s", event, address, reason ? " reason=" : "",
                 reason ? ls_event_log_quote(reason, quoted) : "");
}

/* Logs a new state of the handover, and shows it to `lockstep admin`. */
static void tell(ls_handover *self, const char *event, const char *reason)
{
    snprintf(self->news.state, sizeof self->news.state, "%s", event + strlen("handover_"));
    snprintf(self->news.reason, sizeof self->news.reason, "%.*s", LS_REASON_BYTES - 1,
             reason ? reason : "");
    log_event(self, event, reason);
}

static void end(ls_handover *self)
{
    char reason[LS_REASON_BYTES];
    snprintf(reason, sizeof reason, "%u %s here: %s", self->kept,
             self->kept == 1 ? "match plays to its end" : "matches play to their ends",
             self->kept_why);
    ls_successor_send(&self->successor.socket, "done");
    ls_successor_close(&self->successor.socket);
    self->stage = STAGE_IDLE;
    tell(self, "handover_done", self->kept ? reason : NULL);
}

static void set_successor(const ls_handover *self)
{
    const ls_remote remote = ls_address_to_remote(&self->successor.address);
    ls_server_set_successor(self->server, &remote, self->successor.is_same_sim);
}

/* Gives the handover up: the rooms that are here go on, and newcomers are taken again. The
 * successor waits for the next attempt. */
static void abandon(ls_handover *self, const char *why)
{
    ls_successor_send(&self->successor.socket, "stop");
    ls_successor_close(&self->successor.socket);
    ls_server_set_successor(self->server, NULL, false);
    self->place = NULL;
    self->stage = STAGE_IDLE;
    tell(self, "handover_failed", why);
}

/* Logs once why the handover waits. */
static void wait(ls_handover *self, const char *why)
{
    if (!self->has_told)
        tell(self, "handover_waits", why);
    self->has_told = true;
}

/* Leaves a room to be played to its end in this process, which comes at once if it is empty. */
static void keep(ls_handover *self, ls_room *room, const char *why)
{
    const ls_room_stats stats = ls_room_get_stats(room);
    if (stats.state >= LS_ROOM_ENDING)
        return;
    ls_room_handover_play_out(room);
    if (!stats.players && !stats.sessions)
        return;
    char quoted[LS_EVENT_LOG_QUOTED_BYTES], name[LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(self->log, "handover_kept room=%s reason=%s",
                 ls_event_log_quote(ls_room_name(room), name), ls_event_log_quote(why, quoted));
    self->kept++;
    snprintf(self->kept_why, sizeof self->kept_why, "%s", why);
}

ls_status ls_handover_begin(ls_handover *self, const ls_successor *successor, ls_error *error)
{
    bool is_stopping = ls_server_is_stopping(self->server);
    if (self->stage != STAGE_IDLE || is_stopping) {
        ls_successor_socket unused = successor->socket;
        ls_successor_close(&unused);
        return ls_error_set(error, LS_ERROR_REFUSED,
                            is_stopping ? "the server is ending already"
                                        : "the matches are being handed over already; `lockstep "
                                          "admin server` tells how far it is");
    }
    self->successor = *successor;
    self->ends = !successor->is_same_sim;
    self->has_told = false;
    self->news.moved = self->kept = 0;
    set_successor(self);
    tell(self, "handover_begins", NULL);
    ls_room *room;
    for (uint32_t i = 0; (room = ls_server_room(self->server, i)) != NULL; i++) {
        ls_room_place *place = ls_room_place_find(self->rooms, room);
        if (place) /* a further successor may get what an earlier one did not */
            place->is_kept = false;
        if (!successor->is_same_sim)
            keep(self, room, "the successor has another build of the simulation");
    }
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
            keep(self, room, why.text);
        }
        if (status == LS_ERROR_REFUSED)
            wait(self, why.text);
        is_left |= status == LS_ERROR_REFUSED;
        if (status)
            continue;
        self->place = place;
        self->stage = STAGE_RELEASING;
        snprintf(self->recording, sizeof self->recording, "%s", place->recording);
        return;
    }
    if (!is_left)
        end(self);
}

/* Whether another process has the recording. */
static bool is_in_use(const ls_handover *self)
{
    int file = ls_descriptor_open(self->file, false);
    bool is_free = file < 0 || ls_recordings_lock(file, LOCK_SH, 0);
    if (file >= 0)
        (void)ls_descriptor_close(file);
    return !is_free;
}

static void print_moved(ls_handover *self)
{
    self->news.moved++;
    char address[LS_ADDRESS_TEXT_BYTES];
    ls_address_format(&self->successor.address, address);
    ls_async_writer_print(self->rooms->config.out, "moved %s address=%s\n", self->recording,
                          address);
}

/* The match returns to this process, at the tick where it stopped. Its players wait until it is
 * here. */
static void take_back(ls_handover *self, const char *why, uint64_t now_ns)
{
    snprintf(self->why, sizeof self->why, "%s", why);
    ls_server_set_successor(self->server, NULL, false);
    ls_server_set_awaiting(self->server, true);
    ls_room_handover_end(self->place->room, NULL, now_ns);
    self->since_ns = self->look_ns = now_ns;
    self->stage = STAGE_RETURNING;
}

static void ask(ls_handover *self, uint64_t now_ns)
{
    ls_room *room = self->place->room;
    ls_release_state state = ls_room_handover_release(room);
    if (state == LS_RELEASE_FAILED) {
        ls_room_handover_cancel(room, now_ns);
        abandon(self, "the recording cannot be written: the match goes on here");
    }
    if (state != LS_RELEASE_DONE || !ls_room_place_has_seats(self->place))
        return;
    uint32_t segments = ls_room_get_stats(room).recording_segments;
    ls_free(self->file);
    self->file =
        segments ? ls_series_name(self->recording, segments) : ls_text_duplicate(self->recording);
    if (self->place->status) {
        take_back(self, self->place->error.text, now_ns);
        return;
    }
    self->place->is_given = true;
    ls_successor_send(&self->successor.socket, "take %s", ls_path_name(self->recording));
    self->since_ns = self->look_ns = now_ns;
    self->has_told = false;
    self->stage = STAGE_ASKED;
}

static bool is_taken(const ls_handover *self, const char *line)
{
    return strncmp(line, "taken ", 6) == 0 && strcmp(line + 6, ls_path_name(self->recording)) == 0;
}

static void await(ls_handover *self, uint64_t now_ns)
{
    char line[LS_SUCCESSOR_LINE_BYTES];
    bool has_line = ls_successor_receive(&self->successor.socket, line);
    if (has_line && is_taken(self, line)) {
        const ls_remote to = ls_address_to_remote(&self->successor.address);
        ls_room_handover_end(self->place->room, &to, now_ns);
        print_moved(self);
        self->stage = STAGE_CHOOSING;
    } else if (has_line) {
        take_back(self, line, now_ns);
    } else if (self->successor.socket.file < 0) {
        take_back(self, "the successor has ended", now_ns);
    } else if (now_ns - self->since_ns >= TIMEOUT_NS && now_ns >= self->look_ns) {
        self->look_ns = now_ns + LOOK_NS;
        if (is_in_use(self))
            wait(self, "the successor still restores the match");
        else
            take_back(self, "the successor does not answer", now_ns);
    }
}

/* The successor had opened the recording just before the match was to return, so the successor has
 * the match. */
static void let_go(ls_handover *self)
{
    set_successor(self);
    ls_server_set_awaiting(self->server, false);
    log_event(self, "handover_late", NULL);
    print_moved(self);
    self->stage = STAGE_CHOOSING;
}

/* Opens the room again, when it is closed and no other process has its recording. */
static void open_again(ls_handover *self, uint64_t now_ns)
{
    char line[LS_SUCCESSOR_LINE_BYTES];
    ls_error error;
    if ((self->place && self->place->room) || now_ns < self->look_ns)
        return;
    self->place = NULL; /* the room may get the same place again */
    self->look_ns = now_ns + LOOK_NS;
    bool is_late = ls_successor_receive(&self->successor.socket, line) && is_taken(self, line);
    bool may_wait = self->successor.socket.file >= 0 || now_ns - self->since_ns < GONE_NS;
    if (is_late) {
        let_go(self);
        return;
    }
    if (is_in_use(self) && may_wait)
        return;
    ls_status status = ls_room_resume_taken(self->rooms, self->recording, &error);
    if (status == LS_ERROR_REFUSED && may_wait)
        return;
    if (status) {
        log_event(self, "handover_lost", error.text);
        snprintf(self->why, sizeof self->why, "a match cannot be opened here again: %.300s",
                 error.text);
    } else if (ls_server_is_draining(self->server)) { /* SIGTERM came meanwhile */
        ls_room_drain(ls_room_place_of(self->rooms, self->recording)->room, now_ns);
    }
    ls_server_set_awaiting(self->server, false);
    abandon(self, self->why);
}

const ls_handover_news *ls_handover_get_news(const ls_handover *self)
{
    return &self->news;
}

bool ls_handover_step(ls_handover *self, uint64_t now_ns)
{
    bool is_gone = self->place && !self->place->room;
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
        open_again(self, now_ns);
        break;
    case STAGE_IDLE:
        break;
    }
    return self->stage != STAGE_IDLE;
}
