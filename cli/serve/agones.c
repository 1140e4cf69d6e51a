#include "cli/serve/agones.h"

#include "cli/serve/agones_plan.h"
#include "cli/serve/agones_text.h"
#include "cli/serve/http_client.h"
#include "core/base/bounds.h"
#include "core/base/platform.h"
#include "server/event_log.h"

#include <stdio.h>
#include <string.h>

/* Changes of numbers and names within this time are sent together. */
#define TALLY_NS (LS_SECOND_NS / 4)
/* The longest pause between two signs of health. */
#define HEALTH_MAX_NS (30 * LS_SECOND_NS)

_Static_assert((int)LS_AGONES_LANES == LS_HTTP_CLIENT_SLOTS, "a slot for each lane");

struct ls_agones {
    ls_agones_config config;
    ls_http_client *client;
    /* For the client's thread alone. */
    ls_agones_plan plan;
    ls_agones_request sent[LS_AGONES_LANES];
    ls_agones_gameserver gameserver;
    ls_agones_allocation allocation;  /* the last one that was handed over */
    ls_builder rest;                  /* of the stream: a line that is not yet whole */
    bool has_line;                    /* the stream has had one */
    uint64_t health_ns, health_beats; /* when health is due, and the beats at the last one */
    bool is_stuck, is_leaving, had_rooms;
    ls_agones_facts *known; /* NULL: none were published */
    /* bodies: those that the sidecar accepted last, and the one that is being sent */
    char *told[LS_AGONES_TALLIES], *telling;
    char address[LS_SERVER_ADDRESS_TEXT_BYTES];
    /* For the network thread alone. */
    ls_agones_facts published;
    /* Written by the network thread and read by the client's without the mutex. */
    uint64_t beats;
    bool is_stalled;
    ls_agones_facts *posted; /* the client's thread takes them; NULL: it has the last ones */
    /* Under the mutex. */
    ls_mutex mutex;
    ls_wake has_ended;
    ls_agones_allocation inbox[LS_AGONES_ALLOCATIONS_MAX];
    uint32_t inbox_count; /* also read without the mutex */
    bool was_refused, is_ending, is_ended;
    char shutdown_failure[96]; /* why the last request failed; "": none has, yet */
};

static void log_failure(const ls_agones *self, const char *request, const char *reason)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(self->config.log, "agones_failing request=\"%s\" reason=%s", request,
                 ls_event_log_quote(reason, quoted));
}

static void log_recovery(const ls_agones *self, const char *request)
{
    ls_log_print(self->config.log, "agones_working request=\"%s\"", request);
}

static bool is_tally(ls_agones_request request)
{
    return request >= LS_AGONES_TALLY && request < LS_AGONES_REQUEST_OF(LS_AGONES_TALLIES);
}

/* Has the numbers sent that differ from what the sidecar was told. */
static void update_tallies(ls_agones *self, uint64_t now_ns)
{
    for (ls_agones_tally i = 0; i < LS_AGONES_TALLIES; i++) {
        if (!self->gameserver.has_tally[i] || !self->known)
            continue;
        char *body = ls_agones_text_tally(self->known, i);
        if (!self->told[i] || strcmp(self->told[i], body) != 0)
            ls_agones_plan_want(&self->plan, LS_AGONES_REQUEST_OF(i), now_ns + TALLY_NS);
        ls_free(body);
    }
}

/* A server of allocated rooms belongs to the fleet again when its last room has ended. It says that
 * it is taken if it was returned while the next allocation came. A server that drains stays as it
 * is until it ends. */
static void update_state(ls_agones *self, bool was_refused, uint64_t now_ns)
{
    if (!self->config.is_pool || !self->known || self->known->is_draining)
        return;
    bool has_rooms = self->known->rooms > 0;
    if (!has_rooms && (self->had_rooms || was_refused))
        ls_agones_plan_want(&self->plan, LS_AGONES_READY, now_ns);
    if (has_rooms && strcmp(self->gameserver.state, "Ready") == 0)
        ls_agones_plan_want(&self->plan, LS_AGONES_ALLOCATE, now_ns);
    self->had_rooms = has_rooms;
}

static void take_facts(ls_agones *self, uint64_t now_ns)
{
    ls_mutex_lock(&self->mutex);
    bool was_refused = self->was_refused;
    self->was_refused = false;
    bool is_ending = self->is_ending && !self->is_ended;
    self->is_ending = false;
    ls_mutex_unlock(&self->mutex);
    /* Taken after `was_refused`, so that they are the facts at the refusal, or later ones. */
    ls_agones_facts *posted = __atomic_exchange_n(&self->posted, NULL, __ATOMIC_ACQUIRE);
    bool is_new = posted != NULL;
    if (is_new) {
        ls_free(self->known);
        self->known = posted;
    }
    self->is_leaving |= is_ending;
    if (is_ending)
        ls_agones_plan_want(&self->plan, LS_AGONES_SHUTDOWN, now_ns);
    if (is_new)
        update_tallies(self, now_ns);
    if (is_new || was_refused)
        update_state(self, was_refused, now_ns);
}

static uint64_t health_period_ns(const ls_agones *self)
{
    uint32_t period_s = self->gameserver.health_s;
    return period_s ? ls_clamp(period_s * LS_SECOND_NS / 2, LS_SECOND_NS / 2, HEALTH_MAX_NS)
                    : LS_AGONES_HEALTH_S * LS_SECOND_NS;
}

/* Health means that the network thread has made progress since the last time. */
static void update_health(ls_agones *self, uint64_t now_ns)
{
    uint64_t beats = __atomic_load_n(&self->beats, __ATOMIC_RELAXED);
    if (now_ns < self->health_ns || self->is_leaving)
        return;
    bool is_stuck =
        beats == self->health_beats || __atomic_load_n(&self->is_stalled, __ATOMIC_RELAXED);
    if (is_stuck != self->is_stuck)
        ls_log_line(self->config.log, is_stuck ? "agones_health_stopped" : "agones_health_resumed");
    self->is_stuck = is_stuck;
    if (is_stuck)
        return;
    self->health_beats = beats;
    self->health_ns = now_ns + health_period_ns(self);
    ls_agones_plan_want(&self->plan, LS_AGONES_HEALTH, now_ns);
}

static void send(ls_agones *self, ls_agones_lane lane, ls_agones_request request)
{
    char *body = is_tally(request) ? ls_agones_text_tally(self->known, request - LS_AGONES_TALLY)
                                   : ls_agones_text_body(request, self->address, self->config.key);
    const ls_http_client_request http = {.method = ls_agones_text_method(request),
                                         .path = ls_agones_text_path(request),
                                         .body = body,
                                         .is_stream = request == LS_AGONES_WATCH};
    self->sent[lane] = request;
    if (is_tally(request)) {
        ls_free(self->telling);
        self->telling = ls_text_duplicate(body);
    }
    if (request == LS_AGONES_WATCH) {
        self->rest.count = 0;
        self->has_line = false;
    }
    ls_http_client_begin(self->client, lane, &http);
    ls_free(body);
}

static void step(void *context)
{
    ls_agones *self = context;
    uint64_t now_ns = ls_monotonic_ns();
    take_facts(self, now_ns);
    update_health(self, now_ns);
    /* A server that ends does not say again that it is ready: the fleet would hand it out. */
    if (self->is_leaving || (self->known && self->known->is_draining))
        ls_agones_plan_forget(&self->plan, LS_AGONES_READY);
    for (ls_agones_lane lane = 0; lane < LS_AGONES_LANES; lane++) {
        if (ls_http_client_is_busy(self->client, lane) ||
            (lane == LS_AGONES_HEALTHS && self->is_stuck))
            continue;
        ls_agones_request request = ls_agones_plan_take(&self->plan, lane, now_ns);
        if (request < LS_AGONES_REQUESTS)
            send(self, lane, request);
    }
}

static void note_success(ls_agones *self, ls_agones_request request)
{
    if (ls_agones_plan_succeed(&self->plan, request))
        log_recovery(self, ls_agones_text_path(request));
    if (request == LS_AGONES_READY)
        ls_log_line(self->config.log, "agones_ready");
    if (is_tally(request)) {
        ls_free(self->told[request - LS_AGONES_TALLY]);
        self->told[request - LS_AGONES_TALLY] = self->telling;
        self->telling = NULL;
    }
    if (request != LS_AGONES_SHUTDOWN)
        return;
    ls_mutex_lock(&self->mutex);
    self->is_ended = true;
    ls_wake_one(&self->has_ended);
    ls_mutex_unlock(&self->mutex);
}

static void note_failure(ls_agones *self, ls_agones_request request, const char *reason,
                         uint64_t now_ns)
{
    if (ls_agones_plan_fail(&self->plan, request, now_ns))
        log_failure(self, ls_agones_text_path(request), reason);
    if (request != LS_AGONES_SHUTDOWN)
        return;
    ls_mutex_lock(&self->mutex);
    snprintf(self->shutdown_failure, sizeof self->shutdown_failure, "%s", reason);
    ls_mutex_unlock(&self->mutex);
}

/* A stream may end in order; it begins again. */
static void ended(void *context, uint32_t slot, uint32_t code, const char *reason)
{
    ls_agones *self = context;
    ls_agones_request request = self->sent[slot];
    uint64_t now_ns = ls_monotonic_ns();
    char text[32];
    snprintf(text, sizeof text, "HTTP %u", (unsigned)code);
    if (request == LS_AGONES_WATCH && self->has_line && code)
        ls_agones_plan_want(&self->plan, request, now_ns + LS_AGONES_PAUSE_MIN_NS);
    else if (code == 200 && request != LS_AGONES_WATCH)
        note_success(self, request);
    else
        note_failure(self, request,
                     code == 200 ? "the stream ended at once"
                     : code      ? text
                                 : reason,
                     now_ns);
}

/* Hands an allocation over once. When too many wait, the next line has it again. */
static void hand_over(ls_agones *self)
{
    const ls_agones_allocation *allocation = &self->gameserver.allocation;
    if (!ls_agones_gameserver_is_allocated(&self->gameserver) ||
        memcmp(allocation, &self->allocation, sizeof *allocation) == 0)
        return;
    ls_mutex_lock(&self->mutex);
    bool has_room = self->inbox_count < LS_AGONES_ALLOCATIONS_MAX;
    if (has_room) {
        self->inbox[self->inbox_count] = *allocation;
        __atomic_store_n(&self->inbox_count, self->inbox_count + 1, __ATOMIC_RELEASE);
    }
    ls_mutex_unlock(&self->mutex);
    if (!has_room)
        return;
    self->allocation = *allocation;
    /* The allocation may have changed the numbers. */
    for (uint32_t i = 0; i < LS_AGONES_TALLIES; i++) {
        ls_free(self->told[i]);
        self->told[i] = NULL;
    }
}

static void update_address(ls_agones *self, uint64_t now_ns)
{
    const ls_agones_gameserver *gameserver = &self->gameserver;
    ls_server_address address = {
        .port = gameserver->port, .has_key = true, .key = *self->config.key};
    char text[LS_SERVER_ADDRESS_TEXT_BYTES];
    if (!gameserver->address[0] || !gameserver->port)
        return;
    memcpy(address.host, gameserver->address, sizeof address.host);
    ls_server_address_format(&address, text);
    if (strcmp(text, self->address) == 0)
        return;
    memcpy(self->address, text, sizeof text);
    ls_agones_plan_want(&self->plan, LS_AGONES_ADDRESS, now_ns);
    ls_agones_plan_want(&self->plan, LS_AGONES_KEY, now_ns);
}

static bool take_line(void *context, const char *line, size_t bytes)
{
    ls_agones *self = context;
    ls_agones_gameserver gameserver;
    if (ls_agones_gameserver_read(line, bytes, &gameserver, NULL) != LS_OK)
        return false;
    uint64_t now_ns = ls_monotonic_ns();
    self->gameserver = gameserver;
    self->has_line = true;
    note_success(self, LS_AGONES_WATCH);
    hand_over(self);
    update_address(self, now_ns);
    update_tallies(self, now_ns);
    update_state(self, false, now_ns);
    return true;
}

static bool received(void *context, uint32_t slot, const char *data, size_t bytes)
{
    ls_agones *self = context;
    (void)slot;
    return ls_agones_gameserver_split(&self->rest, data, bytes, take_line, self);
}

ls_status ls_agones_open(const ls_agones_config *config, ls_agones **agones, ls_error *error)
{
    ls_agones *self = ls_alloc(sizeof *self);
    uint64_t now_ns = ls_monotonic_ns();
    *agones = NULL;
    self->config = *config;
    ls_mutex_init(&self->mutex);
    ls_wake_init(&self->has_ended);
    self->health_ns = now_ns + LS_SECOND_NS;
    ls_agones_plan_want(&self->plan, LS_AGONES_READY, now_ns);
    ls_agones_plan_want(&self->plan, LS_AGONES_WATCH, now_ns);
    const ls_http_client_config http = {
        .port = config->port, .step = step, .received = received, .ended = ended, .context = self};
    ls_status status = ls_http_client_open(&http, &self->client, error);
    if (status)
        ls_agones_close(self);
    else
        *agones = self;
    return status;
}

void ls_agones_shutdown(ls_agones *agones)
{
    uint64_t until_ns = ls_monotonic_ns() + LS_AGONES_SHUTDOWN_NS, now_ns;
    ls_mutex_lock(&agones->mutex);
    agones->is_ending = true;
    while (!agones->is_ended && (now_ns = ls_monotonic_ns()) < until_ns)
        (void)ls_wake_wait_for(&agones->has_ended, &agones->mutex, until_ns - now_ns);
    bool is_ended = agones->is_ended;
    char failure[sizeof agones->shutdown_failure];
    strcpy(failure, agones->shutdown_failure);
    ls_mutex_unlock(&agones->mutex);
    char quoted[LS_EVENT_LOG_QUOTED_BYTES], line[LS_EVENT_LOG_QUOTED_BYTES + 64];
    snprintf(line, sizeof line, "agones_shutdown_failed reason=%s",
             ls_event_log_quote(failure[0] ? failure : "no answer", quoted));
    ls_log_line(agones->config.log, is_ended ? "agones_shutdown" : line);
}

void ls_agones_close(ls_agones *agones)
{
    if (!agones)
        return;
    ls_http_client_close(agones->client);
    for (uint32_t i = 0; i < LS_AGONES_TALLIES; i++)
        ls_free(agones->told[i]);
    ls_free(agones->telling);
    ls_free(agones->rest.data);
    ls_free(agones->known);
    ls_free(agones->posted);
    ls_wake_destroy(&agones->has_ended);
    ls_mutex_destroy(&agones->mutex);
    ls_free(agones);
}

void ls_agones_beat(ls_agones *agones, bool is_stalled)
{
    __atomic_store_n(&agones->beats, agones->beats + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&agones->is_stalled, is_stalled, __ATOMIC_RELAXED);
}

void ls_agones_publish(ls_agones *agones, const ls_agones_facts *facts)
{
    if (memcmp(&agones->published, facts, sizeof *facts) == 0)
        return;
    agones->published = *facts;
    ls_agones_facts *posted = ls_alloc(sizeof *posted);
    *posted = *facts;
    ls_free(__atomic_exchange_n(&agones->posted, posted, __ATOMIC_ACQ_REL));
}

bool ls_agones_take(ls_agones *agones, ls_agones_allocation *allocation)
{
    if (!__atomic_load_n(&agones->inbox_count, __ATOMIC_ACQUIRE))
        return false;
    ls_mutex_lock(&agones->mutex);
    *allocation = agones->inbox[0];
    memmove(agones->inbox, agones->inbox + 1, sizeof agones->inbox - sizeof agones->inbox[0]);
    __atomic_store_n(&agones->inbox_count, agones->inbox_count - 1, __ATOMIC_RELAXED);
    ls_mutex_unlock(&agones->mutex);
    return true;
}

void ls_agones_refuse(ls_agones *agones)
{
    ls_mutex_lock(&agones->mutex);
    agones->was_refused = true;
    ls_mutex_unlock(&agones->mutex);
}
