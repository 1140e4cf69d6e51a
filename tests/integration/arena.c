#include "arena.h"

#include "tally_sim.h"

#include "tests/support/seeded_entropy.h"
#include <lockstep/root_ring.h>

const ls_impairment_conditions arena_lan = {.delay_ns = 5 * MS};
const ls_impairment_conditions arena_lossy = {.delay_ns = 40 * MS,
                                              .jitter_ns = 10 * MS,
                                              .loss = 100000,
                                              .duplicate = 50000,
                                              .reorder = 50000,
                                              .reorder_delay_ns = 60 * MS};

static void keep_log(void *context, const char *line)
{
    arena *room = context;
    int written =
        snprintf(room->log + room->log_bytes, sizeof room->log - room->log_bytes, "%s\n", line);
    assert_true(room->log_bytes + (size_t)written < sizeof room->log);
    room->log_bytes += (size_t)written;
}

static ls_program *make_program(const ls_sim *sim)
{
    ls_program *program = NULL;
    ls_error error = {""};
    if (ls_program_create(sim, &program, &error) != LS_OK)
        fail_msg("%s", error.text);
    return program;
}

static void room_ended(void *context, ls_room *ended)
{
    arena *room = context;
    if (ended != room->room)
        return;
    room->final_stats = ls_room_get_stats(ended);
    if (room->final_stats.is_lost || room->final_stats.is_cut_off) {
        room->room = NULL;
        return; /* the world is lost with the room */
    }
    ls_snapshot *snapshot = ls_world_snapshot(ls_room_world(ended));
    uint8_t *bytes = NULL;
    size_t count = 0;
    ls_snapshot_encode(snapshot, &bytes, &count);
    ls_snapshot_destroy(snapshot);
    const ls_match *match = ls_world_match(ls_room_world(ended));
    assert_ok(ls_world_create(room->program, match, &room->final_world, NULL));
    assert_ok(ls_world_decode(room->final_world, bytes, count, NULL));
    if (room->final_stats.ended_by != LS_CLOSING_FAILED)
        assert_int_equal(ls_world_root(room->final_world), ls_room_final_root(ended));
    ls_free(bytes);
    room->room = NULL;
}

static void start(arena *room, const arena_config *config)
{
    ls_error error = {""};
    ls_server_config server = ls_server_config_default();
    server.program = room->program;
    server.link = room->link;
    server.identity = &room->identity;
    /* The keyed hash of hosts and networks repeats with the seed: no test meets a collision that
     * the next run has not. */
    room->secrets = config->seed;
    const ls_entropy entropy = test_entropy(&room->secrets);
    server.entropy = &entropy;
    server.log = keep_log;
    server.log_context = room;
    server.unix_s = 1700000000;
    server.room_ended = room_ended;
    server.room_context = room;
    ls_sink sink = ls_memory_sink_open(&room->recording);
    ls_room_config own = ls_room_config_default();
    own.name = "arena";
    own.match = ls_program_match(room->program, config->seed);
    own.match.player_count = config->players ? config->players : 4;
    own.match.tick_rate = config->tick_rate ? config->tick_rate : 60;
    own.sink = &sink;
    own.wait_players = config->wait_players ? config->wait_players : 1;
    own.ticks_max = config->ticks_max;
    own.end_when_empty = config->end_when_empty;
    own.policy = config->policy;
    own.desync = config->desync;
    own.players_may_pause = config->players_may_pause;
    if (config->prepare)
        config->prepare(config->context, &server, &own);
    if (ls_server_create(&server, &room->server, &error) != LS_OK)
        fail_msg("%s", error.text);
    if (ls_server_open_room(room->server, &own, &room->room, &error) != LS_OK)
        fail_msg("%s", error.text);
}

arena *arena_create(const arena_config *config)
{
    arena *room = ls_alloc(sizeof *room);
    room->now_ns = 1000 * MS;
    room->network = ls_network_create(config->seed, &config->conditions);
    room->program = make_program(config->sim ? config->sim : &tally_sim);
    room->other_program = make_program(&tally_other_sim);
    ls_identity_init(&room->identity, NULL);
    ls_memory_sink_init(&room->recording);
    room->link = ls_network_listen(room->network, 64);
    start(room, config);
    return room;
}

void arena_destroy(arena *room)
{
    for (uint32_t i = 0; i < room->client_count; i++)
        if (!room->clients[i].is_dead) {
            ls_client_destroy(room->clients[i].client);
            ls_link_destroy(room->clients[i].link);
        }
    ls_server_destroy(room->server);
    ls_world_destroy(room->final_world);
    ls_link_destroy(room->link);
    ls_network_destroy(room->network);
    ls_memory_sink_reset(&room->recording);
    ls_identity_reset(&room->identity);
    if (!room->final_stats.is_lost) /* a lost room's world still uses the program */
        ls_program_destroy(room->program);
    ls_program_destroy(room->other_program);
    ls_free(room);
}

ls_client_config arena_client_config(const arena *room, const char *name)
{
    ls_client_config config = ls_client_config_default();
    config.program = room->program;
    config.pin = &room->identity.public_key;
    config.unix_s = 1700000000;
    snprintf(config.name, sizeof config.name, "%s", name);
    return config;
}

uint32_t arena_join_over(arena *room, const ls_client_config *config, ls_link *link)
{
    assert_true(room->client_count < ARENA_CLIENTS_MAX);
    arena_client *member = &room->clients[room->client_count];
    ls_client_config own = *config;
    member->link = own.link = link;
    ls_error error = {""};
    if (ls_client_create(&own, &member->client, &error) != LS_OK)
        fail_msg("%s", error.text);
    return room->client_count++;
}

uint32_t arena_join(arena *room, const ls_client_config *config)
{
    return arena_join_over(room, config, ls_network_open(room->network));
}

uint32_t arena_join_corrupted(arena *room, uint64_t tick, uint64_t pick)
{
    ls_client_config config = arena_client_config(room, "carl");
    config.is_bot = true;
    config.corrupt_at = tick;
    config.corrupt_pick = pick;
    return arena_join(room, &config);
}

uint32_t arena_join_bot(arena *room, const char *name)
{
    ls_client_config config = arena_client_config(room, name);
    config.is_bot = true;
    return arena_join(room, &config);
}

void arena_kill(arena *room, uint32_t index)
{
    arena_client *member = &room->clients[index];
    ls_client_destroy(member->client);
    ls_network_kill(member->link);
    member->is_dead = true;
}

/* Steps the server and every client once, then advances the clock to the earliest requested
 * time. */
static void step(arena *room, uint64_t until_ns)
{
    uint64_t next = ls_server_step(room->server, room->now_ns);
    for (uint32_t i = 0; i < room->client_count; i++) {
        if (room->clients[i].is_dead)
            continue;
        uint64_t wish = ls_client_step(room->clients[i].client, room->now_ns);
        next = wish < next ? wish : next;
    }
    uint64_t arrival = ls_network_next_ns(room->network);
    /* Packets for links that the test polls itself must not stop the clock. */
    arrival = arrival > room->now_ns ? arrival : room->now_ns + MS / 10;
    next = arrival < next ? arrival : next;
    next = next < until_ns ? next : until_ns;
    /* When all have ended, no one requests a step. Steps of at most 50 ms let a test measure how
     * long that took. */
    next = next < room->now_ns + 50 * MS ? next : room->now_ns + 50 * MS;
    room->now_ns = next > room->now_ns ? next : room->now_ns + 1000;
}

void arena_run(arena *room, uint64_t duration_ns)
{
    uint64_t until_ns = room->now_ns + duration_ns;
    while (room->now_ns < until_ns)
        step(room, until_ns);
}

void arena_run_to_tick(arena *room, uint64_t tick, uint64_t patience_ns)
{
    uint64_t until_ns = room->now_ns + patience_ns;
    while (arena_stats(room).tick < tick) {
        if (room->now_ns >= until_ns)
            fail_msg("tick %llu was not reached, only %llu:\n%s", (unsigned long long)tick,
                     (unsigned long long)arena_stats(room).tick, room->log);
        step(room, until_ns);
    }
}

static bool is_over(const arena *room)
{
    bool is_over = ls_server_is_done(room->server);
    for (uint32_t i = 0; i < room->client_count; i++)
        is_over &= room->clients[i].is_dead || ls_client_is_final(room->clients[i].client);
    return is_over;
}

void arena_run_to_end(arena *room, uint64_t patience_ns)
{
    uint64_t until_ns = room->now_ns + patience_ns;
    while (!is_over(room)) {
        if (room->now_ns >= until_ns)
            fail_msg("the match did not end:\n%s", room->log);
        step(room, until_ns);
    }
}

ls_client *arena_client_at(arena *room, uint32_t index)
{
    return room->clients[index].client;
}

ls_client_stats arena_client_stats(arena *room, uint32_t index)
{
    return ls_client_get_stats(room->clients[index].client);
}

ls_room_stats arena_stats(const arena *room)
{
    return room->room ? ls_room_get_stats(room->room) : room->final_stats;
}

ls_world *arena_world(arena *room)
{
    return room->room ? ls_room_world(room->room) : room->final_world;
}

uint32_t arena_log_count(const arena *room, const char *text)
{
    uint32_t count = 0;
    for (const char *at = room->log; (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

/* Replays the recording and returns its roots by tick; the last is the root after the last
 * frame. */
static uint64_t *replay(arena *room, uint64_t *tick_count)
{
    ls_error error = {""};
    ls_recording *recording = NULL;
    assert_int_equal(ls_recording_open_memory("recording", room->recording.data,
                                              room->recording.bytes, &recording, &error),
                     LS_OK);
    const ls_recording_header *header = ls_recording_get_header(recording);
    ls_world *world = NULL;
    assert_ok(ls_world_create(room->program, &header->match, &world, &error));
    uint64_t *roots = ls_alloc(((size_t)arena_stats(room).tick + 1) * sizeof *roots);
    const ls_recording_tick *tick = NULL;
    ls_root_ring ring;
    ls_root_difference difference;
    ls_root_ring_init(&ring, 0);
    *tick_count = 0;
    while (ls_recording_next(recording, &tick, &error) == LS_OK && tick) {
        roots[*tick_count] = ls_world_root(world);
        ls_root_ring_push(&ring, roots[*tick_count]);
        assert_true(ls_root_ring_compare(&ring, &tick->roots, &difference));
        assert_ok(ls_world_advance(world, &tick->frame, NULL, &error));
        ++*tick_count;
    }
    roots[*tick_count] = ls_world_root(world);
    const ls_recording_end *end = ls_recording_get_end(recording);
    assert_true(end->kind == LS_RECORDING_CLEAN || end->kind == LS_RECORDING_OPEN);
    ls_root_ring_push(&ring, roots[*tick_count]);
    assert_true(ls_root_ring_compare(&ring, &end->roots, &difference));
    if (end->is_closed)
        assert_int_equal(end->root_tick, *tick_count + 1);
    ls_world_destroy(world);
    ls_recording_close(recording);
    return roots;
}

void arena_assert_all_equal(arena *room)
{
    uint64_t tick_count;
    uint64_t *roots = replay(room, &tick_count);
    for (uint32_t i = 0; i < room->client_count; i++) {
        if (room->clients[i].is_dead)
            continue;
        ls_client *client = room->clients[i].client;
        ls_client_stats stats = ls_client_get_stats(client);
        if (ls_client_get_state(client) != LS_CLIENT_PLAYING &&
            ls_client_get_state(client) != LS_CLIENT_ENDED)
            fail_msg("client %u is %s: %s", i, ls_client_state_name(ls_client_get_state(client)),
                     ls_client_reason(client));
        assert_in_range(stats.tick + 60, tick_count, tick_count + 60);
        assert_int_equal(ls_world_root(ls_client_world(client)), roots[stats.tick]);
        assert_false(stats.has_diverged);
    }
    ls_free(roots);
}

void arena_assert_recording(arena *room, uint64_t tick_count)
{
    uint64_t count;
    uint64_t *roots = replay(room, &count);
    assert_int_equal(count, tick_count);
    assert_int_equal(roots[count], ls_world_root(arena_world(room)));
    ls_free(roots);
}
