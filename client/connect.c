#include "client/connect.h"

#include "client/loading.h"
#include "client/wire.h"

#include <stdio.h>
#include <string.h>

void ls_connect_init(ls_client *client, const ls_client_config *config)
{
    ls_entry *entry = &client->entry;
    const ls_sim *sim = ls_program_sim(config->program);
    ls_handshake_client_config *own = &entry->config;
    *own = (ls_handshake_client_config){
        .local.engine_version = LS_ENGINE_RULES,
        .entropy = config->entropy,
        .flags = (uint8_t)((config->is_spectator ? LS_HANDSHAKE_SPECTATE : 0) |
                           (config->is_bot || config->is_machine ? LS_HANDSHAKE_BOT : 0)),
    };
    memcpy(own->local.fingerprint, ls_program_fingerprint(config->program), LS_FINGERPRINT_BYTES);
    snprintf(own->local.simulation, sizeof own->local.simulation, "%s %s", sim->name, sim->version);
    snprintf(own->local.build, sizeof own->local.build, "%s", config->build ? config->build : "");
    memcpy(own->name, config->name, sizeof own->name);
    memcpy(own->room, config->room, sizeof own->room);
    if (config->password) {
        snprintf(entry->password, sizeof entry->password, "%s", config->password);
        own->password = entry->password;
    }
    if (config->psk) {
        memcpy(entry->psk, config->psk, sizeof entry->psk);
        own->psk = entry->psk;
    }
    if (config->pass) {
        entry->pass = *config->pass;
        own->pass = &entry->pass;
    }
    if (config->pin) {
        entry->pin = *config->pin;
        own->pin = &entry->pin;
    }
    if (config->resume_secret) {
        memcpy(entry->secrets[0], config->resume_secret, LS_RESUME_BYTES);
        entry->secret_count = 1;
    }
}

void ls_connect_reset(ls_client *client)
{
    ls_handshake_client_reset(&client->entry.handshake);
    ls_wipe(&client->entry, sizeof client->entry);
}

static void say(ls_client *client)
{
    ls_entry *entry = &client->entry;
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    if (entry->step == LS_ENTRY_AUTH)
        ls_handshake_client_auth(&entry->handshake, &writer);
    else
        ls_handshake_client_hello(&entry->handshake, &writer);
    LS_ASSERT(!writer.failed);
    entry->said_ns = client->now_ns;
    entry->repeat_ns = entry->said ? 2 * entry->repeat_ns : LS_CLIENT_REPEAT_NS;
    if (entry->repeat_ns > LS_CLIENT_REPEAT_MAX_NS)
        entry->repeat_ns = LS_CLIENT_REPEAT_MAX_NS;
    entry->said++;
    ls_wire_post(client, bytes, writer.count);
}

/* A new attempt, with secrets of its own. Of two resume secrets that may be the right one, each
 * attempt shows the other. */
static void prepare(ls_client *client)
{
    ls_entry *entry = &client->entry;
    entry->secret_index = entry->secret_count > 1 ? 1 - entry->secret_index : 0;
    entry->config.resume_secret = entry->secret_count ? entry->secrets[entry->secret_index] : NULL;
    ls_handshake_client_reset(&entry->handshake);
    ls_handshake_client_init(&entry->handshake, &entry->config);
    entry->step = LS_ENTRY_HELLO;
    entry->said = 0;
    entry->repeat_ns = LS_CLIENT_REPEAT_NS;
}

static void forget_refusal(ls_entry *entry)
{
    entry->refusal = LS_OK;
}

static void remember_refusal(ls_client *client, ls_status status, const char *why)
{
    ls_entry *entry = &client->entry;
    if (!entry->refusal)
        entry->refused_ns = client->now_ns;
    entry->refusal = status;
    snprintf(entry->refused, sizeof entry->refused, "%.500s", why);
}

void ls_connect_begin(ls_client *client)
{
    if (client->is_proven)
        client->entry.secret_count = 1;
    client->entry.secret_index = 1; /* the newest first */
    forget_refusal(&client->entry);
    prepare(client);
    say(client);
}

void ls_connect_cancel(ls_client *client)
{
    ls_handshake_client_reset(&client->entry.handshake);
    forget_refusal(&client->entry);
    client->entry.step = LS_ENTRY_NONE;
}

/* What was answered at once is a round trip; what was said twice is not known to be. */
static void sample(ls_client *client)
{
    if (client->entry.said == 1)
        ls_wire_sample_rtt(client, client->now_ns - client->entry.said_ns);
}

/* False for an answer that leads no further; a refusal is remembered. */
static bool is_answer(ls_client *client, ls_status status, const ls_error *error)
{
    if (status == LS_ERROR_CORRUPT)
        client->stats.packets_dropped++;
    else if (status == LS_ERROR_INCOMPATIBLE || status == LS_ERROR_REFUSED)
        remember_refusal(client, status, error->text);
    else if (status != LS_OK)
        ls_wire_enter(client, LS_CLIENT_LOST, "%s", error->text);
    return status == LS_OK;
}

static bool is_trusted(ls_client *client, ls_error *error)
{
    if (client->has_pin || !client->trust)
        return true;
    return client->trust(client->trust_context, &client->entry.handshake.server_key, error) ==
           LS_OK;
}

static void hear_cookie(ls_client *client, const ls_handshake_message *message)
{
    ls_entry *entry = &client->entry;
    ls_error error = {""};
    uint64_t unix_s = client->unix_s + (client->now_ns - client->first_ns) / LS_SECOND_NS;
    ls_status status = ls_handshake_client_cookie(&entry->handshake, message, unix_s, &error);
    if (!is_answer(client, status, &error))
        return;
    if (!is_trusted(client, &error)) {
        remember_refusal(client, LS_ERROR_REFUSED,
                         error.text[0] ? error.text : "the server's key is not trusted");
        entry->server_key = entry->handshake.server_key;
        entry->has_server_key = true;
        prepare(client); /* said at the next repetition: another server may answer */
        entry->said_ns = client->now_ns;
        return;
    }
    sample(client);
    forget_refusal(entry);
    entry->server_key = entry->handshake.server_key;
    entry->has_server_key = true;
    entry->step = LS_ENTRY_AUTH;
    entry->said = 0;
    say(client);
}

static bool match_is_equal(const ls_match *a, const ls_match *b)
{
    return a->seed == b->seed && a->tick_rate == b->tick_rate &&
           a->player_count == b->player_count && a->option_count == b->option_count &&
           memcmp(a->options, b->options, a->option_count * sizeof *a->options) == 0;
}

/* Makes the world, or sees that the one that is there will do. */
static bool is_suited(ls_client *client, const ls_handshake_accept *coming)
{
    ls_error error = {""};
    if (coming->player != LS_HANDSHAKE_PLAYER_NONE &&
        (coming->player >= coming->match.player_count || client->is_spectator)) {
        ls_wire_enter(client, LS_CLIENT_LOST, "the server gave a seat that cannot be");
    } else if (client->world && !match_is_equal(&client->accept.match, &coming->match)) {
        ls_wire_enter(client, LS_CLIENT_LOST, "the server runs another match now");
    } else if (!client->world &&
               ls_world_create(client->program, &coming->match, &client->world, &error) != LS_OK) {
        ls_wire_refuse(client, LS_ERROR_REFUSED, "the server's match does not suit: %s",
                       error.text);
    }
    return !ls_client_is_final(client);
}

/* A server that never heard our last CONFIRM knows the secret before, and gives who shows the newer
 * one another seat. */
static bool is_other_seat(const ls_client *client)
{
    const ls_entry *entry = &client->entry;
    return client->has_accept && entry->secret_count > 1 && entry->secret_index == 0 &&
           entry->coming.player != client->accept.player;
}

static void connect_carrier(ls_client *client)
{
    ls_entry *entry = &client->entry;
    /* The link forgets the old connection with this. */
    client->peer = LS_PEER_NONE;
    ls_wire_begin(client, &entry->handshake.keys);
    if (!client->has_accept) {
        client->accept = entry->coming; /* of its match the world is */
        ls_wire_enter(client, LS_CLIENT_CONNECTING, "let in");
    }
    entry->step = LS_ENTRY_CARRIER;
    entry->was_let_in = true;
    entry->said_ns = client->now_ns;
    ls_status status = ls_link_connect(client->link, client->now_ns, &entry->handshake.carrier);
    ls_handshake_client_reset(&entry->handshake);
    if (status != LS_OK)
        ls_connect_disconnected(client);
}

static void hear_accept(ls_client *client, const ls_handshake_message *message)
{
    ls_entry *entry = &client->entry;
    ls_error error = {""};
    ls_status status =
        ls_handshake_client_accept(&entry->handshake, message, &entry->coming, &error);
    if (!is_answer(client, status, &error))
        return;
    sample(client);
    forget_refusal(entry);
    if (is_other_seat(client)) {
        prepare(client);
        say(client);
    } else if (is_suited(client, &entry->coming)) {
        connect_carrier(client);
    }
}

void ls_connect_hear(ls_client *client, const ls_packet *packet)
{
    ls_handshake_message message = {
        .data = packet->data, .bytes = packet->bytes, .now_ns = client->now_ns};
    if (client->entry.step == LS_ENTRY_HELLO)
        hear_cookie(client, &message);
    else if (client->entry.step == LS_ENTRY_AUTH)
        hear_accept(client, &message);
    else
        client->stats.packets_dropped++;
}

/* The seat changes hands, or is ours as before. */
static void take_seat(ls_client *client)
{
    const ls_handshake_accept *coming = &client->entry.coming;
    bool is_same = client->has_accept && coming->player == client->accept.player;
    if (!is_same) {
        client->seat_tick = coming->tick;
        ls_outbox_drop_orders(&client->outbox);
    }
    /* Another epoch begins with everybody's LEAVE, and may close ticks again that were lost: their
     * states were said to nobody. */
    if (!is_same || coming->epoch != client->accept.epoch) {
        client->stats.is_playing = client->has_reported = false;
        ls_state_inputs_init(&client->states, ls_program_sim(client->program)->state_bytes);
    }
    /* A server that took its recording up again may be before the tick of our JOIN. */
    if (coming->tick < client->seat_tick)
        client->seat_tick = coming->tick;
    client->stats.player = coming->player;
    if (!client->has_accept)
        ls_input_delay_init(&client->lead, coming->match.tick_rate);
}

/* What we showed may still be what the server knows: until something comes, both are kept. */
static void keep_secrets(ls_client *client)
{
    ls_entry *entry = &client->entry;
    entry->secret_count = entry->config.resume_secret ? 2 : 1;
    memmove(entry->secrets[1], entry->secrets[entry->secret_index], LS_RESUME_BYTES);
    memcpy(entry->secrets[0], entry->coming.resume_secret, LS_RESUME_BYTES);
}

void ls_connect_connected(ls_client *client, ls_peer peer)
{
    ls_entry *entry = &client->entry;
    if (entry->step != LS_ENTRY_CARRIER)
        return;
    ls_handshake_accept before = client->accept;
    bool had_session = client->has_accept;
    client->peer = peer;
    client->heard_ns = client->now_ns;
    if (!had_session)
        client->proven_ns = client->now_ns;
    client->ping_ns = 0;
    client->is_proven = false;
    take_seat(client);
    keep_secrets(client);
    client->accept = entry->coming;
    client->has_accept = true;
    /* Whom we trusted once is who may take us in again. */
    entry->pin = entry->server_key;
    entry->config.pin = &entry->pin;
    client->has_pin = true;
    entry->step = LS_ENTRY_NONE;
    ls_plain plain;
    ls_confirm_encode(&plain);
    ls_wire_send(client, &plain);
    client->stats.resumes += had_session;
    ls_loading_enter(client, had_session ? &before : NULL);
    ls_wipe(&before, sizeof before);
    ls_wipe(entry->coming.resume_secret, LS_RESUME_BYTES);
}

void ls_connect_disconnected(ls_client *client)
{
    if (client->entry.step != LS_ENTRY_CARRIER)
        return;
    ls_seal_reset(&client->seal);
    prepare(client);
    client->entry.said_ns = client->now_ns;
    if (!client->has_accept)
        ls_wire_enter(client, LS_CLIENT_HANDSHAKE, "asking again: no connection came about");
}

void ls_connect_run(ls_client *client)
{
    ls_entry *entry = &client->entry;
    uint64_t waited_ns = client->now_ns - entry->said_ns;
    if (entry->step == LS_ENTRY_NONE)
        return;
    if (entry->refusal && client->now_ns - entry->refused_ns >= LS_CLIENT_REJECT_NS) {
        ls_wire_refuse(client, entry->refusal, "%s", entry->refused);
    } else if (entry->step == LS_ENTRY_CARRIER) {
        if (waited_ns >= LS_CLIENT_CARRIER_NS)
            ls_connect_disconnected(client);
    } else if (waited_ns >= entry->repeat_ns) {
        if (entry->step == LS_ENTRY_AUTH && entry->said >= LS_CLIENT_AUTH_TRIES)
            prepare(client);
        say(client);
    }
}
