#include "puppet.h"
#include "tally_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

puppet_server *puppet_server_create(void)
{
    puppet_server *self = ls_alloc(sizeof *self);
    ls_error error = {""};
    self->now_ns = 1000 * MS;
    self->network = ls_network_create(1, &(ls_network_conditions){.delay_ns = 5 * MS});
    self->link = ls_network_listen(self->network, 4);
    self->peer = LS_PEER_NONE;
    assert_int_equal(ls_program_create(&tally_sim, &self->program, &error), LS_OK);
    self->match = ls_program_match(self->program, 5);
    assert_int_equal(ls_world_create(self->program, &self->match, &self->world, &error), LS_OK);
    ls_identity_init(&self->identity, NULL);
    ls_handshake_server_config config = {.local.engine_version = LS_ENGINE_RULES,
                                         .local.simulation = "tally 1",
                                         .identity = &self->identity,
                                         .unix_s = 1700000000};
    memcpy(config.local.fingerprint, ls_program_fingerprint(self->program), LS_FINGERPRINT_BYTES);
    ls_handshake_server_init(&self->handshake, &config);
    return self;
}

void puppet_server_join(puppet_server *self, const ls_client_config *config)
{
    ls_client_config own = config ? *config : ls_client_config_default();
    ls_error error = {""};
    own.program = self->program;
    own.unix_s = 1700000000;
    own.link = self->client_link = ls_network_connect(self->network, self->now_ns);
    assert_int_equal(ls_client_create(&own, &self->client, &error), LS_OK);
}

void puppet_server_destroy(puppet_server *self)
{
    ls_client_destroy(self->client);
    ls_link_destroy(self->client_link);
    ls_link_destroy(self->link);
    ls_network_destroy(self->network);
    ls_handshake_server_reset(&self->handshake);
    ls_identity_reset(&self->identity);
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
    ls_free(self);
}

static void send_packet(puppet_server *self, const ls_packet *packet)
{
    assert_int_equal(ls_link_send(self->link, self->peer, packet), LS_OK);
    ls_link_flush(self->link, self->now_ns);
}

void puppet_server_say(puppet_server *self, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    assert_int_equal(ls_seal_close(&self->seal, plain, storage, &packet), LS_OK);
    send_packet(self, &packet);
}

static void answer_handshake(puppet_server *self, const ls_packet *packet)
{
    uint8_t bytes[LS_CONTROL_BYTES_MAX];
    char address[LS_ADDRESS_TEXT_BYTES];
    ls_writer reply;
    ls_error error = {""};
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_link_address(self->link, self->peer, address);
    ls_handshake_message message = {
        .data = packet->data, .bytes = packet->bytes, .address = address, .now_ns = self->now_ns};
    if (packet->bytes == LS_HELLO_BYTES) {
        assert_int_equal(ls_handshake_server_hello(&self->handshake, &message, &reply, &error),
                         LS_OK);
    } else {
        ls_handshake_auth auth;
        assert_int_equal(ls_handshake_server_auth(&self->handshake, &message, &auth, &error),
                         LS_OK);
        ls_handshake_accept accept = {
            .player = self->player, .tick = self->tick, .match = self->match};
        ls_handshake_server_accept(&self->handshake, &auth, &accept, &reply);
        ls_seal_init(&self->seal, &auth.keys, LS_ROLE_SERVER);
        ls_handshake_auth_reset(&auth);
    }
    send_packet(
        self,
        &(ls_packet){.channel = LS_CHANNEL_CONTROL, .bytes = (uint32_t)reply.count, .data = bytes});
}

static void hear_sealed(puppet_server *self, const ls_packet *packet)
{
    ls_plain plain;
    ls_update update;
    ls_bye bye;
    ls_snapshot_request request;
    if (ls_seal_open(&self->seal, packet, &plain) != LS_OK)
        return;
    self->has_confirm |= ls_confirm_decode(&plain);
    self->has_bye |= ls_bye_decode(&plain, &bye);
    if (ls_snapshot_request_decode(&plain, &request)) {
        self->request = request;
        self->requests++;
    }
    if (ls_update_decode(&plain, &update)) {
        self->update_plain = plain;
        assert_true(ls_update_decode(&self->update_plain, &self->update));
        self->updates++;
    }
}

void puppet_server_run(puppet_server *self, uint64_t duration_ns)
{
    uint64_t until_ns = self->now_ns + duration_ns;
    for (; self->now_ns < until_ns; self->now_ns += MS) {
        ls_client_step(self->client, self->now_ns);
        ls_link_event event;
        while (ls_link_poll(self->link, self->now_ns, &event)) {
            if (event.kind == LS_LINK_CONNECTED)
                self->peer = event.peer;
            else if (event.kind == LS_LINK_MESSAGE && (event.packet.data[0] & 0x40) == 0)
                hear_sealed(self, &event.packet);
            else if (event.kind == LS_LINK_MESSAGE && !self->is_silent)
                answer_handshake(self, &event.packet);
        }
        ls_link_flush(self->link, self->now_ns);
    }
}

void puppet_server_load(puppet_server *self)
{
    puppet_server_load_as(self, ls_world_tick(self->world));
}

void puppet_server_load_as(puppet_server *self, uint64_t tick)
{
    uint8_t *bytes;
    size_t count;
    ls_snapshot *snapshot = ls_world_snapshot(self->world);
    ls_snapshot_encode(snapshot, &bytes, &count);
    for (size_t at = 0; at < count; at += LS_CHUNK_BYTES_MAX) {
        size_t left = count - at;
        ls_snapshot_chunk chunk = {.tick = tick,
                                   .total_bytes = (uint32_t)count,
                                   .offset = (uint32_t)at,
                                   .bytes = left < LS_CHUNK_BYTES_MAX ? (uint32_t)left
                                                                      : LS_CHUNK_BYTES_MAX,
                                   .data = bytes + at};
        ls_plain plain;
        ls_snapshot_chunk_encode(&chunk, &plain);
        puppet_server_say(self, &plain);
    }
    ls_free(bytes);
    ls_snapshot_destroy(snapshot);
    puppet_server_run(self, 50 * MS);
}

static ls_frame frame_of(const puppet_server *self, uint64_t tick, bool has_join, ls_input *input)
{
    *input = (ls_input){.player = self->player, .kind = LS_JOIN};
    return (ls_frame){.tick = tick, .count = has_join, .inputs = input};
}

void puppet_server_tick(puppet_server *self, uint64_t first, uint32_t count, bool has_join,
                        uint32_t input_ack)
{
    uint8_t bodies[LS_TICKS_MAX][16];
    ls_ticks ticks = {.first = first, .count = count, .input_ack = input_ack};
    for (uint32_t i = 0; i < count; i++) {
        ls_input input;
        ls_writer writer;
        ls_frame frame = frame_of(self, first + i, has_join && i == 0, &input);
        ls_writer_init(&writer, bodies[i], sizeof bodies[i]);
        ls_frame_encode(&frame, &writer);
        ticks.bodies[count - 1 - i] =
            (ls_ticks_body){.data = bodies[i], .bytes = (uint32_t)writer.count};
    }
    ls_plain plain;
    assert_true(ls_ticks_encode(&ticks, &plain));
    puppet_server_say(self, &plain);
}

void puppet_server_advance(puppet_server *self, uint32_t count, bool has_join)
{
    for (uint32_t i = 0; i < count; i++) {
        ls_input input;
        ls_frame frame = frame_of(self, ls_world_tick(self->world), has_join && i == 0, &input);
        ls_error error;
        assert_int_equal(ls_world_advance(self->world, &frame, NULL, &error), LS_OK);
    }
}
