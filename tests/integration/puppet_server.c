#include "puppet_server.h"

#include "proto/pack.h"
#include "tally_sim.h"

#include "tests/support/test.h"

puppet_server *puppet_server_create(void)
{
    return puppet_server_create_of(&tally_sim);
}

puppet_server *puppet_server_create_of(const ls_sim *sim)
{
    puppet_server *self = ls_alloc(sizeof *self);
    self->sim = sim;
    self->epoch = self->connect_id = 1;
    self->times.slack_us = LS_SLACK_NONE;
    ls_error error = {""};
    self->now_ns = 1000 * MS;
    self->network = ls_network_create(1, &(ls_impairment_conditions){.delay_ns = 5 * MS});
    self->link = ls_network_listen(self->network, 4);
    self->peer = LS_PEER_NONE;
    if (ls_program_create(sim, &self->program, &error) != LS_OK)
        fail_msg("%s", error.text);
    self->match = ls_program_match(self->program, 5);
    assert_ok(ls_world_create(self->program, &self->match, &self->world, &error));
    ls_identity_init(&self->identity, NULL);
    ls_handshake_server_config config = {.local.engine_version = LS_ENGINE_RULES,
                                         .local.simulation = "tally 1",
                                         .identity = &self->identity,
                                         .unix_s = 1700000000};
    memcpy(config.local.fingerprint, ls_program_fingerprint(self->program), LS_FINGERPRINT_BYTES);
    ls_handshake_server_init(&self->handshake, &config);
    return self;
}

void puppet_server_set_handshake(puppet_server *self, const ls_identity *identity,
                                 uint32_t capabilities)
{
    ls_handshake_server_config config = {
        .local = self->handshake.local, .identity = identity, .unix_s = 1700000000};
    config.local.capabilities = capabilities;
    ls_handshake_server_reset(&self->handshake);
    ls_handshake_server_init(&self->handshake, &config);
}

void puppet_server_join(puppet_server *self, const ls_client_config *config)
{
    ls_client_config own = config ? *config : ls_client_config_default();
    ls_error error = {""};
    own.program = self->program;
    own.unix_s = 1700000000;
    own.link = self->client_link = ls_network_open(self->network);
    assert_ok(ls_client_create(&own, &self->client, &error));
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

void puppet_server_say(puppet_server *self, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    assert_ok(ls_seal_message(&self->seal, plain, storage, &packet));
    assert_ok(ls_link_send(self->link, self->peer, &packet));
    ls_link_flush(self->link, self->now_ns);
}

void puppet_server_post(puppet_server *self, const uint8_t *data, uint32_t bytes)
{
    ls_remote to = ls_network_remote(self->client_link);
    ls_link_post(self->link, &to, data, bytes);
    ls_link_flush(self->link, self->now_ns);
}

void puppet_server_reject(puppet_server *self, ls_reject_code code, const char *reason)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_reject(code, reason, &writer);
    puppet_server_post(self, bytes, (uint32_t)writer.count);
}

void puppet_server_cut(puppet_server *self, bool is_cut)
{
    ls_network_set_conditions(
        self->client_link,
        &(ls_impairment_conditions){.delay_ns = 5 * MS, .loss = is_cut ? LS_PROBABILITY_ONE : 0});
}

static void grant(puppet_server *self, ls_handshake_auth *auth, const ls_remote *from,
                  ls_writer *reply)
{
    ls_handshake_accept accept = {.player = self->player,
                                  .connect_id = self->connect_id++,
                                  .epoch = self->epoch,
                                  .tick = self->tick,
                                  .match = self->match};
    ls_handshake_server_accept(&self->handshake, auth, &accept, reply);
    memcpy(self->granted, accept.resume_secret, LS_RESUME_BYTES);
    self->has_resume = auth->has_resume;
    memcpy(self->shown, auth->resume_secret, LS_RESUME_BYTES);
    ls_seal_init(&self->coming, &auth->keys, LS_ROLE_SERVER);
    assert_int_equal(ls_link_admit(self->link, from, &auth->carrier, self->now_ns + 5000 * MS),
                     LS_OK);
}

/* Sends copies of a COOKIE with other cookies in them. */
static void send_false_cookies(puppet_server *self, const ls_remote *remote, const uint8_t *cookie,
                               uint32_t bytes)
{
    enum { COOKIE_AT = 57 };
    uint8_t copy[LS_MTU_BYTES];
    memcpy(copy, cookie, bytes);
    for (uint32_t i = 0; i < self->false_cookies; i++) {
        self->cookies_made++;
        memcpy(copy + COOKIE_AT, &self->cookies_made, sizeof self->cookies_made);
        ls_link_post(self->link, remote, copy, bytes);
    }
}

static void answer_datagram(puppet_server *self, const ls_link_event *event)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply;
    ls_error error = {""};
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_handshake_message message = {.data = event->packet.data,
                                    .bytes = event->packet.bytes,
                                    .remote = event->remote,
                                    .now_ns = self->now_ns,
                                    .unix_s = 1700000000};
    bool is_hello = event->packet.bytes == LS_HELLO_BYTES;
    self->hellos += is_hello;
    self->auths += !is_hello;
    if (self->is_silent || (self->is_deaf && !is_hello))
        return;
    if (is_hello) {
        assert_int_equal(ls_handshake_server_hello(&self->handshake, &message, &reply, &error),
                         LS_OK);
    } else {
        ls_handshake_auth auth;
        ls_status status = ls_handshake_server_auth(&self->handshake, &message, &auth, &error);
        if (status != LS_OK && self->false_cookies)
            return;
        assert_int_equal(status, LS_OK);
        grant(self, &auth, &event->remote, &reply);
        ls_handshake_auth_reset(&auth);
    }
    uint32_t count = (uint32_t)reply.count;
    if (is_hello)
        send_false_cookies(self, &event->remote, bytes, count);
    ls_link_post(self->link, &event->remote, bytes, count);
    if (is_hello)
        send_false_cookies(self, &event->remote, bytes, count);
}

static void receive_sealed(puppet_server *self, const ls_packet *packet)
{
    ls_plain plain;
    ls_update update;
    ls_snapshot_request request;
    if (ls_seal_open_message(&self->seal, packet, &plain) != LS_OK)
        return;
    self->has_confirm |= ls_confirm_decode(&plain);
    self->confirms += ls_confirm_decode(&plain);
    bool wants_pause;
    if (ls_pause_decode(&plain, &wants_pause)) {
        self->pauses++;
        self->wants_pause = wants_pause;
    }
    ls_line_report report;
    if (ls_line_report_decode(&plain, &report)) {
        self->report = report;
        self->reports++;
    }
    self->has_bye |= ls_bye_decode(&plain, &self->bye);
    if (ls_snapshot_request_decode(&plain, &request)) {
        self->request = request;
        self->requests++;
    }
    ls_evidence_chunk chunk;
    if (ls_evidence_chunk_decode(&plain, &chunk)) {
        memcpy(self->evidence_body + chunk.offset, chunk.data, chunk.bytes);
        self->evidence = chunk;
        self->evidence_chunks++;
    }
    if (ls_update_decode(&plain, self->sim->state_bytes, &update)) {
        self->update_plain = plain;
        assert_true(ls_update_decode(&self->update_plain, self->sim->state_bytes, &self->update));
        self->updates++;
        if (self->update.root_count &&
            self->update.root_first + self->update.root_count > self->roots_next)
            self->roots_next = self->update.root_first + self->update.root_count;
    }
}

void puppet_server_run(puppet_server *self, uint64_t duration_ns)
{
    uint64_t until_ns = self->now_ns + duration_ns;
    for (; self->now_ns < until_ns; self->now_ns += MS) {
        ls_client_step(self->client, self->now_ns);
        ls_link_event event;
        while (ls_link_poll(self->link, self->now_ns, &event)) {
            if (event.kind == LS_LINK_CONNECTED) {
                self->peer = event.peer;
                self->seal = self->coming;
            } else if (event.kind == LS_LINK_MESSAGE) {
                receive_sealed(self, &event.packet);
            } else if (event.kind == LS_LINK_DATAGRAM) {
                answer_datagram(self, &event);
            }
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
    uint8_t *raw, *bytes;
    size_t raw_count, count;
    ls_snapshot *snapshot = ls_world_snapshot(self->world);
    ls_snapshot_encode(snapshot, &raw, &raw_count);
    ls_pack(raw, raw_count, &bytes, &count);
    for (size_t at = 0; at < count; at += LS_CHUNK_BYTES_MAX) {
        size_t left = count - at;
        ls_snapshot_chunk chunk = {.tick = tick,
                                   .total_bytes = (uint32_t)count,
                                   .raw_bytes = (uint32_t)raw_count,
                                   .offset = (uint32_t)at,
                                   .bytes = left < LS_CHUNK_BYTES_MAX ? (uint32_t)left
                                                                      : LS_CHUNK_BYTES_MAX,
                                   .data = bytes + at};
        ls_plain plain;
        ls_snapshot_chunk_encode(&chunk, &plain);
        puppet_server_say(self, &plain);
    }
    ls_free(bytes);
    ls_free(raw);
    ls_snapshot_destroy(snapshot);
    puppet_server_run(self, 50 * MS);
}

static ls_frame frame_of(const puppet_server *self, uint64_t tick, bool has_join, ls_input *input)
{
    *input = (ls_input){.player = self->player, .kind = LS_JOIN};
    return (ls_frame){.tick = tick, .count = has_join, .inputs = input};
}

void puppet_server_set_times(puppet_server *self, uint32_t echo_us, uint32_t held_us,
                             int32_t slack_us)
{
    self->times.echo_us = echo_us;
    self->times.held_us = held_us;
    self->times.slack_us = slack_us;
}

void puppet_server_tick(puppet_server *self, uint64_t first, uint32_t count, bool has_join,
                        uint32_t input_ack)
{
    uint8_t bodies[LS_TICKS_MAX][16];
    ls_ticks ticks = self->times;
    ticks.first = first;
    ticks.count = count;
    ticks.input_ack = input_ack;
    ticks.root_ack = (uint32_t)self->roots_next;
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

void puppet_server_frame(puppet_server *self, uint64_t tick, const ls_input *inputs, uint32_t count)
{
    uint8_t body[LS_FRAME_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, body, sizeof body);
    ls_frame_encode(&(ls_frame){.tick = tick, .count = count, .inputs = inputs}, &writer);
    ls_ticks ticks = self->times;
    ticks.first = tick;
    ticks.count = 1;
    ticks.bodies[0] = (ls_ticks_body){.data = body, .bytes = (uint32_t)writer.count};
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
        assert_ok(ls_world_advance(self->world, &frame, NULL, &error));
    }
}

int puppet_server_begin(void **state)
{
    puppet_server *self = puppet_server_create();
    puppet_server_join(self, NULL);
    puppet_server_run(self, 100 * MS);
    puppet_server_load(self);
    assert_int_equal(ls_client_get_state(self->client), LS_CLIENT_PLAYING);
    *state = self;
    return 0;
}

int puppet_server_end(void **state)
{
    puppet_server_destroy(*state);
    return 0;
}

ls_client_stats puppet_server_stats(const puppet_server *self)
{
    return ls_client_get_stats(self->client);
}
