/* docs/protocol.md against the program: its layout tables decode real messages, its numbers are the
 * constants, its vectors are computed anew. So page and program cannot part. */
#include "handshake_fixture.h"

#include "client/client_limits.h"
#include "proto/handshake_internal.h"
#include "proto/message.h"
#include "server/server_limits.h"

enum { PAGE_LINE_BYTES = 512, VECTOR_LINE = 32 };

/* What a row must turn out to be: bytes, a text with its length, else a number or zeros. */
typedef struct expected {
    const char *name;
    uint64_t number;
    const uint8_t *bytes;
    const char *text;
} expected;
#define NUMBER(name_, number_)                                                                     \
    {                                                                                              \
        .name = (name_), .number = (number_)                                                       \
    }
#define BYTES(name_, bytes_)                                                                       \
    {                                                                                              \
        .name = (name_), .bytes = (const uint8_t *)(bytes_)                                        \
    }
#define TEXT(name_, text_)                                                                         \
    {                                                                                              \
        .name = (name_), .text = (text_)                                                           \
    }

typedef struct layout {
    const char *heading;
    const uint8_t *data;
    size_t bytes;
} layout;

static FILE *open_page(void)
{
    FILE *page = fopen(LS_PROTOCOL_PAGE, "r");
    assert_non_null(page);
    return page;
}

/* Moves behind the line `### heading`. */
static void find_heading(FILE *page, const char *heading)
{
    char line[PAGE_LINE_BYTES], wanted[80];
    snprintf(wanted, sizeof wanted, "### %s\n", heading);
    while (fgets(line, sizeof line, page))
        if (strcmp(line, wanted) == 0)
            return;
    fail_msg("docs/protocol.md has no heading \"%s\"", heading);
}

typedef struct row {
    char offset[8], bytes[8], name[40];
} row;

/* The next row `| offset | bytes | `name` |` below the heading; false when there is no more. */
static bool next_row(FILE *page, row *found)
{
    char line[PAGE_LINE_BYTES];
    while (fgets(line, sizeof line, page) && line[0] != '#')
        if (sscanf(line, "| %7[^ |] | %7[^ |] | `%39[^`]`", found->offset, found->bytes,
                   found->name) == 3)
            return true;
    return false;
}

/* How many bytes a row covers at `at`. */
static size_t row_bytes(const layout *message, const row *found, size_t at)
{
    if (strcmp(found->bytes, "rest") == 0)
        return message->bytes - at;
    if (strcmp(found->bytes, "1+n") == 0)
        return 1 + (size_t)message->data[at];
    return strtoul(found->bytes, NULL, 10);
}

static bool is_expected(const expected *value, const uint8_t *data, size_t bytes)
{
    if (value->text)
        return bytes == 1 + strlen(value->text) && memcmp(data + 1, value->text, bytes - 1) == 0;
    if (value->bytes)
        return memcmp(data, value->bytes, bytes) == 0;
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (i < 8 ? (uint8_t)(value->number >> (8 * i)) : 0))
            return false;
    return true;
}

/* Decodes a message by the page's table alone: names, places, sizes and values, up to its end. */
static void check_layout(const layout *message, const expected *values, size_t count)
{
    FILE *page = open_page();
    find_heading(page, message->heading);
    size_t at = 0, rows = 0;
    for (row found; next_row(page, &found); rows++) {
        size_t bytes = row_bytes(message, &found, at);
        bool is_placed = strcmp(found.offset, "..") == 0 || strtoul(found.offset, NULL, 10) == at;
        if (rows == count || strcmp(found.name, values[rows].name) != 0 || !is_placed ||
            bytes > message->bytes - at || !is_expected(&values[rows], message->data + at, bytes))
            fail_msg("docs/protocol.md, %s: row `%s` does not fit byte %zu", message->heading,
                     found.name, at);
        at += bytes;
    }
    fclose(page);
    assert_int_equal(rows, count);
    assert_int_equal(at, message->bytes);
}
#define CHECK(heading_, data_, bytes_, ...)                                                        \
    check_layout(&(layout){.heading = (heading_), .data = (data_), .bytes = (bytes_)},             \
                 (const expected[]){__VA_ARGS__},                                                  \
                 sizeof((const expected[]){__VA_ARGS__}) / sizeof(expected))

/* Each draw is one byte repeated, and the next draw's is one more. */
static void fill_step(void *context, void *bytes, size_t count)
{
    memset(bytes, (*(uint8_t *)context)++, count);
}

/* The handshake of the page's vectors, up to the ACCEPT. */
typedef struct example {
    uint8_t identity_draw, server_draw, client_draw;
    fixture f;
    ls_handshake_state after_cookie, after_auth;
    uint8_t old_secret[LS_RESUME_BYTES];
} example;

static void run_example(example *e)
{
    *e = (example){.identity_draw = 0x01, .server_draw = 0x11, .client_draw = 0x21};
    fixture *f = &e->f;
    fixture_setup(f);
    ls_identity_init(&f->identity, &(ls_entropy){.fill = fill_step, .context = &e->identity_draw});
    f->server_entropy = (ls_entropy){.fill = fill_step, .context = &e->server_draw};
    f->client_entropy = (ls_entropy){.fill = fill_step, .context = &e->client_draw};
    memset(e->old_secret, 0x31, sizeof e->old_secret);
    f->client_config.resume_secret = e->old_secret;
    f->now_ns = 7 * LS_COOKIE_BUCKET_NS;
    f->granted.match.option_count = 1;
    f->granted.match.options[0] = -2;
    fixture_reach_auth(f);
    e->after_cookie = f->client.state;
    assert_int_equal(fixture_serve_auth(f), LS_OK);
    e->after_auth = f->auth.state;
    fixture_send_accept(f);
    assert_int_equal(fixture_take_accept(f), LS_OK);
}

static void test_protocol_page_lays_out_the_first_flight(void **state)
{
    (void)state;
    example e;
    run_example(&e);
    const fixture *f = &e.f;
    CHECK("HELLO", f->hello.data, f->hello.bytes, NUMBER("type", LS_HANDSHAKE_HELLO),
          BYTES("magic", LS_HANDSHAKE_MAGIC), NUMBER("protocol version", LS_PROTOCOL_VERSION),
          NUMBER("engine version", 4), BYTES("fingerprint", f->server.local.fingerprint),
          TEXT("simulation", "skirmish 1.2"), NUMBER("token key id", 0),
          BYTES("e_c", f->client.ephemeral_public), NUMBER("padding", 0));
    CHECK("COOKIE", f->cookie.data, f->cookie.bytes, NUMBER("type", LS_HANDSHAKE_COOKIE),
          NUMBER("lowest version", LS_PROTOCOL_VERSION),
          NUMBER("highest version", LS_PROTOCOL_VERSION),
          BYTES("fingerprint", f->server.local.fingerprint), NUMBER("bucket", 7),
          BYTES("cookie", f->client.cookie), BYTES("s", f->server.static_public),
          NUMBER("expiry", f->server.expiry_s), BYTES("identity", f->identity.public_key.bytes),
          BYTES("signature", f->server.signature));
    uint8_t certificate[LS_CERTIFICATE_BYTES];
    ls_handshake_certificate_bytes(f->server.static_public, f->server.expiry_s, certificate);
    CHECK("Certificate", certificate, sizeof certificate, BYTES("label", "certificate\0\0\0\0\0"),
          BYTES("s", f->server.static_public), NUMBER("expiry", f->server.expiry_s));
    fixture_message answer;
    ls_writer reply = fixture_writer(&answer);
    ls_handshake_reject(LS_REJECT_FULL, "all seats are taken", &reply);
    CHECK("REJECT", answer.data, reply.count, NUMBER("type", LS_HANDSHAKE_REJECT),
          NUMBER("code", 3), NUMBER("lowest version", LS_PROTOCOL_VERSION),
          NUMBER("highest version", LS_PROTOCOL_VERSION), TEXT("reason", "all seats are taken"));
}

/* Opens a box; `state` stands behind all that came before the box. */
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
    const uint8_t *box = auth->data + LS_AUTH_HEADER_BYTES;
    CHECK("AUTH", auth->data, auth->bytes, NUMBER("type", LS_HANDSHAKE_AUTH),
          BYTES("e_c", e->f.client.ephemeral_public), BYTES("hello hash", e->f.client.hello_hash),
          NUMBER("bucket", 7), BYTES("cookie", e->f.client.cookie), NUMBER("token bytes", 0),
          BYTES("box", box));
    uint8_t plain[LS_AUTH_BYTES], client_random[32];
    memset(client_random, 0x22, sizeof client_random);
    ls_handshake_state schedule = e->after_cookie;
    ls_handshake_absorb(&schedule, auth->data, LS_AUTH_HEADER_BYTES);
    const layout inside = {.data = box, .bytes = auth->bytes - LS_AUTH_HEADER_BYTES};
    size_t bytes = open_box(&schedule, "auth box", &inside, plain);
    CHECK("AUTH box", plain, bytes, BYTES("client random", client_random),
          NUMBER("flags", LS_HANDSHAKE_BOT), TEXT("name", "Ada"),
          TEXT("build", "clang 14 wasm browser"), NUMBER("has resume", 1),
          BYTES("resume secret", e->old_secret), NUMBER("padding", 0));
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
    CHECK("ACCEPT box", plain, bytes, NUMBER("player", 1), NUMBER("tick", 1234), NUMBER("seed", 9),
          NUMBER("tick rate", 60), NUMBER("seats", 2), NUMBER("options", 1),
          NUMBER("option", (uint64_t)-2), TEXT("build", "gcc 12 x86_64 linux"),
          BYTES("resume secret", e->f.granted.resume_secret));
}

/* The client's first packet on a channel. */
static ls_packet seal(const example *e, const ls_plain *plain, uint8_t bytes[LS_PACKET_BYTES_MAX])
{
    ls_seal fresh;
    ls_packet packet;
    ls_seal_init(&fresh, &e->f.client.keys, LS_ROLE_CLIENT);
    assert_int_equal(ls_seal_close(&fresh, plain, bytes, &packet), LS_OK);
    return packet;
}

static void test_protocol_page_lays_out_the_second_flight(void **state)
{
    (void)state;
    example e;
    run_example(&e);
    check_auth(&e);
    check_accept(&e);
    ls_plain plain;
    ls_confirm_encode(&plain);
    uint8_t bytes[LS_PACKET_BYTES_MAX];
    ls_packet packet = seal(&e, &plain, bytes);
    CHECK("Sealed packet", packet.data, packet.bytes, NUMBER("type", LS_MESSAGE_CONFIRM),
          NUMBER("flags", 0), NUMBER("counter", 0), BYTES("sealed", bytes + 10));
}

static const uint8_t move[2] = {0x07, 0xff};

static void test_protocol_page_lays_out_ticks(void **state)
{
    (void)state;
    const ls_input input = {.player = 1, .kind = LS_INPUT, .bytes = 2, .data = move};
    fixture_message body;
    ls_writer writer = fixture_writer(&body);
    ls_frame_encode(&(ls_frame){.count = 1, .inputs = &input}, &writer);
    CHECK("Frame", body.data, writer.count, NUMBER("count", 1), NUMBER("player", 1),
          NUMBER("kind", 0), NUMBER("bytes", 2), BYTES("data", move));
    /* The newer of the two frames is that one, the older is empty. */
    static const uint8_t both[] = {1, 1, 0, 2, 0, 0x07, 0xff, 0};
    ls_ticks ticks = {.first = 300, .count = 2, .input_ack = 5};
    ticks.bodies[0] = (ls_ticks_body){.data = both, .bytes = 7};
    ticks.bodies[1] = (ls_ticks_body){.data = both + 7, .bytes = 1};
    ls_plain plain;
    assert_true(ls_ticks_encode(&ticks, &plain));
    CHECK("TICKS", plain.data, plain.bytes, NUMBER("first", 300), NUMBER("count", 2),
          NUMBER("input ack", 5), BYTES("frames", both));
}

static void test_protocol_page_lays_out_the_update(void **state)
{
    (void)state;
    ls_update update = {
        .ack = 300, .gap_first = 301, .gap_count = 4, .input_count = 1, .root_count = 1};
    update.inputs[0] = (ls_update_input){.sequence = 6, .tick = 310, .bytes = 2, .data = move};
    update.roots[0] = (ls_update_root){.tick = 300, .root = 0x1122334455667788};
    ls_plain plain;
    assert_true(ls_update_encode(&update, &plain));
    CHECK("UPDATE", plain.data, plain.bytes, NUMBER("ack", 300), NUMBER("gap first", 301),
          NUMBER("gap count", 4), NUMBER("inputs", 1), NUMBER("roots", 1), NUMBER("sequence", 6),
          NUMBER("wish", 310), NUMBER("bytes", 2), BYTES("data", move), NUMBER("tick", 300),
          NUMBER("root", 0x1122334455667788));
}

static void test_protocol_page_lays_out_the_rest(void **state)
{
    (void)state;
    ls_plain plain;
    ls_snapshot_request_encode(&(ls_snapshot_request){.tick = 300, .offset = 1024, .bytes = 2048},
                               &plain);
    CHECK("SNAPSHOT_REQUEST", plain.data, plain.bytes, NUMBER("tick", 300), NUMBER("offset", 1024),
          NUMBER("bytes", 2048));
    const ls_snapshot_chunk chunk = {
        .tick = 300, .total_bytes = 1026, .offset = 1024, .bytes = 2, .data = move};
    ls_snapshot_chunk_encode(&chunk, &plain);
    CHECK("SNAPSHOT_CHUNK", plain.data, plain.bytes, NUMBER("tick", 300),
          NUMBER("total bytes", 1026), NUMBER("offset", 1024), BYTES("data", move));
    ls_notice_encode(
        &(ls_notice){.kind = LS_NOTICE_DESYNC, .tick = 3, .your_root = 1, .server_root = 2},
        &plain);
    CHECK("NOTICE DESYNC", plain.data, plain.bytes, NUMBER("kind", 1), NUMBER("tick", 3),
          NUMBER("your root", 1), NUMBER("server root", 2));
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_END, .tick = 3, .server_root = 2}, &plain);
    CHECK("NOTICE END", plain.data, plain.bytes, NUMBER("kind", 4), NUMBER("tick", 3),
          NUMBER("server root", 2));
    for (uint8_t kind = 2; kind <= 3; kind++) {
        ls_notice_encode(&(ls_notice){.kind = kind, .text = "supper"}, &plain);
        CHECK("NOTICE KICK and GOODBYE", plain.data, plain.bytes, NUMBER("kind", kind),
              TEXT("text", "supper"));
    }
    ls_bye_encode(&(ls_bye){.text = "supper"}, &plain);
    CHECK("BYE", plain.data, plain.bytes, TEXT("text", "supper"));
}

/* Rows "| `NAME` | type | least bytes | most bytes |". */
static void test_protocol_page_states_the_real_messages(void **state)
{
    (void)state;
    enum { ENTRY = 8 * LS_OPTIONS_MAX + LS_BUILD_TEXT_BYTES - 1, WORDS = LS_REASON_BYTES - 1 };
    example e;
    run_example(&e);
    /* That ACCEPT has one option and a build text. */
    uint32_t least_accept = (uint32_t)(e.f.accept.bytes - 8 - strlen(e.f.server.local.build));
    uint32_t cookie = (uint32_t)e.f.cookie.bytes;
    const uint32_t messages[][3] = {
        {LS_HANDSHAKE_HELLO, LS_HELLO_BYTES, LS_HELLO_BYTES},
        {LS_HANDSHAKE_COOKIE, cookie, cookie},
        {LS_HANDSHAKE_AUTH, LS_AUTH_BYTES, LS_AUTH_BYTES},
        {LS_HANDSHAKE_ACCEPT, least_accept, least_accept + ENTRY},
        {LS_HANDSHAKE_REJECT, 7, 7 + WORDS},
        {LS_MESSAGE_CONFIRM, 0, 0},
        {LS_MESSAGE_BYE, 1, 1 + WORDS},
        {LS_MESSAGE_UPDATE, 20, LS_MESSAGE_BYTES_MAX},
        {LS_MESSAGE_SNAPSHOT_REQUEST, 16, 16},
        {LS_MESSAGE_TICKS, 14, LS_MESSAGE_BYTES_MAX},
        {LS_MESSAGE_SNAPSHOT_CHUNK, 17, 16 + LS_CHUNK_BYTES_MAX},
        {LS_MESSAGE_NOTICE, 2, 2 + WORDS},
    };
    char line[PAGE_LINE_BYTES], name[40];
    uint32_t found = 0;
    int shown[3];
    FILE *page = open_page();
    while (fgets(line, sizeof line, page)) {
        if (sscanf(line, "| `%39[A-Z_]` | %i | %i | %i |", name, &shown[0], &shown[1], &shown[2]) !=
            4)
            continue;
        assert_true(found < LS_COUNT_OF(messages));
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(shown[i], messages[found][i]);
        found++;
    }
    fclose(page);
    assert_int_equal(found, LS_COUNT_OF(messages));
}

#define LIMIT(name_)                                                                               \
    {                                                                                              \
#name_, (uint64_t)(name_)                                                                  \
    }
/* In the order of the page, several in a line. */
/* clang-format off */
static const struct { const char *name; uint64_t value; } limits[] = {
    LIMIT(LS_PROTOCOL_VERSION), LIMIT(LS_PORT_DEFAULT), LIMIT(LS_MTU_BYTES),
    LIMIT(LS_PACKET_BYTES_MAX), LIMIT(LS_CONTROL_BYTES_MAX), LIMIT(LS_SEAL_BYTES),
    LIMIT(LS_SEAL_WINDOW), LIMIT(LS_SEAL_MESSAGES_MAX), LIMIT(LS_MESSAGE_BYTES_MAX),
    LIMIT(LS_TICKS_WINDOW), LIMIT(LS_TICKS_MAX), LIMIT(LS_TICKS_BODIES_BYTES_MAX),
    LIMIT(LS_GAP_TICKS_MAX), LIMIT(LS_UPDATE_INPUTS_MAX), LIMIT(LS_UPDATE_ROOTS_MAX),
    LIMIT(LS_CHUNK_BYTES_MAX), LIMIT(LS_SNAPSHOT_BYTES_MAX), LIMIT(LS_SNAPSHOT_REQUEST_BYTES_MAX),
    LIMIT(LS_FRAME_BYTES_MAX), LIMIT(LS_FRAME_INPUTS_MAX), LIMIT(LS_INPUT_BYTES_MAX),
    LIMIT(LS_PLAYERS_MAX), LIMIT(LS_OPTIONS_MAX), LIMIT(LS_TICK_RATE_MAX), LIMIT(LS_HELLO_BYTES),
    LIMIT(LS_COOKIE_BYTES_MAX), LIMIT(LS_AUTH_BYTES), LIMIT(LS_ACCEPT_BYTES_MAX),
    LIMIT(LS_FINGERPRINT_BYTES), LIMIT(LS_RESUME_BYTES), LIMIT(LS_NAME_BYTES),
    LIMIT(LS_SIMULATION_TEXT_BYTES), LIMIT(LS_BUILD_TEXT_BYTES), LIMIT(LS_REASON_BYTES),
    LIMIT(LS_COOKIE_BUCKET_NS), LIMIT(LS_CERTIFICATE_LIFE_S), LIMIT(LS_CLIENT_HANDSHAKE_NS),
    LIMIT(LS_CLIENT_REPEAT_NS), LIMIT(LS_CLIENT_SILENCE_NS), LIMIT(LS_CLIENT_PING_NS),
    LIMIT(LS_CLIENT_UPDATE_NS), LIMIT(LS_CLIENT_GAP_NS), LIMIT(LS_CLIENT_GAP_LOST_NS),
    LIMIT(LS_CLIENT_BEHIND_TICKS), LIMIT(LS_CLIENT_RING_TICKS), LIMIT(LS_CLIENT_INPUT_QUEUE),
    LIMIT(LS_CLIENT_RANGES), LIMIT(LS_CLIENT_RANGE_BYTES), LIMIT(LS_CLIENT_RANGE_NS),
    LIMIT(LS_CLIENT_SNAPSHOT_TRIES), LIMIT(LS_SERVER_HANDSHAKE_NS), LIMIT(LS_SERVER_SILENCE_NS),
    LIMIT(LS_SERVER_HELLOS_MAX), LIMIT(LS_SERVER_AUTHS_PER_S), LIMIT(LS_SERVER_OPENS_FAILED),
    LIMIT(LS_SERVER_MESSAGES_PER_S), LIMIT(LS_SERVER_INPUTS_PER_S), LIMIT(LS_SERVER_FLOOD_NS),
    LIMIT(LS_SERVER_INPUT_QUEUE), LIMIT(LS_SERVER_INPUT_AHEAD), LIMIT(LS_SERVER_RING_TICKS),
    LIMIT(LS_SERVER_ROOTS), LIMIT(LS_SERVER_DESYNC_GRACE_NS), LIMIT(LS_SERVER_SNAPSHOT_TICKS),
    LIMIT(LS_SERVER_GAP_BYTES_PER_S), LIMIT(LS_SERVER_SNAPSHOT_BYTES_PER_S),
    LIMIT(LS_SERVER_SNAPSHOT_BYTES_ALL), LIMIT(LS_SERVER_LINGER_NS),
};
/* clang-format on */

/* Rows "| `LS_NAME` | value |", all of them and in this order. */
static void test_protocol_page_states_the_real_limits(void **state)
{
    (void)state;
    char line[PAGE_LINE_BYTES], name[64];
    unsigned long long value;
    uint32_t found = 0;
    FILE *page = open_page();
    while (fgets(line, sizeof line, page)) {
        if (sscanf(line, "| `LS_%63[A-Z_]` | %llu |", name, &value) != 2)
            continue;
        assert_true(found < LS_COUNT_OF(limits));
        assert_string_equal(name, limits[found].name + strlen("LS_"));
        assert_int_equal(value, limits[found].value);
        found++;
    }
    fclose(page);
    assert_int_equal(found, LS_COUNT_OF(limits));
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
    run_example(&e);
    const fixture *f = &e.f;
    uint8_t hash[32], storage[LS_PACKET_BYTES_MAX];
    ls_handshake_hash(f->authorization.data, f->authorization.bytes, hash);
    add_vector(out, "e_c", f->client.ephemeral_public, 32);
    add_vector(out, "s", f->server.static_public, 32);
    add_vector(out, "identity", f->identity.public_key.bytes, 32);
    add_vector(out, "signature", f->server.signature, 64);
    add_vector(out, "hello hash", f->client.hello_hash, 32);
    add_vector(out, "cookie", f->client.cookie, 32);
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
    ls_plain plain;
    ls_confirm_encode(&plain);
    ls_packet packet = seal(&e, &plain, storage);
    add_vector(out, "CONFIRM packet", packet.data, packet.bytes);
    ls_snapshot_request_encode(&(ls_snapshot_request){.bytes = LS_CLIENT_RANGE_BYTES}, &plain);
    packet = seal(&e, &plain, storage);
    add_vector(out, "SNAPSHOT_REQUEST packet", packet.data, packet.bytes);
}

/* The block ```vectors is, line for line, what write_vectors writes. */
static void test_protocol_page_shows_the_real_vectors(void **state)
{
    (void)state;
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
    (void)argv;
    /* With any argument, writes the vectors, for whoever has to change the page. */
    if (argc == 2) {
        write_vectors(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protocol_page_lays_out_the_first_flight),
        cmocka_unit_test(test_protocol_page_lays_out_the_second_flight),
        cmocka_unit_test(test_protocol_page_lays_out_ticks),
        cmocka_unit_test(test_protocol_page_lays_out_the_update),
        cmocka_unit_test(test_protocol_page_lays_out_the_rest),
        cmocka_unit_test(test_protocol_page_states_the_real_messages),
        cmocka_unit_test(test_protocol_page_states_the_real_limits),
        cmocka_unit_test(test_protocol_page_shows_the_real_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
