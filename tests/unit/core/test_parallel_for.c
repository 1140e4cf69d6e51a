/* Loops that threads share, and indexes that they build together. */
#include "core/base/team.h"
#include "core/run/join_index.h"
#include "core/run/parallel_for.h"
#include "core/state/world_state.h"

#include "points_sim.h"
#include "tests/support/sanitizer.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LOOPS = 400, PIECES_MOST = 9 };

/* Each thread gives loops, and then helps until all have given theirs. */
typedef struct meeting {
    ls_parallel_for *loop;
    atomic_uint giving;
    atomic_uint shared; /* pieces that another thread than the giver has run */
} meeting;

typedef struct given {
    meeting *all;
    pthread_t giver;
    uint32_t runs[PIECES_MOST];
} given;

static void run_piece(void *argument, uint32_t piece)
{
    given *self = argument;
    self->runs[piece]++;
    atomic_fetch_add(&self->all->shared, !pthread_equal(self->giver, pthread_self()));
}

static void give_and_help(void *argument, uint32_t worker)
{
    meeting *self = argument;
    for (uint32_t i = 0; i < LOOPS; i++) {
        given one = {.all = self, .giver = pthread_self()};
        uint32_t pieces = (i + worker) % (PIECES_MOST + 1);
        ls_parallel_for_run(self->loop, pieces, run_piece, &one);
        for (uint32_t k = 0; k < PIECES_MOST; k++)
            assert_int_equal(one.runs[k], k < pieces);
        while (i % 3 == 0 && ls_parallel_for_help(self->loop))
            continue;
    }
    atomic_fetch_sub(&self->giving, 1);
    while (atomic_load(&self->giving))
        (void)ls_parallel_for_help(self->loop);
}

static void start(void *argument, uint32_t worker)
{
    atomic_fetch_add(&((meeting *)argument)->giving, 1);
    give_and_help(argument, worker);
}

TEST(test_parallel_for_runs_each_piece_once)
{
    for (uint32_t threads = 1; threads <= 5; threads++) {
        ls_team *team;
        ls_parallel_for loop = {.threads = threads};
        meeting self = {.loop = &loop};
        assert_int_equal(ls_team_create(threads, false, &team, NULL), LS_OK);
        for (uint32_t i = 0; i < 8; i++)
            ls_team_run(team, start, &self);
        ls_team_destroy(team);
        assert_true(threads > 1 || atomic_load(&self.shared) == 0);
    }
}

TEST(test_parallel_for_needs_no_other_thread)
{
    meeting all = {.loop = NULL};
    given one = {.all = &all, .giver = pthread_self()};
    ls_parallel_for_run(NULL, PIECES_MOST, run_piece, &one);
    for (uint32_t k = 0; k < PIECES_MOST; k++)
        assert_int_equal(one.runs[k], 1);
}

/* Enough entities for eight pieces, of which the last pages are not full. */
enum { ENTITIES = 18000, EXTENT = 9000, NEAR = 130, KEYS = 4500 };

static void populate(ls_context *context, const ls_entity *unused)
{
    uint64_t random = ls_match_of(context)->seed;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ls_entity entity = ls_spawn(context, test_below(&random, 5) == 0);
        ls_fix x = harness_coordinate(&random, EXTENT), y = harness_coordinate(&random, EXTENT);
        const place cell = {.order = i * UINT64_C(0x9e3779b97f4a7c15),
                            .at = {x, y, harness_coordinate(&random, EXTENT)},
                            .padding = i % KEYS};
        const cargo load = cargo_of(i);
        ls_cell_attach(context, 0, entity, &cell);
        if (i % 7)
            ls_cell_attach(context, 1, entity, &(mass){i, 3 * i});
        if (i % 5)
            ls_cell_attach(context, 2, entity, &load);
        if (i % 3)
            ls_cell_attach(context, 3, entity, NULL);
    }
}

/* The first word of a value. */
static uint64_t words_of(const void *value)
{
    uint64_t word = 0;
    if (value)
        memcpy(&word, value, sizeof word);
    return word;
}

/* Adds the entities that have a key: close keys, and keys of all 64 bits. */
static uint64_t add_joined(const ls_context *context, const place *cell, uint64_t order)
{
    const uint64_t keys[] = {(cell->padding + 1) % KEYS, cell->order};
    for (uint32_t join = 0; join < LS_COUNT_OF(keys); join++) {
        ls_join_walk walk;
        ls_entity entity;
        ls_join_begin(context, join, keys[join], &walk);
        while (ls_join_next(&walk, &entity))
            order = (order ^ entity) * 0x100000001b3u;
    }
    return order;
}

static void look(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t order = cells[i].order;
        for (uint32_t grid = 0; grid < 6; grid++) {
            ls_grid_walk walk;
            ls_neighbour near;
            if (grid < 3)
                ls_grid_begin(context, grid, cells[i].at.x, cells[i].at.y, NEAR, &walk);
            else
                ls_grid_begin_3d(context, grid, cells[i].at, 3 * NEAR, &walk);
            if (grid % 3) {
                for (const void *value; (value = ls_grid_next_with(&walk, &near));)
                    order = (order ^ near.entity ^ words_of(value)) * 0x100000001b3u;
            } else {
                while (ls_grid_next(&walk, &near))
                    order = (order ^ near.entity) * 0x100000001b3u;
            }
        }
        cells[i].order = add_joined(context, &cells[i], order);
    }
}

/* Moves to another cell, and now and then to another value of the filter. */
static void move(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].at.x += (ls_fix)(cells[i].order % 301) - 150;
}

static const ls_system systems[] = {
    {.name = "look",
     .span = look,
     .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_READ(masses), LS_OTHERS_READ(cargoes)),
     .grids = LS_GRIDS({PLANE(&tag, 100), .start = true}, {PLANE(&masses, 200), .start = true},
                       {PLANE(&cargoes, 90), .start = true}, {SPACE(NULL, 300), .start = true},
                       {SPACE(&masses, 500), .start = true}, {SPACE(&cargoes, 700), .start = true}),
     .joins = LS_JOINS({.component = &places, .offset = offsetof(place, padding), .start = true},
                       {.component = &places, .offset = offsetof(place, order), .start = true})},
    {.name = "move", .span = move, .terms = LS_TERM_LIST(LS_WRITES(places)), .after = "look"}};

static uint64_t roots_of(ls_executor *executor, uint64_t seed, bool is_shared)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    harness self;
    uint64_t roots = 0;
    sim.setup = &setup;
    harness_begin(&self, &sim, seed);
    for (uint32_t tick = 0; tick < 3; tick++) {
        harness_tick(self.world, executor);
        roots = roots * 31 + ls_world_root(self.world);
    }
    for (uint32_t i = 0; i < self.program->grid_count; i++)
        assert_int_equal(self.world->indexes->grids[i].base.counts != NULL, is_shared);
    for (uint32_t i = 0; i < self.program->join_count; i++) {
        assert_int_equal(self.world->indexes->joins[i].base.counts != NULL, is_shared);
        assert_int_equal(self.world->indexes->joins[i].is_mixed, i);
    }
    harness_end(&self);
    return roots;
}

TEST(test_parallel_for_builds_the_index_of_one_thread)
{
    /* A second seed runs the same code: the builds without a sanitizer run it. */
    for (uint64_t seed = 1; seed <= (HAS_SANITIZER ? 1 : 2); seed++) {
        uint64_t expected = roots_of(NULL, seed, false);
        for (uint32_t threads = 2; threads <= 8; threads += threads < 4 ? 1 : 4) {
            ls_executor *executor = harness_executor(threads, 0);
            assert_int_equal(roots_of(executor, seed, true), expected);
            ls_executor_destroy(executor);
        }
    }
}
