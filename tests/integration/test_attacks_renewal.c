/* Attack table row 56: a thief has copied all secrets of the server's present certificate: the key
 * `s`, and the secret of its cookies. The thief does not have the identity key, which signs the
 * next certificate. */
#include "raw_client.h"

#include "proto/handshake_internal.h"
#include "server/server_state.h"

enum { UNIX_S = 1700000000 };
#define GRACE_NS (2 * LS_COOKIE_BUCKET_NS)

typedef struct scene {
    arena *room;
    ls_handshake_server thief;
} scene;

static scene begin(void)
{
    scene self = {.room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan})};
    arena_run(self.room, 10 * MS);
    self.thief = self.room->server->handshake;
    ls_wipe(self.thief.identity.secret_key, sizeof self.thief.identity.secret_key);
    return self;
}

static void end(scene *self)
{
    ls_handshake_server_reset(&self->thief);
    arena_destroy(self->room);
}

static void renew(scene *self)
{
    ls_server_set_clock(self->room->server, self->room->now_ns, UNIX_S + LS_CERTIFICATE_LIFE_S / 2);
}

static raw_client *client_of(scene *self, const char *name)
{
    ls_handshake_client_config config = puppet_config(self->room, name);
    return raw_create(self->room, &config);
}

static ls_handshake_message message_of(const scene *self, const raw_client *from,
                                       const uint8_t *data, uint32_t bytes)
{
    return (ls_handshake_message){.data = data,
                                  .bytes = bytes,
                                  .remote = ls_network_remote(from->link),
                                  .now_ns = self->room->now_ns};
}

/* The client gets a COOKIE of the thief at this time of its clock, and builds its AUTH. */
static ls_status hear_thief(scene *self, raw_client *client, uint64_t unix_s)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply, auth;
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_writer_init(&auth, client->auth, sizeof client->auth);
    ls_handshake_message message = message_of(self, client, client->hello, LS_HELLO_BYTES);
    assert_ok(ls_handshake_server_hello(&self->thief, &message, &reply, NULL));
    message = message_of(self, client, bytes, (uint32_t)reply.count);
    ls_status status = ls_handshake_client_cookie(&client->handshake, &message, unix_s, NULL);
    if (status != LS_OK)
        return status;
    ls_handshake_client_auth(&client->handshake, 0, &auth);
    client->has_auth = true;
    return LS_OK;
}

/* Whether the thief is the server for a client that has pinned the server's identity. */
static bool deceives(scene *self, uint64_t unix_s)
{
    raw_client *client = client_of(self, "deceived");
    ls_handshake_auth auth = {0};
    ls_handshake_accept granted = {.connect_id = 7, .room = "trap"}, told;
    granted.match = (ls_match){.seed = 1, .tick_rate = 60, .player_count = 2};
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer accept;
    ls_writer_init(&accept, bytes, sizeof bytes);
    bool is_deceived = hear_thief(self, client, unix_s) == LS_OK;
    if (is_deceived) {
        ls_handshake_message message = message_of(self, client, client->auth, LS_AUTH_BYTES);
        assert_ok(ls_handshake_server_auth(&self->thief, &message, &auth, NULL));
        ls_handshake_server_accept(&self->thief, &auth, &granted, &accept);
        message = message_of(self, client, bytes, (uint32_t)accept.count);
        assert_ok(ls_handshake_client_accept(&client->handshake, &message, &told, NULL));
        assert_string_equal(told.room, "trap");
    }
    ls_handshake_auth_reset(&auth);
    raw_destroy(client);
    return is_deceived;
}

/* Whether the thief can open an AUTH that a client sends to the server now. It is given the
 * server's present cookie secret, so that the box alone decides. */
static bool reads(scene *self)
{
    raw_client *client = client_of(self, "read");
    raw_get_cookie(client, self->room);
    ls_handshake_server reader = self->thief;
    memcpy(reader.era.cookie_secret, self->room->server->handshake.era.cookie_secret,
           sizeof reader.era.cookie_secret);
    ls_handshake_auth auth;
    const ls_handshake_message message = message_of(self, client, client->auth, LS_AUTH_BYTES);
    bool is_read = ls_handshake_server_auth(&reader, &message, &auth, NULL) == LS_OK;
    if (is_read)
        assert_string_equal(auth.name, "read");
    else
        assert_int_equal(auth.failed, LS_HANDSHAKE_CHECK_BOX);
    ls_handshake_auth_reset(&auth);
    ls_handshake_server_reset(&reader);
    raw_destroy(client);
    return is_read;
}

/* Whether the server accepts an AUTH under the stolen key, with a fresh cookie of the thief. */
static bool enters(scene *self)
{
    raw_client *client = client_of(self, "thief");
    assert_ok(hear_thief(self, client, UNIX_S));
    ls_link_post(client->link, NULL, client->auth, LS_AUTH_BYTES);
    raw_run(client, self->room, 50 * MS);
    bool is_accepted = client->answers > 0;
    if (is_accepted)
        assert_int_equal(client->answer[0], LS_HANDSHAKE_ACCEPT);
    raw_destroy(client);
    return is_accepted;
}

/* After the renewal the old secrets open nothing that is sent to the server, and after two minutes
 * it accepts nothing under them. */
TEST(test_attack_56_a_stolen_key_ends_with_its_renewal)
{
    scene self = begin();
    assert_true(reads(&self));
    assert_true(enters(&self));
    renew(&self);
    uint64_t until_ns = self.room->now_ns + GRACE_NS;
    assert_false(reads(&self));
    assert_true(enters(&self));
    arena_run(self.room, until_ns - self.room->now_ns - 10 * MS);
    assert_true(enters(&self)); /* and time passes beyond the grace */
    uint64_t refused = ls_server_get_stats(self.room->server).auths_refused;
    assert_false(enters(&self));
    assert_int_equal(ls_server_get_stats(self.room->server).auths_refused, refused + 1);
    assert_false(reads(&self));
    end(&self);
}

/* Clients cannot know of the theft: the old certificate is good until it expires. */
TEST(test_attack_56_a_stolen_key_deceives_until_its_certificate_expires)
{
    scene self = begin();
    assert_true(deceives(&self, UNIX_S));
    renew(&self);
    arena_run(self.room, GRACE_NS);
    assert_true(deceives(&self, UNIX_S + LS_CERTIFICATE_LIFE_S - 1));
    assert_false(deceives(&self, UNIX_S + LS_CERTIFICATE_LIFE_S));
    end(&self);
}
