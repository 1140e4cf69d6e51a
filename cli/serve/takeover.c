#include "cli/serve/takeover.h"

#include "cli/serve/resume_list.h"
#include "cli/serve/room_resume.h"
#include "cli/serve/successor_socket.h"
#include "server/event_log.h"
#include "server/room_handover.h"
#include "server/server_successor.h"

#include <stdio.h>
#include <string.h>

struct ls_takeover {
    ls_takeover_config config;
    int listener; /* -1: the takeover is over */
    ls_successor_socket socket;
    ls_resume_opening *opening;         /* of the next match, by a job; NULL: none */
    ls_room_place *place;               /* the match that is being restored; NULL: none */
    char name[LS_SUCCESSOR_LINE_BYTES]; /* of the recording that is opened or restored */
    char reason[LS_REASON_BYTES];       /* why it cannot be restored */
    bool has_begun;                     /* the other process has handed a match over */
    uint32_t taken;
};

ls_status ls_takeover_create(const ls_takeover_config *config, ls_takeover **takeover,
                             ls_error *error)
{
    *takeover = NULL;
    ls_takeover *self = ls_alloc(sizeof *self);
    *self = (ls_takeover){.config = *config, .socket.file = -1};
    ls_status status = ls_successor_listen(config->folder, &self->listener, error);
    if (status) {
        ls_free(self);
        return status;
    }
    ls_server_set_awaiting(config->server, true);
    *takeover = self;
    return LS_OK;
}

void ls_takeover_destroy(ls_takeover *self)
{
    if (!self)
        return;
    if (self->opening && ls_job_is_busy(&self->opening->job))
        ls_job_wait(self->config.rooms->config.jobs, &self->opening->job);
    ls_resume_opening_destroy(self->opening);
    ls_successor_close(&self->socket);
    ls_successor_unlisten(self->config.folder, self->listener);
    ls_free(self);
}

void ls_takeover_print(const ls_takeover *self)
{
    if (self)
        ls_async_writer_print(self->config.rooms->config.out,
                              "waiting for the matches of the server that records to %s; drain it "
                              "with: lockstep admin drain --successor HOST:PORT\n",
                              self->config.folder);
}

static void log_end(const ls_takeover *self, const char *event, const char *how)
{
    ls_log_print(self->config.log, "%s rooms=%u reason=\"%s\"", event, self->taken, how);
}

/* Ends the takeover: no match follows, or the other process has died. After its death, its
 * unfinished matches are resumed as after a crash. */
static void end(ls_takeover *self, bool is_in_order)
{
    ls_error why;
    ls_successor_close(&self->socket);
    ls_successor_unlisten(self->config.folder, self->listener);
    self->listener = -1;
    ls_server_set_awaiting(self->config.server, false);
    ls_status status = is_in_order ? LS_OK : ls_room_resume_all(self->config.rooms, &why);
    if (!status)
        status = ls_rooms_open_new(self->config.rooms, &why);
    if (status)
        ls_resume_entry_log(self->config.log, self->config.folder, &why);
    log_end(self, "takeover_done",
            is_in_order ? "the predecessor has handed all over"
                        : "the predecessor has ended before");
    ls_async_writer_print(self->config.rooms->config.out,
                          "matches taken over: %u; newcomers may enter\n", self->taken);
}

static void greet(ls_takeover *self)
{
    char key[LS_PUBLIC_KEY_TEXT_BYTES], hex[2 * LS_FINGERPRINT_BYTES + 1];
    const uint8_t *fingerprint = ls_program_fingerprint(self->config.program);
    ls_public_key_format(self->config.key, key);
    for (size_t i = 0; i < LS_FINGERPRINT_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", fingerprint[i]);
    ls_successor_send(&self->socket, "successor %s %s %s", hex, key,
                      ls_program_sim(self->config.program)->name);
}

static void fail(ls_takeover *self, const char *reason)
{
    ls_successor_send(&self->socket, "failed %s %s", self->name, reason);
}

/* Begins to open a recording of the folder. */
static void take(ls_takeover *self, const char *name)
{
    char path[LS_PATH_BYTES_MAX];
    int used = snprintf(path, sizeof path, "%s/%s", self->config.folder, name);
    snprintf(self->name, sizeof self->name, "%s", name);
    snprintf(self->reason, sizeof self->reason, "it has ended");
    if (strchr(name, '/') || used < 0 || (size_t)used >= sizeof path) {
        fail(self, "no name of a recording");
        return;
    }
    self->opening = ls_resume_opening_create(path, self->config.program);
    ls_job_submit(self->config.rooms->config.jobs, &self->opening->job);
}

/* Begins to restore the recording when it is open. */
static void restore(ls_takeover *self)
{
    ls_error why;
    if (!ls_job_take(&self->opening->job))
        return;
    if (ls_room_resume_opened(self->config.rooms, self->opening, &why))
        fail(self, why.text);
    else
        self->place = ls_room_place_of(self->config.rooms, self->opening->path);
    ls_resume_opening_destroy(self->opening);
    self->opening = NULL;
}

/* A match that cannot be restored is reported when its room is closed: the other process takes it
 * back at once, and needs its recording. */
static void report(ls_takeover *self)
{
    const ls_room *room = self->place->room;
    ls_takeover_state state = room ? ls_room_handover_state(room) : LS_TAKEOVER_FAILED;
    if (room && state == LS_TAKEOVER_FAILED && ls_room_end_reason(room)[0])
        snprintf(self->reason, sizeof self->reason, "%s", ls_room_end_reason(room));
    if (room && state != LS_TAKEOVER_DONE)
        return;
    self->place = NULL;
    self->taken += state == LS_TAKEOVER_DONE;
    if (state == LS_TAKEOVER_DONE)
        ls_successor_send(&self->socket, "taken %s", self->name);
    else
        fail(self, self->reason);
}

/* The other process keeps its other matches. It may ask again, and newcomers wait for that. */
static void stop(ls_takeover *self)
{
    ls_successor_close(&self->socket);
    self->has_begun = false;
    log_end(self, "takeover_stopped", "the predecessor keeps its other matches");
}

static void obey(ls_takeover *self)
{
    char line[LS_SUCCESSOR_LINE_BYTES];
    if (!ls_successor_receive(&self->socket, line)) {
        if (self->socket.file < 0 && self->has_begun)
            end(self, false);
    } else if (strncmp(line, "take ", 5) == 0) {
        self->has_begun = true;
        take(self, line + 5);
    } else if (strcmp(line, "stop") == 0) {
        stop(self);
    } else if (strcmp(line, "done") == 0) {
        end(self, true);
    } else { /* no server sends this; if it has begun, the next step takes it for dead */
        ls_successor_close(&self->socket);
    }
}

bool ls_takeover_step(ls_takeover *self)
{
    if (!self || self->listener < 0)
        return false;
    if (self->opening)
        restore(self);
    else if (self->place)
        report(self);
    else if (self->socket.file >= 0 || self->has_begun)
        obey(self);
    else if (ls_successor_accept(self->listener, &self->socket))
        greet(self);
    return self->socket.file >= 0 || self->opening || self->place;
}
