#include "cli/serve/successor.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"
#include "proto/handshake_client.h"
#include "proto/host_name.h"
#include <lockstep/link_enet.h>
#include <lockstep/server_address.h>

#include <stdio.h>
#include <string.h>

#define GREETING_NS (2 * LS_SECOND_NS)
#define ANSWER_NS   (3 * LS_SECOND_NS)
#define REPEAT_NS   (LS_SECOND_NS / 4)
#define POLL_NS     (5 * LS_NS_PER_MS)

struct greeting {
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    char key[LS_PUBLIC_KEY_TEXT_BYTES];
    char sim[LS_SUCCESSOR_LINE_BYTES];
};

static bool parse_greeting(const char *line, struct greeting *greeting)
{
    char hex[2 * LS_FINGERPRINT_BYTES + 1];
    if (sscanf(line, "successor %32[0-9a-f] %43s %1023[^\n]", hex, greeting->key, greeting->sim) !=
            3 ||
        strlen(hex) != 2 * LS_FINGERPRINT_BYTES)
        return false;
    for (uint32_t i = 0; i < LS_FINGERPRINT_BYTES; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * (size_t)i, "%2x", &byte) != 1)
            return false;
        greeting->fingerprint[i] = (uint8_t)byte;
    }
    return true;
}

static ls_status take_greeting(const ls_successor_config *config, ls_successor *successor,
                               struct greeting *greeting, ls_error *error)
{
    char line[LS_SUCCESSOR_LINE_BYTES], own[LS_PUBLIC_KEY_TEXT_BYTES];
    uint64_t until_ns = ls_monotonic_ns() + GREETING_NS;
    bool has_line = false;
    while (!has_line && successor->socket.file >= 0 && ls_monotonic_ns() < until_ns) {
        has_line = ls_successor_receive(&successor->socket, line);
        if (!has_line)
            ls_clock_sleep_until(ls_monotonic_ns() + POLL_NS);
    }
    if (!has_line || !parse_greeting(line, greeting))
        return ls_error_set(
            error, LS_ERROR_IO,
            "the server that waits in %.300s does not answer: does it hang, or serve "
            "another one already?",
            config->folder);
    ls_public_key_format(config->key, own);
    if (strcmp(own, greeting->key) != 0)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the server that waits in %.300s has the key %s, this one %s: clients "
                            "follow to the same --identity only",
                            config->folder, greeting->key, own);
    return LS_OK;
}

/* Handles an answer. True when the wait is over. A server that wants connect tokens says so before
 * it shows its key. This is good enough, because the clients check the key. */
static bool take_answer(ls_handshake_client *handshake, const ls_link_event *event,
                        ls_status *status, ls_error *error)
{
    ls_handshake_message message = {.data = event->packet.data, .bytes = event->packet.bytes};
    if (event->kind != LS_LINK_DATAGRAM)
        return false;
    *status = ls_handshake_client_cookie(handshake, &message, ls_clock_unix_s(), error);
    if (*status == LS_ERROR_REFUSED && !handshake->has_server_key)
        *status = LS_OK;
    return *status != LS_ERROR_CORRUPT;
}

static ls_status await_answer(ls_link *link, ls_handshake_client *handshake, const char *address,
                              ls_error *error)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_link_event event;
    ls_status status;
    uint64_t until_ns = ls_monotonic_ns() + ANSWER_NS, hello_ns = 0;
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(handshake, &writer);
    for (uint64_t now_ns; (now_ns = ls_monotonic_ns()) < until_ns;) {
        while (ls_link_poll(link, now_ns, &event))
            if (take_answer(handshake, &event, &status, error))
                return status;
        if (now_ns >= hello_ns) {
            hello_ns = now_ns + REPEAT_NS;
            ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
        }
        ls_link_flush(link, now_ns);
        ls_clock_sleep_until(now_ns + POLL_NS);
    }
    return ls_error_set(error, LS_ERROR_IO, "no server answers at %.300s", address);
}

/* The successor may have another build of the simulation, but no other simulation: the clients
 * could not enter. */
static ls_status check_sim(const ls_successor_config *config, const struct greeting *greeting,
                           ls_successor *successor, ls_error *error)
{
    const uint8_t *own = ls_program_fingerprint(config->program);
    const char *sim = ls_program_sim(config->program)->name;
    memcpy(successor->fingerprint, greeting->fingerprint, LS_FINGERPRINT_BYTES);
    successor->is_same_sim = memcmp(greeting->fingerprint, own, LS_FINGERPRINT_BYTES) == 0;
    if (successor->is_same_sim || strcmp(greeting->sim, sim) == 0)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "the server that waits in %.300s has the simulation '%.120s', this one "
                        "'%.120s': start the successor with a build of '%.120s'",
                        config->folder, greeting->sim, sim, sim);
}

/* Asks the server at the address for a proof of the key, with the fingerprint that the waiting
 * process has sent. */
static ls_status ask(const ls_successor_config *config, const struct greeting *greeting,
                     const char *text, const ls_server_address *address, ls_error *error)
{
    ls_handshake_client_config own = {.local.engine_version = LS_ENGINE_RULES, .pin = config->key};
    ls_handshake_client *handshake;
    ls_link *link;
    ls_status status = ls_link_enet_open(address->host, address->port, &link, error);
    if (status)
        return status;
    memcpy(own.local.fingerprint, greeting->fingerprint, LS_FINGERPRINT_BYTES);
    handshake = ls_alloc(sizeof *handshake);
    ls_handshake_client_init(handshake, &own);
    status = await_answer(link, handshake, text, error);
    if (status == LS_ERROR_INCOMPATIBLE)
        status = ls_error_set(error, LS_ERROR_REFUSED,
                              "at %.300s is another server than the one that waits in %.300s", text,
                              config->folder);
    ls_handshake_client_reset(handshake);
    ls_free(handshake);
    ls_link_destroy(link);
    return status;
}

/* Checks the #KEY of the address, if it has one. Both processes have the key of this server. */
static ls_status check_key(const ls_successor_config *config, const ls_server_address *address,
                           ls_error *error)
{
    char own[LS_PUBLIC_KEY_TEXT_BYTES];
    if (!address->has_key ||
        memcmp(address->key.bytes, config->key->bytes, sizeof address->key.bytes) == 0)
        return LS_OK;
    ls_public_key_format(config->key, own);
    return ls_error_set(error, LS_ERROR_REFUSED,
                        "the address has another #KEY than this server, which has %s: start the "
                        "successor with the same --identity, or give HOST:PORT alone",
                        own);
}

ls_status ls_successor_find(const ls_successor_config *config, const char *text,
                            ls_successor *successor, ls_error *error)
{
    ls_server_address address;
    struct greeting greeting;
    *successor = (ls_successor){.socket.file = -1};
    if (!config->folder)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "this server records nothing, so no other can take its matches over: "
                            "it needs --record DIR");
    ls_status status = ls_server_address_parse(text, &address, error);
    if (!status)
        status = check_key(config, &address, error);
    if (!status)
        status = ls_resolve_one(address.host, address.port, &successor->address, error);
    if (!status && !ls_address_is_unicast(&successor->address))
        status = ls_error_set(error, LS_ERROR_USAGE, "clients cannot reach %.300s", text);
    if (!status)
        status = ls_successor_connect(config->folder, &successor->socket, error);
    if (!status)
        status = take_greeting(config, successor, &greeting, error);
    if (!status)
        status = check_sim(config, &greeting, successor, error);
    if (!status)
        status = ask(config, &greeting, text, &address, error);
    if (status)
        ls_successor_close(&successor->socket);
    return status;
}
