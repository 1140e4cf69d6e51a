#include "client/evidence_reply.h"

#include "core/base/fault_injection.h"
#include "core/state_history.h"
#include "proto/evidence_message.h"
#include <lockstep/evidence_limits.h>

void ls_evidence_reply_init(ls_evidence_reply *self, ls_connection *connection,
                            const ls_client_config *config)
{
    *self = (ls_evidence_reply){.connection = connection,
                                .program = config->program,
                                .executor = config->executor,
                                .keep_ms = config->evidence_ms,
                                .bytes_max = config->evidence_bytes};
}

/* Returns the first tick that ran within the last keep_ms. More ticks may have run since than the
 * tick rate suggests: a client that catches up runs them faster. */
static uint64_t recent_first(ls_evidence_reply *self, uint64_t tick)
{
    uint64_t span_ns = (uint64_t)self->keep_ms * 1000000;
    bool goes_on =
        tick > self->recent_first && tick - self->recent_first < LS_CLIENT_EVIDENCE_FRAMES;
    self->recent_first = goes_on ? self->recent_first : tick;
    self->ran_ns[tick % LS_CLIENT_EVIDENCE_FRAMES] = self->connection->now_ns;
    while (self->recent_first < tick &&
           self->connection->now_ns -
                   self->ran_ns[self->recent_first % LS_CLIENT_EVIDENCE_FRAMES] >=
               span_ns)
        self->recent_first++;
    return self->recent_first;
}

uint64_t ls_evidence_reply_keep(ls_evidence_reply *self, ls_world *world)
{
    if (!self->keep_ms)
        return ls_world_root_on(world, self->executor);
    bool is_held = self->connection->now_ns - self->pinned_ns < LS_CLIENT_EVIDENCE_PIN_NS;
    if (self->pinned && (!is_held || LS_FAULT(PIN_IS_FORGOTTEN))) {
        ls_snapshot_destroy(self->pinned);
        self->pinned = NULL;
    }
    if (!self->history)
        self->history = ls_state_history_create(
            world, ls_state_history_ticks(self->keep_ms, ls_world_match(world)->tick_rate),
            self->bytes_max);
    return ls_state_history_keep(self->history, self->executor,
                                 recent_first(self, ls_world_tick(world)));
}

void ls_evidence_reply_note_frame(ls_evidence_reply *self, const ls_frame *frame)
{
    uint64_t tick = frame->tick;
    uint8_t bytes[LS_FRAME_BYTES_MAX];
    ls_writer body;
    ls_writer_init(&body, bytes, sizeof bytes);
    ls_frame_encode(frame, &body);
    if (tick != self->frames_next)
        self->frames_first = tick;
    self->frame_hashes[tick % LS_CLIENT_EVIDENCE_FRAMES] =
        ls_evidence_frame_hash(tick, bytes, (uint32_t)body.count);
    self->frames_next = tick + 1;
}

/* Sums the known hashes of up to LS_EVIDENCE_INPUT_TICKS frames before `tick`. */
static void sum_inputs(ls_evidence_reply *self, uint64_t tick)
{
    uint64_t first = tick < LS_EVIDENCE_INPUT_TICKS ? 0 : tick - LS_EVIDENCE_INPUT_TICKS;
    uint64_t oldest = self->frames_next < LS_CLIENT_EVIDENCE_FRAMES
                          ? 0
                          : self->frames_next - LS_CLIENT_EVIDENCE_FRAMES;
    first = first < self->frames_first ? self->frames_first : first;
    first = first < oldest ? oldest : first;
    if (first > tick || tick > self->frames_next)
        first = tick;
    self->inputs_first = first;
    self->inputs = 0;
    for (; first < tick; first++)
        self->inputs += self->frame_hashes[first % LS_CLIENT_EVIDENCE_FRAMES];
}

void ls_evidence_reply_pin(ls_evidence_reply *self, uint64_t tick)
{
    uint64_t kept =
        self->history ? ls_state_history_find(self->history, tick) : LS_STATE_HISTORY_NONE;
    uint64_t held = self->pinned ? ls_snapshot_tick(self->pinned) : LS_STATE_HISTORY_NONE;
    /* The pinned state stays unless the history has an earlier one from `tick` on. The history may
     * have dropped the pinned state, and have only later ones. */
    bool is_there = held >= tick && held <= kept;
    if (kept == LS_STATE_HISTORY_NONE || is_there)
        return;
    ls_snapshot_destroy(self->pinned);
    self->pinned = ls_state_history_snapshot(self->history, kept);
    self->pinned_ns = self->connection->now_ns;
    self->pinned_root = ls_state_history_root(self->history, kept);
    self->history_step = ls_state_history_step(self->history);
    sum_inputs(self, kept);
    self->body_bytes = 0;
}

void ls_evidence_reply_reset(ls_evidence_reply *self)
{
    ls_snapshot_destroy(self->pinned);
    ls_state_history_destroy(self->history);
    ls_free(self->body);
    self->pinned = NULL;
    self->history = NULL;
    self->body = NULL;
    self->body_bytes = 0;
}

static void write_columns(const ls_evidence_reply *self, ls_writer *writer)
{
    const ls_client_stats *stats = &self->connection->stats;
    uint64_t rtt_us = stats->rtt_ns / 1000;
    ls_evidence_columns columns = {
        .threads = ls_executor_threads(self->executor),
        .step = self->history_step,
        .rtt_us = rtt_us < UINT32_MAX ? (uint32_t)rtt_us : UINT32_MAX,
        .loss = (uint16_t)(stats->loss_permille < 1000 ? stats->loss_permille * 10 : 10000),
        .resumes = (uint32_t)stats->resumes,
        .loads = (uint32_t)stats->snapshots_loaded,
        .gaps = (uint32_t)stats->gaps,
        .root = self->pinned_root,
        .inputs_first = self->inputs_first,
        .inputs = self->inputs,
        .count = ls_cells_column_count(self->program)};
    ls_cells_columns(self->pinned, columns.hashes);
    ls_evidence_columns_write(&columns, writer);
}

static void write_pages(const ls_evidence_reply *self, const ls_evidence_request *request,
                        ls_writer *writer)
{
    const uint32_t capacity = LS_EVIDENCE_ANSWER_BYTES_MAX / 12;
    ls_cells_page *pages = ls_alloc(sizeof *pages * capacity);
    bool fits = true;
    for (uint32_t i = 0; i < request->count && fits; i++) {
        uint32_t all = ls_cells_pages(self->pinned, request->places[i].column, pages, capacity);
        fits = ls_evidence_pages_write(pages, all, writer);
    }
    ls_free(pages);
}

static void write_cells(const ls_evidence_reply *self, const ls_evidence_request *request,
                        ls_writer *writer)
{
    for (uint32_t i = 0; i < request->count; i++) {
        ls_evidence_place place = request->places[i];
        place.key += LS_FAULT(CELLS_OFF_BY_ONE);
        size_t left = writer->capacity - writer->count;
        /* Reserves four bytes for the header of this page and of each later one: a header also says
         * that its page was left out. */
        size_t words = 4 * (size_t)(request->count - i);
        if (left < words)
            return;
        uint32_t bytes = ls_evidence_cells_write(self->pinned, &place, left - words,
                                                 writer->data + writer->count);
        writer->count += 4 + (bytes == LS_EVIDENCE_LEFT_OUT ? 0 : bytes);
    }
}

/* Makes the answer to a request. Repeated requests for its chunks reuse it. */
static void make_body(ls_evidence_reply *self, const ls_evidence_request *request)
{
    ls_writer writer;
    if (!self->body)
        self->body = ls_alloc(LS_EVIDENCE_ANSWER_BYTES_MAX);
    ls_writer_init(&writer, self->body, LS_EVIDENCE_ANSWER_BYTES_MAX);
    if (request->level == LS_EVIDENCE_COLUMNS)
        write_columns(self, &writer);
    else if (request->level == LS_EVIDENCE_PAGES)
        write_pages(self, request, &writer);
    else
        write_cells(self, request, &writer);
    LS_ASSERT(!writer.failed);
    self->body_bytes = (uint32_t)writer.count;
}

static bool is_asked_again(const ls_evidence_reply *self, const ls_evidence_request *request)
{
    const ls_evidence_request *asked = &self->request;
    bool is_same = self->body_bytes && asked->tick == request->tick &&
                   asked->level == request->level && asked->count == request->count;
    for (uint32_t i = 0; is_same && i < asked->count; i++)
        is_same = asked->places[i].column == request->places[i].column &&
                  asked->places[i].key == request->places[i].key;
    return is_same;
}

static void send(ls_evidence_reply *self, const ls_evidence_request *request, uint64_t tick)
{
    uint32_t total = self->pinned ? self->body_bytes : 0, at = total ? request->offset : 0;
    do {
        uint32_t left = total > at ? total - at : 0;
        ls_evidence_chunk chunk = {.tick = tick,
                                   .level = request->level,
                                   .total_bytes = total,
                                   .offset = at,
                                   .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                                   .data = total ? self->body + at : NULL};
        if (total && !left)
            return; /* the request starts after the answer's end */
        ls_plain plain;
        ls_evidence_chunk_encode(&chunk, &plain);
        ls_connection_send(self->connection, &plain);
        at += LS_CHUNK_BYTES_MAX;
    } while (at < total);
}

/* Limits the answers per second, so a server cannot make the client busy with requests. */
static bool is_over_limit(ls_evidence_reply *self)
{
    if (self->connection->now_ns - self->second_ns >= LS_SECOND_NS) {
        self->second_ns = self->connection->now_ns;
        self->answers = 0;
    }
    return ++self->answers > LS_CLIENT_EVIDENCE_ANSWERS;
}

void ls_evidence_reply_receive(ls_evidence_reply *self, const ls_plain *plain)
{
    ls_evidence_request request;
    if (!ls_evidence_request_decode(plain, &request) || is_over_limit(self)) {
        self->connection->stats.packets_dropped++;
        return;
    }
    bool is_pinned = self->pinned && ls_snapshot_tick(self->pinned) == request.tick;
    if (!is_pinned && request.level == LS_EVIDENCE_COLUMNS)
        ls_evidence_reply_pin(self, request.tick);
    /* A request for columns may be answered from a later kept tick; requests for pages and cells
     * need the exact tick. */
    bool is_there =
        self->pinned && ls_snapshot_tick(self->pinned) >= request.tick &&
        (request.level == LS_EVIDENCE_COLUMNS || ls_snapshot_tick(self->pinned) == request.tick);
    if (is_there && !is_asked_again(self, &request))
        make_body(self, &request);
    if (!is_there)
        self->body_bytes = 0;
    self->request = request;
    send(self, &request, is_there ? ls_snapshot_tick(self->pinned) : request.tick);
}

size_t ls_evidence_reply_memory(const ls_evidence_reply *self)
{
    return self->history ? ls_state_history_bytes(self->history) : 0;
}
