#include "client/evidence_reply.h"

#include "client/wire.h"
#include "core/base/fault_injection.h"
#include "core/state/state_history.h"
#include "proto/evidence_message.h"
#include <lockstep/evidence_limits.h>

/* The first of the kept ticks that was run within the time that states are kept for: who catches up
 * runs many more than that time has. */
static uint64_t young_from(ls_client *client)
{
    ls_client_evidence *self = &client->evidence;
    uint64_t tick = ls_world_tick(client->world), span_ns = (uint64_t)self->ms * 1000000;
    bool goes_on = tick > self->young_from && tick - self->young_from < LS_CLIENT_EVIDENCE_RAN;
    self->young_from = goes_on ? self->young_from : tick;
    self->kept_ns[tick % LS_CLIENT_EVIDENCE_RAN] = client->now_ns;
    while (self->young_from < tick &&
           client->now_ns - self->kept_ns[self->young_from % LS_CLIENT_EVIDENCE_RAN] >= span_ns)
        self->young_from++;
    return self->young_from;
}

uint64_t ls_evidence_reply_keep(ls_client *client)
{
    ls_client_evidence *self = &client->evidence;
    if (!self->ms)
        return ls_world_root_on(client->world, client->executor);
    bool is_held = client->now_ns - self->pinned_ns < LS_CLIENT_EVIDENCE_PIN_NS;
    if (self->pinned && (!is_held || LS_FAULT(PIN_IS_FORGOTTEN))) {
        ls_snapshot_destroy(self->pinned);
        self->pinned = NULL;
    }
    if (!self->past)
        self->past = ls_state_history_create(
            client->world,
            ls_state_history_ticks(self->ms, ls_world_match(client->world)->tick_rate),
            self->bytes_max);
    return ls_state_history_keep(self->past, client->executor, young_from(client));
}

void ls_evidence_reply_note_frame(ls_client *client, const ls_frame *frame)
{
    ls_client_evidence *self = &client->evidence;
    uint64_t tick = frame->tick;
    uint8_t bytes[LS_FRAME_BYTES_MAX];
    ls_writer body;
    ls_writer_init(&body, bytes, sizeof bytes);
    ls_frame_encode(frame, &body);
    if (tick != self->ran_next)
        self->ran_first = tick;
    self->ran[tick % LS_CLIENT_EVIDENCE_RAN] =
        ls_evidence_frame_hash(tick, bytes, (uint32_t)body.count);
    self->ran_next = tick + 1;
}

/* Of the frames in front of `tick`, as far as their hashes are known. */
static void sum_inputs(ls_client_evidence *self, uint64_t tick)
{
    uint64_t first = tick < LS_EVIDENCE_INPUT_TICKS ? 0 : tick - LS_EVIDENCE_INPUT_TICKS;
    uint64_t oldest =
        self->ran_next < LS_CLIENT_EVIDENCE_RAN ? 0 : self->ran_next - LS_CLIENT_EVIDENCE_RAN;
    first = first < self->ran_first ? self->ran_first : first;
    first = first < oldest ? oldest : first;
    if (first > tick || tick > self->ran_next)
        first = tick;
    self->pinned_inputs_first = first;
    self->pinned_inputs = 0;
    for (; first < tick; first++)
        self->pinned_inputs += self->ran[first % LS_CLIENT_EVIDENCE_RAN];
}

void ls_evidence_reply_pin(ls_client *client, uint64_t tick)
{
    ls_client_evidence *self = &client->evidence;
    uint64_t kept = self->past ? ls_state_history_find(self->past, tick) : LS_STATE_HISTORY_NONE;
    uint64_t held = self->pinned ? ls_snapshot_tick(self->pinned) : LS_STATE_HISTORY_NONE;
    /* What was kept when it was first asked for may be gone by now. */
    bool is_there = held >= tick && held <= kept;
    if (kept == LS_STATE_HISTORY_NONE || is_there)
        return;
    ls_snapshot_destroy(self->pinned);
    self->pinned = ls_state_history_snapshot(self->past, kept);
    self->pinned_ns = client->now_ns;
    self->pinned_root = ls_state_history_root(self->past, kept);
    self->step = ls_state_history_step(self->past);
    sum_inputs(self, kept);
    self->body_bytes = 0;
}

void ls_evidence_reply_reset(ls_client *client)
{
    ls_client_evidence *self = &client->evidence;
    ls_snapshot_destroy(self->pinned);
    ls_state_history_destroy(self->past);
    ls_free(self->body);
    self->pinned = NULL;
    self->past = NULL;
    self->body = NULL;
    self->body_bytes = 0;
}

static void write_columns(const ls_client *client, ls_writer *writer)
{
    const ls_client_stats *stats = &client->stats;
    const ls_client_evidence *self = &client->evidence;
    uint64_t rtt_us = stats->rtt_ns / 1000;
    ls_evidence_columns columns = {
        .threads = ls_executor_threads(client->executor),
        .step = self->step,
        .rtt_us = rtt_us < UINT32_MAX ? (uint32_t)rtt_us : UINT32_MAX,
        .loss = (uint16_t)(stats->loss_permille < 1000 ? stats->loss_permille * 10 : 10000),
        .resumes = (uint32_t)stats->resumes,
        .loads = (uint32_t)stats->snapshots_loaded,
        .gaps = (uint32_t)stats->gaps,
        .root = self->pinned_root,
        .inputs_first = self->pinned_inputs_first,
        .inputs = self->pinned_inputs,
        .count = ls_cells_column_count(client->program)};
    ls_cells_columns(self->pinned, columns.hashes);
    ls_evidence_columns_write(&columns, writer);
}

static void write_pages(const ls_client *client, const ls_evidence_request *request,
                        ls_writer *writer)
{
    const uint32_t capacity = LS_EVIDENCE_ANSWER_BYTES_MAX / 12;
    ls_cells_page *pages = ls_alloc(sizeof *pages * capacity);
    bool fits = true;
    for (uint32_t i = 0; i < request->count && fits; i++) {
        uint32_t all =
            ls_cells_pages(client->evidence.pinned, request->places[i].column, pages, capacity);
        fits = ls_evidence_pages_write(pages, all, writer);
    }
    ls_free(pages);
}

static void write_cells(const ls_client *client, const ls_evidence_request *request,
                        ls_writer *writer)
{
    for (uint32_t i = 0; i < request->count; i++) {
        ls_evidence_place place = request->places[i];
        place.key += LS_FAULT(CELLS_OFF_BY_ONE);
        size_t left = writer->capacity - writer->count;
        /* The pages behind this one need a word each to say that they are left out. */
        size_t words = 4 * (size_t)(request->count - i);
        if (left < words)
            return;
        uint32_t bytes = ls_evidence_cells_write(client->evidence.pinned, &place, left - words,
                                                 writer->data + writer->count);
        writer->count += 4 + (bytes == LS_EVIDENCE_LEFT_OUT ? 0 : bytes);
    }
}

/* The answer to a question is made once, however often its chunks are asked for. */
static void make_body(ls_client *client, const ls_evidence_request *request)
{
    ls_client_evidence *self = &client->evidence;
    ls_writer writer;
    if (!self->body)
        self->body = ls_alloc(LS_EVIDENCE_ANSWER_BYTES_MAX);
    ls_writer_init(&writer, self->body, LS_EVIDENCE_ANSWER_BYTES_MAX);
    if (request->level == LS_EVIDENCE_COLUMNS)
        write_columns(client, &writer);
    else if (request->level == LS_EVIDENCE_PAGES)
        write_pages(client, request, &writer);
    else
        write_cells(client, request, &writer);
    LS_ASSERT(!writer.failed);
    self->body_bytes = (uint32_t)writer.count;
}

static bool is_asked_again(const ls_client_evidence *self, const ls_evidence_request *request)
{
    const ls_evidence_request *asked = &self->asked;
    bool is_same = self->body_bytes && asked->tick == request->tick &&
                   asked->level == request->level && asked->count == request->count;
    for (uint32_t i = 0; is_same && i < asked->count; i++)
        is_same = asked->places[i].column == request->places[i].column &&
                  asked->places[i].key == request->places[i].key;
    return is_same;
}

static void send(ls_client *client, const ls_evidence_request *request, uint64_t tick)
{
    const ls_client_evidence *self = &client->evidence;
    uint32_t total = self->pinned ? self->body_bytes : 0, at = total ? request->offset : 0;
    do {
        uint32_t left = total > at ? total - at : 0;
        ls_evidence_chunk chunk = {.tick = tick,
                                   .level = request->level,
                                   .total_bytes = total,
                                   .offset = at,
                                   .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                                   .data = self->body + at};
        if (total && !left)
            return; /* beyond the end */
        ls_plain plain;
        ls_evidence_chunk_encode(&chunk, &plain);
        ls_wire_send(client, &plain);
        at += LS_CHUNK_BYTES_MAX;
    } while (at < total);
}

/* A server may ask often; so much of it is answered. */
static bool is_over_budget(ls_client *client)
{
    ls_client_evidence *self = &client->evidence;
    if (client->now_ns - self->since_ns >= LS_SECOND_NS) {
        self->since_ns = client->now_ns;
        self->answers = 0;
    }
    return ++self->answers > LS_CLIENT_EVIDENCE_ANSWERS;
}

void ls_evidence_reply_hear(ls_client *client, const ls_plain *plain)
{
    ls_client_evidence *self = &client->evidence;
    ls_evidence_request request;
    if (!ls_evidence_request_decode(plain, &request) || is_over_budget(client)) {
        client->stats.packets_dropped++;
        return;
    }
    bool is_pinned = self->pinned && ls_snapshot_tick(self->pinned) == request.tick;
    if (!is_pinned && request.level == LS_EVIDENCE_COLUMNS)
        ls_evidence_reply_pin(client, request.tick);
    /* The first kept tick behind the one that was asked for is told too; no other is of use. */
    bool is_there =
        self->pinned && ls_snapshot_tick(self->pinned) >= request.tick &&
        (request.level == LS_EVIDENCE_COLUMNS || ls_snapshot_tick(self->pinned) == request.tick);
    if (is_there && !is_asked_again(self, &request))
        make_body(client, &request);
    if (!is_there)
        self->body_bytes = 0;
    self->asked = request;
    send(client, &request, is_there ? ls_snapshot_tick(self->pinned) : request.tick);
}
