#include "client/entry.h"

#include "client/wire.h"

static void say(ls_client *client)
{
    uint8_t bytes[LS_CONTROL_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    if (client->has_cookie)
        ls_handshake_client_auth(&client->handshake, &writer);
    else
        ls_handshake_client_hello(&client->handshake, &writer);
    LS_ASSERT(!writer.failed);
    client->said_ns = client->now_ns;
    ls_wire_send_bytes(client, bytes, writer.count);
}

void ls_entry_begin(ls_client *client)
{
    ls_wire_enter(client, LS_CLIENT_HANDSHAKE, "asking the server");
    say(client);
}

void ls_entry_repeat(ls_client *client)
{
    if (client->now_ns - client->said_ns >= LS_CLIENT_REPEAT_NS)
        say(client);
}

static bool is_trusted(ls_client *client, ls_error *error)
{
    if (client->has_pin || !client->trust)
        return true;
    return client->trust(client->trust_context, &client->handshake.server_key, error) == LS_OK;
}

/* True when the answer was meant for us, good or bad. */
static bool settle(ls_client *client, ls_status status, const ls_error *error)
{
    if (status == LS_ERROR_CORRUPT) {
        client->stats.packets_dropped++;
        return false;
    }
    ls_wire_sample_rtt(client, client->now_ns - client->said_ns);
    if (status != LS_OK)
        ls_wire_enter(client, LS_CLIENT_REFUSED, "%s", error->text);
    return status == LS_OK;
}

static void hear_cookie(ls_client *client, const ls_handshake_message *message)
{
    ls_error error = {""};
    uint64_t unix_s = client->unix_s + (client->now_ns - client->first_ns) / LS_CLIENT_SECOND_NS;
    ls_status status = ls_handshake_client_cookie(&client->handshake, message, unix_s, &error);
    if (!settle(client, status, &error))
        return;
    client->has_cookie = true;
    if (is_trusted(client, &error))
        say(client);
    else
        ls_wire_enter(client, LS_CLIENT_REFUSED, "%s",
                      error.text[0] ? error.text : "the server's key is not trusted");
}

static void begin_loading(ls_client *client)
{
    client->has_accept = true;
    client->heard_ns = client->now_ns;
    client->stats.player = client->accept.player;
    client->frames.head = client->accept.tick;
    ls_seal_init(&client->seal, &client->handshake.keys, LS_ROLE_CLIENT);
    ls_wipe(&client->handshake.keys, sizeof client->handshake.keys);
    ls_plain plain;
    ls_confirm_encode(&plain);
    ls_wire_send(client, &plain);
    ls_wire_enter(client, LS_CLIENT_LOADING, "fetching the match");
}

static void hear_accept(ls_client *client, const ls_handshake_message *message)
{
    ls_error error = {""};
    ls_status status =
        ls_handshake_client_accept(&client->handshake, message, &client->accept, &error);
    if (!settle(client, status, &error))
        return;
    const ls_handshake_accept *accept = &client->accept;
    if (accept->player != LS_HANDSHAKE_PLAYER_NONE &&
        (accept->player >= accept->match.player_count || client->is_spectator)) {
        ls_wire_enter(client, LS_CLIENT_LOST, "the server gave a seat that cannot be");
        return;
    }
    if (ls_world_create(client->program, &accept->match, &client->world, &error) != LS_OK)
        ls_wire_enter(client, LS_CLIENT_REFUSED, "the server's match does not suit: %s",
                      error.text);
    else
        begin_loading(client);
}

void ls_entry_hear(ls_client *client, const ls_packet *packet)
{
    ls_handshake_message message = {
        .data = packet->data, .bytes = packet->bytes, .address = "", .now_ns = client->now_ns};
    if (packet->channel != LS_CHANNEL_CONTROL)
        client->stats.packets_dropped++;
    else if (client->has_cookie)
        hear_accept(client, &message);
    else
        hear_cookie(client, &message);
}
