#include "cli/serve/service_agones.h"

#include "cli/common/number.h"
#include "cli/common/signals.h"
#include "core/base/bounds.h"
#include "server/event_log.h"
#include "server/room_table.h"
#include "server/roster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLISH_NS (LS_SECOND_NS / 2)
/* The pause between allocations: a hostile stream of them leaves time for the ticks. */
#define ALLOCATE_NS (LS_SECOND_NS / 20)

struct ls_service_agones {
    ls_service_agones_config config;
    ls_agones *client;
    ls_roster_entry *roster; /* peers_max */
    ls_agones_facts facts;
    uint64_t due_ns;      /* when the facts are next published */
    uint64_t allocate_ns; /* when the next allocation is taken */
    bool is_stalled;
};

static ls_status read_port(uint16_t *port, ls_error *error)
{
    const char *text = getenv("AGONES_SDK_HTTP_PORT");
    uint64_t number = LS_AGONES_PORT_DEFAULT;
    if (text && text[0] && !ls_parse_u64(text, 1, UINT16_MAX, &number))
        return ls_error_set(error, LS_ERROR_USAGE, "AGONES_SDK_HTTP_PORT: '%.64s' is no port",
                            text);
    *port = (uint16_t)number;
    return LS_OK;
}

/* Adds a player who has a token; only such players have a name that the matchmaker knows. */
static void add_client(ls_agones_facts *facts, const char *client)
{
    if (client[0] && facts->client_count < LS_AGONES_NAMES_MAX)
        snprintf(facts->clients[facts->client_count++], LS_CLIENT_ID_BYTES, "%s", client);
}

static void publish(ls_service_agones *self, uint64_t now_ns)
{
    const ls_service_agones_config *config = &self->config;
    const ls_room *room;
    self->due_ns = now_ns + PUBLISH_NS;
    self->is_stalled = ls_room_table_is_stalled(config->server);
    memset(&self->facts, 0, sizeof self->facts);
    self->facts.is_draining = config->server->is_draining;
    self->facts.rooms_max = config->rooms_max;
    self->facts.players_max = (uint32_t)ls_min(config->seats, UINT32_MAX);
    for (uint32_t i = 0; (room = ls_server_room(config->server, i)) != NULL; i++) {
        self->facts.rooms++;
        if (ls_room_name(room)[0] && self->facts.name_count < LS_AGONES_NAMES_MAX)
            snprintf(self->facts.names[self->facts.name_count++], LS_ROOM_BYTES, "%s",
                     ls_room_name(room));
    }
    uint32_t count = ls_roster_take(config->server, self->roster);
    for (uint32_t i = 0; i < count; i++)
        if (self->roster[i].seat >= 0) {
            self->facts.players++;
            add_client(&self->facts, self->roster[i].client);
        }
    ls_agones_publish(self->client, &self->facts);
}

ls_status ls_service_agones_open(const ls_service_agones_config *config, ls_service_agones **agones,
                                 ls_error *error)
{
    ls_agones_config client = {
        .key = config->key, .is_pool = !config->options->rooms, .log = config->log};
    *agones = NULL;
    if (!config->options->has_agones)
        return LS_OK;
    ls_status status = read_port(&client.port, error);
    if (status)
        return status;
    ls_service_agones *self = ls_alloc(sizeof *self);
    self->config = *config;
    status = ls_agones_open(&client, &self->client, error);
    if (status) {
        ls_free(self);
        return status;
    }
    self->roster = ls_alloc(config->peers_max * sizeof *self->roster);
    *agones = self;
    ls_log_print(config->log, "agones port=%u", (unsigned)client.port);
    return LS_OK;
}

static ls_status open_room(ls_service_agones *self, const ls_agones_allocation *texts,
                           ls_room_allocation *allocation, ls_error *error)
{
    const ls_service_options *options = self->config.options;
    ls_status status = ls_room_allocation_read(texts, &options->match,
                                               options->token_key_count != 0, allocation, error);
    if (status)
        ls_error_set(error, status, "lockstep.dev/%.900s", error->text);
    return status ? status : ls_rooms_allocate(self->config.rooms, allocation, error);
}

static void obey(ls_service_agones *self, const ls_agones_allocation *texts, uint64_t now_ns)
{
    ls_room_allocation allocation;
    ls_error error;
    char name[LS_EVENT_LOG_QUOTED_BYTES], why[LS_EVENT_LOG_QUOTED_BYTES];
    ls_status status = open_room(self, texts, &allocation, &error);
    if (status)
        ls_log_print(self->config.log, "agones_allocation_refused room=%s reason=%s",
                     ls_event_log_name(texts->room, name), ls_event_log_quote(error.text, why));
    else
        ls_log_print(self->config.log, "agones_allocated room=%s%s%s%s",
                     ls_event_log_name(texts->room, name), allocation.has_seed ? " seed=" : "",
                     allocation.has_seed ? texts->seed : "",
                     allocation.requires_token ? " tokens=required" : "");
    publish(self, now_ns);
    if (status)
        ls_agones_refuse(self->client);
}

void ls_service_agones_step(ls_service_agones *agones, uint64_t now_ns)
{
    ls_agones_allocation allocation;
    if (!agones)
        return;
    if (now_ns >= agones->allocate_ns && ls_agones_take(agones->client, &allocation)) {
        agones->allocate_ns = now_ns + ALLOCATE_NS;
        obey(agones, &allocation, now_ns);
    }
    bool has_begun_to_drain = agones->config.server->is_draining && !agones->facts.is_draining;
    if (now_ns >= agones->due_ns || has_begun_to_drain)
        publish(agones, now_ns);
    ls_agones_beat(agones->client, agones->is_stalled);
}

void ls_service_agones_shutdown(ls_service_agones *agones)
{
    if (!agones)
        return;
    ls_signals_restart_limit();
    ls_agones_shutdown(agones->client);
}

void ls_service_agones_close(ls_service_agones *agones)
{
    if (!agones)
        return;
    ls_agones_close(agones->client);
    ls_free(agones->roster);
    ls_free(agones);
}
