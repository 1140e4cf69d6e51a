/* Parents first: the order of matches, for forests of any shape, on all executors. LS_TEST_SEED=n
 * repeats a run. tests/model compares it with the paper's model, within random programs. */
#include "mutation_sim.h"

#include <pthread.h>

LS_COMPONENT(knot, ENTITY(parent, LS_PARENT));
LS_COMPONENT(spot, U32(place), U32(number)); /* `place`: how many matches came before it */
LS_SINGLETON(counter, U64(next));
LS_COMPONENTS(components, knot, spot, counter);
static const char *const lanes[] = {"a", "b"};

enum { FORESTS = 60, COUNT_MAX = 900, CHAIN = 100000, TICKS = 4 };
enum { RANK, LANE, SHAPE, KIND, MOVES, DIES, TARGET };

/* The forest is a function of the seed, so every world has the same. */
static struct {
    uint64_t seed;
    uint32_t count;
    ls_entity stale; /* dead from the start; its slot has another entity */
    ls_entity all[CHAIN];
} forest;

static uint32_t roll(uint32_t what, uint32_t number, uint64_t tick)
{
    uint64_t state = forest.seed ^ ((uint64_t)what << 56 | (uint64_t)number << 20 | tick);
    (void)test_random(&state);
    return (uint32_t)(test_random(&state) >> 33);
}

/* Mostly an entity of a higher rank, so no entity becomes its own ancestor. */
static ls_entity choose_parent(uint32_t number, uint64_t tick)
{
    uint32_t kind = roll(KIND, number, tick) % 16;
    if (kind < 2)
        return kind == 0 ? LS_ENTITY_NULL : forest.stale;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t other = roll(TARGET + i, number, tick) % forest.count;
        if (roll(RANK, other, 0) > roll(RANK, number, 0))
            return forest.all[other];
    }
    return LS_ENTITY_NULL;
}

LS_TERMS(planting, SPAWNS_WITH(knot), SPAWNS_WITH(spot));
static void leave_a_handle(ls_context *context, const ls_entity *entities)
{
    forest.stale = ls_spawn(context, 0);
    ls_despawn(context, forest.stale);
}
static void plant(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, planting);
    for (uint32_t i = 0; i < forest.count; i++)
        forest.all[i] = ls_spawn(context, roll(LANE, i, 0) % 2);
    for (uint32_t i = 0; i < forest.count; i++) {
        uint32_t shape = roll(SHAPE, i, 0) % 8;
        if (shape != 0)
            LS_ATTACH(context, knot, forest.all[i], .parent = choose_parent(i, 0));
        if (shape != 1)
            LS_ATTACH(context, spot, forest.all[i], .number = i);
    }
}
static const ls_system setups[] = {
    {.name = "stale", .mode = LS_SEQUENTIAL, .match = leave_a_handle, .lanes = "a"},
    {.name = "plant", .mode = LS_SEQUENTIAL, .match = plant, .terms = planting, .lanes = "a, b"}};

/* An entity may die in tick 0, references change in tick 1, matches in tick 2, and nothing in tick
 * 3. The check is for the last three: after each, the order of the state is still that of the tick.
 * Two systems, because declared access alone makes the engine look again. */
LS_TERMS(grafting, OTHERS_WRITE(knot));
static void graft(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, grafting);
    uint64_t tick = ls_tick(context);
    for (uint32_t i = 0; tick == 1 && i < forest.count; i++) {
        knot *own = roll(MOVES, i, tick) % 3 ? NULL : LS_WRITE(context, knot, forest.all[i]);
        if (own)
            own->parent = choose_parent(i, tick);
    }
    if (tick == 0 && roll(DIES, 0, tick) % 2)
        ls_despawn(context, forest.all[roll(DIES, 1, tick) % forest.count]);
}

LS_TERMS(thinning, OTHERS_STRUCTURE(spot));
static void thin(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, thinning);
    for (uint32_t i = 0; ls_tick(context) == 2 && i < forest.count; i++) {
        uint32_t moves = roll(MOVES, i, 2) % 3;
        if (moves == 0)
            (void)LS_DETACH(context, spot, forest.all[i]);
        else if (moves == 1)
            (void)LS_ATTACH(context, spot, forest.all[i], .number = i);
    }
}

LS_TERMS(visiting, WRITES(spot), WRITES_SINGLETON(counter));
static void visit(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, visiting);
    LS_WRITE(context, spot, entities[0])->place =
        (uint32_t)LS_WRITE_SINGLETON(context, counter)->next++;
}

#define VISIT(function, list, ...)                                                                 \
    {                                                                                              \
        .name = "visit", .mode = LS_SEQUENTIAL, .match = function, .terms = list,                  \
        .parents_first = {LS_KEY(knot, parent)}, __VA_ARGS__                                       \
    }
#define GRAFTS                                                                                     \
    {                                                                                              \
        .name = "graft", .mode = LS_SEQUENTIAL, .match = graft, .terms = grafting,                 \
        .before = "visit"                                                                          \
    }
#define THINS                                                                                      \
    {                                                                                              \
        .name = "thin", .mode = LS_SEQUENTIAL, .match = thin, .terms = thinning, .before = "visit" \
    }
static const ls_system systems[] = {GRAFTS, VISIT(visit, visiting)};
static const ls_system thinned[] = {THINS, VISIT(visit, visiting)};
static const ls_system both[] = {GRAFTS, THINS, VISIT(visit, visiting)};

static ls_sim sim_of(const ls_system *list, uint32_t count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.systems = list;
    sim.system_count = count;
    sim.setup = setups;
    sim.setup_count = LS_COUNT_OF(setups);
    return sim;
}
#define SIM_OF(list) sim_of(list, LS_COUNT_OF(list))

typedef struct visited {
    ls_entity entity;
    uint32_t depth, place;
} visited;

static uint32_t depth_of(const ls_world *world, ls_entity entity)
{
    uint32_t depth = 0;
    for (const knot *at; (at = LS_WORLD_READ(world, knot, entity)) && at->parent; depth++)
        entity = at->parent;
    return depth;
}

static int by_depth(const void *left, const void *right)
{
    const visited *a = left, *b = right;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (uint32_t)a->entity < (uint32_t)b->entity ? -1 : 1;
}

static void check_edge(const ls_world *world, ls_entity entity, uint32_t place)
{
    const knot *own = LS_WORLD_READ(world, knot, entity);
    const spot *parent = own ? LS_WORLD_READ(world, spot, own->parent) : NULL;
    assert_true(!parent || parent->place < place);
}

static void check_order(ls_world *world)
{
    visited *found = ls_alloc(sizeof *found * forest.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < forest.count; i++) {
        const spot *own = LS_WORLD_READ(world, spot, forest.all[i]);
        if (!own)
            continue;
        check_edge(world, forest.all[i], own->place);
        found[count++] = (visited){forest.all[i], depth_of(world, forest.all[i]), own->place};
    }
    qsort(found, count, sizeof *found, by_depth);
    uint32_t last = (uint32_t)LS_WORLD_SINGLETON(world, counter)->next;
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(found[i].place, last - count + i);
    ls_free(found);
}

TEST(test_depth_order_of_random_forests)
{
    uint64_t random = harness_seed("test_depth_order_of_random_forests");
    for (uint32_t i = 0; i < FORESTS; i++) {
        forest.seed = test_random(&random);
        forest.count = 1 + test_below(&random, i / 9 % 2 ? COUNT_MAX : 12);
        const ls_sim sims[] = {SIM_OF(systems), SIM_OF(thinned), SIM_OF(both)};
        mutation_agree(&sims[i % 3], TICKS - i / 3 % 3, check_order);
    }
}

static void note_roots(ls_world *world, uint64_t roots[TICKS])
{
    for (uint64_t tick = ls_world_tick(world); tick < TICKS; tick++) {
        harness_tick(world, NULL);
        roots[tick] = ls_world_root(world);
        check_order(world);
    }
}

/* The order is no state, but follows from it: after a rollback, and for a late joiner. */
TEST(test_depth_order_follows_a_restored_state)
{
    forest.seed = harness_seed("test_depth_order_follows_a_restored_state");
    forest.count = COUNT_MAX;
    const ls_sim sim = SIM_OF(both);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    uint64_t roots[3][TICKS] = {{0}};
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    ls_snapshot *snapshot = ls_world_snapshot(self.world);
    ls_world *late = harness_world(&self);
    note_roots(self.world, roots[0]);
    ls_world_restore(self.world, snapshot);
    note_roots(self.world, roots[1]);
    assert_int_equal(ls_world_decode(late, bytes, count, NULL), LS_OK);
    note_roots(late, roots[2]);
    assert_memory_equal(roots[1], roots[0], sizeof roots[0]);
    assert_memory_equal(roots[2], roots[0], sizeof roots[0]);
    ls_world_destroy(late);
    ls_snapshot_destroy(snapshot);
    ls_free(bytes);
    harness_end(&self);
}

/* Each entity hangs below the next one, so all come in the reverse of canonical order. */
static void plant_chain(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, planting);
    for (uint32_t i = 0; i < forest.count; i++)
        forest.all[i] = ls_spawn(context, 0);
    for (uint32_t i = 0; i < forest.count; i++) {
        ls_entity parent = i + 1 < forest.count ? forest.all[i + 1] : LS_ENTITY_NULL;
        LS_ATTACH(context, knot, forest.all[i], .parent = parent);
        LS_ATTACH(context, spot, forest.all[i], .number = i);
    }
}

static void *tick_once(void *world)
{
    harness_tick(world, NULL);
    return NULL;
}

TEST(test_depth_order_of_a_long_chain_needs_no_stack)
{
    const ls_system list[] = {VISIT(visit, visiting)};
    ls_sim sim = SIM_OF(list);
    ls_system chain = setups[1];
    chain.match = plant_chain;
    sim.setup = &chain;
    sim.setup_count = 1;
    forest.count = CHAIN;
    harness self;
    harness_begin(&self, &sim, 1);
    pthread_attr_t attributes;
    pthread_t thread; /* with less stack than three bytes for each entity */
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, tick_once, self.world), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    for (uint32_t i = 0; i < CHAIN; i++)
        assert_int_equal(LS_WORLD_READ(self.world, spot, forest.all[i])->place, CHAIN - 1 - i);
    harness_end(&self);
}

/* A chain of eight, of which `script` changes something. */
static void (*script)(ls_context *context);
LS_TERMS(scripting, OTHERS_WRITE(knot), OTHERS_STRUCTURE(spot));
static void run_script(ls_context *context, const ls_entity *entities)
{
    script(context);
}
static void mend(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, scripting);
    LS_WRITE(context, knot, forest.all[7])->parent = LS_ENTITY_NULL;
}

static char visits[16];
LS_TERMS(noting, WRITES(spot), OTHERS_WRITE(knot, link));
static void note(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, noting);
    size_t used = strlen(visits);
    uint32_t number = LS_READ(context, spot, entities[0])->number;
    snprintf(visits + used, sizeof visits - used, "%u", (unsigned)number);
    if (script == NULL && number == 4) { /* below it are 3 and then 2; 2 hangs elsewhere now */
        ls_despawn(context, forest.all[3]);
        LS_WRITE(context, link, forest.all[2])->parent = LS_ENTITY_NULL;
    }
}

static void assert_visits(void (*change)(ls_context *context), const char *expected)
{
    const ls_system list[] = {VISIT(note, noting),
                              {.name = "script",
                               .mode = LS_SEQUENTIAL,
                               .match = run_script,
                               .terms = scripting,
                               .before = "visit"},
                              {.name = "mend",
                               .mode = LS_SEQUENTIAL,
                               .match = mend,
                               .terms = scripting,
                               .after = "visit"}};
    ls_sim sim = sim_of(list, change ? 3 : 1);
    ls_system chain = setups[1];
    chain.match = plant_chain;
    sim.setup = &chain;
    sim.setup_count = 1;
    forest.count = 8;
    script = change;
    visits[0] = 0;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    assert_string_equal(visits, expected);
    harness_end(&self);
}

/* 7, the root, hangs below 5: so 5, 6 and 7 are in a circle, and all others below it. */
static void tie(ls_context *context)
{
    LS_USES(context, scripting);
    LS_WRITE(context, knot, forest.all[7])->parent = forest.all[5];
}

static void tie_and_cut(ls_context *context)
{
    LS_USES(context, scripting);
    tie(context);
    LS_WRITE(context, knot, forest.all[1])->parent = LS_ENTITY_NULL;
    (void)LS_DETACH(context, spot, forest.all[6]);
}

TEST(test_depth_order_puts_circles_last)
{
    assert_visits(tie, "01234567");
    assert_visits(tie_and_cut, "1023457");
}

TEST(test_depth_order_is_that_of_the_begin)
{
    assert_visits(NULL, "7654210");
}

/* A system that asks for no knot reads them all the same. */
TEST(test_depth_order_reads_the_reference_of_all)
{
    const ls_system list[] = {
        {.name = "graft", .mode = LS_SEQUENTIAL, .match = graft, .terms = grafting},
        VISIT(visit, visiting)};
    ls_sim sim = SIM_OF(list);
    assert_refused(&sim, LS_ERROR_REFUSED, "graft", "visit", "knot");
    sim.systems = systems;
    uint8_t with[LS_FINGERPRINT_BYTES], without[LS_FINGERPRINT_BYTES];
    ls_system plain[] = {systems[0], systems[1]};
    plain[1].parents_first = (ls_hierarchy){0};
    harness self;
    harness_begin(&self, &sim, 1);
    memcpy(with, ls_program_fingerprint(self.program), sizeof with);
    harness_end(&self);
    sim.systems = plain;
    harness_begin(&self, &sim, 1);
    memcpy(without, ls_program_fingerprint(self.program), sizeof without);
    harness_end(&self);
    assert_memory_not_equal(with, without, sizeof with);
}
