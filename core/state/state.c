/* States: creates, shares with snapshots, releases and hashes them.
 *
 * The hash is a tree: page, directory, table (a column in one lane), column, root. Tables and
 * directories cache hashes and have a bitmap of those that are stale. So a root costs only what was
 * written since the last root. */
#include "core/state/state_internal.h"

#include "core/base/grow.h"
#include "core/schema/codec.h"
#include "core/state/world_state.h"

#include <string.h>

const char *const ls_dropped_names[LS_DROPPED_COUNT] = {
    [LS_DROPPED_COMMANDS] = "commands",
    [LS_DROPPED_EVENTS] = "events",
    [LS_DROPPED_VALUES] = "values",
};

void ls_state_init(ls_state *state, const ls_program *program)
{
    *state = (ls_state){0};
    state->tables = ls_alloc(sizeof(ls_table *) * ls_program_table_total(program));
    state->lives = &state->tables[(size_t)program->column_count * program->lane_count];
    state->lanes = program->lane_count;
    state->refused_spawns = ls_alloc(sizeof(uint64_t) * program->lane_count);
}

/* Releases each old table of `to` only when the new one is shared, because they may be the same. */
void ls_state_share(const ls_world *world, const ls_state *from, ls_state *to)
{
    const ls_program *program = world->program;
    to->tick = from->tick;
    memcpy(to->refused_spawns, from->refused_spawns, sizeof(uint64_t) * program->lane_count);
    memcpy(to->dropped, from->dropped, sizeof to->dropped);
    for (size_t i = 0; i < ls_program_table_total(program); i++) {
        ls_table *before = to->tables[i];
        to->tables[i] = ls_table_share(from->tables[i]);
        ls_table_release(before, &world->sources[i / program->lane_count]);
    }
}

void ls_state_empty(const ls_world *world, ls_state *state)
{
    for (size_t i = 0; i < ls_program_table_total(world->program); i++) {
        ls_table_release(state->tables[i], &world->sources[i / state->lanes]);
        state->tables[i] = NULL;
    }
}

void ls_state_release(const ls_world *world, ls_state *state)
{
    if (state->tables)
        ls_state_empty(world, state);
    ls_free(state->tables);
    ls_free(state->refused_spawns);
    *state = (ls_state){0};
}

enum { PREFETCH_LINES = 4, LINE_BYTES = 64 }; /* a page's head and its first cells */

void ls_state_prefetch(const ls_world *world)
{
    size_t count = ls_program_table_total(world->program);
    ls_table *const *tables = world->state.tables;
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(tables[i]);
    for (size_t i = 0; i < count; i++) {
        const ls_directory *directory = tables[i] ? ls_table_directory(tables[i], 0) : NULL;
        __builtin_prefetch(directory);
        __builtin_prefetch(directory ? (const uint8_t *)directory + LINE_BYTES : NULL);
    }
    for (size_t i = 0; i < count; i++) {
        const ls_page *page = ls_table_page(tables[i], 0);
        for (uint32_t line = 1; page && line <= PREFETCH_LINES; line++)
            __builtin_prefetch((const uint8_t *)page + LINE_BYTES * line);
    }
}

void ls_world_state_changed(ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        world->versions[column]++;
        world->presences[column]++;
        world->is_owned[column] = false;
    }
    world->owns_written = false;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        world->free_hints[lane] = 0;
    world->has_events = false; /* events belong to another tick */
}

/* Cells are hashed in blocks of at most this size. A block is small enough for a buffer on the
 * stack, which gathers cells where presence has gaps, and large enough to cost nothing where
 * presence has no gaps. */
enum { BLOCK_BYTES = 8192, WORDS_MAX = 16 };

/* The words that a page's hash is computed from: its presence, then hashes of its cells. */
typedef struct parts {
    uint64_t words[WORDS_MAX];
    uint32_t count;
} parts;

static void add_part(parts *self, uint64_t word)
{
    if (self->count == WORDS_MAX) {
        self->words[0] = ls_words_hash(self->words, WORDS_MAX);
        self->count = 1;
    }
    self->words[self->count++] = word;
}

static void add_run(parts *self, const ls_component *component, const uint8_t *cells,
                    uint32_t count, uint32_t block)
{
    for (; count; cells += (size_t)component->bytes * block, count -= block) {
        if (block > count)
            block = count;
        add_part(self, ls_cells_hash(component, cells, block));
    }
}

/* For more than one run: gathers cells into blocks, so that short runs do not cost a hash each. */
static void add_runs(parts *self, const ls_component *component, ls_page *page, uint32_t block)
{
    uint8_t gathered[BLOCK_BYTES];
    uint32_t filled = 0;
    size_t bytes = component->bytes;
    for (uint32_t first = ls_mask_next_set(page->present, 0); first < LS_PAGE_SLOTS;) {
        uint32_t end = ls_mask_next_clear(page->present, first);
        uint32_t count = end - first < block - filled ? end - first : block - filled;
        memcpy(gathered + bytes * filled, ls_page_cells(page) + bytes * first, bytes * count);
        filled += count;
        if (filled == block) {
            add_part(self, ls_cells_hash(component, gathered, filled));
            filled = 0;
        }
        first = ls_mask_next_set(page->present, first + count);
    }
    if (filled)
        add_part(self, ls_cells_hash(component, gathered, filled));
}

/* The hash of a page covers presence and the present cells, not the bytes of absent ones. For
 * liveness it covers every generation. */
static uint64_t page_hash(const ls_page_source *source, ls_page *page, bool is_liveness)
{
    parts all = {.count = LS_PAGE_WORDS};
    memcpy(all.words, page->present, sizeof page->present);
    uint32_t bytes = source->component->bytes, block = bytes ? BLOCK_BYTES / bytes : 0;
    block = block ? block : 1; /* a singleton may be larger: one cell, one run */
    uint32_t first = ls_mask_next_set(page->present, 0);
    uint32_t end = ls_mask_next_clear(page->present, first);
    if (is_liveness)
        add_run(&all, source->component, ls_page_cells(page), LS_PAGE_SLOTS, block);
    else if (bytes && ls_mask_next_set(page->present, end) == LS_PAGE_SLOTS)
        add_run(&all, source->component, ls_page_cells(page) + (size_t)bytes * first, end - first,
                block);
    else if (bytes)
        add_runs(&all, source->component, page, block);
    return ls_words_hash(all.words, all.count) | 1;
}

/* Whether the page counts as present. A page of liveness does if any generation is not 0, because
 * dead slots keep their generations. */
static bool is_counted(ls_page *page, bool is_liveness)
{
    if (!page || !is_liveness)
        return page && !ls_page_is_empty(page);
    const uint32_t *generations = ls_page_generations(page);
    for (uint32_t slot = 0; slot < LS_PAGE_SLOTS; slot++) {
        if (generations[slot])
            return true;
    }
    return false;
}

/* A job of hashing: the stale pages of one word of a directory's bitmaps. */
struct ls_hash_job {
    ls_directory *directory;
    uint32_t column, word;
};

/* Relaxed, here and in the functions below: no system runs, each word belongs to one job, and the
 * team orders the jobs with what comes before and after. */
static void hash_pages(const ls_world *world, const ls_hash_job *job)
{
    const ls_page_source *source = &world->sources[job->column];
    bool is_liveness = job->column == ls_liveness(world);
    _Atomic uint64_t *word = &job->directory->stale[job->word];
    uint64_t stale = atomic_load_explicit(word, memory_order_relaxed);
    for (; stale; stale &= stale - 1) {
        uint32_t at = job->word * 64 + (uint32_t)__builtin_ctzll(stale);
        ls_directory_entry *entry = &job->directory->entries[at];
        ls_page *page = atomic_load_explicit(&entry->page, memory_order_relaxed);
        entry->hash = is_counted(page, is_liveness) ? page_hash(source, page, is_liveness) : 0;
        if (page && page->is_open) /* a closed page is not written: other jobs may hash it, too */
            page->is_open = 0;
    }
    atomic_store_explicit(word, 0, memory_order_relaxed);
}

static void hash_range(void *argument, uint32_t first, uint32_t count)
{
    const ls_world *world = argument;
    for (uint32_t i = first; i < first + count; i++)
        hash_pages(world, &world->hash_jobs[i]);
}

static void add_job(ls_world *world, uint32_t at, const ls_hash_job *job)
{
    world->hash_jobs =
        ls_grow(world->hash_jobs, at, &world->hash_job_capacity, sizeof *world->hash_jobs);
    world->hash_jobs[at] = *job;
}

static ls_directory *stale_directory(const ls_table *table, uint32_t word, uint64_t stale)
{
    uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(stale);
    return atomic_load_explicit(&table->directories[at], memory_order_relaxed);
}

/* Appends jobs for the stale pages of a table to the `count` existing jobs, and returns their new
 * number. Adds the size of these pages to `*bytes`. */
static uint32_t list_jobs(ls_world *world, uint32_t column, const ls_table *table, uint32_t count,
                          size_t *bytes)
{
    for (uint32_t i = 0; table && i < LS_DIRECTORY_WORDS; i++) {
        uint64_t stale = atomic_load_explicit(&table->stale[i], memory_order_relaxed);
        for (; stale; stale &= stale - 1) {
            ls_directory *directory = stale_directory(table, i, stale);
            for (uint32_t word = 0; word < LS_DIRECTORY_WORDS; word++) {
                uint64_t pages =
                    atomic_load_explicit(&directory->stale[word], memory_order_relaxed);
                if (!pages)
                    continue;
                add_job(world, count++, &(ls_hash_job){directory, column, word});
                *bytes +=
                    world->sources[column].pages->block_bytes * (size_t)__builtin_popcountll(pages);
            }
        }
    }
    return count;
}

/* Hashes the hashes of the first `count` pages, up to the last nonzero one: in a small world that
 * is one hash, not 256. */
static uint64_t directory_hash(const ls_directory *directory, uint32_t count)
{
    static const ls_field field = {.name = "hash", .type = LS_TYPE_U64, .bytes = 8};
    static const ls_component component = {
        .name = "hashes", .bytes = 8, .field_count = 1, .fields = &field};
    uint64_t hashes[LS_DIRECTORY_PAGES];
    count = count < LS_DIRECTORY_PAGES ? count : LS_DIRECTORY_PAGES;
    while (count && !directory->entries[count - 1].hash)
        count--;
    for (uint32_t i = 0; i < count; i++)
        hashes[i] = directory->entries[i].hash;
    return count ? ls_cells_hash(&component, hashes, count) | 1 : 0;
}

/* Hashes the table from the hashes of its pages, which are up to date. */
static void hash_table(ls_table *table)
{
    bool is_stale = false;
    for (uint32_t word = 0; word < LS_DIRECTORY_WORDS; word++) {
        uint64_t stale = atomic_load_explicit(&table->stale[word], memory_order_relaxed);
        if (!stale)
            continue;
        is_stale = true;
        atomic_store_explicit(&table->stale[word], 0, memory_order_relaxed);
        for (; stale; stale &= stale - 1) {
            uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(stale);
            uint32_t pages = ls_table_page_count(table) - at * LS_DIRECTORY_PAGES;
            ls_directory *directory = stale_directory(table, word, stale);
            directory->hash = directory_hash(directory, pages);
            atomic_store_explicit(&directory->may_be_closed, 0, memory_order_relaxed);
        }
    }
    if (!is_stale)
        return;
    table->hash = 0;
    for (uint32_t i = 0; i < table->directory_count; i++) {
        const ls_directory *directory =
            atomic_load_explicit(&table->directories[i], memory_order_relaxed);
        const uint64_t chain[3] = {table->hash, i, directory ? directory->hash : 0};
        if (chain[2])
            table->hash = ls_words_hash(chain, LS_COUNT_OF(chain)) | 1;
    }
}

uint64_t ls_state_column_hash(const ls_state *state, uint32_t column)
{
    uint64_t chain[3] = {column, 0, 0};
    for (uint32_t lane = 0; lane < state->lanes; lane++) {
        const ls_table *table = state->tables[(size_t)column * state->lanes + lane];
        if (!table || !table->hash)
            continue;
        chain[1] = lane;
        chain[2] = table->hash;
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    return chain[0];
}

/* Hashing fewer bytes takes less time on one thread than it takes to wake the workers. */
enum { BYTES_TO_SHARE = 256 << 10 };

void ls_state_hash_pages(ls_world *world, ls_share_function *share, ls_executor *executor)
{
    uint32_t lanes = world->state.lanes, count = 0;
    size_t bytes = 0;
    for (uint32_t column = 0; column < ls_column_total(world); column++) {
        for (uint32_t lane = 0; lane < lanes; lane++)
            count = list_jobs(world, column, *ls_world_table(world, column, lane), count, &bytes);
    }
    if (count == 0)
        return;
    if (share && bytes >= BYTES_TO_SHARE)
        share(executor, count, hash_range, world);
    else
        hash_range(world, 0, count);
    for (size_t i = 0; i < ls_program_table_total(world->program); i++) {
        if (world->state.tables[i])
            hash_table(world->state.tables[i]);
    }
}

void ls_state_hash_table(ls_world *world, uint32_t index)
{
    size_t bytes = 0;
    ls_table *table = world->state.tables[index];
    uint32_t count = list_jobs(world, index / world->state.lanes, table, 0, &bytes);
    if (count == 0)
        return;
    hash_range(world, 0, count);
    hash_table(table);
}

uint64_t ls_state_root(const ls_world *world)
{
    uint64_t chain[3] = {LS_ENGINE_RULES, world->match_hash, world->state.tick};
    chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    for (uint32_t column = 0; column < ls_column_total(world); column++) {
        chain[1] = column;
        chain[2] = ls_state_column_hash(&world->state, column);
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    for (uint32_t lane = 0; lane < world->state.lanes; lane++) {
        chain[1] = lane;
        chain[2] = world->state.refused_spawns[lane];
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++) {
        chain[1] = i;
        chain[2] = world->state.dropped[i];
        chain[0] = ls_words_hash(chain, LS_COUNT_OF(chain));
    }
    return chain[0];
}

uint64_t ls_world_root(ls_world *world)
{
    ls_state_hash_pages(world, NULL, NULL);
    return ls_state_root(world);
}

void ls_world_column_hashes(ls_world *world, uint64_t *hashes)
{
    ls_state_hash_pages(world, NULL, NULL);
    for (uint32_t column = 0; column < world->program->column_count; column++)
        hashes[column] = ls_state_column_hash(&world->state, column);
}
