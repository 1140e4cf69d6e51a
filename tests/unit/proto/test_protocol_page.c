/* Compares docs/protocol.md with the program: its tables decode real messages of a session, and its
 * numbers are the constants. */
#include "protocol_page.h"

#include "proto/evidence_message.h"
#include "proto/handshake_internal.h"
#include "proto/message.h"
#include "proto/notice.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/limits.h>
#include <lockstep/session_limits.h>
#include <lockstep/sim.h>

static const uint8_t move[2] = {0x07, 0xff};

TEST(test_protocol_page_lays_out_ticks)
{
    const ls_input input = {.player = 1, .kind = LS_INPUT, .bytes = 2, .data = move};
    fixture_message body;
    ls_writer writer = fixture_writer(&body);
    ls_frame_encode(&(ls_frame){.count = 1, .inputs = &input}, &writer);
    CHECK("Frame", body.data, writer.count, NUMBER("count", 1), NUMBER("player", 1),
          NUMBER("kind", 0), NUMBER("bytes", 2), BYTES("data", move));
    /* Two frames, newest first: the one above, and an empty one. */
    static const uint8_t both[] = {1, 1, 0, 2, 0, 0x07, 0xff, 0};
    ls_ticks ticks = {.first = 300,
                      .count = 2,
                      .input_ack = 5,
                      .root_ack = 4,
                      .echo_us = 6,
                      .held_us = 7,
                      .slack_us = 8};
    ticks.bodies[0] = (ls_ticks_body){.data = both, .bytes = 7};
    ticks.bodies[1] = (ls_ticks_body){.data = both + 7, .bytes = 1};
    ls_plain plain;
    assert_true(ls_ticks_encode(&ticks, &plain));
    CHECK("TICKS", plain.data, plain.bytes, NUMBER("first", 300), NUMBER("count", 2),
          NUMBER("input ack", 5), NUMBER("root ack", 4), NUMBER("echo", 6), NUMBER("held", 7),
          NUMBER("slack", 8), BYTES("frames", both));
}

TEST(test_protocol_page_lays_out_the_update)
{
    static const uint8_t held[6] = {1, 2, 3, 4, 5, 6};
    ls_update update = {.ack = 300,
                        .gap_first = 301,
                        .gap_count = 4,
                        .stamp_us = 77,
                        .input_count = 1,
                        .root_count = 1,
                        .state_first = 305,
                        .state_count = 2,
                        .state_bytes = 3,
                        .states = held};
    update.inputs[0] = (ls_update_input){.sequence = 6, .tick = 310, .bytes = 2, .data = move};
    update.root_first = 298;
    update.roots[0] = 0x1122334455667788;
    ls_plain plain;
    assert_true(ls_update_encode(&update, &plain));
    CHECK("UPDATE", plain.data, plain.bytes, NUMBER("ack", 300), NUMBER("stamp", 77),
          NUMBER("flags", 15), NUMBER("gap first", 301), NUMBER("gap count", 4),
          NUMBER("orders", 1), NUMBER("sequence", 6), NUMBER("wish", 310), NUMBER("bytes", 2),
          BYTES("data", move), NUMBER("roots", 1), NUMBER("age", 2),
          NUMBER("root", 0x1122334455667788), NUMBER("states", 2), NUMBER("state first", 305),
          BYTES("held", held));
}

TEST(test_protocol_page_lays_out_the_rest)
{
    ls_plain plain;
    ls_snapshot_request_encode(&(ls_snapshot_request){.tick = 300, .offset = 1024, .bytes = 2048},
                               &plain);
    CHECK("SNAPSHOT_REQUEST", plain.data, plain.bytes, NUMBER("tick", 300), NUMBER("offset", 1024),
          NUMBER("bytes", 2048));
    const ls_snapshot_chunk chunk = {.tick = 300,
                                     .total_bytes = 1026,
                                     .raw_bytes = 4000,
                                     .offset = 1024,
                                     .bytes = 2,
                                     .data = move};
    ls_snapshot_chunk_encode(&chunk, &plain);
    CHECK("SNAPSHOT_CHUNK", plain.data, plain.bytes, NUMBER("tick", 300),
          NUMBER("total bytes", 1026), NUMBER("raw bytes", 4000), NUMBER("offset", 1024),
          BYTES("data", move));
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
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .tick = 3, .text = "supper"}, &plain);
    CHECK("NOTICE RELOAD", plain.data, plain.bytes, NUMBER("kind", 5), NUMBER("tick", 3),
          TEXT("text", "supper"));
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_KEPT, .tick = 3}, &plain);
    CHECK("NOTICE KEPT", plain.data, plain.bytes, NUMBER("kind", 6), NUMBER("tick", 3));
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_SAY, .text = "supper"}, &plain);
    CHECK("NOTICE SAY", plain.data, plain.bytes, NUMBER("kind", 7), TEXT("text", "supper"));
    const ls_remote to = {{[10] = 0xff, 0xff, 203, 0, 113, 9, 0x1e, 0x62}};
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_FOLLOW, .to = to}, &plain);
    CHECK("NOTICE FOLLOW", plain.data, plain.bytes, NUMBER("kind", 8), BYTES("address", to.bytes));
    ls_evidence_request request = {
        .tick = 3, .level = LS_EVIDENCE_CELLS, .offset = 1024, .count = 1};
    request.places[0] = (ls_evidence_place){7, 9};
    ls_evidence_request_encode(&request, &plain);
    CHECK("EVIDENCE_REQUEST", plain.data, plain.bytes, NUMBER("tick", 3), NUMBER("level", 2),
          NUMBER("offset", 1024), NUMBER("count", 1), NUMBER("column", 7), NUMBER("page", 9));
    ls_evidence_chunk_encode(&(ls_evidence_chunk){.tick = 3,
                                                  .level = LS_EVIDENCE_PAGES,
                                                  .total_bytes = 1026,
                                                  .offset = 1024,
                                                  .bytes = 2,
                                                  .data = move},
                             &plain);
    CHECK("EVIDENCE", plain.data, plain.bytes, NUMBER("tick", 3), NUMBER("level", 1),
          NUMBER("total bytes", 1026), NUMBER("offset", 1024), BYTES("data", move));
    ls_pause_encode(true, &plain);
    CHECK("PAUSE", plain.data, plain.bytes, NUMBER("wants", 1));
    ls_line_report_encode(&(ls_line_report){5, 6, 7, 8}, &plain);
    CHECK("REPORT", plain.data, plain.bytes, NUMBER("round trip", 5), NUMBER("loss", 6),
          NUMBER("input delay", 7), NUMBER("rollback", 8));
    ls_bye_encode(&(ls_bye){.text = "supper"}, &plain);
    CHECK("BYE", plain.data, plain.bytes, TEXT("text", "supper"));
}

/* Compares rows "| `NAME` | type | least bytes | most bytes |". */
TEST(test_protocol_page_states_the_real_messages)
{
    enum {
        ENTRY = 8 * LS_OPTIONS_MAX + LS_BUILD_TEXT_BYTES - 1 + LS_ROOM_BYTES - 1,
        WORDS = LS_REASON_BYTES - 1,
    };
    fixture f;
    fixture_setup(&f);
    fixture_reach_accept(&f);
    /* The shortest ACCEPT is the fixture's, without its room and build text. */
    uint32_t least_accept =
        (uint32_t)(f.accept.bytes - strlen(f.granted.room) - strlen(f.server.local.build));
    uint32_t cookie = (uint32_t)f.cookie.bytes;
    ls_plain update;
    assert_true(ls_update_encode(&(ls_update){.stamp_us = 1}, &update));
    uint32_t least_ticks = LS_MESSAGE_BYTES_MAX - LS_TICKS_BODIES_BYTES_MAX + 1;
    const uint32_t messages[][3] = {
        {LS_HANDSHAKE_HELLO, LS_HELLO_BYTES, LS_HELLO_BYTES},
        {LS_HANDSHAKE_COOKIE, cookie, cookie},
        {LS_HANDSHAKE_AUTH, LS_AUTH_BYTES, LS_AUTH_BYTES},
        {LS_HANDSHAKE_ACCEPT, least_accept, least_accept + ENTRY + (uint32_t)LS_REMOTE_BYTES},
        {LS_HANDSHAKE_REJECT, 7, 7 + WORDS},
        {LS_MESSAGE_CONFIRM, 0, 0},
        {LS_MESSAGE_BYE, 1, 1 + WORDS},
        {LS_MESSAGE_UPDATE, update.bytes, LS_MESSAGE_BYTES_MAX},
        {LS_MESSAGE_SNAPSHOT_REQUEST, 16, 16},
        {LS_MESSAGE_TICKS, least_ticks, LS_MESSAGE_BYTES_MAX},
        {LS_MESSAGE_SNAPSHOT_CHUNK, 21, 20 + LS_CHUNK_BYTES_MAX},
        {LS_MESSAGE_NOTICE, 2, 10 + WORDS},
        {LS_MESSAGE_PAUSE, 1, 1},
        {LS_MESSAGE_EVIDENCE_REQUEST, 14, 14 + 5 * LS_EVIDENCE_CELLS_MAX},
        {LS_MESSAGE_EVIDENCE, 17, 17 + LS_CHUNK_BYTES_MAX},
        {LS_MESSAGE_REPORT, 10, 10},
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
_Static_assert(LS_CLIENT_INPUTS_KEPT >= LS_CLIENT_INPUT_QUEUE + LS_SERVER_INPUT_QUEUE,
               "what the server took and may throw away can be offered again");
/* In the order of the page, several per line. */
/* clang-format off */
static const struct { const char *name; uint64_t value; } limits[] = {
    LIMIT(LS_PROTOCOL_VERSION), LIMIT(LS_ENGINE_RULES), LIMIT(LS_PORT_DEFAULT), LIMIT(LS_MTU_BYTES),
    LIMIT(LS_DATAGRAM_BYTES_MAX),
    LIMIT(LS_CARRIER_MAC_BYTES), LIMIT(LS_CARRIER_DATAGRAMS_MAX),
    LIMIT(LS_PATH_BYTES), LIMIT(LS_PACKET_BYTES_MAX), LIMIT(LS_SEAL_HEADER_BYTES),
    LIMIT(LS_SEAL_TAG_BYTES), LIMIT(LS_SEAL_BYTES), LIMIT(LS_SEAL_WINDOW),
    LIMIT(LS_SEAL_MESSAGES_MAX), LIMIT(LS_MESSAGE_BYTES_MAX), LIMIT(LS_TICKS_WINDOW),
    LIMIT(LS_CONGESTION_MAX), LIMIT(LS_TICKS_MAX), LIMIT(LS_TICKS_BODIES_BYTES_MAX), LIMIT(LS_GAP_TICKS_MAX),
    LIMIT(LS_UPDATE_INPUTS_MAX), LIMIT(LS_UPDATE_ROOTS_MAX), LIMIT(LS_ROOT_BATCH_MAX),
    LIMIT(LS_UPDATE_STATES_MAX),
    LIMIT(LS_CHUNK_BYTES_MAX), LIMIT(LS_SNAPSHOT_BLOCK_BYTES), LIMIT(LS_SNAPSHOT_BYTES_MAX), LIMIT(LS_SNAPSHOT_REQUEST_BYTES_MAX),
    LIMIT(LS_FRAME_BYTES_MAX), LIMIT(LS_FRAME_INPUTS_MAX), LIMIT(LS_INPUT_BYTES_MAX),
    LIMIT(LS_STATE_BYTES_MAX), LIMIT(LS_PLAYERS_MAX), LIMIT(LS_OPTIONS_MAX),
    LIMIT(LS_TICK_RATE_MAX), LIMIT(LS_NAME_BYTES), LIMIT(LS_SIMULATION_TEXT_BYTES),
    LIMIT(LS_BUILD_TEXT_BYTES), LIMIT(LS_REASON_BYTES), LIMIT(LS_CLIENT_ID_BYTES),
    LIMIT(LS_ROOM_BYTES), LIMIT(LS_PASSWORD_BYTES), LIMIT(LS_HELLO_BYTES),
    LIMIT(LS_COOKIE_BYTES_MAX), LIMIT(LS_AUTH_BYTES), LIMIT(LS_ACCEPT_BYTES_MAX),
    LIMIT(LS_FINGERPRINT_BYTES), LIMIT(LS_RESUME_BYTES), LIMIT(LS_COOKIE_BUCKET_NS),
    LIMIT(LS_CERTIFICATE_LIFE_S), LIMIT(LS_TOKEN_BYTES), LIMIT(LS_TOKEN_ADDRESSES_MAX),
    LIMIT(LS_TOKEN_LIFE_S_MAX), LIMIT(LS_SERVER_HELLOS_PER_S),
    LIMIT(LS_SERVER_HELLOS_PER_NETWORK_S), LIMIT(LS_SERVER_BUCKETS), LIMIT(LS_SERVER_AUTHS_PER_S),
    LIMIT(LS_SERVER_AUTHS_PER_HOST_S), LIMIT(LS_SERVER_AUTHS_PER_HOST), LIMIT(LS_SERVER_PENDING),
    LIMIT(LS_LINK_PEERS_MAX), LIMIT(LS_LINK_ADMISSIONS_MAX), LIMIT(LS_LINK_QUEUE_MAX),
    LIMIT(LS_LINK_CLIENT_QUEUE_MAX), LIMIT(LS_LINK_COMMANDS_PER_S),
    LIMIT(LS_LINK_PATH_NS), LIMIT(LS_LINK_PATH_AGAIN_NS), LIMIT(LS_LINK_PATH_COOLDOWN_NS),
    LIMIT(LS_SERVER_HANDSHAKE_NS), LIMIT(LS_SERVER_HANDSHAKE_MAX_NS), LIMIT(LS_SERVER_JUDGE_AGAIN_NS), LIMIT(LS_SERVER_AUTHS_PER_STEP), LIMIT(LS_SERVER_USED_TOKENS), LIMIT(LS_SERVER_SPENT_KEYS),
    LIMIT(LS_SERVER_ROOMS_MAX), LIMIT(LS_SERVER_BUSY_NS), LIMIT(LS_SERVER_LAG_NS),
    LIMIT(LS_SERVER_UNUSED_NS), LIMIT(LS_SERVER_CATCH_UP_TICKS), LIMIT(LS_SERVER_SPECTATOR_NS),
    LIMIT(LS_SERVER_RESEND_NS),
    LIMIT(LS_SERVER_RESEND_MAX_NS),
    LIMIT(LS_SERVER_EXPIRY_INTERVAL_NS), LIMIT(LS_SERVER_IDLE_STEP_NS), LIMIT(LS_SERVER_PAUSES),
    LIMIT(LS_SERVER_LINGER_NS), LIMIT(LS_SERVER_FAREWELL_NS), LIMIT(LS_SERVER_CLOSING_NS),
    LIMIT(LS_SERVER_SILENCE_NS), LIMIT(LS_SERVER_HOLD_NS), LIMIT(LS_SERVER_OPENS_FAILED), LIMIT(LS_SERVER_MESSAGES_PER_S),
    LIMIT(LS_SERVER_INPUTS_PER_S), LIMIT(LS_SERVER_FLOOD_NS), LIMIT(LS_SERVER_INPUT_QUEUE),
    LIMIT(LS_SERVER_INPUT_BYTES), LIMIT(LS_SERVER_INPUT_AHEAD), LIMIT(LS_SERVER_STATES),
    LIMIT(LS_SERVER_RING_TICKS), LIMIT(LS_SERVER_RING_NS), LIMIT(LS_SERVER_RING_BYTES), LIMIT(LS_SERVER_ROOTS), LIMIT(LS_SERVER_REPORTS_HELD),
    LIMIT(LS_SERVER_DESYNC_GRACE_NS), LIMIT(LS_SERVER_RELOAD_NS), LIMIT(LS_SERVER_SNAPSHOTS),
    LIMIT(LS_SERVER_SNAPSHOT_KEEP_NS), LIMIT(LS_SERVER_SNAPSHOT_LIFE_NS),
    LIMIT(LS_SERVER_SNAPSHOT_AGE_MS), LIMIT(LS_SERVER_GAP_BYTES_PER_S),
    LIMIT(LS_SERVER_GAP_BYTES_BURST), LIMIT(LS_SERVER_GAP_BYTES_ALL), LIMIT(LS_SERVER_GAP_PACKET_BYTES),
    LIMIT(LS_SERVER_SNAPSHOT_BYTES_PER_S), LIMIT(LS_SERVER_SNAPSHOT_BYTES_ALL),
    LIMIT(LS_SERVER_LOG_LINES_PER_S), LIMIT(LS_SERVER_LOG_BURST), LIMIT(LS_SERVER_LOG_BYTES),
    LIMIT(LS_CLIENT_HANDSHAKE_NS), LIMIT(LS_CLIENT_REPEAT_NS), LIMIT(LS_CLIENT_REPEAT_MAX_NS),
    LIMIT(LS_CLIENT_AUTH_TRIES), LIMIT(LS_CLIENT_COOKIES), LIMIT(LS_CLIENT_AUTHS_PER_S), LIMIT(LS_CLIENT_CARRIER_NS), LIMIT(LS_CLIENT_REJECT_NS),
    LIMIT(LS_CLIENT_PING_NS), LIMIT(LS_CLIENT_PING_AGAIN_NS), LIMIT(LS_CLIENT_RESUME_NS),
    LIMIT(LS_CLIENT_RESUME_TIMEOUT_NS), LIMIT(LS_CLIENT_SILENCE_NS), LIMIT(LS_CLIENT_RING_TICKS),
    LIMIT(LS_CLIENT_BEHIND_TICKS), LIMIT(LS_CLIENT_BEHIND_NS), LIMIT(LS_CLIENT_STEP_TICKS), LIMIT(LS_CLIENT_GAP_NS),
    LIMIT(LS_CLIENT_GAP_LOST_NS), LIMIT(LS_CLIENT_UPDATE_MIN_NS), LIMIT(LS_CLIENT_UPDATE_NS),
    LIMIT(LS_CLIENT_UPDATE_MAX_NS), LIMIT(LS_CLIENT_SPECTATOR_NS), LIMIT(LS_CLIENT_REPORT_NS), LIMIT(LS_CLIENT_ROOT_NS),
    LIMIT(LS_CLIENT_INPUTS_NS), LIMIT(LS_CLIENT_INPUT_QUEUE), LIMIT(LS_CLIENT_INPUTS_KEPT),
    LIMIT(LS_CLIENT_STATE_AHEAD), LIMIT(LS_CLIENT_STATES), LIMIT(LS_CLIENT_HEAD_NS),
    LIMIT(LS_CLIENT_INPUT_DELAY_MAX), LIMIT(LS_CLIENT_LOSS_PACKETS), LIMIT(LS_CLIENT_RTT_MAX_NS),
    LIMIT(LS_CLIENT_WINDOW_MAX_BYTES), LIMIT(LS_CLIENT_RANGE_BYTES),
    LIMIT(LS_CLIENT_RANGE_NS), LIMIT(LS_CLIENT_RANGE_QUICK_NS), LIMIT(LS_CLIENT_SNAPSHOT_TRIES),
    LIMIT(LS_CLIENT_PREDICT_TICKS), LIMIT(LS_CLIENT_AHEAD_NS), LIMIT(LS_CLIENT_PREDICT_INPUT_TICKS),
    LIMIT(LS_CLIENT_EVENT_TICKS), LIMIT(LS_CLIENT_EVENTS), LIMIT(LS_CLIENT_EVENT_BYTES),
    LIMIT(LS_EVIDENCE_ANSWER_BYTES_MAX), LIMIT(LS_EVIDENCE_COLUMNS_MAX),
    LIMIT(LS_EVIDENCE_CELLS_MAX), LIMIT(LS_EVIDENCE_INPUT_TICKS), LIMIT(LS_SERVER_EVIDENCE_MS),
    LIMIT(LS_SERVER_EVIDENCE_MS_MAX), LIMIT(LS_SERVER_EVIDENCE_BYTES), LIMIT(LS_SERVER_EVIDENCE_STATE_NS), LIMIT(LS_SERVER_EVIDENCE_NS),
    LIMIT(LS_SERVER_EVIDENCE_RESEND_NS), LIMIT(LS_SERVER_INQUIRIES),
    LIMIT(LS_SERVER_INQUIRIES_OPEN), LIMIT(LS_SERVER_EVIDENCE_FILES),
    LIMIT(LS_SERVER_EVIDENCE_FILE_BYTES), LIMIT(LS_SERVER_EVIDENCE_DISK_BYTES),
    LIMIT(LS_CLIENT_EVIDENCE_MS),
    LIMIT(LS_CLIENT_EVIDENCE_MS_MAX), LIMIT(LS_CLIENT_EVIDENCE_BYTES),
    LIMIT(LS_CLIENT_EVIDENCE_PIN_NS), LIMIT(LS_CLIENT_EVIDENCE_ANSWERS),
    LIMIT(LS_CLIENT_EVIDENCE_FRAMES),
    LIMIT(LS_SERVER_MUTE_NS), LIMIT(LS_SERVER_LOAD_NS), LIMIT(LS_SERVER_PAUSE_NS), LIMIT(LS_SERVER_ROOMS_PER_HOST_MIN),
    LIMIT(LS_SERVER_ROOMS_PER_HOST), LIMIT(LS_SERVER_UNCONFIRMED_PART),
    LIMIT(LS_SERVER_UNCONFIRMED_MIN), LIMIT(LS_SERVER_SPECTATORS_PART),
    LIMIT(LS_SERVER_LOADS_AT_ONCE), LIMIT(LS_SERVER_LOAD_PACE_NS), LIMIT(LS_SERVER_LOADS), LIMIT(LS_SERVER_LOAD_AGAIN_NS),
    LIMIT(LS_SERVER_LOG_LINES_PER_HOST_S), LIMIT(LS_SERVER_LOG_LINES_PER_HOST),
    LIMIT(LS_SERVER_LOADS_PER_HOST), LIMIT(LS_SERVER_LOADS_PER_HOST_MIN),
    LIMIT(LS_SERVER_LOAD_BYTES_MIN), LIMIT(LS_SERVER_SNAPSHOT_BYTES_PER_HOST_S),
    LIMIT(LS_SERVER_EGRESS_MIN), LIMIT(LS_SERVER_EGRESS_PACKET_BYTES),
    LIMIT(LS_SERVER_KEEP_SEATS_S_MAX), LIMIT(LS_SERVER_TAKEOVER_KEEP_NS),
    LIMIT(LS_SERVER_TAKEOVER_WAIT_NS), LIMIT(LS_SERVER_FORWARD_NS), LIMIT(LS_CLIENT_FOLLOWS), LIMIT(LS_CLIENT_MEMORY_MAX),
};
/* clang-format on */

/* Compares rows "| `LS_NAME` | value |": all of them, in this order. */
TEST(test_protocol_page_states_the_real_limits)
{
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

static bool is_listed(const char *name)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(limits); i++)
        if (strcmp(limits[i].name, name) == 0)
            return true;
    return false;
}

static uint32_t count_limits(const char *path)
{
    char line[PAGE_LINE_BYTES], name[64], value[2];
    uint32_t found = 0;
    FILE *header = fopen(path, "r");
    assert_non_null(header);
    while (fgets(line, sizeof line, header)) {
        if (sscanf(line, "#define %63[A-Z_] %1[^\n]", name, value) != 2 ||
            strcmp(name, "LS_SECOND_NS") == 0) /* a unit, not a limit */
            continue;
        found++;
        if (!is_listed(name))
            fail_msg("%s is not on the page", name);
    }
    fclose(header);
    return found;
}

/* A new limit in a header must be added to the list above, and thus to the page. */
TEST(test_protocol_page_knows_every_limit)
{
    uint32_t evidence = count_limits(LS_EVIDENCE_LIMITS_HEADER);
    uint32_t session = count_limits(LS_SESSION_LIMITS_HEADER);
    assert_true(evidence >= 20 && session >= 2);
    assert_in_range(evidence + session + count_limits(LS_LIMITS_HEADER), 135, LS_COUNT_OF(limits));
}
