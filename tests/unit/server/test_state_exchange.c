/* A state exchange without a session: its questions, the answers it accepts, and large answers. */
#include "harness.h"
#include "sample_sim.h"

#include "server/state_exchange.h"

enum { TICKS = 30, BEASTS = 9000 };

typedef struct scene {
    harness server, client;
    ls_state_history *history;
    ls_state_exchange *exchange;
    ls_snapshot *client_state;
} scene;

static ls_world *large_world(const harness *self)
{
    ls_match match = ls_program_match(self->program, 5);
    match.options[SAMPLE_BEASTS] = BEASTS;
    ls_world *world;
    ls_error error = {""};
    assert_ok(ls_world_create(self->program, &match, &world, &error));
    return world;
}

/* Advances a tick with player inputs, which the server's world does not get. */
static void play(ls_world *world)
{
    sample_frame sample;
    sample_frame_init(&sample, world);
    assert_ok(ls_world_advance(world, &sample.frame, NULL, NULL));
}

/* Large worlds differ from the first tick on. */
static void begin(scene *self, bool is_large)
{
    harness_begin(&self->server, &sample_sim, 5);
    harness_begin(&self->client, &sample_sim, 5);
    if (is_large) {
        ls_world_destroy(self->server.world);
        ls_world_destroy(self->client.world);
        self->server.world = large_world(&self->server);
        self->client.world = large_world(&self->client);
    }
    self->history = ls_state_history_create(self->server.world, TICKS + 10, 64u << 20);
    for (uint32_t i = 0; i < TICKS; i++) {
        harness_tick(self->server.world, NULL);
        if (is_large)
            play(self->client.world);
        else
            harness_tick(self->client.world, NULL);
        (void)ls_state_history_keep(self->history, NULL, LS_STATE_HISTORY_NONE);
    }
    self->exchange = ls_state_exchange_create(TICKS);
}

static void end(scene *self)
{
    ls_state_exchange_destroy(self->exchange);
    ls_snapshot_destroy(self->client_state);
    ls_state_history_destroy(self->history);
    harness_end(&self->server);
    harness_end(&self->client);
}

/* Takes a snapshot of the client's world, from which the answers are made. */
static void show(scene *self)
{
    ls_world_root(self->client.world);
    self->client_state = ls_world_snapshot(self->client.world);
}

static void write_answer(const scene *self, ls_writer *writer)
{
    const ls_evidence_request *request = &self->exchange->request;
    if (request->level == LS_EVIDENCE_COLUMNS) {
        ls_evidence_columns columns = {
            .threads = 1, .step = 1, .count = ls_cells_column_count(self->client.program)};
        ls_cells_columns(self->client_state, columns.hashes);
        ls_evidence_columns_write(&columns, writer);
    }
    bool fits = true;
    for (uint32_t i = 0; i < request->count && fits; i++) {
        static ls_cells_page pages[8192];
        const ls_evidence_place *place = &request->places[i];
        size_t left = writer->capacity - writer->count;
        if (request->level == LS_EVIDENCE_PAGES) {
            uint32_t all = ls_cells_pages(self->client_state, place->column, pages, 8192);
            fits = ls_evidence_pages_write(pages, all, writer);
        } else if ((fits = left >= 4)) {
            uint32_t bytes = ls_evidence_cells_write(self->client_state, place, left - 4,
                                                     writer->data + writer->count);
            writer->count += 4 + (bytes == LS_EVIDENCE_LEFT_OUT ? 0 : bytes);
        }
    }
}

static ls_evidence_chunk chunk_at(const ls_state_exchange *exchange, const ls_writer *answer,
                                  uint32_t at)
{
    uint32_t total = (uint32_t)answer->count, left = total - at;
    return (ls_evidence_chunk){.tick = exchange->tick,
                               .level = exchange->request.level,
                               .total_bytes = total,
                               .offset = at,
                               .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                               .data = answer->data + at};
}

/* Answers until the exchange is over, the last chunk first. Returns the number of answers. */
static uint32_t answer_all(scene *self)
{
    static uint8_t body[LS_EVIDENCE_ANSWER_BYTES_MAX];
    ls_state_exchange *exchange = self->exchange;
    uint32_t answers = 0;
    for (;; answers++) {
        ls_state_exchange_work(exchange, self->server.world, self->history);
        if (exchange->state != LS_STATE_EXCHANGE_ASK)
            return answers;
        ls_writer writer;
        ls_writer_init(&writer, body, sizeof body);
        write_answer(self, &writer);
        uint32_t chunks = (uint32_t)(writer.count + LS_CHUNK_BYTES_MAX - 1) / LS_CHUNK_BYTES_MAX;
        for (uint32_t i = chunks; i-- > 0;) {
            ls_evidence_chunk chunk = chunk_at(exchange, &writer, i * LS_CHUNK_BYTES_MAX);
            assert_int_equal(ls_state_exchange_request(exchange).offset, 0);
            assert_true(ls_state_exchange_receive(exchange, &chunk));
        }
        assert_int_equal(exchange->state, LS_STATE_EXCHANGE_WORK);
    }
}

TEST(test_state_exchange_takes_three_answers)
{
    scene self = {0};
    char what[128];
    begin(&self, false);
    assert_true(ls_world_flip_bit(self.client.world, 3, what, sizeof what));
    show(&self);
    assert_int_equal(answer_all(&self), 3);
    assert_int_equal(self.exchange->state, LS_STATE_EXCHANGE_FOUND);
    assert_int_equal(self.exchange->finding_count, 1);
    assert_int_equal(self.exchange->claimed_root, ls_world_root(self.client.world));
    const ls_state_exchange_finding *found = &self.exchange->findings[0];
    assert_memory_equal(found->place, what, strcspn(what, " "));
    assert_string_not_equal(found->server, found->client);
    assert_int_equal(ls_snapshot_tick(self.exchange->earlier), TICKS - 16);
    end(&self);
}

TEST(test_state_exchange_of_equal_states_is_empty)
{
    scene self = {0};
    begin(&self, false);
    show(&self);
    assert_int_equal(answer_all(&self), 1);
    assert_int_equal(self.exchange->state, LS_STATE_EXCHANGE_EMPTY);
    assert_true(self.exchange->has_columns);
    end(&self);
}

/* All pages differ, more than one exchange may ask for. Each column gets its share. */
TEST(test_state_exchange_of_another_world_is_bounded)
{
    scene self = {0};
    begin(&self, true);
    show(&self);
    assert_in_range(answer_all(&self), 3, 3);
    const ls_state_exchange *exchange = self.exchange;
    assert_int_equal(exchange->state, LS_STATE_EXCHANGE_FOUND);
    assert_true(exchange->pages_differ > LS_EVIDENCE_CELLS_MAX);
    assert_true(exchange->claim_count <= LS_EVIDENCE_CELLS_MAX);
    assert_true(exchange->finding_count > LS_STATE_EXCHANGE_FINDINGS);
    assert_true(exchange->columns_differ > 2);
    end(&self);
}

TEST(test_state_exchange_asks_for_missing_chunks)
{
    scene self = {0};
    uint8_t body[5 * LS_CHUNK_BYTES_MAX] = {0};
    ls_writer answer = {.data = body, .capacity = sizeof body, .count = sizeof body - 7};
    begin(&self, false);
    ls_state_exchange *exchange = self.exchange;
    ls_state_exchange_work(exchange, self.server.world, self.history);
    for (uint32_t i = 0; i < 3; i++) {
        ls_evidence_chunk chunk = chunk_at(exchange, &answer, i * LS_CHUNK_BYTES_MAX);
        assert_true(ls_state_exchange_receive(exchange, &chunk));
        assert_true(ls_state_exchange_receive(exchange, &chunk)); /* a duplicate */
        assert_int_equal(ls_state_exchange_request(exchange).offset, (i + 1) * LS_CHUNK_BYTES_MAX);
    }
    ls_evidence_chunk other = chunk_at(exchange, &answer, 3 * LS_CHUNK_BYTES_MAX);
    other.total_bytes++;
    assert_false(ls_state_exchange_receive(exchange, &other));
    other = chunk_at(exchange, &answer, 3 * LS_CHUNK_BYTES_MAX);
    other.level = LS_EVIDENCE_PAGES;
    assert_false(ls_state_exchange_receive(exchange, &other));
    other.level = LS_EVIDENCE_COLUMNS;
    other.tick++;
    assert_false(ls_state_exchange_receive(exchange, &other));
    end(&self);
}

/* The client has only a later state. If the server has that state, too, they are compared;
 * otherwise the exchange finds nothing. */
TEST(test_state_exchange_meets_at_a_tick_that_both_have)
{
    for (uint64_t tick = TICKS; tick <= TICKS + 1; tick++) {
        scene self = {0};
        uint8_t body[4096];
        ls_writer writer;
        begin(&self, false);
        ls_world_flip_bit(self.client.world, 3, (char[128]){0}, 128);
        show(&self);
        self.exchange->tick = TICKS - 5;
        ls_state_exchange_work(self.exchange, self.server.world, self.history);
        assert_int_equal(self.exchange->tick, TICKS - 5);
        ls_writer_init(&writer, body, sizeof body);
        write_answer(&self, &writer);
        ls_evidence_chunk chunk = chunk_at(self.exchange, &writer, 0);
        chunk.tick = tick;
        assert_true(ls_state_exchange_receive(self.exchange, &chunk));
        bool is_there = tick == TICKS;
        if (is_there) {
            assert_int_equal(answer_all(&self), 2);
            assert_int_equal(self.exchange->tick, TICKS);
            assert_int_equal(self.exchange->finding_count, 1);
        } else {
            ls_state_exchange_work(self.exchange, self.server.world, self.history);
        }
        assert_int_equal(self.exchange->state,
                         is_there ? LS_STATE_EXCHANGE_FOUND : LS_STATE_EXCHANGE_EMPTY);
        end(&self);
    }
}

TEST(test_state_exchange_without_a_state_is_empty)
{
    scene self = {0};
    begin(&self, false);
    self.exchange->tick = TICKS + 1;
    ls_state_exchange_work(self.exchange, self.server.world, self.history);
    assert_int_equal(self.exchange->state, LS_STATE_EXCHANGE_EMPTY);
    assert_non_null(strstr(self.exchange->why, "the server no longer has this state"));
    end(&self);
}
