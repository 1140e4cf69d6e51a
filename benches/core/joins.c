/* Joins: neighbours within a radius, and entities with an equal key. A write to the indexed
 * component is declared in every tick, so each tick rebuilds the index, as the bare side does. A
 * join by key is not sorted again if no key has changed. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/pair.h"

#include <lockstep/base.h>
#include <lockstep/random.h>

#include <stdatomic.h>
#include <string.h>

/* Kinds of joins by key: a member changes its team; none does; or each value is looked at, by a
 * handle or in the index. */
typedef enum key_kind { KEY_CHANGED, KEY_KEPT, KEY_BY_HANDLE, KEY_WITH_VALUES } key_kind;

static struct {
    scene scene;
    uint32_t count;
    uint32_t side;                   /* edge of the square map, in cells */
    atomic_uint_fast64_t found, sum; /* results of one side, to compare with the other's */
    uint64_t found_bare, sum_bare;
    key_kind kind;
    scene_place *places;
    uint32_t *keys;   /* bare: by entity, its cell or team */
    uint32_t *starts; /* bare: by key, start in the next two arrays */
    uint32_t *sorted;
    scene_place *sorted_places;
} at;

static void note(uint64_t found, uint64_t sum)
{
    atomic_fetch_add_explicit(&at.found, found, memory_order_relaxed);
    atomic_fetch_add_explicit(&at.sum, sum, memory_order_relaxed);
}

static void make_bare(uint32_t count, uint32_t keys)
{
    at.count = count;
    at.places = bench_alloc(sizeof *at.places * count);
    at.keys = bench_alloc(sizeof *at.keys * count);
    at.starts = bench_alloc(sizeof *at.starts * (keys + 2));
    at.sorted = bench_alloc(sizeof *at.sorted * count);
    at.sorted_places = bench_alloc(sizeof *at.sorted_places * count);
}

static void sort_by_key(uint32_t keys)
{
    memset(at.starts, 0, sizeof *at.starts * (keys + 2));
    for (uint32_t i = 0; i < at.count; i++)
        at.starts[at.keys[i] + 2]++;
    for (uint32_t i = 2; i < keys + 2; i++)
        at.starts[i] += at.starts[i - 1];
    for (uint32_t i = 0; i < at.count; i++) {
        uint32_t place = at.starts[at.keys[i] + 1]++;
        at.sorted[place] = i;
        at.sorted_places[place] = at.places[i];
    }
}

static void measure_bare(void (*index)(void), bench_half *walk, uint32_t walks, double *figures)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        at.found = at.sum = 0;
        uint64_t started = bench_now_ns();
        index();
        bench_split(threads, walk, NULL, walks);
        figures[threads - 1] = (double)(bench_now_ns() - started) / (double)at.found;
        at.found_bare = at.found;
        at.sum_bare = at.sum;
    }
}

static void ours(void *state, double *figures)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        at.found = at.sum = 0;
        double took = scene_tick(&at.scene, threads);
        LS_ASSERT(at.found == at.found_bare && at.sum == at.sum_bare);
        figures[threads - 1] = took / (double)at.found;
    }
}

/* Does nothing. The write that its terms declare invalidates the index. */
static void stir(ls_context *context, const ls_span *span)
{
    (void)context;
    (void)span;
}

/* Join by distance: two entities per cell on average; a cell is as wide as the radius. */
static void meet(ls_context *context, const ls_span *span)
{
    const scene_place *place = ls_span_read(context, span, 0);
    uint64_t found = 0, sum = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        ls_grid_walk walk;
        ls_neighbour near;
        ls_grid_begin(context, 0, place[i].x, place[i].y, LS_FIX_ONE, &walk);
        for (; ls_grid_next(&walk, &near); found++)
            sum += ls_entity_slot(near.entity);
    }
    note(found, sum);
}

static const ls_system grid_systems[] = {
    {.name = "stir",
     .span = stir,
     .terms = LS_TERM_LIST(LS_WRITES(scene_places)),
     .before = "meet"},
    {.name = "meet",
     .span = meet,
     .terms = LS_TERM_LIST(LS_READS(scene_places)),
     .grids = LS_GRIDS({&scene_places, NULL, offsetof(scene_place, x), offsetof(scene_place, y),
                        LS_FIX_ONE, false})}};
static const ls_component *const grid_components[] = {&scene_places, NULL};

static void place_at_random(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_random_stream stream = ls_random_child(ls_random_root(2), i);
    uint32_t extent = at.side * (uint32_t)LS_FIX_ONE;
    at.places[i].x = (ls_fix)ls_random_below(ls_random_draw(stream, 0), extent);
    at.places[i].y = (ls_fix)ls_random_below(ls_random_draw(stream, 1), extent);
    ls_cell_attach(context, 0, entity, &at.places[i]);
}

static void *begin_grid(const bench_options *options, const void *unused)
{
    (void)unused;
    for (at.side = 1; at.side * at.side < options->entities / 2;)
        at.side++;
    make_bare(options->entities, at.side * at.side);
    const scene_plan plan = {.components = grid_components,
                             .systems = grid_systems,
                             .system_count = LS_COUNT_OF(grid_systems),
                             .entities = at.count,
                             .furnish = place_at_random,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places))};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

static void index_places(void)
{
    for (uint32_t i = 0; i < at.count; i++)
        at.keys[i] = (uint32_t)(at.places[i].y / LS_FIX_ONE) * at.side +
                     (uint32_t)(at.places[i].x / LS_FIX_ONE);
    sort_by_key(at.side * at.side);
}

static uint32_t clamped(int64_t cell)
{
    return cell < 0 ? 0 : cell >= at.side ? at.side - 1 : (uint32_t)cell;
}

static void walk_places(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    uint64_t found = 0, sum = 0;
    for (uint32_t i = first; i < last; i++) {
        int64_t x = at.places[i].x, y = at.places[i].y, reach = LS_FIX_ONE;
        uint32_t left = clamped(x / LS_FIX_ONE - 1), right = clamped(x / LS_FIX_ONE + 1);
        uint32_t bottom = clamped(y / LS_FIX_ONE + 1);
        for (uint32_t row = clamped(y / LS_FIX_ONE - 1); row <= bottom; row++) {
            uint32_t stop = at.starts[row * at.side + right + 1];
            for (uint32_t k = at.starts[row * at.side + left]; k < stop; k++) {
                int64_t dx = at.sorted_places[k].x - x, dy = at.sorted_places[k].y - y;
                if (dx * dx + dy * dy > reach * reach)
                    continue;
                found++;
                sum += at.sorted[k];
            }
        }
    }
    note(found, sum);
}

static void bare_grid(void *state, double *figures)
{
    (void)state;
    measure_bare(index_places, walk_places, at.count, figures);
}

const bench_group bench_grid = {
    .rows = {{"join by distance, per match, with its index", "ns", BENCH_RATIO_AT_MOST, 1.0, NULL},
             {"join by distance, per match, 2 threads", "ns", BENCH_NO_TARGET, 0, NULL}},
    .threads = BENCH_THREADS_ROWS,
    .begin = begin_grid,
    .bare = bare_grid,
    .ours = ours,
    .end = scene_end,
};

/* Join by key: each leader visits the members of its team, which are scattered in memory. */
enum { TEAM_MEMBERS = 8 };

typedef struct team {
    uint32_t number;
} team;

static const ls_field team_fields[] = {LS_FIELD(team, number, LS_TYPE_U32)};
static const ls_component member_teams = LS_COMPONENT_TABLE(team, "member", team_fields);
static const ls_component leader_teams = LS_COMPONENT_TABLE(team, "leader", team_fields);

static void muster(ls_context *context, const ls_span *span)
{
    const team *led = ls_span_read(context, span, 0);
    uint64_t found = 0, sum = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        ls_join_walk walk;
        ls_entity member;
        ls_join_begin(context, 0, led[i].number, &walk);
        for (; ls_join_next(&walk, &member); found++)
            sum += ls_entity_slot(member);
    }
    note(found, sum);
}

/* Moves one member to another team, which changes the index; or just declares that it may. */
static void transfer(ls_context *context, const ls_span *span)
{
    if (ls_entity_slot(ls_span_entity(span, 0)) > 0 || at.kind == KEY_KEPT)
        return;
    team *member = ls_span_write(context, span, 0);
    member->number = (uint32_t)ls_tick(context) % 2;
}

/* Sums up what the members have, found by handle or in the index. */
static void pay(ls_context *context, const ls_span *span, bool is_by_handle)
{
    const team *led = ls_span_read(context, span, 0);
    uint64_t found = 0, sum = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        ls_join_walk walk;
        ls_entity member;
        ls_join_begin(context, 0, led[i].number, &walk);
        if (is_by_handle) {
            for (; ls_join_next(&walk, &member); found++)
                sum += (uint32_t)((const scene_place *)ls_cell_find(context, 1, member))->x;
            continue;
        }
        for (const scene_place *place; (place = ls_join_next_with(&walk, &member)); found++)
            sum += (uint32_t)place->x;
    }
    note(found, sum);
}

static void pay_by_handle(ls_context *context, const ls_span *span)
{
    pay(context, span, true);
}

static void pay_from_index(ls_context *context, const ls_span *span)
{
    pay(context, span, false);
}

#define TRANSFER                                                                                   \
    {                                                                                              \
        .name = "transfer", .span = transfer, .terms = LS_TERM_LIST(LS_WRITES(member_teams)),      \
        .before = "walk"                                                                           \
    }
#define BY_TEAM .component = &member_teams, .offset = offsetof(team, number)
static const ls_system muster_systems[] = {TRANSFER,
                                           {.name = "walk",
                                            .span = muster,
                                            .terms = LS_TERM_LIST(LS_READS(leader_teams)),
                                            .joins = LS_JOINS({BY_TEAM})}};
static const ls_system handle_systems[] = {
    TRANSFER,
    {.name = "walk",
     .span = pay_by_handle,
     .terms = LS_TERM_LIST(LS_READS(leader_teams), LS_OTHERS_READ(scene_places)),
     .joins = LS_JOINS({BY_TEAM})}};
static const ls_system value_systems[] = {
    TRANSFER,
    {.name = "walk",
     .span = pay_from_index,
     .terms = LS_TERM_LIST(LS_READS(leader_teams), LS_OTHERS_READ(scene_places)),
     .joins = LS_JOINS({BY_TEAM, .with = &scene_places})}};
static const ls_component *const key_components[] = {&member_teams, &leader_teams, &scene_places,
                                                     NULL};

static void join_team(ls_context *context, ls_entity entity, uint32_t i)
{
    const team led = {i};
    const team member = {at.keys[i]};
    ls_cell_attach(context, 0, entity, &member);
    if (i < at.count / TEAM_MEMBERS)
        ls_cell_attach(context, 1, entity, &led);
    at.places[i] = (scene_place){(ls_fix)i, 1};
    if (at.kind >= KEY_BY_HANDLE)
        ls_cell_attach(context, 2, entity, &at.places[i]);
}

static void *begin_key(const bench_options *options, const void *kind)
{
    at.kind = *(const key_kind *)kind;
    make_bare(options->entities, options->entities);
    scene_shuffle(at.keys, at.count);
    for (uint32_t i = 0; i < at.count; i++)
        at.keys[i] %= at.count / TEAM_MEMBERS;
    const scene_plan plan = {.components = key_components,
                             .systems = at.kind == KEY_BY_HANDLE     ? handle_systems
                                        : at.kind == KEY_WITH_VALUES ? value_systems
                                                                     : muster_systems,
                             .system_count = LS_COUNT_OF(muster_systems),
                             .entities = at.count,
                             .furnish = join_team,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(member_teams),
                                                   LS_OTHERS_STRUCTURE(leader_teams),
                                                   LS_OTHERS_STRUCTURE(scene_places))};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

static void index_teams(void)
{
    sort_by_key(at.count / TEAM_MEMBERS);
}

static void walk_teams(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    uint64_t found = 0, sum = 0;
    for (uint32_t i = first; i < last; i++) {
        for (uint32_t k = at.starts[i]; k < at.starts[i + 1]; k++, found++)
            sum += at.kind >= KEY_BY_HANDLE ? (uint32_t)at.sorted_places[k].x : at.sorted[k];
    }
    note(found, sum);
}

static void bare_key(void *state, double *figures)
{
    (void)state;
    measure_bare(index_teams, walk_teams, at.count / TEAM_MEMBERS, figures);
}

#define KEY_GROUP(of_kind, row, row_2)                                                             \
    {                                                                                              \
        .rows = {{row, "ns", BENCH_NO_TARGET, 0, NULL}, {row_2, "ns", BENCH_NO_TARGET, 0, NULL}},  \
        .threads = BENCH_THREADS_ROWS, .variant = &(const key_kind){of_kind}, .begin = begin_key,  \
        .bare = bare_key, .ours = ours, .end = scene_end                                           \
    }
const bench_group bench_key = KEY_GROUP(KEY_CHANGED, "join by key, per match, with its index",
                                        "join by key, per match, 2 threads");
const bench_group bench_key_kept =
    KEY_GROUP(KEY_KEPT, "join by key, no key changed", "join by key, no key changed, 2 threads");
const bench_group bench_key_handle = KEY_GROUP(KEY_BY_HANDLE, "join by key, a value each by handle",
                                               "join by key, a value each by handle, 2 threads");
const bench_group bench_key_value =
    KEY_GROUP(KEY_WITH_VALUES, "join by key, a value each in the index",
              "join by key, a value each in the index, 2 threads");
