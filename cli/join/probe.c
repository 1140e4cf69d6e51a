#include "cli/join/probe.h"

#include "cli/common/build.h"
#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "cli/common/signals.h"
#include "cli/module/sim_load.h"
#include "core/base/platform.h"
#include "proto/handshake_client.h"
#include "proto/host_name.h"
#include <lockstep/link_enet.h>

#include <stdio.h>
#include <string.h>

#define TIMEOUT_NS (10 * LS_SECOND_NS)
#define REPEAT_NS  (LS_SECOND_NS / 4) /* the first interval; it doubles each time */

struct probe {
    ls_link *link;
    ls_handshake_client handshake;
};

/* The texts before and after the server's simulation in a refusal: "the server 'NAME VERSION'
 * (fingerprint F)". */
static const char before_name[] = "the server '", after_name[] = "' (fingerprint ";

/* Without `loaded` the client has no simulation: it asks what the server runs. */
static void init_handshake(ls_handshake_client *handshake, const ls_loaded_sim *loaded)
{
    ls_handshake_client_config config = {.local.engine_version = LS_ENGINE_RULES};
    if (loaded) {
        memcpy(config.local.fingerprint, ls_program_fingerprint(loaded->program),
               LS_FINGERPRINT_BYTES);
        snprintf(config.local.simulation, sizeof config.local.simulation, "%s %s",
                 loaded->sim->name, loaded->sim->version);
    }
    snprintf(config.local.build, sizeof config.local.build, "%s", LS_BUILD_TEXT);
    ls_handshake_client_init(handshake, &config);
}

static void post_hello(const struct probe *probe)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&probe->handshake, &writer);
    LS_ASSERT(!writer.failed);
    ls_link_post(probe->link, NULL, bytes, (uint32_t)writer.count);
}

/* Handles an event. True when the wait is over; *status and the error are then the result. */
static bool take_answer(struct probe *probe, const ls_link_event *event, ls_status *status,
                        ls_error *error)
{
    if (event->kind != LS_LINK_DATAGRAM)
        return false;
    ls_handshake_message message = {.data = event->packet.data, .bytes = event->packet.bytes};
    *status = ls_handshake_client_cookie(&probe->handshake, &message, ls_clock_unix_s(), error);
    /* The probe trusts every identity, and leaves a refusal by the server to the real handshake,
     * which reports it. */
    if (*status == LS_ERROR_REFUSED)
        *status = LS_OK;
    return *status != LS_ERROR_CORRUPT;
}

/* Writes the addresses that were tried, if the host is a name. */
static void list_tried(const ls_server_address *address, char *text, size_t bytes)
{
    ls_address found[2];
    uint32_t count;
    char one[LS_ADDRESS_TEXT_BYTES], other[LS_ADDRESS_TEXT_BYTES] = "";
    text[0] = 0;
    if (ls_resolve_numeric(address->host, address->port, &found[0]) ||
        ls_resolve_both(address->host, address->port, found, &count, NULL) != LS_OK)
        return;
    ls_address_format(&found[0], one);
    if (count > 1)
        ls_address_format(&found[1], other);
    snprintf(text, bytes, " (tried %s%s%s)", one, count > 1 ? " and " : "", other);
}

ls_status ls_probe_silence(const ls_server_address *address, ls_error *error)
{
    char tried[2 * LS_ADDRESS_TEXT_BYTES + 16];
    list_tried(address, tried, sizeof tried);
    return ls_error_set(error, LS_ERROR_IO,
                        "%s:%u%s: the server does not answer: does it run there, on this UDP port, "
                        "and does every firewall between let it through?",
                        address->host, address->port, tried);
}

static ls_status await(struct probe *probe, const ls_server_address *address, ls_error *error)
{
    uint64_t until_ns = ls_monotonic_ns() + TIMEOUT_NS, hello_ns = 0, repeat_ns = REPEAT_NS;
    for (;;) {
        uint64_t now_ns = ls_monotonic_ns();
        ls_link_event event;
        ls_status status;
        while (ls_link_poll(probe->link, now_ns, &event)) {
            if (take_answer(probe, &event, &status, error))
                return status;
        }
        if (ls_signals_stop_is_requested())
            return ls_error_set(error, LS_ERROR_IO, "stopped before the server answered");
        if (now_ns >= until_ns)
            return ls_probe_silence(address, error);
        if (now_ns >= hello_ns) {
            post_hello(probe);
            hello_ns = now_ns + repeat_ns;
            repeat_ns *= 2;
        }
        ls_link_flush(probe->link, now_ns);
        ls_loop_wait(probe->link, hello_ns < until_ns ? hello_ns : until_ns);
    }
}

static ls_status ask(const ls_server_address *address, const ls_loaded_sim *loaded, ls_error *error)
{
    struct probe probe = {0};
    ls_status status = ls_link_enet_open(address->host, address->port, &probe.link, error);
    if (!status) {
        init_handshake(&probe.handshake, loaded);
        status = await(&probe, address, error);
        ls_handshake_client_reset(&probe.handshake);
    }
    ls_link_destroy(probe.link);
    return status;
}

/* Reads the name of the server's simulation from its refusal (see refuse_simulation() in
 * proto/handshake.c). False when the refusal has another reason. */
static bool find_named(const char *text, char named[LS_SIMULATION_TEXT_BYTES])
{
    const char *begin = NULL;
    for (const char *at = text; (at = strstr(at, before_name)) != NULL;
         at += sizeof before_name - 1)
        begin = at + sizeof before_name - 1;
    const char *end = begin ? strstr(begin, after_name) : NULL;
    if (!end || end - begin >= LS_SIMULATION_TEXT_BYTES)
        return false;
    snprintf(named, LS_SIMULATION_TEXT_BYTES, "%.*s", (int)(end - begin), begin);
    return true;
}

/* Whether the server's text, "NAME VERSION", has this name. */
static bool is_version_of(const char *name, const char *named)
{
    size_t bytes = strlen(name);
    return strncmp(name, named, bytes) == 0 && named[bytes] == ' ';
}

/* Whether the refusal gives this simulation's fingerprint as the server's. */
static bool is_of(const char *text, const ls_loaded_sim *loaded)
{
    const uint8_t *bytes = ls_program_fingerprint(loaded->program);
    char last[sizeof after_name + 2 * LS_FINGERPRINT_BYTES + 1];
    size_t used = (size_t)snprintf(last, sizeof last, "%s", after_name);
    for (uint32_t i = 0; i < LS_FINGERPRINT_BYTES; i++)
        used += (size_t)snprintf(last + used, sizeof last - used, "%02x", bytes[i]);
    snprintf(last + used, sizeof last - used, ")");
    return strlen(text) >= used + 1 && strcmp(text + strlen(text) - used - 1, last) == 0;
}

/* Asks with the built-in simulation, unless `refusal` tells already that the server runs it. */
static ls_status ask_with(const ls_server_address *address, const char *name, const char *refusal,
                          ls_error *error)
{
    ls_loaded_sim loaded;
    ls_status status = ls_sim_load(name, &loaded, error);
    if (status)
        return status;
    if (!is_of(refusal, &loaded))
        status = ask(address, &loaded, error);
    ls_sim_unload(&loaded);
    return status;
}

/* A server refuses a client without a simulation and names its own; it does not log this refusal. A
 * server with stalled matches refuses without the name: then each built-in simulation is tried. */
ls_status ls_probe_simulation(const ls_server_address *address, const char **name, ls_error *error)
{
    const char *names[LS_SIM_NAMES_MAX];
    char named[LS_SIMULATION_TEXT_BYTES] = "";
    uint32_t count = ls_sim_names(names);
    ls_error refusal = {""};
    ls_status status = ask(address, NULL, &refusal);
    if (status && !find_named(refusal.text, named)) {
        *error = refusal;
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (named[0] && !is_version_of(names[i], named))
            continue;
        status = ask_with(address, names[i], refusal.text, error);
        *name = names[i];
        if (status != LS_ERROR_INCOMPATIBLE || !find_named(error->text, named))
            return status;
    }
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "the server runs '%s', which is not built in; pass --sim PATH.so", named);
}
