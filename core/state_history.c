#include "core/state_history.h"

#include "core/state/page_log.h"
#include "core/state/state_internal.h"
#include "core/state/store.h"

#include <string.h>

/* The parts of a kept tick besides its pages. */
typedef struct kept {
    uint64_t tick, root;
    uint64_t dropped[LS_DROPPED_COUNT];
    uint64_t *refused_spawns; /* by lane */
} kept;

struct ls_state_history {
    ls_world *world;
    ls_world *beside; /* the world in which states are rebuilt; NULL: not needed yet */
    uint32_t lanes, ticks, step;
    uint64_t pressed; /* memory was short: the step does not double before this tick, nor halve
                         until 8 * ticks after it */
    uint64_t newest;  /* the last tick passed to ls_state_history_keep() */
    size_t bytes_max;
    ls_page_log log;
    ls_snapshot *given[2]; /* latest requested ones, while their ticks are kept */
    kept *ring;
    uint32_t first, count, places; /* of `ring` */
};

static kept *kept_at(const ls_state_history *self, uint32_t index)
{
    return &self->ring[(self->first + index) % self->places];
}

uint32_t ls_state_history_ticks(uint32_t ms, uint32_t tick_rate)
{
    uint64_t ticks = (uint64_t)ms * tick_rate / 1000 + 1;
    return ticks < LS_STATE_HISTORY_TICKS_MAX ? (uint32_t)ticks : LS_STATE_HISTORY_TICKS_MAX;
}

/* Enlarges the ring, which must be empty, or full and begin at index 0. */
static void add_places(ls_state_history *self, uint32_t count)
{
    self->ring = ls_realloc(self->ring, sizeof *self->ring * (self->places + count));
    for (uint32_t i = self->places; i < self->places + count; i++)
        self->ring[i] = (kept){.refused_spawns = ls_alloc(sizeof(uint64_t) * self->lanes)};
    self->places += count;
}

/* Rotates a full ring so that it begins at index 0, and enlarges it. */
static void grow(ls_state_history *self)
{
    uint32_t count = self->places;
    kept *turned = ls_alloc(sizeof *turned * count);
    for (uint32_t i = 0; i < count; i++)
        turned[i] = *kept_at(self, i);
    memcpy(self->ring, turned, sizeof *turned * count);
    ls_free(turned);
    self->first = 0;
    add_places(self, self->ticks);
}

ls_state_history *ls_state_history_create(ls_world *world, uint32_t ticks, size_t bytes_max)
{
    LS_ASSERT(ticks >= 1 && ticks <= LS_STATE_HISTORY_TICKS_MAX);
    ls_state_history *past = ls_alloc(sizeof *past);
    past->world = world;
    past->lanes = world->state.lanes;
    past->ticks = ticks;
    past->step = 1;
    past->bytes_max = bytes_max;
    ls_page_log_init(&past->log, (ls_liveness(world) + 1) * past->lanes, bytes_max);
    add_places(past, ticks);
    return past;
}

/* Drops requested snapshots of ticks before `oldest`. */
static void drop_given(ls_state_history *self, uint64_t oldest)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(self->given); i++)
        if (self->given[i] && ls_snapshot_tick(self->given[i]) < oldest) {
            ls_snapshot_destroy(self->given[i]);
            self->given[i] = NULL;
        }
}

void ls_state_history_destroy(ls_state_history *past)
{
    if (!past)
        return;
    for (uint32_t i = 0; i < past->places; i++)
        ls_free(past->ring[i].refused_spawns);
    drop_given(past, UINT64_MAX);
    ls_world_destroy(past->beside);
    ls_page_log_reset(&past->log);
    ls_free(past->ring);
    ls_free(past);
}

static void drop_oldest(ls_state_history *self)
{
    self->first = (self->first + 1) % self->places;
    self->count--;
}

/* Contents that ended before this tick are not needed: it is the oldest kept tick, or else the tick
 * that is being kept. */
static uint64_t oldest_of(const ls_state_history *self)
{
    return self->count ? kept_at(self, 0)->tick : self->world->state.tick;
}

/* Logs a page; drops the oldest ticks if memory is short. False when not even the current state
 * fits. */
static bool take_page(ls_state_history *self, const ls_page_change *change)
{
    while (!ls_page_log_put(&self->log, change, oldest_of(self))) {
        if (self->count == 0)
            return false;
        if (self->step < self->ticks && self->world->state.tick >= self->pressed)
            self->step *= 2;
        self->pressed = self->world->state.tick + self->ticks;
        drop_oldest(self);
    }
    return true;
}

static bool take_table(ls_state_history *self, uint32_t index)
{
    ls_state_hash_table(self->world, index);
    const ls_table *table = self->world->state.tables[index];
    ls_page_log_table *mine = &self->log.tables[index];
    uint64_t hash = table ? table->hash : 0;
    if (hash == mine->hash)
        return true;
    uint32_t count = ls_table_page_count(table), column = index / self->lanes;
    count = count > mine->count ? count : mine->count;
    ls_page_change change = {.table = index,
                             .tick = self->world->state.tick,
                             .source = &self->world->sources[column],
                             .is_whole = column == ls_liveness(self->world)};
    for (change.page = 0; change.page < count; change.page++) {
        change.hash = ls_table_page_hash(table, change.page);
        if (change.hash == ls_page_log_hash(&self->log, index, change.page))
            continue;
        change.content = change.hash ? ls_table_page(table, change.page) : NULL;
        if (!take_page(self, &change))
            return false;
    }
    mine->hash = hash;
    return true;
}

static void add_kept(ls_state_history *self, uint64_t root)
{
    const ls_state *state = &self->world->state;
    if (self->count == self->places)
        grow(self);
    kept *now = &self->ring[(self->first + self->count++) % self->places];
    now->tick = state->tick;
    now->root = root;
    memcpy(now->dropped, state->dropped, sizeof now->dropped);
    memcpy(now->refused_spawns, state->refused_spawns, sizeof(uint64_t) * self->lanes);
}

static void forget(ls_state_history *self)
{
    uint32_t table_count = self->log.table_count;
    drop_given(self, UINT64_MAX);
    ls_page_log_reset(&self->log);
    ls_page_log_init(&self->log, table_count, self->bytes_max);
    self->count = 0;
}

/* The state exceeds the budget: keeps nothing for a while, then tries again. */
static void give_up(ls_state_history *self)
{
    forget(self);
    self->pressed = self->world->state.tick + 64 * (uint64_t)self->ticks;
}

/* The world went back to an earlier tick. Its ticks run again, perhaps differently, so no record is
 * valid. */
static void go_back(ls_state_history *self)
{
    forget(self);
    self->step = 1;
    self->pressed = 0;
}

/* Whether the oldest kept tick is dropped when `tick` is added. */
static bool is_too_old(const ls_state_history *self, uint64_t tick, uint64_t wanted_from)
{
    uint64_t oldest = kept_at(self, 0)->tick;
    return self->count == self->ticks * LS_STATE_HISTORY_STRETCH ||
           (oldest + self->ticks <= tick && oldest < wanted_from);
}

uint64_t ls_state_history_keep(ls_state_history *past, ls_executor *executor, uint64_t wanted_from)
{
    uint64_t tick = past->world->state.tick;
    if (tick <= past->newest)
        go_back(past);
    past->newest = tick;
    while (past->count && is_too_old(past, tick, wanted_from))
        drop_oldest(past);
    drop_given(past, oldest_of(past));
    if (past->step > 1 && tick >= past->pressed + 8 * (uint64_t)past->ticks) {
        past->step /= 2;
        past->pressed = tick;
    }
    bool is_off = past->count == 0 && tick < past->pressed;
    if (tick % past->step != 0 || is_off)
        return ls_world_root_on(past->world, executor);
    /* A single thread hashes and copies table by table: the memory for the next copy arrives while
     * it hashes. With several threads it is faster to hash all tables first. */
    if (ls_executor_threads(executor) > 1)
        (void)ls_world_root_on(past->world, executor);
    bool is_taken = true;
    for (uint32_t i = 0; is_taken && i < past->log.table_count; i++)
        is_taken = take_table(past, i);
    if (!is_taken) {
        give_up(past);
        return ls_world_root(past->world);
    }
    uint64_t root = ls_state_root(past->world);
    add_kept(past, root);
    return root;
}

static uint32_t index_of(const ls_state_history *self, uint64_t tick)
{
    uint32_t index = 0;
    while (index < self->count && kept_at(self, index)->tick < tick)
        index++;
    return index;
}

uint64_t ls_state_history_find(const ls_state_history *past, uint64_t tick)
{
    uint32_t index = index_of(past, tick);
    return index < past->count ? kept_at(past, index)->tick : LS_STATE_HISTORY_NONE;
}

static const kept *known(const ls_state_history *self, uint64_t tick)
{
    uint32_t index = index_of(self, tick);
    LS_ASSERT(index < self->count && kept_at(self, index)->tick == tick);
    return kept_at(self, index);
}

uint64_t ls_state_history_root(const ls_state_history *past, uint64_t tick)
{
    return known(past, tick)->root;
}

uint32_t ls_state_history_step(const ls_state_history *past)
{
    return past->step;
}

static void write_page(ls_world *world, const ls_page_log *log, const ls_page_record *record)
{
    uint32_t column = record->table / world->state.lanes;
    const ls_page_source *source = &world->sources[column];
    ls_table *table = world->state.tables[record->table];
    ls_page *page = ls_table_write(table, record->page, source);
    ls_page_log_read(log, record, source, column == ls_liveness(world), page);
    ls_table_settle(table, record->page);
}

size_t ls_state_history_bytes(const ls_state_history *past)
{
    return ls_page_log_bytes(&past->log) +
           past->places * (sizeof(kept) + sizeof(uint64_t) * past->lanes);
}

/* Rebuilds a state in the world `beside`. */
static void build(ls_state_history *past, const kept *wanted)
{
    ls_world *beside = past->beside;
    uint64_t tick = wanted->tick;
    ls_state_empty(beside, &beside->state);
    ls_world_state_changed(beside);
    for (uint32_t column = 0; column <= ls_liveness(beside); column++)
        ls_store_own(beside, column);
    for (uint64_t number = past->log.first; number < past->log.next; number++) {
        const ls_page_record *record = ls_page_log_record(&past->log, number);
        if (record->hash && record->tick <= tick && tick < record->until)
            write_page(beside, &past->log, record);
    }
    beside->state.tick = tick;
    memcpy(beside->state.dropped, wanted->dropped, sizeof wanted->dropped);
    memcpy(beside->state.refused_spawns, wanted->refused_spawns, sizeof(uint64_t) * past->lanes);
    ls_world_state_changed(beside);
}

ls_snapshot *ls_state_history_snapshot(ls_state_history *past, uint64_t tick)
{
    const kept *wanted = known(past, tick);
    if (!past->beside)
        past->beside = ls_world_create_sibling(past->world);
    for (uint32_t i = 0; i < LS_COUNT_OF(past->given); i++)
        if (past->given[i] && ls_snapshot_tick(past->given[i]) == tick) {
            ls_world_restore(past->beside, past->given[i]);
            return ls_world_snapshot(past->beside);
        }
    build(past, wanted);
    ls_snapshot_destroy(past->given[1]);
    past->given[1] = past->given[0];
    past->given[0] = ls_world_snapshot(past->beside);
    return ls_world_snapshot(past->beside);
}
