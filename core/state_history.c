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
    ls_world *rebuilt; /* the world in which states are rebuilt; NULL: not needed yet */
    uint32_t lanes, ticks, step;
    uint64_t pressure_tick; /* memory was short: before this tick the step does not double, and
                         an empty history keeps nothing; the step does not halve until
                         8 * ticks after it */
    uint64_t newest;        /* the tick of the last call of ls_state_history_keep() */
    size_t bytes_max;
    ls_page_log log;
    ls_snapshot *snapshots[2]; /* latest requested ones, while their ticks are kept */
    kept *ring;
    uint32_t first, count, places; /* of `ring` */
};

static kept *kept_at(const ls_state_history *history, uint32_t index)
{
    return &history->ring[(history->first + index) % history->places];
}

uint32_t ls_state_history_ticks(uint32_t ms, uint32_t tick_rate)
{
    uint64_t ticks = (uint64_t)ms * tick_rate / 1000 + 1;
    return ticks < LS_STATE_HISTORY_TICKS_MAX ? (uint32_t)ticks : LS_STATE_HISTORY_TICKS_MAX;
}

/* Enlarges the ring, which must be empty, or full and begin at index 0. */
static void add_places(ls_state_history *history, uint32_t count)
{
    history->ring = ls_realloc(history->ring, sizeof *history->ring * (history->places + count));
    for (uint32_t i = history->places; i < history->places + count; i++)
        history->ring[i] = (kept){.refused_spawns = ls_alloc(sizeof(uint64_t) * history->lanes)};
    history->places += count;
}

/* Rotates a full ring so that it begins at index 0, and enlarges it. */
static void grow(ls_state_history *history)
{
    uint32_t count = history->places;
    kept *turned = ls_alloc(sizeof *turned * count);
    for (uint32_t i = 0; i < count; i++)
        turned[i] = *kept_at(history, i);
    memcpy(history->ring, turned, sizeof *turned * count);
    ls_free(turned);
    history->first = 0;
    add_places(history, history->ticks);
}

ls_state_history *ls_state_history_create(ls_world *world, uint32_t ticks, size_t bytes_max)
{
    LS_ASSERT(ticks >= 1 && ticks <= LS_STATE_HISTORY_TICKS_MAX);
    ls_state_history *history = ls_alloc(sizeof *history);
    history->world = world;
    history->lanes = world->state.lanes;
    history->ticks = ticks;
    history->step = 1;
    history->bytes_max = bytes_max;
    ls_page_log_init(&history->log, ls_column_total(world) * history->lanes, bytes_max);
    add_places(history, ticks);
    return history;
}

/* Drops requested snapshots of ticks before `oldest`. */
static void drop_snapshots(ls_state_history *history, uint64_t oldest)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(history->snapshots); i++)
        if (history->snapshots[i] && ls_snapshot_tick(history->snapshots[i]) < oldest) {
            ls_snapshot_destroy(history->snapshots[i]);
            history->snapshots[i] = NULL;
        }
}

void ls_state_history_destroy(ls_state_history *history)
{
    if (!history)
        return;
    for (uint32_t i = 0; i < history->places; i++)
        ls_free(history->ring[i].refused_spawns);
    drop_snapshots(history, UINT64_MAX);
    ls_world_destroy(history->rebuilt);
    ls_page_log_reset(&history->log);
    ls_free(history->ring);
    ls_free(history);
}

static void drop_oldest(ls_state_history *history)
{
    history->first = (history->first + 1) % history->places;
    history->count--;
}

/* The oldest kept tick, or, if none is kept, the tick that is being kept. Contents that ended
 * before it are not needed. */
static uint64_t oldest_of(const ls_state_history *history)
{
    return history->count ? kept_at(history, 0)->tick : history->world->state.tick;
}

/* Logs a page; drops the oldest ticks if memory is short. False when not even the current state
 * fits. */
static bool take_page(ls_state_history *history, const ls_page_change *change)
{
    while (!ls_page_log_put(&history->log, change, oldest_of(history))) {
        if (history->count == 0)
            return false;
        if (history->step < history->ticks && history->world->state.tick >= history->pressure_tick)
            history->step *= 2;
        history->pressure_tick = history->world->state.tick + history->ticks;
        drop_oldest(history);
    }
    return true;
}

static bool take_table(ls_state_history *history, uint32_t index)
{
    ls_state_hash_table(history->world, index);
    const ls_table *table = history->world->state.tables[index];
    ls_page_log_table *logged = &history->log.tables[index];
    uint64_t hash = table ? table->hash : 0;
    if (hash == logged->hash)
        return true;
    uint32_t count = ls_table_page_count(table), column = index / history->lanes;
    count = count > logged->count ? count : logged->count;
    ls_page_change change = {.table = index,
                             .tick = history->world->state.tick,
                             .source = &history->world->sources[column],
                             .is_whole = column == ls_liveness(history->world)};
    for (change.page = 0; change.page < count; change.page++) {
        change.hash = ls_table_page_hash(table, change.page);
        if (change.hash == ls_page_log_hash(&history->log, index, change.page))
            continue;
        change.content = change.hash ? ls_table_page(table, change.page) : NULL;
        if (!take_page(history, &change))
            return false;
    }
    logged->hash = hash;
    return true;
}

static void add_kept(ls_state_history *history, uint64_t root)
{
    const ls_state *state = &history->world->state;
    if (history->count == history->places)
        grow(history);
    kept *now = &history->ring[(history->first + history->count++) % history->places];
    now->tick = state->tick;
    now->root = root;
    memcpy(now->dropped, state->dropped, sizeof now->dropped);
    memcpy(now->refused_spawns, state->refused_spawns, sizeof(uint64_t) * history->lanes);
}

static void forget(ls_state_history *history)
{
    uint32_t table_count = history->log.table_count;
    drop_snapshots(history, UINT64_MAX);
    ls_page_log_reset(&history->log);
    ls_page_log_init(&history->log, table_count, history->bytes_max);
    history->count = 0;
}

/* The state exceeds the budget: keeps nothing for a while, then tries again. */
static void pause_keeping(ls_state_history *history)
{
    forget(history);
    history->pressure_tick = history->world->state.tick + 64 * (uint64_t)history->ticks;
}

/* The world went back to an earlier tick. Its ticks run again, perhaps differently, so no record is
 * valid. */
static void restart(ls_state_history *history)
{
    forget(history);
    history->step = 1;
    history->pressure_tick = 0;
}

/* Whether the oldest kept tick is dropped when `tick` is added. */
static bool is_too_old(const ls_state_history *history, uint64_t tick, uint64_t wanted_from)
{
    uint64_t oldest = kept_at(history, 0)->tick;
    return history->count == history->ticks * LS_STATE_HISTORY_STRETCH ||
           (oldest + history->ticks <= tick && oldest < wanted_from);
}

uint64_t ls_state_history_keep(ls_state_history *history, ls_executor *executor,
                               uint64_t wanted_from)
{
    uint64_t tick = history->world->state.tick;
    if (tick <= history->newest)
        restart(history);
    history->newest = tick;
    while (history->count && is_too_old(history, tick, wanted_from))
        drop_oldest(history);
    drop_snapshots(history, oldest_of(history));
    if (history->step > 1 && tick >= history->pressure_tick + 8 * (uint64_t)history->ticks) {
        history->step /= 2;
        history->pressure_tick = tick;
    }
    bool is_off = history->count == 0 && tick < history->pressure_tick;
    if (tick % history->step != 0 || is_off)
        return ls_world_root_on(history->world, executor);
    /* A single thread hashes and copies table by table: the memory for the next copy arrives while
     * it hashes. With several threads it is faster to hash all tables first. */
    if (ls_executor_threads(executor) > 1)
        (void)ls_world_root_on(history->world, executor);
    bool is_taken = true;
    for (uint32_t i = 0; is_taken && i < history->log.table_count; i++)
        is_taken = take_table(history, i);
    if (!is_taken) {
        pause_keeping(history);
        return ls_world_root(history->world);
    }
    uint64_t root = ls_state_root(history->world);
    add_kept(history, root);
    return root;
}

static uint32_t index_of(const ls_state_history *history, uint64_t tick)
{
    uint32_t index = 0;
    while (index < history->count && kept_at(history, index)->tick < tick)
        index++;
    return index;
}

uint64_t ls_state_history_find(const ls_state_history *history, uint64_t tick)
{
    uint32_t index = index_of(history, tick);
    return index < history->count ? kept_at(history, index)->tick : LS_STATE_HISTORY_NONE;
}

static const kept *known(const ls_state_history *history, uint64_t tick)
{
    uint32_t index = index_of(history, tick);
    LS_ASSERT(index < history->count && kept_at(history, index)->tick == tick);
    return kept_at(history, index);
}

uint64_t ls_state_history_root(const ls_state_history *history, uint64_t tick)
{
    return known(history, tick)->root;
}

uint32_t ls_state_history_step(const ls_state_history *history)
{
    return history->step;
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

size_t ls_state_history_bytes(const ls_state_history *history)
{
    return ls_page_log_bytes(&history->log) +
           history->places * (sizeof(kept) + sizeof(uint64_t) * history->lanes);
}

/* Rebuilds the state of a kept tick in `history->rebuilt`. */
static void build(ls_state_history *history, const kept *wanted)
{
    ls_world *rebuilt = history->rebuilt;
    uint64_t tick = wanted->tick;
    ls_state_empty(rebuilt, &rebuilt->state);
    ls_world_state_changed(rebuilt);
    for (uint32_t column = 0; column <= ls_liveness(rebuilt); column++)
        ls_store_own(rebuilt, column);
    for (uint32_t column = ls_liveness(rebuilt) + 1; column < ls_column_total(rebuilt); column++) {
        for (uint32_t lane = 0; lane < history->lanes; lane++)
            ls_table_own(ls_world_table(rebuilt, column, lane), 0, &rebuilt->sources[column]);
    }
    for (uint64_t number = history->log.first; number < history->log.next; number++) {
        const ls_page_record *record = ls_page_log_record(&history->log, number);
        if (record->hash && record->tick <= tick && tick < record->until)
            write_page(rebuilt, &history->log, record);
    }
    rebuilt->state.tick = tick;
    memcpy(rebuilt->state.dropped, wanted->dropped, sizeof wanted->dropped);
    memcpy(rebuilt->state.refused_spawns, wanted->refused_spawns,
           sizeof(uint64_t) * history->lanes);
    ls_world_state_changed(rebuilt);
}

ls_snapshot *ls_state_history_snapshot(ls_state_history *history, uint64_t tick)
{
    const kept *wanted = known(history, tick);
    if (!history->rebuilt)
        history->rebuilt = ls_world_create_sibling(history->world);
    for (uint32_t i = 0; i < LS_COUNT_OF(history->snapshots); i++)
        if (history->snapshots[i] && ls_snapshot_tick(history->snapshots[i]) == tick) {
            ls_world_restore(history->rebuilt, history->snapshots[i]);
            return ls_world_snapshot(history->rebuilt);
        }
    build(history, wanted);
    ls_snapshot_destroy(history->snapshots[1]);
    history->snapshots[1] = history->snapshots[0];
    history->snapshots[0] = ls_world_snapshot(history->rebuilt);
    return ls_world_snapshot(history->rebuilt);
}
