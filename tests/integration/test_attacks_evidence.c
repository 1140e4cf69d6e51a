/* Attack table rows 33 and 34, evidence: the server's requests to a client with a diverged world,
 * its findings, and what a lying client can cause. */
#include "puppet.h"

#include "tests/support/test.h"
#include <lockstep/evidence_limits.h>

static arena *arena_under(ls_desync_policy policy, const ls_impairment_conditions *conditions)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = *conditions, .desync = policy});
    arena_join_bot(room, "honest");
    arena_run_to_tick(room, 60, 5 * S);
    return room;
}

/* The first log line that contains this event. */
static const char *line_of(const arena *room, const char *event)
{
    const char *line = strstr(room->log, event);
    assert_non_null(line);
    return line;
}

typedef struct flip {
    arena *room;
    char component[40], entity[40], field[40], server[40], client[40];
    uint32_t differences, ms, whole;
} flip;

static void read_flip(flip *self, uint64_t tick)
{
    uint64_t found;
    const char *line = line_of(self->room, "desync_cell ");
    assert_int_equal(
        sscanf(line,
               "desync_cell tick=%lu peer=%*u player=%*d name=%*s component=%39s entity=%39s "
               "field=%39s server=%39s client=%39s differences=%u columns=%*u "
               "pages=%*u ms=%u whole=%u",
               &found, self->component, self->entity, self->field, self->server, self->client,
               &self->differences, &self->ms, &self->whole),
        9);
    assert_int_equal(found, tick);
}

/* The difference between the honest client's world and the same world with this bit flipped, as the
 * server would report it. */
typedef struct expected {
    char place[128], a[40], b[40];
    uint32_t count;
} expected;

static bool expect(void *argument, const ls_difference *difference)
{
    expected *self = argument;
    snprintf(self->place, sizeof self->place, "%s", difference->place);
    snprintf(self->a, sizeof self->a, "%s", difference->a ? difference->a : "-");
    snprintf(self->b, sizeof self->b, "%s", difference->b ? difference->b : "-");
    self->count++;
    return true;
}

static expected flip_again(arena *room, uint64_t tick, uint64_t pick)
{
    expected self = {.count = 0};
    while (ls_world_tick(arena_world(room)) < tick)
        arena_run(room, MS);
    assert_int_equal(ls_world_tick(arena_world(room)), tick);
    ls_world *good = ls_world_create_sibling(arena_world(room));
    ls_world *bad = ls_world_create_sibling(arena_world(room));
    assert_true(ls_world_flip_bit(bad, pick, (char[128]){0}, 128));
    ls_world_diff(good, bad, expect, &self);
    ls_world_destroy(bad);
    ls_world_destroy(good);
    assert_int_equal(self.count, 1);
    return self;
}

static void check_cell(const ls_impairment_conditions *conditions, uint64_t pick, uint32_t ms_max)
{
    flip self = {.room = arena_under(LS_DESYNC_RESYNC, conditions)};
    uint32_t index = arena_join_corrupted(self.room, 200, pick);
    expected right = flip_again(self.room, 200, pick);
    arena_run_to_tick(self.room, 400, 10 * S);
    assert_int_equal(arena_log_count(self.room, "desync tick=200 "), 1);
    assert_int_equal(arena_log_count(self.room, "desync_cell "), 1);
    read_flip(&self, 200);
    char place[128];
    bool is_single = strcmp(self.entity, "-") == 0;
    snprintf(place, sizeof place, "%s.%s%s%s", self.component, self.field, is_single ? "" : " of ",
             is_single ? "" : self.entity);
    assert_string_equal(place, right.place);
    assert_string_equal(self.server, right.a);
    assert_string_equal(self.client, right.b);
    assert_int_equal(self.differences, 1);
    assert_int_equal(self.whole, 1);
    assert_true(self.ms <= ms_max);
    assert_int_equal(arena_stats(self.room).inquiries_found, 1);
    arena_run(self.room, 2 * S);
    assert_int_equal(arena_stats(self.room).resyncs, 1);
    assert_int_equal(arena_client_stats(self.room, index).reloads, 1);
    assert_true(arena_client_stats(self.room, index).is_playing);
    assert_int_equal(arena_stats(self.room).ticks_skipped, 0);
    arena_destroy(self.room);
}

TEST(test_attack_33_evidence_names_the_cell)
{
    for (uint64_t pick = 1; pick < 2000; pick += 271)
        check_cell(&arena_lan, pick, 200);
}

TEST(test_attack_33_evidence_names_the_cell_under_loss)
{
    for (uint64_t pick = 3; pick < 2000; pick += 271)
        check_cell(&arena_lossy, pick, 1000);
}

TEST(test_attack_33_evidence_comes_before_a_kick)
{
    arena *room = arena_under(LS_DESYNC_KICK, &arena_lan);
    arena_join_corrupted(room, 200, 5);
    arena_run_to_tick(room, 300, 10 * S);
    assert_int_equal(arena_log_count(room, "desync_cell tick=200 "), 1);
    assert_int_equal(arena_stats(room).kicks, 1);
    arena_destroy(room);
}

static void keep_nothing(void *context, ls_server_config *server, ls_room_config *room)
{
    (void)context, (void)server;
    room->evidence_ms = 0;
}

/* A server that keeps no snapshots gives its verdict at once. */
TEST(test_attack_33_evidence_can_be_off)
{
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = arena_lan, .desync = LS_DESYNC_RESYNC, .prepare = keep_nothing});
    arena_join_bot(room, "honest");
    uint32_t index = arena_join_corrupted(room, 100, 5);
    arena_run_to_tick(room, 200, 10 * S);
    assert_int_equal(arena_stats(room).resyncs, 1);
    assert_int_equal(arena_stats(room).inquiries, 0);
    assert_int_equal(arena_log_count(room, "desync_"), 1);
    assert_non_null(strstr(line_of(room, "desync_unexplained "), "evidence_ms is 0"));
    assert_int_equal(arena_client_stats(room, index).reloads, 1);
    arena_destroy(room);
}

/* A bit flips in the very last tick: the session ends only after the answers. */
TEST(test_attack_33_evidence_of_the_last_tick)
{
    arena *room = arena_create(
        &(arena_config){.seed = 4, .conditions = arena_lan, .wait_players = 2, .ticks_max = 120});
    arena_join_bot(room, "honest");
    arena_join_corrupted(room, 120, 9);
    arena_run_to_end(room, 10 * S);
    assert_int_equal(arena_log_count(room, "desync_cell tick=120 "), 1);
    arena_destroy(room);
}

static void say_root_of(puppet *client, arena *room, uint64_t tick, uint64_t root)
{
    uint64_t now = arena_stats(room).tick, ack = tick > now ? tick : now;
    puppet_update(client, room,
                  &(ls_update){.ack = ack, .root_count = 1, .root_first = tick, .roots = {root}});
}

static void say_root(puppet *client, arena *room, uint64_t root)
{
    say_root_of(client, room, arena_stats(room).tick - 1, root);
}

static void say_chunk(puppet *client, arena *room, const ls_evidence_chunk *chunk)
{
    ls_plain plain;
    ls_evidence_chunk_encode(chunk, &plain);
    puppet_send(client, room, &plain);
}

/* Answers the last request with these bytes, in chunks. */
static void answer(puppet *client, arena *room, const uint8_t *body, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += LS_CHUNK_BYTES_MAX) {
        uint32_t left = bytes - at;
        say_chunk(
            client, room,
            &(ls_evidence_chunk){.tick = client->question.tick,
                                 .level = client->question.level,
                                 .total_bytes = bytes,
                                 .offset = at,
                                 .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                                 .data = body + at});
    }
    puppet_run(client, room, 50 * MS);
}

/* Claims that all columns differ. The server then asks for pages that the puppet does not have. */
static void lie_about_columns(puppet *client, arena *room)
{
    uint8_t body[2048];
    ls_writer writer;
    ls_writer_init(&writer, body, sizeof body);
    ls_evidence_columns columns = {
        .threads = 1, .step = 1, .root = 666, .count = ls_cells_column_count(room->program)};
    ls_evidence_columns_write(&columns, &writer);
    answer(client, room, body, (uint32_t)writer.count);
}

static puppet *enter_liar(arena *room)
{
    puppet *client = puppet_enter(room, "liar");
    say_root(client, room, 666);
    puppet_run(client, room, LS_SERVER_DESYNC_GRACE_NS + 100 * MS);
    assert_int_equal(client->notice.kind, LS_NOTICE_DESYNC);
    assert_int_not_equal(client->question_count, 0);
    assert_int_equal(client->question.level, LS_EVIDENCE_COLUMNS);
    return client;
}

static void assert_sentenced(puppet *client, arena *room, const char *why)
{
    puppet_run(client, room, 100 * MS);
    assert_int_equal(client->notice.kind, LS_NOTICE_RELOAD);
    assert_non_null(strstr(line_of(room, "desync_unexplained "), why));
    assert_int_equal(arena_log_count(room, "desync_cell"), 0);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    puppet_destroy(client);
    arena_destroy(room);
}

TEST(test_attack_33_columns_that_are_no_columns)
{
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    puppet *client = enter_liar(room);
    answer(client, room, (const uint8_t *)"what", 4);
    assert_sentenced(client, room, "columns cannot be read");
}

TEST(test_attack_33_pages_that_are_no_pages)
{
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    puppet *client = enter_liar(room);
    lie_about_columns(client, room);
    assert_int_equal(client->question.level, LS_EVIDENCE_PAGES);
    answer(client, room, (const uint8_t *)"whatever it is", 14);
    assert_sentenced(client, room, "pages");
}

/* An answer full of page numbers that exist in no world. */
TEST(test_attack_33_cells_from_nowhere)
{
    static uint8_t body[LS_EVIDENCE_ANSWER_BYTES_MAX];
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    puppet *client = enter_liar(room);
    lie_about_columns(client, room);
    ls_writer writer;
    ls_writer_init(&writer, body, sizeof body);
    uint32_t count = (sizeof body - 8) / 12;
    ls_write_u32(&writer, count);
    ls_write_u32(&writer, count);
    for (uint32_t i = 0; i < count; i++) {
        ls_write_u32(&writer, UINT32_MAX - count + i);
        ls_write_u64(&writer, i);
    }
    answer(client, room, body, (uint32_t)writer.count);
    assert_int_equal(client->question.level, LS_EVIDENCE_CELLS);
    assert_true(client->question.count <= LS_EVIDENCE_CELLS_MAX);
    memset(body, 255, sizeof body);
    answer(client, room, body, sizeof body);
    assert_sentenced(client, room, "cells cannot be read");
}

/* The client answers with zeros, as if the requested pages were empty. */
TEST(test_attack_33_cells_that_are_zeros)
{
    uint8_t nothing[8 * LS_EVIDENCE_COLUMNS_MAX] = {0};
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    puppet *client = enter_liar(room);
    lie_about_columns(client, room);
    answer(client, room, nothing, 8 * client->question.count);
    assert_int_equal(client->question.level, LS_EVIDENCE_CELLS);
    answer(client, room, nothing, 4 * client->question.count);
    assert_sentenced(client, room, "cells cannot be read"); /* an answer always has a header */
}

/* The server waits for an answer only until its time limit, and then sends no more requests. */
TEST(test_attack_33_a_silent_liar_is_not_waited_for)
{
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    puppet *client = enter_liar(room);
    puppet_run(client, room, LS_SERVER_EVIDENCE_NS);
    assert_true(client->question_count <= LS_SERVER_EVIDENCE_NS / LS_SERVER_EVIDENCE_RESEND_NS + 1);
    assert_sentenced(client, room, "does not answer");
}

/* An answer that never becomes complete counts as none. */
TEST(test_attack_33_an_answer_without_end)
{
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    puppet *client = enter_liar(room);
    uint8_t data[LS_CHUNK_BYTES_MAX] = {0};
    for (uint32_t i = 0; i < 400; i++) {
        say_chunk(client, room,
                  &(ls_evidence_chunk){.tick = client->question.tick + i % 3,
                                       .total_bytes = LS_EVIDENCE_ANSWER_BYTES_MAX - i,
                                       .bytes = LS_CHUNK_BYTES_MAX,
                                       .data = data});
        puppet_run(client, room, 5 * MS);
    }
    assert_sentenced(client, room, "does not answer");
}

/* Neither a rejoin nor a desync in each session makes the server request evidence again. */
TEST(test_attack_33_a_seat_is_asked_once)
{
    arena *room = arena_under(LS_DESYNC_REPORT, &arena_lan);
    puppet *first = enter_liar(room);
    puppet_run(first, room, 3 * S);
    ls_handshake_client_config config = puppet_config(room, "liar");
    config.resume_secret = first->accept.resume_secret;
    puppet *second = puppet_create(room, &config);
    puppet_confirm(second, room);
    puppet_run(second, room, 100 * MS);
    say_root(second, room, 666);
    puppet_run(second, room, 3 * S);
    assert_int_equal(second->notice.kind, LS_NOTICE_DESYNC);
    assert_int_equal(second->question_count, 0);
    assert_int_equal(arena_stats(room).desyncs, 2);
    assert_int_equal(arena_stats(room).inquiries, 1);
    puppet_destroy(second);
    puppet_destroy(first);
    arena_destroy(room);
}

/* A client that leaves during the exchange leaves no state on the server. */
TEST(test_attack_33_a_departed_client_is_not_asked)
{
    arena *room = arena_under(LS_DESYNC_REPORT, &arena_lan);
    puppet *client = enter_liar(room);
    ls_plain plain;
    ls_bye_encode(&(ls_bye){"so long"}, &plain);
    puppet_send(client, room, &plain);
    puppet_run(client, room, 100 * MS);
    assert_non_null(strstr(line_of(room, "desync_unexplained "), "it has left"));
    puppet_destroy(client);
    arena_destroy(room);
}

/* Roots of ticks that are still open, or that the server no longer keeps, cause no verdict. */
TEST(test_attack_34_roots_of_other_times)
{
    arena *room = arena_under(LS_DESYNC_KICK, &arena_lan);
    arena_run_to_tick(room, LS_SERVER_ROOTS + 200, 30 * S);
    puppet *client = puppet_enter(room, "seer");
    const uint64_t now = arena_stats(room).tick;
    const uint64_t ticks[] = {now + 100, now + 4000, UINT64_MAX / 2, UINT64_MAX - 1, 0, 50};
    for (uint32_t i = 0; i < 20 * LS_COUNT_OF(ticks); i++) {
        say_root_of(client, room, ticks[i % LS_COUNT_OF(ticks)], 666);
        puppet_run(client, room, 10 * MS);
    }
    puppet_run(client, room, S);
    assert_int_equal(arena_stats(room).desyncs, 0);
    assert_int_equal(arena_stats(room).inquiries, 0);
    assert_int_equal(client->question_count, 0);
    puppet_destroy(client);
    arena_destroy(room);
}

/* A wrong root of a tick without a snapshot: the server asks about the first tick that has one. */
TEST(test_attack_34_a_root_of_long_ago)
{
    arena *room = arena_under(LS_DESYNC_RESYNC, &arena_lan);
    arena_run_to_tick(room, 300, 10 * S);
    puppet *client = puppet_enter(room, "late");
    uint64_t tick = arena_stats(room).tick;
    say_root_of(client, room, tick - 200, 666);
    puppet_run(client, room, LS_SERVER_DESYNC_GRACE_NS + 150 * MS);
    assert_int_not_equal(client->question_count, 0);
    assert_in_range(client->question.tick, tick - 60, arena_stats(room).tick);
    puppet_run(client, room, LS_SERVER_EVIDENCE_NS);
    assert_sentenced(client, room, "does not answer");
}

/* Answers of all levels without a request are dropped. */
TEST(test_attack_34_unasked_evidence_is_dropped)
{
    arena *room = arena_under(LS_DESYNC_REPORT, &arena_lan);
    puppet *client = puppet_enter(room, "flood");
    uint64_t dropped = ls_server_get_stats(room->server).packets_dropped;
    uint8_t data[LS_CHUNK_BYTES_MAX] = {0};
    for (uint32_t i = 0; i < 300; i++) {
        say_chunk(client, room,
                  &(ls_evidence_chunk){.tick = arena_stats(room).tick,
                                       .level = (uint8_t)(i % LS_EVIDENCE_LEVELS),
                                       .total_bytes = LS_CHUNK_BYTES_MAX,
                                       .bytes = LS_CHUNK_BYTES_MAX,
                                       .data = data});
        puppet_run(client, room, 4 * MS);
    }
    puppet_run(client, room, 50 * MS);
    assert_int_equal(ls_server_get_stats(room->server).packets_dropped - dropped, 300);
    assert_int_equal(arena_stats(room).inquiries, 0);
    puppet_destroy(client);
    arena_destroy(room);
}

/* The server asks one client at a time, and a limited number per match. */
TEST(test_attack_34_a_match_asks_so_often)
{
    arena *room = arena_under(LS_DESYNC_REPORT, &arena_lan);
    puppet *clients[2 * LS_SERVER_INQUIRIES];
    for (uint32_t i = 0; i < LS_COUNT_OF(clients); i++) {
        ls_handshake_client_config config = puppet_config(room, "eyes");
        config.flags = LS_HANDSHAKE_SPECTATE;
        clients[i] = puppet_create(room, &config);
        puppet_confirm(clients[i], room);
        puppet_run(clients[i], room, 50 * MS);
        say_root(clients[i], room, 666);
        puppet_run(clients[i], room, 3 * S);
    }
    assert_int_equal(arena_stats(room).desyncs, LS_COUNT_OF(clients));
    assert_int_equal(arena_stats(room).inquiries, LS_SERVER_INQUIRIES);
    assert_int_equal(arena_log_count(room, "used its number of inquiries"), LS_SERVER_INQUIRIES);
    for (uint32_t i = 0; i < LS_COUNT_OF(clients); i++) {
        assert_int_equal(clients[i]->question_count != 0, i < LS_SERVER_INQUIRIES);
        puppet_destroy(clients[i]);
    }
    arena_destroy(room);
}
