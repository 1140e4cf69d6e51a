#include "server/evidence_bundle.h"

#include "proto/text.h"
#include "replays/keyframe.h"

#include <errno.h>
#include <string.h>

/* Limit for the server's cells in the record. The client's cells are limited by the size of its
 * answer. */
#define CELL_BYTES_MAX (LS_EVIDENCE_BYTES_MAX / 2)

ls_evidence_bundle *ls_evidence_bundle_create(ls_state_exchange *exchange, ls_evidence *evidence)
{
    ls_evidence_bundle *bundle = ls_alloc(sizeof *bundle);
    bundle->exchange = exchange;
    bundle->evidence = evidence;
    return bundle;
}

void ls_evidence_bundle_destroy(ls_evidence_bundle *bundle)
{
    if (!bundle)
        return;
    ls_state_exchange_destroy(bundle->exchange);
    ls_free(bundle->evidence);
    ls_tick_ring_reset(&bundle->ring);
    ls_free(bundle->roots);
    ls_free(bundle);
}

static const ls_snapshot *first_state(const ls_evidence_bundle *self)
{
    return self->exchange->earlier ? self->exchange->earlier : self->exchange->snapshot;
}

uint64_t ls_evidence_bundle_first(const ls_evidence_bundle *bundle)
{
    return ls_snapshot_tick(first_state(bundle));
}

static void read_frame(const ls_tick_ring *ring, uint64_t tick, uint32_t players, ls_input *inputs,
                       ls_frame *frame)
{
    ls_reader reader;
    ls_ticks_body body = ls_tick_ring_body(ring, tick);
    ls_reader_init(&reader, body.data, body.bytes);
    LS_ASSERT(ls_frame_decode(&reader, tick, players, inputs, frame));
}

/* Begins the copy of the frames. It starts at the first state, or at the first compared frame if
 * that is earlier; the compared frames are the last LS_EVIDENCE_INPUT_TICKS. False when the ring no
 * longer has the frame of the first state. */
static bool begin(ls_evidence_bundle *self, const ls_tick_ring *ring)
{
    uint64_t first = ls_evidence_bundle_first(self), tick = self->exchange->tick;
    uint64_t from = tick < LS_EVIDENCE_INPUT_TICKS ? 0 : tick - LS_EVIDENCE_INPUT_TICKS;
    uint64_t kept = ls_tick_ring_first(ring);
    if (first < kept)
        return false;
    from = from < first ? from : first;
    ls_tick_ring_init(&self->ring, from < kept ? kept : from, LS_SERVER_RING_TICKS);
    self->roots_first = first;
    self->roots = ls_alloc(sizeof *self->roots * (LS_SERVER_RING_TICKS + 1));
    return true;
}

static void take_roots(ls_evidence_bundle *self, const ls_referee *referee)
{
    uint64_t tick = self->roots_first + self->root_count;
    for (; tick < referee->next && tick <= self->ring.next; tick++) {
        if (referee->next - tick > LS_SERVER_ROOTS)
            return;
        self->roots[self->root_count++] = referee->roots[tick % LS_SERVER_ROOTS];
    }
}

bool ls_evidence_bundle_take(ls_evidence_bundle *bundle, const ls_evidence_bundle_source *source)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    const ls_tick_ring *ring = source->ring;
    if (!bundle->roots && !begin(bundle, ring))
        return false;
    uint64_t next = bundle->ring.next;
    if (next < ls_tick_ring_first(ring) ||
        bundle->ring.count + (ring->next - next) > LS_SERVER_RING_TICKS)
        return false;
    for (; next < ring->next; next++) {
        read_frame(ring, next, bundle->header.match.player_count, inputs, &frame);
        ls_tick_ring_push(&bundle->ring, &frame);
    }
    bundle->players = source->players;
    bundle->is_paused = source->is_paused;
    take_roots(bundle, source->referee);
    return true;
}

static void undo(ls_recording_keyframe *keyframe, const ls_input *input)
{
    uint64_t seat = UINT64_C(1) << input->player % LS_PLAYERS_MAX;
    if (input->kind == LS_JOIN)
        keyframe->players &= ~seat;
    else if (input->kind == LS_LEAVE)
        keyframe->players |= seat;
    else if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
        keyframe->is_paused = input->kind == LS_RESUME;
}

/* Derives the keyframe's taken seats and its pause from those after the last frame: undoes joins,
 * leaves, pauses and resumes, from the last frame to the first. */
static void rewind_players(ls_evidence_bundle *self)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    uint64_t first = ls_evidence_bundle_first(self);
    self->keyframe = (ls_recording_keyframe){
        .tick = first, .base_tick = first, .players = self->players, .is_paused = self->is_paused};
    for (uint64_t tick = self->ring.next; tick-- > first;) {
        read_frame(&self->ring, tick, self->header.match.player_count, inputs, &frame);
        for (uint32_t i = frame.count; i-- > 0;)
            undo(&self->keyframe, &inputs[i]);
    }
}

static void name_sides(ls_evidence_bundle *self)
{
    ls_evidence *evidence = self->evidence;
    const ls_state_exchange *exchange = self->exchange;
    const ls_evidence_columns *theirs = &exchange->theirs;
    evidence->tick = exchange->tick;
    evidence->claimed = exchange->claimed_root;
    evidence->inputs_first = theirs->inputs_first;
    evidence->column_count = theirs->count;
    evidence->server.root = exchange->root;
    evidence->server.step = exchange->step;
    evidence->client.threads = theirs->threads;
    evidence->client.step = theirs->step;
    evidence->client.root = theirs->root;
    evidence->client.inputs = theirs->inputs;
    memcpy(evidence->server.columns, exchange->columns, sizeof evidence->server.columns);
    memcpy(evidence->client.columns, theirs->hashes, sizeof evidence->client.columns);
    ls_evidence_network *network = &evidence->network;
    network->rtt_us = theirs->rtt_us;
    network->loss = theirs->loss;
    network->resumes = theirs->resumes;
    network->loads = theirs->loads;
    network->gaps = theirs->gaps;
}

static void name_findings(ls_evidence_bundle *self)
{
    const ls_state_exchange *exchange = self->exchange;
    ls_evidence *evidence = self->evidence;
    evidence->findings_in_all = exchange->finding_count;
    evidence->finding_count = exchange->finding_count < LS_EVIDENCE_FINDINGS_MAX
                                  ? exchange->finding_count
                                  : LS_EVIDENCE_FINDINGS_MAX;
    for (uint32_t i = 0; i < evidence->finding_count; i++) {
        ls_evidence_finding *to = &evidence->findings[i];
        ls_text_copy(to->place, sizeof to->place, exchange->findings[i].place);
        ls_text_copy(to->server, sizeof to->server, exchange->findings[i].server);
        ls_text_copy(to->client, sizeof to->client, exchange->findings[i].client);
    }
}

static ls_evidence_bytes own_cells(const ls_evidence_bundle *self, const ls_cells_claim *claim,
                                   ls_writer *store)
{
    ls_cells_page page;
    ls_evidence_bytes cells = {.data = store->data + store->count};
    const ls_snapshot *snapshot = self->exchange->snapshot;
    if (!ls_cells_look_up(snapshot, claim->column, claim->key, &page))
        return cells;
    cells.count =
        (uint32_t)ls_cells_encode(snapshot, claim->column, claim->key, store->data + store->count,
                                  store->capacity - store->count);
    cells.is_missing = cells.count == 0;
    store->count += cells.count;
    return cells;
}

static void put_pages(ls_evidence_bundle *self, ls_writer *store)
{
    ls_evidence *evidence = self->evidence;
    for (uint32_t i = 0; i < self->exchange->claim_count; i++) {
        const ls_cells_claim *claim = &self->exchange->claims[i];
        evidence->pages[evidence->page_count++] =
            (ls_evidence_page){.column = (uint8_t)claim->column,
                               .key = claim->key,
                               .server = own_cells(self, claim, store),
                               .client = {.data = claim->bytes, .count = (uint32_t)claim->count}};
    }
}

static ls_status put_evidence(ls_evidence_bundle *self, ls_recorder *recorder)
{
    ls_writer store;
    uint8_t *bytes;
    size_t count;
    name_sides(self);
    name_findings(self);
    ls_writer_init(&store, ls_alloc(CELL_BYTES_MAX), CELL_BYTES_MAX);
    put_pages(self, &store);
    ls_status status = ls_evidence_encode(self->evidence, &bytes, &count, &self->error);
    ls_free(store.data);
    if (status == LS_OK)
        status = ls_recorder_append_evidence(recorder, bytes, count, &self->error);
    ls_free(bytes);
    return status;
}

static ls_status put_tick(ls_evidence_bundle *self, ls_recorder *recorder, uint64_t tick)
{
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    uint64_t index = tick - self->roots_first;
    ls_status status = LS_OK;
    if (index < self->root_count)
        status = ls_recorder_add_root(recorder, self->roots[index], &self->error);
    if (status != LS_OK || tick == self->ring.next)
        return status;
    read_frame(&self->ring, tick, self->header.match.player_count, inputs, &frame);
    return ls_recorder_append(recorder, &frame, &self->error);
}

/* Appends to the file, within bytes_max. */
static int64_t append(void *context, const void *data, size_t bytes)
{
    ls_evidence_bundle *self = context;
    if (bytes > self->bytes_max - self->bytes_put)
        return -EFBIG;
    int64_t count = self->file.append(self->file.context, data, bytes);
    self->bytes_put += count > 0 ? (uint64_t)count : 0;
    return count;
}

/* Syncs only the complete file: a file gets its name with its first sync, so an incomplete one
 * leaves nothing on the disk. */
static int sync_file(void *context)
{
    const ls_evidence_bundle *self = context;
    return self->is_whole ? self->file.sync(self->file.context) : 0;
}

static int close_file(void *context)
{
    const ls_evidence_bundle *self = context;
    return self->file.close(self->file.context);
}

static ls_status write_all(ls_evidence_bundle *self, const uint8_t *keyframe, size_t bytes)
{
    ls_recorder *recorder;
    self->keyframe.data = keyframe;
    self->keyframe.bytes = bytes;
    const ls_recorder_config config = {.sink = {self, append, sync_file, close_file},
                                       .name = self->name,
                                       .header = &self->header,
                                       .keyframe = &self->keyframe,
                                       .identity = self->identity};
    ls_status status = ls_recorder_begin(&config, &recorder, &self->error);
    for (uint64_t tick = self->keyframe.tick; status == LS_OK && tick <= self->ring.next; tick++)
        status = put_tick(self, recorder, tick);
    if (status == LS_OK)
        status = put_evidence(self, recorder);
    self->is_whole = status == LS_OK;
    if (status == LS_OK)
        status = ls_recorder_finish(recorder, LS_CLOSING_CUT, &self->error);
    ls_recorder_destroy(recorder);
    return status;
}

static void run(ls_job *job)
{
    ls_evidence_bundle *self = (ls_evidence_bundle *)job;
    uint8_t *keyframe;
    size_t bytes;
    ls_keyframe_encode(first_state(self), NULL, &keyframe, &bytes);
    if (keyframe) {
        self->status = write_all(self, keyframe, bytes);
    } else {
        self->file.close(self->file.context);
        self->status = ls_error_set(&self->error, LS_ERROR_LIMIT, "the state is too large");
    }
    ls_free(keyframe);
}

void ls_evidence_bundle_submit(ls_evidence_bundle *bundle, ls_jobs *jobs)
{
    rewind_players(bundle);
    bundle->job.run = run;
    ls_job_submit(jobs, &bundle->job);
}
