#include "server/state_exchange.h"

#include "core/base/fault_injection.h"
#include "core/schedule/value_text.h"
#include <lockstep/evidence_limits.h>

#include <stdio.h>
#include <string.h>

/* The bundle begins this many ticks before the compared state, so that they can be simulated again:
 * the fault shows in the last one, but its cause may be in an earlier one. */
enum { EARLIER_TICKS = 16 };

ls_state_exchange *ls_state_exchange_create(uint64_t tick)
{
    ls_state_exchange *exchange = ls_alloc(sizeof *exchange);
    exchange->tick = tick;
    exchange->why = "";
    exchange->body = ls_alloc(LS_EVIDENCE_ANSWER_BYTES_MAX);
    return exchange;
}

void ls_state_exchange_destroy(ls_state_exchange *exchange)
{
    if (!exchange)
        return;
    ls_snapshot_destroy(exchange->snapshot);
    ls_snapshot_destroy(exchange->earlier);
    ls_free(exchange->body);
    ls_free(exchange);
}

static void give_up(ls_state_exchange *self, const char *why)
{
    self->state = LS_STATE_EXCHANGE_EMPTY;
    self->why = why;
}

static void ask(ls_state_exchange *self, ls_evidence_level level, uint32_t count)
{
    self->request.tick = self->tick;
    self->request.level = (uint8_t)level;
    self->request.count = count;
    self->total = 0;
    self->got = 0;
    self->state = LS_STATE_EXCHANGE_ASK;
}

static void hold(ls_state_exchange *self, ls_state_history *history, uint64_t tick)
{
    ls_snapshot_destroy(self->snapshot);
    ls_snapshot_destroy(self->earlier);
    self->tick = tick;
    uint64_t held =
        LS_FAULT(PIN_OF_ANOTHER_TICK) && tick ? ls_state_history_find(history, tick - 1) : tick;
    self->snapshot = ls_state_history_snapshot(history, held);
    self->root = ls_state_history_root(history, tick);
    self->step = ls_state_history_step(history);
    uint64_t before =
        ls_state_history_find(history, tick < EARLIER_TICKS ? 0 : tick - EARLIER_TICKS);
    self->earlier = before < tick ? ls_state_history_snapshot(history, before) : NULL;
    self->earlier_root = before < tick ? ls_state_history_root(history, before) : 0;
    ls_cells_columns(self->snapshot, self->columns);
}

static void begin(ls_state_exchange *self, ls_state_history *history)
{
    uint64_t tick = history ? ls_state_history_find(history, self->tick) : LS_STATE_HISTORY_NONE;
    if (tick == LS_STATE_HISTORY_NONE) {
        give_up(self, "the server no longer has this state");
        return;
    }
    hold(self, history, tick);
    ask(self, LS_EVIDENCE_COLUMNS, 0);
}

/* Changes to the tick of the client's answer, if the history has it. With little memory each side
 * keeps every k-th tick only, and k may differ. */
static bool meet(ls_state_exchange *self, ls_state_history *history)
{
    if (self->body_tick == self->tick)
        return true;
    if (ls_state_history_find(history, self->body_tick) != self->body_tick)
        return false;
    hold(self, history, self->body_tick);
    return true;
}

static void compare_columns(ls_state_exchange *self, ls_world *world, ls_state_history *history)
{
    ls_reader reader;
    ls_reader_init(&reader, self->body, self->total);
    if (!ls_evidence_columns_read(&reader, &self->theirs) || !ls_reader_done(&reader) ||
        self->theirs.count != ls_cells_column_count(ls_world_program(world))) {
        give_up(self, "its columns cannot be read");
        return;
    }
    if (!meet(self, history)) {
        give_up(self, "there is no tick whose state both have");
        return;
    }
    self->has_columns = true;
    for (uint32_t i = 0; i < self->theirs.count; i++)
        if (self->theirs.hashes[i] != self->columns[i])
            self->request.places[self->columns_differ++] = (ls_evidence_place){(uint8_t)i, 0};
    if (self->columns_differ)
        ask(self, LS_EVIDENCE_PAGES, self->columns_differ);
    else
        give_up(self, "its columns are those of the server");
}

/* The pages of one column on both sides, in ascending order. An answer that is full omits the last
 * pages, which are then unknown. */
typedef struct sides {
    const ls_cells_page *ours;
    uint32_t our_count;
    const ls_evidence_pages *theirs;
} sides;

static uint32_t differing(const sides *both, uint32_t *keys, uint32_t capacity)
{
    uint32_t count = 0, i = 0, k = 0;
    bool is_cut = both->theirs->listed < both->theirs->all;
    while (i < both->our_count || k < both->theirs->listed) {
        if (is_cut && k == both->theirs->listed)
            break;
        if (LS_FAULT(LAST_PAGE_UNREAD) && k + 1 >= both->theirs->listed)
            break;
        ls_cells_page theirs = {.key = UINT32_MAX}, ours = {.key = UINT32_MAX};
        if (k < both->theirs->listed)
            theirs = ls_evidence_pages_at(both->theirs, k);
        if (i < both->our_count)
            ours = both->ours[i];
        bool is_same = ours.key == theirs.key && ours.hash == theirs.hash;
        if (!is_same && count < capacity)
            keys[count] = ours.key < theirs.key ? ours.key : theirs.key;
        count += !is_same;
        i += i < both->our_count && ours.key <= theirs.key;
        k += k < both->theirs->listed && theirs.key <= ours.key;
    }
    return count;
}

static uint32_t compare_pages_of(ls_state_exchange *self, uint32_t column,
                                 const ls_evidence_pages *theirs, uint32_t *keys, uint32_t capacity)
{
    uint32_t count = ls_cells_pages(self->snapshot, column, NULL, 0);
    ls_cells_page *ours = ls_alloc(sizeof *ours * (count ? count : 1));
    count = ls_cells_pages(self->snapshot, column, ours, count);
    uint32_t found =
        differing(&(sides){.ours = ours, .our_count = count, .theirs = theirs}, keys, capacity);
    ls_free(ours);
    return found;
}

/* Finds the pages that differ and requests their cells. Each column gets an equal share of the
 * places. */
static void compare_pages(ls_state_exchange *self)
{
    ls_evidence_place places[LS_EVIDENCE_CELLS_MAX];
    uint32_t count = 0, columns = self->request.count;
    uint32_t share = LS_EVIDENCE_CELLS_MAX / columns ? LS_EVIDENCE_CELLS_MAX / columns : 1;
    ls_reader reader;
    ls_reader_init(&reader, self->body, self->total);
    for (uint32_t i = 0; i < columns && ls_reader_left(&reader); i++) {
        ls_evidence_pages theirs;
        uint32_t keys[LS_EVIDENCE_CELLS_MAX], left = LS_EVIDENCE_CELLS_MAX - count;
        if (!ls_evidence_pages_read(&reader, &theirs)) {
            give_up(self, "its pages cannot be read");
            return;
        }
        uint32_t room = share < left ? share : left;
        uint8_t column = self->request.places[i].column;
        uint32_t found = compare_pages_of(self, column, &theirs, keys, room);
        self->pages_differ += found;
        for (uint32_t k = 0; k < found && k < room; k++)
            places[count++] = (ls_evidence_place){column, keys[k]};
    }
    if (!ls_reader_done(&reader) || !count) {
        give_up(self, "its pages are those of the server, its columns are not");
        return;
    }
    memcpy(self->request.places, places, sizeof places[0] * count);
    ask(self, LS_EVIDENCE_CELLS, count);
}

static void copy(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from ? from : "-");
}

static void name_field(ls_state_exchange_finding *finding, const ls_difference *difference)
{
    const ls_field *field = difference->field;
    if (difference->kind != LS_DIFFERENCE_FIELD)
        copy(finding->field, sizeof finding->field,
             difference->kind == LS_DIFFERENCE_PRESENCE ? "(presence)" : difference->name);
    else if (field->count || field->bytes > ls_type_bytes(field->type))
        snprintf(finding->field, sizeof finding->field, "%s[%u]", field->name, difference->item);
    else
        copy(finding->field, sizeof finding->field, field->name);
}

typedef struct note {
    ls_state_exchange *exchange;
    const ls_program *program;
} note;

static bool note_difference(void *argument, const ls_difference *difference)
{
    note *self = argument;
    ls_state_exchange *exchange = self->exchange;
    if (exchange->finding_count++ >= LS_STATE_EXCHANGE_FINDINGS)
        return true;
    ls_state_exchange_finding *finding = &exchange->findings[exchange->finding_count - 1];
    bool is_life = difference->kind == LS_DIFFERENCE_LIFE;
    copy(finding->place, sizeof finding->place, difference->place);
    copy(finding->component, sizeof finding->component,
         difference->component ? difference->component->name
         : is_life             ? "(lives)"
                               : "(head)");
    name_field(finding, difference);
    if (is_life)
        copy(finding->field, sizeof finding->field, "(life)");
    bool is_swapped = LS_FAULT(SIDES_ARE_SWAPPED);
    copy(finding->server, sizeof finding->server, is_swapped ? difference->b : difference->a);
    copy(finding->client, sizeof finding->client, is_swapped ? difference->a : difference->b);
    ls_builder text = {0};
    if (difference->entity != LS_ENTITY_NULL)
        ls_entity_print(&text, self->program, difference->entity);
    copy(finding->entity, sizeof finding->entity, text.data);
    ls_free(text.data);
    return true;
}

static bool read_claims(ls_state_exchange *self)
{
    ls_reader reader;
    ls_reader_init(&reader, self->body, self->total);
    self->claim_count = 0;
    for (uint32_t i = 0; i < self->request.count && ls_reader_left(&reader); i++) {
        ls_cells_claim claim = {self->request.places[i].column, self->request.places[i].key, NULL,
                                0};
        uint32_t bytes;
        if (!ls_evidence_cells_read(&reader, &bytes, &claim.bytes))
            return false;
        claim.count = bytes;
        if (bytes != LS_EVIDENCE_LEFT_OUT)
            self->claims[self->claim_count++] = claim;
    }
    return ls_reader_done(&reader);
}

static void compare_cells(ls_state_exchange *self, ls_world *world)
{
    note notes = {.exchange = self, .program = ls_world_program(world)};
    ls_error error;
    if (!read_claims(self) ||
        ls_cells_compare(world, self->snapshot, self->claims, self->claim_count, note_difference,
                         &notes, &self->claimed_root, &error) != LS_OK) {
        self->claim_count = 0;
        give_up(self, "its cells cannot be read");
    } else if (!self->finding_count) {
        give_up(self, "its cells are those of the server, its pages are not");
    } else {
        self->state = LS_STATE_EXCHANGE_FOUND;
    }
}

void ls_state_exchange_work(ls_state_exchange *exchange, ls_world *world, ls_state_history *history)
{
    LS_ASSERT(exchange->state == LS_STATE_EXCHANGE_WORK);
    if (!exchange->snapshot)
        begin(exchange, history);
    else if (!exchange->total)
        give_up(exchange, "it no longer has this state: it is too old, or its evidence_ms is 0");
    else if (exchange->request.level == LS_EVIDENCE_COLUMNS)
        compare_columns(exchange, world, history);
    else if (exchange->request.level == LS_EVIDENCE_PAGES)
        compare_pages(exchange);
    else
        compare_cells(exchange, world);
}

static uint64_t all_chunks(uint32_t total)
{
    uint32_t count = (total + LS_CHUNK_BYTES_MAX - 1) / LS_CHUNK_BYTES_MAX;
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static bool is_answer(const ls_state_exchange *self, const ls_evidence_chunk *chunk)
{
    bool may_be_later = self->request.level == LS_EVIDENCE_COLUMNS && chunk->total_bytes;
    return self->state == LS_STATE_EXCHANGE_ASK && chunk->level == self->request.level &&
           (chunk->tick == self->tick || (may_be_later && chunk->tick > self->tick)) &&
           (!self->got || (chunk->total_bytes == self->total && chunk->tick == self->body_tick));
}

bool ls_state_exchange_receive(ls_state_exchange *exchange, const ls_evidence_chunk *chunk)
{
    if (!is_answer(exchange, chunk))
        return false;
    exchange->total = chunk->total_bytes;
    exchange->body_tick = chunk->tick;
    if (chunk->bytes)
        memcpy(exchange->body + chunk->offset, chunk->data, chunk->bytes);
    exchange->got |= UINT64_C(1) << (chunk->offset / LS_CHUNK_BYTES_MAX);
    if (!exchange->total || exchange->got == all_chunks(exchange->total))
        exchange->state = LS_STATE_EXCHANGE_WORK;
    return true;
}

ls_evidence_request ls_state_exchange_request(const ls_state_exchange *exchange)
{
    LS_ASSERT(exchange->state == LS_STATE_EXCHANGE_ASK);
    ls_evidence_request request = exchange->request;
    request.offset = 0;
    while (exchange->got >> (request.offset / LS_CHUNK_BYTES_MAX) & 1)
        request.offset += LS_CHUNK_BYTES_MAX;
    return request;
}

_Static_assert(LS_EVIDENCE_ANSWER_BYTES_MAX / LS_CHUNK_BYTES_MAX == 64, "a bit for each chunk");
