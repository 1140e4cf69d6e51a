/* Compares the handshake in docs/protocol.md with the program: its tables decode real messages, and
 * its test vectors are computed again. */
#include "protocol_page.h"

#include "proto/armor.h"
#include "proto/enet_gate.h"
#include "proto/handshake_internal.h"
#include "proto/message.h"
#include "proto/path.h"
#include "proto/token_internal.h"
#include <lockstep/limits.h>

#include <sodium.h>

enum { VECTOR_LINE = 32 };

/* Fills each request with one repeated byte, one higher than in the request before. */
static void fill_step(void *context, void *bytes, size_t count)
{
    memset(bytes, (*(uint8_t *)context)++, count);
}

/* The handshake of the page's test vectors, up to the ACCEPT. */
typedef struct example {
    uint8_t identity_draw, server_draw, client_draw, token_draw;
    fixture f;
    ls_handshake_state after_cookie, after_auth;
    uint8_t old_secret[LS_RESUME_BYTES], cookie[32];
} example;

static void run_example(example *e, uint32_t capabilities)
{
    *e = (example){
        .identity_draw = 0x01, .server_draw = 0x11, .client_draw = 0x21, .token_draw = 0x41};
    fixture *f = &e->f;
    fixture_setup(f);
    ls_identity_init(&f->identity, &(ls_entropy){.fill = fill_step, .context = &e->identity_draw});
    f->server_entropy = (ls_entropy){.fill = fill_step, .context = &e->server_draw};
    f->client_entropy = (ls_entropy){.fill = fill_step, .context = &e->client_draw};
    f->token_entropy = (ls_entropy){.fill = fill_step, .context = &e->token_draw};
    fixture_issue(f);
    memset(e->old_secret, 0x31, sizeof e->old_secret);
    f->client_config.resume_secret = e->old_secret;
    f->now_ns = 7 * LS_COOKIE_BUCKET_NS;
    f->granted.forward = (ls_remote)LS_REMOTE_IPV4(203, 0, 113, 9, 7778);
    f->granted.match.option_count = 1;
    f->granted.match.options[0] = -2;
    f->server_config.local.capabilities = f->client_config.local.capabilities = capabilities;
    fixture_reach_auth(f);
    e->after_cookie = f->client.cookies[0].state;
    memcpy(e->cookie, f->client.cookies[0].cookie, sizeof e->cookie);
    assert_ok(fixture_serve_auth(f));
    e->after_auth = f->auth.state;
    fixture_send_accept(f);
    assert_ok(fixture_take_accept(f));
}

TEST(test_protocol_handshake_lays_out_the_first_flight)
{
    example e;
    run_example(&e, LS_LINK_CAPABILITIES);
    const fixture *f = &e.f;
    CHECK("HELLO", f->hello.data, f->hello.bytes, NUMBER("type", LS_HANDSHAKE_HELLO),
          BYTES("magic", LS_HANDSHAKE_MAGIC), NUMBER("protocol version", LS_PROTOCOL_VERSION),
          NUMBER("engine version", 4), BYTES("fingerprint", f->server.local.fingerprint),
          TEXT("simulation", "skirmish 1.2"), NUMBER("token key id", 7),
          BYTES("e_c", f->client.ephemeral_public), NUMBER("capabilities", LS_LINK_CAPABILITIES),
          NUMBER("padding", 0));
    CHECK("COOKIE", f->cookie.data, f->cookie.bytes, NUMBER("type", LS_HANDSHAKE_COOKIE),
          NUMBER("lowest version", LS_PROTOCOL_VERSION),
          NUMBER("highest version", LS_PROTOCOL_VERSION),
          BYTES("fingerprint", f->server.local.fingerprint),
          BYTES("hello hash", f->client.hello_hash), NUMBER("bucket", 7), BYTES("cookie", e.cookie),
          BYTES("s", f->server.era.static_public), NUMBER("expiry", f->server.era.expiry_s),
          BYTES("identity", f->identity.public_key.bytes),
          BYTES("signature", f->server.era.signature),
          NUMBER("capabilities", LS_LINK_CAPABILITIES));
    uint8_t certificate[LS_CERTIFICATE_BYTES];
    ls_handshake_certificate_bytes(f->server.era.static_public, f->server.era.expiry_s,
                                   certificate);
    CHECK("Certificate", certificate, sizeof certificate, BYTES("label", "certificate\0\0\0\0\0"),
          BYTES("s", f->server.era.static_public), NUMBER("expiry", f->server.era.expiry_s));
    fixture_message answer;
    ls_writer reply = fixture_writer(&answer);
    ls_handshake_reject(LS_REJECT_FULL, "all seats are taken", &reply);
    CHECK("REJECT", answer.data, reply.count, NUMBER("type", LS_HANDSHAKE_REJECT),
          NUMBER("code", 3), NUMBER("lowest version", LS_PROTOCOL_VERSION),
          NUMBER("highest version", LS_PROTOCOL_VERSION), TEXT("reason", "all seats are taken"));
}

/* Opens a box of the message; `state` includes everything before it. */
static size_t open_box(ls_handshake_state *state, const char *label, const layout *message,
                       uint8_t plain[LS_AUTH_BYTES])
{
    ls_reader reader;
    ls_reader_init(&reader, message->data, message->bytes);
    assert_true(ls_handshake_box_open(state, label, &reader, plain));
    return message->bytes - LS_BOX_TAG_BYTES;
}

static void check_auth(const example *e)
{
    const fixture_message *auth = &e->f.authorization;
    const uint8_t *token = auth->data + LS_AUTH_HEADER_BYTES, *box = token + LS_TOKEN_BYTES;
    assert_memory_equal(token, e->f.pass.token, LS_TOKEN_BYTES);
    CHECK("AUTH", auth->data, auth->bytes, NUMBER("type", LS_HANDSHAKE_AUTH), NUMBER("bucket", 7),
          BYTES("cookie", e->cookie), BYTES("e_c", e->f.client.ephemeral_public),
          BYTES("hello hash", e->f.client.hello_hash), NUMBER("token bytes", LS_TOKEN_BYTES),
          BYTES("token and box", token));
    uint8_t plain[LS_AUTH_BYTES], client_random[32];
    memset(client_random, 0x22, sizeof client_random);
    ls_handshake_state schedule = e->after_cookie;
    const uint8_t *absorbed = auth->data + LS_AUTH_COOKIE_BYTES;
    ls_handshake_absorb(&schedule, absorbed, (size_t)(box - absorbed));
    const layout inside = {.data = box, .bytes = auth->bytes - (size_t)(box - auth->data)};
    size_t bytes = open_box(&schedule, "auth box", &inside, plain);
    CHECK("AUTH box", plain, bytes, BYTES("client random", client_random),
          NUMBER("flags", LS_HANDSHAKE_BOT), TEXT("name", "Ada"),
          TEXT("build", "clang 14 wasm browser"), TEXT("room", "lobby"), NUMBER("has resume", 1),
          BYTES("resume secret", e->old_secret), NUMBER("capabilities", LS_SESSION_CAPABILITIES),
          NUMBER("padding", 0));
}

static void check_accept(const example *e)
{
    const fixture_message *accept = &e->f.accept;
    const uint8_t *ephemeral = accept->data + 1, *box = ephemeral + 32;
    CHECK("ACCEPT", accept->data, accept->bytes, NUMBER("type", LS_HANDSHAKE_ACCEPT),
          BYTES("e_s", ephemeral), BYTES("box", box));
    uint8_t plain[LS_AUTH_BYTES], secret[32];
    memset(secret, 0x21, sizeof secret);
    ls_handshake_state schedule = e->after_auth;
    ls_handshake_absorb(&schedule, ephemeral, 32);
    assert_true(ls_handshake_mix_exchange(&schedule, secret, ephemeral));
    const layout inside = {.data = box, .bytes = accept->bytes - LS_ACCEPT_HEADER_BYTES};
    size_t bytes = open_box(&schedule, "accept box", &inside, plain);
    CHECK("ACCEPT box", plain, bytes, NUMBER("player", 1), NUMBER("connect id", 0xc0ffee),
          NUMBER("epoch", 3), NUMBER("tick", 1234), NUMBER("seed", 9), NUMBER("tick rate", 60),
          NUMBER("seats", 2), NUMBER("options", 1), NUMBER("option", (uint64_t)-2),
          TEXT("room", "lobby"), TEXT("build", "gcc 12 x86_64 linux"),
          BYTES("resume secret", e->f.granted.resume_secret),
          BYTES("forward", e->f.granted.forward.bytes));
}

TEST(test_protocol_handshake_lays_out_the_token)
{
    example e;
    run_example(&e, LS_LINK_CAPABILITIES);
    const ls_token *token = &e.f.token;
    const uint8_t *bytes = e.f.pass.token, *nonce = bytes + LS_TOKEN_PUBLIC_BYTES;
    CHECK("Connect token", bytes, LS_TOKEN_BYTES, NUMBER("key id", 7), NUMBER("version", 1),
          NUMBER("not before", token->not_before_s), NUMBER("expiry", token->expiry_s),
          BYTES("nonce", nonce), BYTES("sealed", nonce + LS_TOKEN_NONCE_BYTES));
    uint8_t plain[LS_TOKEN_PLAIN_BYTES], zeros[32] = {0};
    assert_true(ls_token_unseal(&e.f.token_key, bytes, plain));
    CHECK("Token content", plain, sizeof plain, BYTES("token id", token->id),
          TEXT("client id", "player 17"), TEXT("room", "lobby"), NUMBER("rights", 1),
          NUMBER("addresses", 1), BYTES("address", token->addresses), BYTES("server", zeros),
          NUMBER("fingerprint", 0), BYTES("psk", token->psk), NUMBER("padding", 0));
    /* No function encodes the binary content of a pass, so the test builds it. */
    static const uint8_t mapped[18] = "\0\0\0\0\0\0\0\0\0\0\xff\xff\xcb\x00\x71\x09\x1e\x61";
    uint8_t content[441] = {0};
    memcpy(content, bytes, LS_TOKEN_BYTES);
    memcpy(content + 304, token->psk, 32);
    content[368] = 1;
    memcpy(content + 369, mapped, sizeof mapped);
    CHECK("Token file", content, sizeof content, BYTES("token", bytes), BYTES("psk", token->psk),
          BYTES("server", zeros), NUMBER("addresses", 1), BYTES("address", content + 369));
    const ls_armor armor = {.head = "lockstep pass 1\n", .bytes = sizeof content};
    char wanted[LS_PASS_TEXT_BYTES], text[LS_PASS_TEXT_BYTES];
    ls_armor_format(&armor, content, wanted);
    ls_pass_format(&e.f.pass, text);
    assert_string_equal(text, wanted);
}

/* Seals the client's first packet on a channel. */
static ls_packet seal(const example *e, const ls_plain *plain, uint8_t bytes[LS_PACKET_BYTES_MAX])
{
    ls_seal fresh;
    ls_packet packet;
    ls_seal_init(&fresh, &e->f.client.keys, LS_ROLE_CLIENT);
    assert_ok(ls_seal_message(&fresh, plain, bytes, &packet));
    return packet;
}

TEST(test_protocol_handshake_lays_out_the_second_flight)
{
    example e;
    run_example(&e, LS_SESSION_CAPABILITIES);
    check_auth(&e);
    check_accept(&e);
    ls_plain plain;
    ls_confirm_encode(&plain);
    uint8_t bytes[LS_PACKET_BYTES_MAX];
    ls_packet packet = seal(&e, &plain, bytes);
    CHECK("Sealed packet", packet.data, packet.bytes, NUMBER("type", LS_MESSAGE_CONFIRM),
          NUMBER("counter", 0), BYTES("sealed", bytes + LS_SEAL_HEADER_BYTES));
}

/* Signs the bytes as the client's datagram with this counter. */
static void sign(const ls_carrier *carrier, uint32_t counter, uint8_t *bytes, size_t count)
{
    ls_carrier_counters counters = {.sent = counter - 1};
    assert_ok(ls_carrier_mac_sign(&counters, carrier->keys[LS_ROLE_CLIENT], bytes, count,
                                  ls_enet_checksum_at(bytes[0])));
}

enum { CONNECT_BYTES = 64 };
/* The CONNECT up to its connect id, with an empty counter. */
static const uint8_t connect_head[48] = {
    0x8f, 0xff, 0x12, 0x34, 0, 0, 0,    0,    0x82, 0xff, 0, 1, 0, 0, 0xff, 0xff, /* 0x1234 ms */
    0,    0,    0x04, 0xa4, 0, 1, 0,    0,    0,    0,    0, 2, 0, 0, 0,    0,    /* offers */
    0,    0,    0,    0,    0, 0, 0x13, 0x88, 0,    0,    0, 2, 0, 0, 0,    2,
};
static const uint8_t connect_id[4] = {0xee, 0xff, 0xc0, 0x00};

static void make_connect(const ls_carrier *carrier, uint8_t bytes[CONNECT_BYTES])
{
    memset(bytes, 0, CONNECT_BYTES);
    memcpy(bytes, connect_head, sizeof connect_head);
    memcpy(bytes + sizeof connect_head, connect_id, sizeof connect_id);
    sign(carrier, 1, bytes, CONNECT_BYTES - LS_CARRIER_MAC_BYTES);
    ls_enet_datagram read = ls_enet_gate_read(bytes, CONNECT_BYTES, LS_ROLE_SERVER);
    assert_int_equal(read.kind, LS_ENET_CONNECT);
    assert_memory_equal(read.connect_id, connect_id, sizeof connect_id);
}

/* Writes a datagram for the server's peer 5 in session 2: one packet, the first of its group. */
static size_t make_ticks(const ls_carrier *carrier, const ls_packet *packet, uint8_t *bytes)
{
    const uint8_t head[14] = {0x20, 5, 0, 0, 0, 0, 0x49, 0, 0, 0, 0, 1, 0, (uint8_t)packet->bytes};
    size_t count = sizeof head + packet->bytes;
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head, packet->data, packet->bytes);
    sign(carrier, 2, bytes, count);
    count += LS_CARRIER_MAC_BYTES;
    ls_enet_datagram read = ls_enet_gate_read(bytes, count, LS_ROLE_SERVER);
    assert_int_equal(read.kind, LS_ENET_PACKET);
    assert_int_equal(read.peer, 5);
    assert_int_equal(read.session, 2);
    return count;
}

/* The question where the client is, and its answer. */
static void make_path(const ls_carrier *carrier, uint8_t asked[LS_PATH_BYTES],
                      uint8_t answer[LS_PATH_BYTES])
{
    uint8_t token[LS_PATH_TOKEN_BYTES];
    memset(token, 0x51, sizeof token);
    ls_carrier_counters server = {0}, client = {0};
    assert_true(ls_path_challenge_encode(asked, token, &server, carrier->keys[LS_ROLE_SERVER]));
    memcpy(answer, asked, LS_PATH_BYTES);
    assert_true(ls_path_respond(answer, carrier, &client));
}

TEST(test_protocol_handshake_lays_out_the_path)
{
    example e;
    run_example(&e, LS_LINK_CAPABILITIES);
    const ls_carrier *carrier = &e.f.client.carrier;
    uint8_t asked[LS_PATH_BYTES], answer[LS_PATH_BYTES];
    make_path(carrier, asked, answer);
    CHECK("CHALLENGE", asked, sizeof asked, NUMBER("type", LS_PATH_CHALLENGE), NUMBER("counter", 1),
          NUMBER("token", 0x5151515151515151), BYTES("mac", asked + 13));
    CHECK("RESPONSE", answer, sizeof answer, NUMBER("type", LS_PATH_RESPONSE),
          NUMBER("connect id", carrier->connect_id), NUMBER("token", 0x5151515151515151),
          BYTES("mac", answer + 13));
}

TEST(test_protocol_handshake_lays_out_the_carrier)
{
    example e;
    run_example(&e, LS_LINK_CAPABILITIES);
    uint8_t connect[CONNECT_BYTES];
    make_connect(&e.f.client.carrier, connect);
    CHECK("Datagram", connect, sizeof connect, BYTES("receiver", connect_head),
          BYTES("sent time", connect_head + 2), NUMBER("counter", 1),
          BYTES("commands", connect + 8), BYTES("mac", connect + 56));
    CHECK("Connecting", connect, sizeof connect, BYTES("receiver", connect_head),
          BYTES("sent time", connect_head + 2), NUMBER("counter", 1),
          BYTES("command", connect_head + 8), NUMBER("peer id", 0), NUMBER("sessions", 0xffff),
          BYTES("mtu", connect_head + 16), BYTES("window", connect_head + 20),
          BYTES("channels", connect_head + 24), NUMBER("bandwidths", 0),
          BYTES("throttle", connect_head + 36), NUMBER("connect id", e.f.client.carrier.connect_id),
          NUMBER("data", 0), BYTES("mac", connect + 56));
}

static void add_vector(FILE *out, const char *name, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i % VECTOR_LINE == 0)
            fprintf(out, "%-24s", i ? "" : name);
        fprintf(out, "%02x%s", bytes[i], i % VECTOR_LINE == VECTOR_LINE - 1 ? "\n" : "");
    }
    if (count % VECTOR_LINE)
        fprintf(out, "\n");
}

static void write_vectors(FILE *out)
{
    example e;
    run_example(&e, LS_LINK_CAPABILITIES);
    const fixture *f = &e.f;
    uint8_t hash[32], storage[LS_PACKET_BYTES_MAX];
    uint8_t psk[32];
    assert_ok(ls_handshake_password("open sesame", &f->identity.public_key, psk));
    ls_handshake_hash(f->authorization.data, f->authorization.bytes, hash);
    add_vector(out, "e_c", f->client.ephemeral_public, 32);
    add_vector(out, "s", f->server.era.static_public, 32);
    add_vector(out, "identity", f->identity.public_key.bytes, 32);
    add_vector(out, "signature", f->server.era.signature, 64);
    add_vector(out, "hello hash", f->client.hello_hash, 32);
    add_vector(out, "cookie", e.cookie, 32);
    add_vector(out, "token", f->pass.token, LS_TOKEN_BYTES);
    add_vector(out, "password's psk", psk, 32);
    add_vector(out, "transcript after 5", e.after_cookie.transcript, 32);
    add_vector(out, "secret after 5", e.after_cookie.secret, 32);
    add_vector(out, "H(AUTH)", hash, 32);
    add_vector(out, "transcript after 7", e.after_auth.transcript, 32);
    add_vector(out, "ACCEPT", f->accept.data, f->accept.bytes);
    const ls_seal_keys *keys = &f->client.keys;
    add_vector(out, "server ticks", keys->keys[LS_ROLE_SERVER][LS_CHANNEL_TICKS], 32);
    add_vector(out, "server control", keys->keys[LS_ROLE_SERVER][LS_CHANNEL_CONTROL], 32);
    add_vector(out, "client ticks", keys->keys[LS_ROLE_CLIENT][LS_CHANNEL_TICKS], 32);
    add_vector(out, "client control", keys->keys[LS_ROLE_CLIENT][LS_CHANNEL_CONTROL], 32);
    add_vector(out, "server carrier", f->client.carrier.keys[LS_ROLE_SERVER], 16);
    add_vector(out, "client carrier", f->client.carrier.keys[LS_ROLE_CLIENT], 16);
    ls_plain plain;
    ls_confirm_encode(&plain);
    ls_packet packet = seal(&e, &plain, storage);
    add_vector(out, "CONFIRM packet", packet.data, packet.bytes);
    ls_snapshot_request_encode(&(ls_snapshot_request){.bytes = LS_CLIENT_RANGE_BYTES}, &plain);
    packet = seal(&e, &plain, storage);
    add_vector(out, "SNAPSHOT_REQUEST packet", packet.data, packet.bytes);
    uint8_t datagram[CONNECT_BYTES + LS_PACKET_BYTES_MAX];
    make_connect(&f->client.carrier, datagram);
    add_vector(out, "CONNECT datagram", datagram, CONNECT_BYTES);
    add_vector(out, "ticks datagram", datagram, make_ticks(&f->client.carrier, &packet, datagram));
    uint8_t asked[LS_PATH_BYTES], answer[LS_PATH_BYTES];
    make_path(&f->client.carrier, asked, answer);
    add_vector(out, "CHALLENGE", asked, sizeof asked);
    add_vector(out, "RESPONSE", answer, sizeof answer);
}

/* The page's block ```vectors is equal to the output of write_vectors(). */
TEST(test_protocol_handshake_shows_the_real_vectors)
{
    FILE *real = tmpfile(), *page = open_page();
    assert_non_null(real);
    write_vectors(real);
    rewind(real);
    char line[PAGE_LINE_BYTES], wanted[PAGE_LINE_BYTES];
    while (fgets(line, sizeof line, page) && strncmp(line, "```vectors", 10) != 0)
        continue;
    while (fgets(wanted, sizeof wanted, real)) {
        assert_non_null(fgets(line, sizeof line, page));
        assert_string_equal(line, wanted);
    }
    assert_non_null(fgets(line, sizeof line, page));
    assert_string_equal(line, "```\n");
    fclose(page);
    fclose(real);
}

int main(int argc, char **argv)
{
    /* With any argument, prints the vectors, to update the page. */
    if (argc == 2) {
        write_vectors(stdout);
        return 0;
    }
    return test_main(1, argv);
}
