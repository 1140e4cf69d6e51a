/* The past states that a client keeps, and its answers to evidence requests. */
#include "puppet_server.h"

#include "core/state/cells.h"
#include "proto/message.h"
#include "tests/support/test.h"
#include <lockstep/evidence_limits.h>

enum { ASKED = 20, RUN = 40 };

/* Begins with a client that has run the ticks up to RUN; the server's own world is at ASKED. */
static puppet_server *begin_with(const ls_client_config *config)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, config);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    puppet_server_tick(server, 0, RUN, false, 0);
    puppet_server_run(server, 50 * MS);
    puppet_server_advance(server, ASKED, false);
    assert_int_equal(ls_client_get_stats(server->client).tick, RUN);
    return server;
}

static int begin(void **state)
{
    *state = begin_with(NULL);
    return 0;
}

static int end(void **state)
{
    puppet_server_destroy(*state);
    return 0;
}

static void ask(puppet_server *server, const ls_evidence_request *request)
{
    ls_plain plain;
    server->evidence_chunks = 0;
    ls_evidence_request_encode(request, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
}

static ls_evidence_columns ask_columns(puppet_server *server, uint64_t tick)
{
    ls_evidence_columns columns;
    ls_reader reader;
    ask(server, &(ls_evidence_request){.tick = tick});
    assert_int_not_equal(server->evidence_chunks, 0);
    ls_reader_init(&reader, server->evidence_body, server->evidence.total_bytes);
    assert_true(ls_evidence_columns_read(&reader, &columns) && ls_reader_done(&reader));
    return columns;
}

static void assert_nothing_there(puppet_server *server, uint64_t tick)
{
    ask(server, &(ls_evidence_request){.tick = tick});
    assert_int_equal(server->evidence_chunks, 1);
    assert_int_equal(server->evidence.total_bytes, 0);
    assert_int_equal(server->evidence.tick, tick);
}

static uint64_t inputs_of(uint64_t first, uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t tick = first; tick < end; tick++) {
        uint8_t body[16];
        ls_writer writer;
        ls_writer_init(&writer, body, sizeof body);
        ls_frame_encode(&(ls_frame){.tick = tick}, &writer);
        sum += ls_evidence_frame_hash(tick, body, (uint32_t)writer.count);
    }
    return sum;
}

TESTS_AROUND(begin, end);

TEST(test_evidence_reply_shows_columns_of_a_past_tick)
{
    puppet_server *server = *state;
    uint64_t hashes[LS_CELLS_COLUMNS_MAX];
    ls_snapshot *ours = ls_world_snapshot(server->world);
    ls_cells_columns(ours, hashes);
    ls_evidence_columns columns = ask_columns(server, ASKED);
    assert_int_equal(server->evidence.tick, ASKED);
    assert_int_equal(columns.root, ls_world_root(server->world));
    assert_int_equal(columns.count, ls_cells_column_count(server->program));
    assert_memory_equal(columns.hashes, hashes, columns.count * sizeof hashes[0]);
    assert_int_equal(columns.threads, 1);
    assert_int_equal(columns.step, 1);
    assert_int_equal(columns.loads, 1);
    assert_int_equal(columns.inputs_first, 0);
    assert_int_equal(columns.inputs, inputs_of(0, ASKED));
    ls_snapshot_destroy(ours);
}

/* The differences that find() got. */
typedef struct findings {
    uint32_t count;
    char place[128]; /* of the last one */
} findings;

static bool find(void *argument, const ls_difference *difference)
{
    findings *found = argument;
    found->count++;
    snprintf(found->place, sizeof found->place, "%s", difference->place);
    return true;
}

static uint32_t differing_column(puppet_server *server, const ls_snapshot *ours)
{
    uint64_t hashes[LS_CELLS_COLUMNS_MAX];
    ls_cells_columns(ours, hashes);
    ls_evidence_columns columns = ask_columns(server, ASKED);
    uint32_t found = 0, count = 0;
    for (uint32_t i = 0; i < columns.count; i++)
        if (columns.hashes[i] != hashes[i]) {
            found = i;
            count++;
        }
    assert_int_equal(count, 1);
    return found;
}

static uint32_t differing_page(puppet_server *server, const ls_snapshot *ours, uint32_t column)
{
    ls_evidence_request request = {.tick = ASKED, .level = LS_EVIDENCE_PAGES, .count = 1};
    request.places[0].column = (uint8_t)column;
    ask(server, &request);
    ls_reader reader;
    ls_evidence_pages pages;
    ls_cells_page mine[4];
    ls_reader_init(&reader, server->evidence_body, server->evidence.total_bytes);
    assert_true(ls_evidence_pages_read(&reader, &pages) && ls_reader_done(&reader));
    assert_int_equal(pages.all, ls_cells_pages(ours, column, mine, 4));
    assert_int_equal(pages.listed, pages.all);
    uint32_t key = 0, count = 0;
    for (uint32_t i = 0; i < pages.all; i++) {
        ls_cells_page theirs = ls_evidence_pages_at(&pages, i);
        assert_int_equal(theirs.key, mine[i].key);
        if (theirs.hash != mine[i].hash) {
            key = theirs.key;
            count++;
        }
    }
    assert_int_equal(count, 1);
    return key;
}

TESTS_AROUND(NULL, NULL);

TEST(test_evidence_reply_three_questions_name_a_flipped_bit)
{
    ls_client_config config = ls_client_config_default();
    config.corrupt_at = ASKED;
    config.corrupt_pick = 77;
    puppet_server *server = begin_with(&config);
    ls_snapshot *ours = ls_world_snapshot(server->world);
    ls_evidence_request request = {.tick = ASKED, .level = LS_EVIDENCE_CELLS, .count = 1};
    uint32_t column = differing_column(server, ours);
    request.places[0] = (ls_evidence_place){(uint8_t)column, differing_page(server, ours, column)};
    ask(server, &request);
    ls_reader reader;
    uint32_t bytes;
    const uint8_t *data;
    ls_reader_init(&reader, server->evidence_body, server->evidence.total_bytes);
    assert_true(ls_evidence_cells_read(&reader, &bytes, &data) && ls_reader_done(&reader));
    ls_cells_claim claim = {column, request.places[0].key, data, bytes};
    findings found = {0};
    uint64_t root;
    ls_error error;
    assert_ok(ls_cells_compare(server->world, ours, &claim, 1, find, &found, &root, &error));
    assert_int_equal(found.count, 1);
    assert_int_equal(root, ask_columns(server, ASKED).root);
    ls_world_flip_bit(server->world, config.corrupt_pick, (char[128]){0}, 128);
    assert_int_equal(root, ls_world_root(server->world));
    ls_snapshot_destroy(ours);
    puppet_server_destroy(server);
}

static void run_on(puppet_server *server, uint64_t from, uint64_t count)
{
    for (uint64_t tick = from; tick < from + count; tick += 20) {
        puppet_server_tick(server, tick, 20, false, 0);
        puppet_server_run(server, 20 * MS);
    }
}

TESTS_AROUND(begin, end);

TEST(test_evidence_reply_expires)
{
    puppet_server *server = *state;
    run_on(server, RUN, 20);
    assert_int_equal(ask_columns(server, ASKED).root, ls_world_root(server->world));
    assert_int_equal(server->evidence.tick, ASKED);
    run_on(server, RUN + 20, 300);
    /* The requested state is pinned. Another state of that time still exists, because states are
     * not removed at once after a burst of ticks. Later the client offers its oldest remaining
     * state. */
    assert_int_equal(ask_columns(server, ASKED).root, ls_world_root(server->world));
    ask_columns(server, ASKED + 1);
    assert_int_equal(server->evidence.tick, ASKED + 1);
    puppet_server_run(server, 900 * MS);
    run_on(server, RUN + 320, 20);
    ask_columns(server, ASKED + 2);
    assert_true(server->evidence.tick > ASKED + 2);
    assert_nothing_there(server, 100000);
}

static void tell_desync(puppet_server *server)
{
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_DESYNC, .tick = ASKED}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
}

/* A notice is repeated until it is acknowledged, so the last one may arrive long after the
 * first. */
TEST(test_evidence_reply_pin_outlives_a_late_notice)
{
    puppet_server *server = *state;
    assert_int_equal(ask_columns(server, ASKED).root, ls_world_root(server->world));
    run_on(server, RUN, 300);
    tell_desync(server);
    assert_int_equal(ask_columns(server, ASKED).root, ls_world_root(server->world));
    assert_int_equal(server->evidence.tick, ASKED);
}

TEST(test_evidence_reply_notice_pins_the_state)
{
    puppet_server *server = *state;
    tell_desync(server);
    run_on(server, RUN, 300);
    assert_int_equal(ask_columns(server, ASKED).root, ls_world_root(server->world));
    assert_int_equal(server->evidence.tick, ASKED);
    assert_int_equal(ask_columns(server, ASKED).inputs, inputs_of(0, ASKED));
    /* The pin expires. */
    for (uint64_t tick = RUN + 300; tick < RUN + 500; tick += 20) {
        puppet_server_run(server, S);
        run_on(server, tick, 20);
    }
    ask_columns(server, ASKED);
    assert_true(server->evidence.tick > ASKED);
}

TEST(test_evidence_reply_survives_a_reload)
{
    puppet_server *server = *state;
    uint64_t root = ask_columns(server, ASKED).root;
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .tick = ASKED}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_stats(server->client).tick, ASKED);
    run_on(server, ASKED, 20);
    assert_int_equal(ask_columns(server, ASKED).root, root);
    /* Frames received before the reload do not count. */
    assert_int_equal(ask_columns(server, ASKED + 5).inputs_first, ASKED);
    assert_int_equal(ask_columns(server, ASKED + 5).inputs, inputs_of(ASKED, ASKED + 5));
}

TEST(test_evidence_reply_answers_within_a_budget)
{
    puppet_server *server = *state;
    ls_plain plain;
    uint64_t dropped = ls_client_get_stats(server->client).packets_dropped;
    ls_evidence_request_encode(&(ls_evidence_request){.tick = ASKED}, &plain);
    for (uint32_t i = 0; i < 100; i++)
        puppet_server_say(server, &plain);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->evidence_chunks, LS_CLIENT_EVIDENCE_ANSWERS);
    assert_int_equal(ls_client_get_stats(server->client).packets_dropped - dropped,
                     100 - LS_CLIENT_EVIDENCE_ANSWERS);
    puppet_server_run(server, S);
    assert_int_equal(ask_columns(server, ASKED).threads, 1);
}

/* Requests for missing pages and cells, and of a state that is not kept. */
TEST(test_evidence_reply_is_empty_without_the_state)
{
    puppet_server *server = *state;
    ls_evidence_request request = {.tick = ASKED, .level = LS_EVIDENCE_CELLS, .count = 2};
    request.places[0] = (ls_evidence_place){0, 99 << 16 | 99};
    request.places[1] = (ls_evidence_place){200, 0};
    ask(server, &request);
    assert_int_equal(server->evidence.total_bytes, 0);
    ask_columns(server, ASKED);
    ask(server, &request);
    assert_int_equal(server->evidence.total_bytes, 8);
    assert_memory_equal(server->evidence_body, ((uint8_t[8]){0}), 8);
    request.level = LS_EVIDENCE_PAGES;
    request.places[0].key = request.places[1].key = 0;
    request.places[0].column = 199;
    ask(server, &request);
    assert_int_equal(server->evidence.total_bytes, 16);
    assert_memory_equal(server->evidence_body, ((uint8_t[16]){0}), 16);
}

TESTS_AROUND(NULL, NULL);

TEST(test_evidence_reply_can_be_off)
{
    ls_client_config config = ls_client_config_default();
    config.evidence_ms = 0;
    puppet_server *server = begin_with(&config);
    assert_nothing_there(server, ASKED);
    puppet_server_destroy(server);
}

TEST(test_evidence_reply_within_a_small_memory)
{
    ls_client_config config = ls_client_config_default();
    config.evidence_bytes = 100;
    puppet_server *server = begin_with(&config);
    assert_nothing_there(server, ASKED);
    puppet_server_destroy(server);
}

TESTS_AROUND(begin, end);

TEST(test_evidence_reply_time_has_a_limit)
{
    puppet_server *server = *state;
    ls_client *client;
    ls_error error;
    ls_client_config config = ls_client_config_default();
    config.program = server->program;
    config.link = server->client_link;
    config.evidence_ms = LS_CLIENT_EVIDENCE_MS_MAX + 1;
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "evidence"));
}
