/* A client limits the ticks a second, the seats and the memory that a server chooses. */
#include "puppet_server.h"
#include "tests/support/test.h"
#include <lockstep/lockstep.h>
#include <lockstep/session_limits.h>

/* A world of some 250 KiB in which each tick writes every page. */
enum { BRICKS = 2000 };

LS_COMPONENT(brick, U64_ARRAY(weights, 16));
LS_COMPONENTS(components, brick);
LS_TERMS(building, OTHERS_STRUCTURE(brick));
LS_TERMS(weighing, WRITES(brick));

static void build(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, building);
    for (uint32_t i = 0; i < BRICKS; i++)
        LS_ATTACH(context, brick, ls_spawn(context, 0), .weights = {i});
}

static void weigh(ls_context *context, const ls_span *span)
{
    LS_USES(context, weighing);
    brick *bricks = LS_WRITE_SPAN(context, brick, span);
    for (uint32_t i = 0; i < span->count; i++)
        bricks[i].weights[1]++;
}

static const ls_system setup = {
    .name = "build", .mode = LS_SEQUENTIAL, .match = build, .lanes = "world", .terms = building};
static const ls_system systems[] = {
    {.name = "weigh", .mode = LS_CONCURRENT, .span = weigh, .terms = weighing}};
static const ls_sim brick_sim = {.abi = LS_SIM_ABI,
                                 .name = "bricks",
                                 .version = "1",
                                 .tick_rate = 60,
                                 .player_count = 2,
                                 .components = components,
                                 .component_count = LS_COUNT_OF(components),
                                 .systems = systems,
                                 .system_count = LS_COUNT_OF(systems),
                                 .setup = &setup};

static puppet_server *meet(const ls_client_config *config)
{
    puppet_server *server = puppet_server_create_of(&brick_sim);
    puppet_server_join(server, config);
    puppet_server_run(server, 100 * MS);
    return server;
}

static void expect_refused(const ls_client_config *config, const char *says)
{
    puppet_server *server = meet(config);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    if (!strstr(ls_client_reason(server->client), says))
        fail_msg("%s", ls_client_reason(server->client));
    assert_null(ls_client_world(server->client));
    puppet_server_destroy(server);
}

TEST(test_playback_refuses_too_many_ticks_a_second)
{
    ls_client_config config = ls_client_config_default();
    puppet_server *server = puppet_server_create();
    uint32_t rate = server->match.tick_rate;
    puppet_server_destroy(server);
    char says[96];
    snprintf(says, sizeof says, "it has %u ticks a second, more than the %u that are allowed", rate,
             rate - 1);
    config.tick_rate_max = rate - 1;
    expect_refused(&config, says);
    config.is_light = true;
    expect_refused(&config, says);
    config.tick_rate_max = rate;
    server = meet(&config);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    puppet_server_destroy(server);
}

TEST(test_playback_refuses_too_many_seats)
{
    ls_client_config config = ls_client_config_default();
    config.players_max = 1;
    expect_refused(&config, "seats, more than the 1 that are allowed");
}

/* The client ends, and tells the server why. */
static void expect_failed(puppet_server *server, ls_client_state state, const char *says)
{
    assert_int_equal(ls_client_get_state(server->client), state);
    if (!strstr(ls_client_reason(server->client), says))
        fail_msg("%s", ls_client_reason(server->client));
    puppet_server_run(server, 50 * MS);
    assert_true(server->has_bye);
    assert_string_equal(ls_bye_failure(&server->bye), ls_client_reason(server->client));
    puppet_server_destroy(server);
}

/* A size that is announced counts before memory is taken for it. */
TEST(test_playback_refuses_a_snapshot_over_its_memory)
{
    for (uint32_t is_packed = 0; is_packed < 2; is_packed++) {
        ls_client_config config = ls_client_config_default();
        config.memory_max = 1 << 20;
        puppet_server *server = meet(&config);
        const uint8_t data[LS_CHUNK_BYTES_MAX] = {0};
        ls_plain plain;
        ls_snapshot_chunk chunk = {.tick = 7,
                                   .total_bytes = is_packed ? 1 << 20 : 1024,
                                   .raw_bytes = is_packed ? 1024 : 1 << 20,
                                   .bytes = sizeof data,
                                   .data = data};
        ls_snapshot_chunk_encode(&chunk, &plain);
        puppet_server_say(server, &plain);
        puppet_server_run(server, 20 * MS);
        expect_failed(server, LS_CLIENT_LOST,
                      "more memory than the 1048576 bytes that are allowed");
    }
}

static void reload(puppet_server *server)
{
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .text = "you differ"}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_load(server);
}

/* The memory that a client needs to load a world, and to replace that by the same. */
typedef struct needs {
    size_t load, replace;
} needs;

static needs measure(void)
{
    ls_client_config config = ls_client_config_default();
    config.evidence_ms = 0;
    puppet_server *server = meet(&config);
    puppet_server_load(server);
    size_t raw_bytes = puppet_server_stats(server).snapshot_bytes;
    needs found = {.load = ls_world_memory(ls_client_world(server->client)) + raw_bytes};
    reload(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    found.replace = ls_world_memory(ls_client_world(server->client)) + raw_bytes;
    puppet_server_destroy(server);
    return found;
}

/* A snapshot of few bytes may unfold into a large world. */
TEST(test_playback_refuses_a_world_over_its_memory)
{
    ls_client_config config = ls_client_config_default();
    char says[96];
    config.memory_max = measure().load - 1;
    snprintf(says, sizeof says, "its world takes more memory than the %llu bytes that are allowed",
             (unsigned long long)config.memory_max);
    puppet_server *server = meet(&config);
    puppet_server_load(server);
    expect_failed(server, LS_CLIENT_LOST, says);
}

/* The world that a snapshot replaces counts until the new one is complete. */
TEST(test_playback_refuses_to_replace_a_world_over_its_memory)
{
    needs of = measure();
    assert_true(of.replace > of.load);
    for (uint32_t is_enough = 0; is_enough < 2; is_enough++) {
        ls_client_config config = ls_client_config_default();
        config.memory_max = of.replace - 1 + is_enough;
        config.evidence_ms = 0;
        puppet_server *server = meet(&config);
        puppet_server_load(server);
        assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
        reload(server);
        if (!is_enough) {
            expect_failed(server, LS_CLIENT_LOST, "its world takes more memory than the ");
            continue;
        }
        assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
        puppet_server_destroy(server);
    }
}

/* Each kept state has pages of its own. */
TEST(test_playback_ends_when_the_world_outgrows_its_memory)
{
    ls_client_config config = ls_client_config_default();
    config.memory_max = measure().load;
    config.evidence_ms = 1000;
    puppet_server *server = meet(&config);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    for (uint32_t i = 0; i < 60 && !ls_client_is_final(server->client); i++) {
        puppet_server_tick(server, i, 1, false, 0);
        puppet_server_run(server, 20 * MS);
    }
    expect_failed(server, LS_CLIENT_FAILED, "the world has grown to ");
}

TEST(test_playback_has_no_limit_of_its_own_below_the_wire)
{
    ls_client_config config = ls_client_config_default();
    assert_int_equal(config.memory_max, LS_CLIENT_MEMORY_MAX);
    assert_true(config.memory_max >= 2 * (uint64_t)LS_SNAPSHOT_BYTES_MAX);
    assert_int_equal(config.tick_rate_max, LS_TICK_RATE_MAX);
    assert_int_equal(config.players_max, LS_PLAYERS_MAX);
}
