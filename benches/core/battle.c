/* A whole tick of a game: 50,000 units of two teams see who is near, pick the nearest enemy, hit
 * it, move, die and come back. Bare has the units in arrays by number, with the same steps. Both
 * sides fight one battle: they must agree after each run. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"
#include "benches/pair.h"

#include <lockstep/base.h>
#include <lockstep/random.h>
#include <lockstep/world_read.h>

#include <string.h>

/* Two units per cell on average; a cell is as wide as a unit sees. A hit takes 1 of up to 100
 * points of health, so a unit survives many hits. */
enum { UNITS = 50000, SIDE = 158, HEALTH = 100, STEP = LS_FIX_ONE / 64, APART = 16 };
/* The first two ticks of a figure are not timed: after them each thread has its units in its own
 * cache. */
enum { TICKS = 8, TIMED_FROM = 2, TIMED = TICKS - TIMED_FROM };
enum { FIGURES = 4 }; /* on one thread, then on two: a tick, and a tick with root and snapshot */
#define SIGHT  LS_FIX_ONE
#define EXTENT ((uint32_t)SIDE * (uint32_t)LS_FIX_ONE)

LS_COMPONENT_OF(scene_place, place, "place", FIX(x), FIX(y));
LS_COMPONENT(badge, U32(number), U32(team));
LS_COMPONENT(health, I32(points));
/* The result of a look: the enemy, LS_ENTITY_NULL for none, and where to go. */
LS_COMPONENT(aim, ENTITY(enemy, LS_KEEP), FIX(x), FIX(y));
LS_EVENT(death, U32(number), U32(team));
static const ls_component *const components[] = {
    &place_component, &badge_component, &health_component, &aim_component, &death_component, NULL};

/* Bare: an entry of a grid cell, with what other units read of the unit there. */
typedef struct entry {
    scene_place place;
    badge badge;
} entry;

static struct {
    scene scene;
    uint64_t tick; /* of the bare side */
    uint32_t threads;
    scene_place *places; /* the arrays of the bare side, by number */
    int32_t *healths;
    scene_place *goals;
    uint32_t *enemies; /* UINT32_MAX: none */
    uint32_t *cells;
    uint32_t *starts; /* by cell, start in `entries` */
    entry *entries;
} at;

/* Both sides share these pure functions of a unit. */

static scene_place birth_place(uint32_t number, uint64_t tick)
{
    ls_random_stream stream = ls_random_child(ls_random_root(tick), number);
    return (scene_place){(ls_fix)ls_random_below(ls_random_draw(stream, 0), EXTENT),
                         (ls_fix)ls_random_below(ls_random_draw(stream, 1), EXTENT)};
}

static int32_t birth_health(uint32_t number, uint64_t tick)
{
    ls_random_stream stream = ls_random_child(ls_random_root(tick), number);
    return 1 + (int32_t)ls_random_below(ls_random_draw(stream, 2), HEALTH);
}

/* All that one unit has seen so far. */
typedef struct sight {
    int64_t best; /* squared distance of the nearest enemy; INT64_MAX: none */
    uint32_t number;
    ls_fix enemy_x, enemy_y; /* from this unit to the nearest enemy */
    int64_t push_x, push_y;  /* away from all units in sight */
} sight;

#define SIGHT_NONE                                                                                 \
    {                                                                                              \
        INT64_MAX, UINT32_MAX, 0, 0, 0, 0                                                          \
    }

/* Takes the unit at distance (x, y) into account; true when it is the nearest enemy so far. The
 * number decides among enemies at one distance, so the order of the visits does not matter. */
static inline bool see(sight *seen, ls_fix x, ls_fix y, bool is_enemy, uint32_t number)
{
    seen->push_x -= x;
    seen->push_y -= y;
    if (!is_enemy)
        return false;
    int64_t distance = (int64_t)x * x + (int64_t)y * y;
    if (distance > seen->best || (distance == seen->best && number > seen->number))
        return false;
    seen->best = distance;
    seen->number = number;
    seen->enemy_x = x;
    seen->enemy_y = y;
    return true;
}

static inline ls_fix step_of(ls_fix enemy, int64_t push)
{
    int64_t step = enemy / 4 + push / APART;
    return (ls_fix)(step < -STEP ? -STEP : step > STEP ? STEP : step);
}

static inline ls_fix moved(ls_fix from, ls_fix step)
{
    ls_fix to = from + step;
    return to < 0 ? 0 : to >= (ls_fix)EXTENT ? (ls_fix)EXTENT - 1 : to;
}

/* Ours. */

LS_TERMS(looking, READS(place), READS(badge), WRITES(aim), OTHERS_READ(badge, other));
static void look(ls_context *context, const ls_span *span)
{
    LS_USES(context, looking);
    const scene_place *here = LS_READ_SPAN(context, place, span);
    const badge *own = LS_READ_SPAN(context, badge, span);
    aim *found = LS_WRITE_SPAN(context, aim, span);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_grid_walk walk;
        ls_neighbour near;
        sight seen = SIGHT_NONE;
        found[i].enemy = LS_ENTITY_NULL;
        ls_grid_begin(context, 0, here[i].x, here[i].y, SIGHT, &walk);
        for (const badge *other; (other = ls_grid_next_with(&walk, &near));) {
            if (see(&seen, near.x - here[i].x, near.y - here[i].y, other->team != own[i].team,
                    other->number))
                found[i].enemy = near.entity;
        }
        found[i].x = step_of(seen.enemy_x, seen.push_x);
        found[i].y = step_of(seen.enemy_y, seen.push_y);
    }
}

LS_TERMS(striking, READS(aim), ACCUMULATES(health, LS_ADD));
static void strike(ls_context *context, const ls_span *span)
{
    LS_USES(context, striking);
    const aim *found = LS_READ_SPAN(context, aim, span);
    for (uint32_t i = 0; i < span->count; i++) {
        if (found[i].enemy != LS_ENTITY_NULL)
            LS_ACCUMULATE(context, health, found[i].enemy, .points = -1);
    }
}

LS_TERMS(marching, WRITES(place), READS(aim));
static void march(ls_context *context, const ls_span *span)
{
    LS_USES(context, marching);
    scene_place *to = LS_WRITE_SPAN(context, place, span);
    const aim *found = LS_READ_SPAN(context, aim, span);
    for (uint32_t i = 0; i < span->count; i++) {
        to[i].x = moved(to[i].x, found[i].x);
        to[i].y = moved(to[i].y, found[i].y);
    }
}

LS_TERMS(falling, READS(health), READS(badge), SENDS(death));
static void fall(ls_context *context, const ls_span *span)
{
    LS_USES(context, falling);
    const health *left = LS_READ_SPAN(context, health, span);
    const badge *own = LS_READ_SPAN(context, badge, span);
    for (uint32_t i = 0; i < span->count; i++) {
        if (left[i].points > 0)
            continue;
        LS_SEND(context, death, .number = own[i].number, .team = own[i].team);
        ls_despawn(context, ls_span_entity(span, i));
    }
}

LS_TERMS(respawning, SPAWNS_WITH(place), SPAWNS_WITH(badge), SPAWNS_WITH(health), SPAWNS_WITH(aim),
         RECEIVES(death));
static void respawn(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    LS_USES(context, respawning);
    uint64_t tick = ls_tick(context) + 1;
    LS_EACH_EVENT(context, death, dead)
    {
        ls_entity unit = ls_spawn(context, 0);
        const scene_place at_birth = birth_place(dead->number, tick);
        LS_ATTACH_COPY(context, place, unit, &at_birth);
        LS_ATTACH(context, badge, unit, .number = dead->number, .team = dead->team);
        LS_ATTACH(context, health, unit, .points = birth_health(dead->number, tick));
        LS_ATTACH(context, aim, unit, 0);
    }
}

static const ls_system systems[] = {
    {.name = "look",
     .span = look,
     .terms = looking,
     .grids = LS_GRIDS({LS_POSITION(place, x, y), .with = &badge_component, .cell = SIGHT})},
    {.name = "strike", .span = strike, .terms = striking, .after = "look"},
    {.name = "march", .span = march, .terms = marching, .after = "look"},
    {.name = "fall", .span = fall, .terms = falling, .after = "strike"},
    {.name = "respawn",
     .mode = LS_SEQUENTIAL,
     .match = respawn,
     .lanes = "unit",
     .terms = respawning,
     .after = "march, fall"}};

LS_TERMS(furnishing, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(badge), OTHERS_STRUCTURE(health),
         OTHERS_STRUCTURE(aim));
static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    LS_USES(context, furnishing);
    const scene_place at_birth = birth_place(i, 0);
    LS_ATTACH_COPY(context, place, entity, &at_birth);
    LS_ATTACH(context, badge, entity, .number = i, .team = i % 2);
    LS_ATTACH(context, health, entity, .points = birth_health(i, 0));
    LS_ATTACH(context, aim, entity, 0);
}

/* Bare. */

static uint32_t cell_of(const scene_place *place)
{
    return (uint32_t)(place->y / LS_FIX_ONE) * SIDE + (uint32_t)(place->x / LS_FIX_ONE);
}

static void bare_index(void)
{
    memset(at.starts, 0, sizeof *at.starts * (SIDE * SIDE + 2));
    for (uint32_t i = 0; i < UNITS; i++) {
        at.cells[i] = cell_of(&at.places[i]);
        at.starts[at.cells[i] + 2]++;
    }
    for (uint32_t i = 2; i < SIDE * SIDE + 2; i++)
        at.starts[i] += at.starts[i - 1];
    for (uint32_t i = 0; i < UNITS; i++)
        at.entries[at.starts[at.cells[i] + 1]++] = (entry){at.places[i], {i, i % 2}};
}

static void bare_look(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        sight seen = SIGHT_NONE;
        scene_place here = at.places[i];
        uint32_t x = (uint32_t)(here.x / LS_FIX_ONE), y = (uint32_t)(here.y / LS_FIX_ONE);
        uint32_t left = x ? x - 1 : 0, right = x + 1 < SIDE ? x + 1 : x;
        uint32_t bottom = y + 1 < SIDE ? y + 1 : y;
        for (uint32_t row = y ? y - 1 : 0; row <= bottom; row++) {
            uint32_t stop = at.starts[row * SIDE + right + 1];
            for (uint32_t k = at.starts[row * SIDE + left]; k < stop; k++) {
                const entry *other = &at.entries[k];
                int64_t dx = other->place.x - here.x, dy = other->place.y - here.y;
                if (dx * dx + dy * dy <= (int64_t)SIGHT * SIGHT)
                    see(&seen, (ls_fix)dx, (ls_fix)dy, other->badge.team != i % 2,
                        other->badge.number);
            }
        }
        at.enemies[i] = seen.number;
        at.goals[i] =
            (scene_place){step_of(seen.enemy_x, seen.push_x), step_of(seen.enemy_y, seen.push_y)};
    }
}

static void bare_strike(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        if (at.enemies[i] == UINT32_MAX)
            continue;
        if (at.threads == 1)
            at.healths[at.enemies[i]]--;
        else
            __atomic_fetch_sub(&at.healths[at.enemies[i]], 1, __ATOMIC_RELAXED);
    }
}

static void bare_march(void *unused, uint32_t first, uint32_t last)
{
    (void)unused;
    for (uint32_t i = first; i < last; i++) {
        at.places[i].x = moved(at.places[i].x, at.goals[i].x);
        at.places[i].y = moved(at.places[i].y, at.goals[i].y);
    }
}

/* A number belongs to one unit at a time, so the next unit gets the dead unit's place in the
 * arrays. */
static void bare_respawn(void)
{
    for (uint32_t i = 0; i < UNITS; i++) {
        if (at.healths[i] > 0)
            continue;
        at.places[i] = birth_place(i, at.tick + 1);
        at.healths[i] = birth_health(i, at.tick + 1);
    }
}

static double bare_ticks(void)
{
    uint64_t started = 0;
    for (uint32_t i = 0; i < TICKS; i++, at.tick++) {
        if (i == TIMED_FROM)
            started = bench_now_ns();
        bare_index();
        bench_split(at.threads, bare_look, NULL, UNITS);
        bench_split(at.threads, bare_strike, NULL, UNITS);
        bench_split(at.threads, bare_march, NULL, UNITS);
        bare_respawn();
    }
    return (double)(bench_now_ns() - started) / TIMED / 1e6;
}

static void bare(void *state, double *figures)
{
    (void)state;
    for (uint32_t i = 0; i < FIGURES; i++) {
        at.threads = 1 + i / 2;
        figures[i] = bare_ticks();
    }
}

/* Asserts that both sides have the same units in the same places, with the same health. */
static void compare(void)
{
    const ls_term terms[] = {
        LS_READS(badge_component), LS_READS(place_component), LS_READS(health_component), {0}};
    ls_world_walk walk;
    uint32_t count = 0;
    ls_world_walk_begin(at.scene.world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const badge *own = walk.span.const_cells[0];
        const scene_place *place = walk.span.const_cells[1];
        const health *left = walk.span.const_cells[2];
        count += walk.span.count;
        for (uint32_t i = 0; i < walk.span.count; i++) {
            const scene_place *other = &at.places[own[i].number];
            LS_ASSERT(place[i].x == other->x && place[i].y == other->y);
            LS_ASSERT(left[i].points == at.healths[own[i].number]);
        }
    }
    LS_ASSERT(count == UNITS && ls_world_tick(at.scene.world) == at.tick);
}

/* A server does this after each tick: the root is for its clients, the snapshot to return to this
 * tick. */
static double keep(ls_snapshot **kept, uint32_t threads)
{
    uint64_t started = bench_now_ns();
    bench_consume(ls_world_root_on(at.scene.world, scene_executor(&at.scene, threads)));
    ls_snapshot_destroy(*kept);
    *kept = ls_world_snapshot(at.scene.world);
    return (double)(bench_now_ns() - started);
}

/* Runs after `bare`, which has advanced its units by the same number of ticks. */
static void ours(void *state, double *figures)
{
    (void)state;
    for (uint32_t i = 0; i < FIGURES; i++) {
        ls_snapshot *kept = NULL;
        double spent = 0;
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            if (tick == TIMED_FROM)
                spent = 0;
            spent += scene_tick(&at.scene, 1 + i / 2);
            if (i % 2)
                spent += keep(&kept, 1 + i / 2);
        }
        figures[i] = spent / TIMED / 1e6;
        ls_snapshot_destroy(kept);
    }
    compare();
}

static void *begin(const bench_options *options, const void *unused)
{
    (void)options;
    (void)unused;
    at.tick = 0;
    at.places = bench_alloc(sizeof *at.places * UNITS);
    at.healths = bench_alloc(sizeof *at.healths * UNITS);
    at.goals = bench_alloc(sizeof *at.goals * UNITS);
    at.enemies = bench_alloc(sizeof *at.enemies * UNITS);
    at.cells = bench_alloc(sizeof *at.cells * UNITS);
    at.starts = bench_alloc(sizeof *at.starts * (SIDE * SIDE + 2));
    at.entries = bench_alloc(sizeof *at.entries * UNITS);
    for (uint32_t i = 0; i < UNITS; i++) {
        at.places[i] = birth_place(i, 0);
        at.healths[i] = birth_health(i, 0);
    }
    const scene_plan plan = {.components = components,
                             .systems = systems,
                             .system_count = LS_COUNT_OF(systems),
                             .entities = UNITS,
                             .furnish = furnish,
                             .terms = furnishing};
    scene_begin(&at.scene, &plan);
    return &at.scene;
}

const bench_group bench_battle = {
    .rows = {{"battle of 50,000 units, a tick", "ms", BENCH_RATIO_AT_MOST, 1.05, NULL},
             {"battle, a tick with root and snapshot", "ms", BENCH_RATIO_AT_MOST, 1.10, NULL},
             {"battle of 50,000 units, a tick, 2 threads", "ms", BENCH_RATIO_AT_MOST, 1.05, NULL},
             {"battle, a tick with root and snapshot, 2 threads", "ms", BENCH_RATIO_AT_MOST, 1.10,
              NULL}},
    .threads = BENCH_THREADS_ROWS,
    .begin = begin,
    .bare = bare,
    .ours = ours,
    .end = scene_end,
};
