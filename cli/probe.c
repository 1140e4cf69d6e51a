#include "cli/probe.h"

#include "cli/build.h"
#include "cli/clock.h"
#include "cli/loop.h"
#include "cli/sim_load.h"
#include "cli/stop.h"
#include "proto/handshake_client.h"
#include "proto/link_enet.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_NS (10 * LS_NS_PER_S)

struct probe {
    ls_link *link;
    ls_handshake_client handshake;
    bool is_connected;
};

static void init_handshake(ls_handshake_client *handshake, const ls_loaded_sim *loaded)
{
    ls_handshake_client_config config = {.local.engine_version = LS_ENGINE_RULES};
    memcpy(config.local.fingerprint, ls_program_fingerprint(loaded->program), LS_FINGERPRINT_BYTES);
    snprintf(config.local.simulation, sizeof config.local.simulation, "%s %s", loaded->sim->name,
             loaded->sim->version);
    snprintf(config.local.build, sizeof config.local.build, "%s", LS_BUILD_TEXT);
    ls_handshake_client_init(handshake, &config);
}

static void send_hello(struct probe *probe, ls_peer peer)
{
    uint8_t bytes[LS_CONTROL_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&probe->handshake, &writer);
    LS_ASSERT(!writer.failed);
    ls_packet packet = {
        .channel = LS_CHANNEL_CONTROL, .bytes = (uint32_t)writer.count, .data = bytes};
    probe->is_connected = true;
    /* Not taken is as good as lost: patience then ends it. */
    (void)!ls_link_send(probe->link, peer, &packet);
}

/* True when the event is the end of waiting; *status and the error then say which. */
static bool hear(struct probe *probe, const ls_link_event *event, ls_status *status,
                 ls_error *error)
{
    switch (event->kind) {
    case LS_LINK_CONNECTED:
        send_hello(probe, event->peer);
        return false;
    case LS_LINK_DISCONNECTED:
        *status = ls_error_set(error, LS_ERROR_IO, "%s",
                               probe->is_connected ? "the connection is gone"
                                                   : "the server cannot be reached");
        return true;
    case LS_LINK_MESSAGE:
        break;
    }
    ls_handshake_message message = {
        .data = event->packet.data, .bytes = event->packet.bytes, .address = ""};
    if (event->packet.channel != LS_CHANNEL_CONTROL)
        return false;
    *status = ls_handshake_client_cookie(&probe->handshake, &message, ls_clock_unix_s(), error);
    /* What is wrong with its certificate is for the handshake proper to say. */
    if (*status == LS_ERROR_REFUSED)
        *status = LS_OK;
    return *status != LS_ERROR_CORRUPT;
}

static ls_status await(struct probe *probe, ls_error *error)
{
    uint64_t until_ns = ls_clock_now_ns() + PATIENCE_NS;
    for (;;) {
        uint64_t now_ns = ls_clock_now_ns();
        ls_link_event event;
        ls_status status;
        while (ls_link_poll(probe->link, now_ns, &event)) {
            if (hear(probe, &event, &status, error))
                return status;
        }
        ls_link_flush(probe->link, now_ns);
        if (ls_stop_is_asked())
            return ls_error_set(error, LS_ERROR_IO, "asked to stop before the server answered");
        if (now_ns >= until_ns)
            return ls_error_set(error, LS_ERROR_IO, "the server does not answer");
        ls_loop_wait(probe->link, until_ns);
    }
}

static ls_status ask(const ls_server_address *address, const char *name, ls_error *error)
{
    struct probe probe = {0};
    ls_loaded_sim loaded;
    ls_status status = ls_sim_load(name, &loaded, error);
    if (status)
        return status;
    status = ls_link_enet_connect(address->host, address->port, &probe.link, error);
    if (!status) {
        init_handshake(&probe.handshake, &loaded);
        status = await(&probe, error);
        ls_handshake_client_reset(&probe.handshake);
    }
    ls_link_destroy(probe.link);
    ls_sim_unload(&loaded);
    return status;
}

/* Takes the server's simulation out of its refusal, see refuse_simulation of proto/handshake.c;
 * false when the refusal is about something else. */
static bool find_named(const char *text, char named[LS_SIMULATION_TEXT_BYTES])
{
    static const char before[] = "the server '", behind[] = "' (fingerprint ";
    const char *begin = NULL;
    for (const char *at = text; (at = strstr(at, before)) != NULL; at += sizeof before - 1)
        begin = at + sizeof before - 1;
    const char *end = begin ? strstr(begin, behind) : NULL;
    if (!end || end - begin >= LS_SIMULATION_TEXT_BYTES)
        return false;
    snprintf(named, LS_SIMULATION_TEXT_BYTES, "%.*s", (int)(end - begin), begin);
    return true;
}

ls_status ls_probe_simulation(const ls_server_address *address, const char **name, ls_error *error)
{
    const char *names[LS_SIM_NAMES_MAX];
    char named[LS_SIMULATION_TEXT_BYTES] = "";
    uint32_t count = ls_sim_names(names);
    for (uint32_t i = 0; i < count; i++) {
        ls_status status = ask(address, names[i], error);
        *name = names[i];
        if (status != LS_ERROR_INCOMPATIBLE || !find_named(error->text, named))
            return status;
    }
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "the server runs '%s', which is not built in; pass --sim PATH.so", named);
}
