#include "puppet.h"

#include "tally_sim.h"

#include "tests/support/test.h"

static void send_bytes(ls_link *link, ls_peer peer, const ls_packet *packet, uint64_t now_ns)
{
    assert_ok(ls_link_send(link, peer, packet));
    ls_link_flush(link, now_ns);
}

void puppet_send_bytes(puppet *self, arena *room, uint8_t channel, const uint8_t *data,
                       uint32_t bytes)
{
    send_bytes(self->link, 0, &(ls_packet){.channel = channel, .bytes = bytes, .data = data},
               room->now_ns);
}

void puppet_send(puppet *self, arena *room, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    assert_ok(ls_seal_message(&self->seal, plain, storage, &packet));
    send_bytes(self->link, 0, &packet, room->now_ns);
}

static void say_handshake(puppet *self, bool is_auth)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    if (is_auth)
        ls_handshake_client_auth(&self->handshake, 0, &writer);
    else
        ls_handshake_client_hello(&self->handshake, &writer);
    if (is_auth) {
        self->auth_bytes = (uint32_t)writer.count;
        memcpy(self->auth, bytes, writer.count);
    }
    ls_link_post(self->link, NULL, bytes, (uint32_t)writer.count);
}

static void receive_handshake(puppet *self, arena *room, const ls_packet *packet)
{
    ls_handshake_message message = {
        .data = packet->data, .bytes = packet->bytes, .now_ns = room->now_ns};
    ls_error error = {""};
    ls_status status;
    if (self->auth_bytes == 0) {
        status = ls_handshake_client_cookie(&self->handshake, &message, 1700000000, &error);
        if (status == LS_OK)
            say_handshake(self, true);
    } else {
        status = ls_handshake_client_accept(&self->handshake, &message, &self->accept, &error);
        if (status == LS_OK)
            ls_seal_init(&self->seal, &self->handshake.keys, LS_ROLE_CLIENT);
        self->has_accept = status == LS_OK;
        self->accepts += self->has_accept;
        if (self->has_accept)
            assert_int_equal(ls_link_connect(self->link, room->now_ns, &self->handshake.carrier),
                             LS_OK);
    }
    if (status != LS_OK)
        snprintf(self->refusal, sizeof self->refusal, "%.250s", error.text);
}

static void receive_sealed(puppet *self, const ls_packet *packet)
{
    ls_plain plain;
    ls_ticks ticks;
    ls_snapshot_chunk chunk;
    ls_evidence_request question;
    assert_ok(ls_seal_open_message(&self->seal, packet, &plain));
    if (ls_ticks_decode(&plain, 8, &ticks)) {
        self->ticks_plain = plain;
        assert_true(ls_ticks_decode(&self->ticks_plain, 8, &self->ticks));
        self->ticks_count++;
    } else if (ls_snapshot_chunk_decode(&plain, &chunk)) {
        self->chunk_plain = plain;
        assert_true(ls_snapshot_chunk_decode(&self->chunk_plain, &self->chunk));
        self->chunk_count++;
    } else if (ls_evidence_request_decode(&plain, &question)) {
        self->question = question;
        self->question_count++;
    } else {
        assert_true(ls_notice_decode(&plain, &self->notice));
        self->notice_count++;
    }
}

void puppet_run(puppet *self, arena *room, uint64_t duration_ns)
{
    uint64_t until_ns = room->now_ns + duration_ns;
    while (room->now_ns < until_ns) {
        arena_run(room, MS);
        ls_link_event event;
        while (ls_link_poll(self->link, room->now_ns, &event)) {
            if (event.kind == LS_LINK_CONNECTED)
                self->is_connected = true;
            else if (event.kind == LS_LINK_DISCONNECTED)
                self->is_gone = true;
            else if (event.kind == LS_LINK_MESSAGE)
                receive_sealed(self, &event.packet);
            else if (self->has_accept)
                self->accepts++; /* an ACCEPT after the first one */
            else
                receive_handshake(self, room, &event.packet);
        }
    }
}

ls_handshake_client_config puppet_config(const arena *room, const char *name)
{
    ls_handshake_client_config config = {.local.engine_version = LS_ENGINE_RULES,
                                         .local.simulation = "tally 1",
                                         .pin = &room->identity.public_key};
    memcpy(config.local.fingerprint, ls_program_fingerprint(room->program), LS_FINGERPRINT_BYTES);
    snprintf(config.name, sizeof config.name, "%s", name);
    return config;
}

puppet *puppet_create_at(arena *room, const ls_handshake_client_config *config,
                         const uint8_t host[4])
{
    puppet *self = ls_alloc(sizeof *self);
    ls_handshake_client_init(&self->handshake, config);
    self->link = ls_network_open(room->network);
    if (host)
        ls_network_move(self->link, host);
    say_handshake(self, false);
    for (uint32_t i = 0; i < 1000 && !self->is_connected && !self->is_gone; i++)
        puppet_run(self, room, MS);
    return self;
}

puppet *puppet_create(arena *room, const ls_handshake_client_config *config)
{
    return puppet_create_at(room, config, NULL);
}

puppet *puppet_enter(arena *room, const char *name)
{
    ls_handshake_client_config config = puppet_config(room, name);
    puppet *self = puppet_create(room, &config);
    assert_true(self->has_accept);
    puppet_confirm(self, room);
    puppet_run(self, room, 50 * MS);
    return self;
}

void puppet_destroy(puppet *self)
{
    ls_network_kill(self->link);
    ls_handshake_client_reset(&self->handshake);
    ls_free(self);
}

void puppet_confirm(puppet *self, arena *room)
{
    ls_plain plain;
    ls_confirm_encode(&plain);
    puppet_send(self, room, &plain);
}

void puppet_update(puppet *self, arena *room, const ls_update *update)
{
    ls_plain plain;
    assert_true(ls_update_encode(update, &plain));
    puppet_send(self, room, &plain);
}

void puppet_request(puppet *self, arena *room, const ls_snapshot_request *request)
{
    ls_plain plain;
    ls_snapshot_request_encode(request, &plain);
    puppet_send(self, room, &plain);
}
