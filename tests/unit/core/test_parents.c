/* Fields with LS_PARENT: an entity that becomes its own ancestor is refused, however it does. A
 * plain model repeats random changes. LOCKSTEP_SEED=n  runs only that forest LOCKSTEP_LONG=n  runs
 * n forests (20,000 if n is 1) */
#include "harness.h"

#include "core/state/planes_internal.h"
#include "core/state/store.h"
#include "tests/support/counted_memory.h"
#include "tests/support/sanitizer.h"
#include <lockstep/json.h>

#include <inttypes.h>
#include <stdlib.h>

typedef struct twig {
    uint64_t weight;
    ls_entity parent;
} twig;

static const ls_field twig_fields[] = {LS_FIELD(twig, weight, LS_TYPE_U64),
                                       LS_FIELD_ENTITY(twig, parent, LS_PARENT)};
static const ls_component twigs = LS_COMPONENT_TABLE(twig, "twig", twig_fields);
static const ls_component *const components[] = {&twigs};
static const char *const lanes[] = {"a", "b"};

/* Half of the entities are in each lane; NONE is no parent, or no change. */
enum { ENTITIES = 24, CHANGES = 6, NONE = ENTITIES, STALE };

typedef struct change {
    uint32_t child, parent;
} change;

/* The changes that the systems of a tick make, in this order. */
static struct {
    ls_entity all[ENTITIES];
    ls_entity stale; /* dead from the start */
    uint32_t first[ENTITIES];
    uint32_t swung[ENTITIES]; /* the new parent that swing() writes, by entity: an index, NONE or
                               * STALE; STALE + 1: none written */
    change written[CHANGES], commanded[CHANGES];
    uint32_t written_count, commanded_count;
    uint32_t killed; /* NONE: none */
} plan;

static ls_entity handle_of(uint32_t index)
{
    return index == NONE ? LS_ENTITY_NULL : index == STALE ? plan.stale : plan.all[index];
}

static void plant(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < ENTITIES; i++)
        plan.all[i] = ls_spawn(context, i % 2);
    plan.stale = ls_spawn(context, 0);
    ls_despawn(context, plan.stale);
    for (uint32_t i = 0; i < ENTITIES; i++)
        ls_cell_attach(context, 0, plan.all[i], &(twig){i, handle_of(plan.first[i])});
}

static const ls_system setup = {.name = "plant",
                                .mode = LS_SEQUENTIAL,
                                .match = plant,
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(twigs)),
                                .lanes = "a, b"};

static void swing(ls_context *context, const ls_span *span)
{
    twig *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint32_t parent = plan.swung[own[i].weight % ENTITIES];
        if (parent <= STALE)
            own[i].parent = handle_of(parent);
    }
}

static void graft(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < plan.written_count; i++) {
        twig *cell = ls_cell_write(context, 0, handle_of(plan.written[i].child));
        if (cell)
            cell->parent = handle_of(plan.written[i].parent);
    }
}

static void order(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < plan.commanded_count; i++) {
        const change *given = &plan.commanded[i];
        ls_command_attach(context, 0, handle_of(given->child),
                          &(twig){given->child, handle_of(given->parent)});
    }
    if (plan.killed != NONE)
        ls_despawn(context, handle_of(plan.killed));
}

static const ls_system systems[] = {
    {.name = "swing", .span = swing, .terms = LS_TERM_LIST(LS_WRITES(twigs)), .before = "graft"},
    {.name = "graft",
     .mode = LS_SEQUENTIAL,
     .match = graft,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(twigs))},
    {.name = "order",
     .mode = LS_SEQUENTIAL,
     .match = order,
     .terms = LS_TERM_LIST(LS_COMMANDED(twigs))},
};

static void reset_plan(void)
{
    memset(&plan, 0, sizeof plan);
    plan.killed = NONE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        plan.first[i] = NONE;
        plan.swung[i] = STALE + 1;
    }
}

static ls_sim forest(void)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    return sim;
}

/* The tick fails on all executors, with these words, and leaves the state as it was. */
static void assert_cycle(const ls_sim *sim, const char *const *words)
{
    ls_executor *executors[] = {NULL, harness_executor(2, 0), harness_executor(1, 7),
                                harness_checker()};
    harness self;
    harness_begin(&self, sim, 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        ls_error error;
        harness_assert_tick_refused(self.world, executors[i], words, &error);
        assert_int_equal(ls_world_tick(self.world), 0);
        ls_executor_destroy(executors[i]);
    }
    harness_end(&self);
}

#define assert_cycles(sim, ...) assert_cycle(sim, (const char *const[]){__VA_ARGS__, NULL})

TEST(test_parents_name_who_wrote_the_cycle)
{
    ls_sim sim = forest();
    reset_plan();
    plan.first[0] = 5; /* the first walk enters the cycle here */
    plan.first[5] = 1;
    plan.first[1] = 8;
    plan.written[0] = (change){8, 5};
    plan.written_count = 1;
    assert_cycles(&sim, "tick 0: system \"graft\" makes an entity its own ancestor: twig.parent "
                        "leads from a/4 to b/2 to b/0 and back; refuse such a parent before it is "
                        "written");
    reset_plan();
    plan.swung[3] = 3;
    assert_cycles(&sim, "system \"swing\"", "twig.parent names its own entity b/1;");
    reset_plan();
    plan.swung[0] = 1;
    plan.swung[1] = 0;
    plan.written[0] = (change){1, NONE}; /* no cycle any more */
    plan.commanded[0] = (change){1, 0};
    plan.written_count = plan.commanded_count = 1;
    assert_cycles(&sim, "commands of stage \"main\"");
    reset_plan();
    for (uint32_t i = 0; i < 6; i++)
        plan.first[i] = i + 1;
    plan.commanded[0] = (change){6, 0};
    plan.commanded_count = 1;
    assert_cycles(&sim, "commands of stage \"main\" make an entity its own ancestor",
                  "leads from a/0 to b/0 to a/1 to b/1, on and back; refuse such a parent before "
                  "the command");
}

/* In the state after the sync point there is no cycle: it has been undone, or has died. */
TEST(test_parents_count_after_the_sync_point)
{
    ls_sim sim = forest();
    harness self;
    reset_plan();
    plan.swung[0] = 1;
    plan.swung[1] = 0;
    plan.written[0] = (change){1, NONE};
    plan.written_count = 1;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    plan.written_count = 0;
    plan.killed = 0;
    harness_tick(self.world, NULL);
    assert_int_equal(ls_world_entity_count(self.world), ENTITIES - 2);
    harness_end(&self);
}

/* The first stage is refused, although the second would undo it. */
TEST(test_parents_count_in_each_stage)
{
    static const ls_stage stages[] = {{.name = "main"}, {.name = "late"}};
    ls_system both[] = {systems[0], systems[1]};
    ls_sim sim = forest();
    both[0].before = NULL;
    both[1].stage = "late";
    sim.systems = both;
    sim.system_count = 2;
    sim.stages = stages;
    sim.stage_count = 2;
    reset_plan();
    plan.swung[0] = 1;
    plan.swung[1] = 0;
    plan.written[0] = (change){1, NONE};
    plan.written_count = 1;
    assert_cycles(&sim, "system \"swing\"", "from a/0 to b/0 and back");
}

TEST(test_parents_of_two_sides_meet_in_the_merge)
{
    static const ls_par pars[] = {{.name = "both", .sides = "swing, graft"}};
    ls_system both[] = {systems[0], systems[1]};
    ls_sim sim = forest();
    both[0].before = NULL;
    sim.systems = both;
    sim.system_count = 2;
    sim.pars = pars;
    sim.par_count = 1;
    reset_plan();
    plan.swung[0] = 1;
    plan.written[0] = (change){1, 0};
    plan.written_count = 1;
    assert_cycles(&sim, "par \"both\" makes an entity its own ancestor");
}

TEST(test_parents_of_a_setup)
{
    ls_sim sim = forest();
    ls_error error;
    reset_plan();
    plan.first[2] = 4;
    plan.first[4] = 2;
    harness_assert_setup_refused(&sim, &error);
    assert_string_equal(error.text,
                        "setup \"plant\" makes an entity its own ancestor: twig.parent leads from "
                        "a/1 to a/2 and back; give it another parent");
}

/* A server could send a state in which a search for a root never ends. */
TEST(test_parents_of_a_received_state)
{
    ls_sim sim = forest();
    harness self;
    ls_error errors[3] = {{""}, {""}, {""}};
    size_t counts[2];
    uint8_t *bytes[2];
    reset_plan();
    harness_begin(&self, &sim, 1);
    ls_world *other = harness_world(&self);
    uint64_t root = ls_world_root(other);
    harness_own_all(self.world);
    ((twig *)ls_store_write(self.world, 0, plan.all[0]))->parent = plan.all[1];
    ((twig *)ls_store_write(self.world, 0, plan.all[1]))->parent = plan.all[0];
    bytes[0] = harness_bytes(self.world, &counts[0]);
    ls_snapshot *snapshot = ls_world_snapshot(self.world);
    ls_planes_encode(snapshot, NULL, &bytes[1], &counts[1]);
    ls_snapshot_destroy(snapshot);
    char *text = ls_world_json(self.world);
    assert_int_equal(ls_world_decode(other, bytes[0], counts[0], &errors[0]), LS_ERROR_CORRUPT);
    assert_int_equal(ls_planes_decode(other, NULL, bytes[1], counts[1], &errors[1]),
                     LS_ERROR_CORRUPT);
    assert_int_equal(ls_world_from_json(other, text, strlen(text), &errors[2]), LS_ERROR_CORRUPT);
    for (uint32_t i = 0; i < LS_COUNT_OF(errors); i++)
        assert_string_equal(errors[i].text, "the state has an entity that is its own ancestor: "
                                            "twig.parent leads from a/0 to b/0 and back");
    assert_int_equal(ls_world_root(other), root);
    ls_free(text);
    ls_free(bytes[0]);
    ls_free(bytes[1]);
    ls_world_destroy(other);
    harness_end(&self);
}

TEST(test_parents_are_those_of_entities)
{
    static const ls_field several[] = {
        {.name = "parents", .type = LS_TYPE_ENTITY, .bytes = 16, .on_despawn = LS_PARENT}};
    static const ls_component many = {
        .name = "many", .bytes = 16, .field_count = 1, .fields = several};
    static const ls_component *const lists[] = {&many};
    static const ls_component single = LS_SINGLETON_TABLE(twig, "twig", twig_fields);
    static const ls_component *const singles[] = {&single};
    ls_sim sim = forest();
    sim.setup = NULL;
    sim.system_count = 0;
    sim.components = lists;
    assert_refused(&sim, LS_ERROR_USAGE,
                   "component \"many\": field \"parents\" has several parents");
    sim.components = singles;
    assert_refused(&sim, LS_ERROR_USAGE, "singleton \"twig\": field \"parent\" says LS_PARENT");
}

TEST(test_parents_ask_for_no_memory_once_warm)
{
    ls_sim sim = forest();
    harness self;
    reset_plan();
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < 40; tick++) {
        if (tick == 20)
            calls = 0;
        plan.swung[tick % ENTITIES] = tick % ENTITIES ? 0 : NONE;
        harness_tick(self.world, NULL);
    }
    assert_int_equal(calls, 0);
    harness_end(&self);
}

/* The parents in the model; NONE also for dead and stale ones. */
typedef struct model {
    uint32_t parents[ENTITIES];
    bool is_dead[ENTITIES];
} model;

static void set_parent(model *self, const change *given)
{
    bool is_living = given->parent < ENTITIES && !self->is_dead[given->parent];
    if (!self->is_dead[given->child])
        self->parents[given->child] = is_living ? given->parent : NONE;
}

/* An entity below a dead one dies. Returns whether a living one is then below itself. */
static bool settle(model *self)
{
    for (uint32_t round = 0; round < ENTITIES; round++) {
        for (uint32_t i = 0; i < ENTITIES; i++)
            self->is_dead[i] |= self->parents[i] < NONE && self->is_dead[self->parents[i]];
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t at = self->is_dead[i] ? NONE : self->parents[i];
        for (uint32_t step = 0; at < NONE && step < ENTITIES; step++) {
            if (at == i)
                return true;
            at = self->parents[at];
        }
    }
    return false;
}

static bool run_model(model *self)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        if (plan.swung[i] <= STALE)
            set_parent(self, &(change){i, plan.swung[i]});
    }
    for (uint32_t i = 0; i < plan.written_count; i++)
        set_parent(self, &plan.written[i]);
    for (uint32_t i = 0; i < plan.commanded_count; i++)
        set_parent(self, &plan.commanded[i]);
    if (plan.killed != NONE)
        self->is_dead[plan.killed] = true;
    return settle(self);
}

static change random_change(uint64_t *random)
{
    return (change){test_below(random, ENTITIES), test_below(random, STALE + 1)};
}

static void make_plan(uint64_t *random)
{
    uint32_t often = 2 + test_below(random, 40);
    for (uint32_t i = 0; i < ENTITIES; i++)
        plan.swung[i] = test_below(random, often) ? STALE + 1 : random_change(random).parent;
    plan.written_count = test_below(random, CHANGES);
    plan.commanded_count = test_below(random, CHANGES);
    for (uint32_t i = 0; i < CHANGES; i++) {
        plan.written[i] = random_change(random);
        plan.commanded[i] = random_change(random);
    }
    plan.killed = test_below(random, 4) ? NONE : test_below(random, ENTITIES);
}

static void assert_model(const ls_world *world, const model *self)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const twig *cell = ls_world_cell(world, &twigs, plan.all[i]);
        assert_true(!cell == self->is_dead[i]);
        uint32_t parent = cell && self->parents[i] != NONE ? self->parents[i] : NONE;
        if (cell && parent != NONE)
            assert_true(cell->parent == plan.all[parent]);
    }
}

enum { EXECUTORS = 5, TICKS = 12 };
typedef struct counts {
    uint64_t ticks, cycles;
} counts;

static void run_forest(uint64_t seed, ls_executor *const *executors, counts *counted)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15;
    ls_sim sim = forest();
    harness self;
    model now = {0};
    reset_plan();
    for (uint32_t i = 0; i < ENTITIES; i++)
        now.parents[i] = plan.first[i] =
            test_below(&random, 3) && i ? test_below(&random, i) : NONE;
    harness_begin(&self, &sim, seed);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        const ls_frame frame = {.tick = ls_world_tick(self.world)};
        make_plan(&random);
        model next = now;
        bool is_cycle = run_model(&next);
        ls_executor *executor = executors[test_below(&random, EXECUTORS)];
        uint64_t root = ls_world_root(self.world);
        ls_error error = {""};
        ls_status status = ls_world_advance(self.world, &frame, executor, &error);
        if (status != (is_cycle ? LS_ERROR_REFUSED : LS_OK) ||
            (is_cycle && (ls_world_root(self.world) != root || !strstr(error.text, "twig.parent"))))
            fail_msg("tick %u: status %d for %s: \"%s\"\nrepeat with: LOCKSTEP_SEED=%" PRIu64
                     " test_parents",
                     tick, status, is_cycle ? "a cycle" : "a forest", error.text, seed);
        now = is_cycle ? now : next;
        assert_model(self.world, &now);
        counted->ticks++;
        counted->cycles += is_cycle;
    }
    harness_end(&self);
}

TEST(test_parents_of_random_forests)
{
    const char *seed = getenv("LOCKSTEP_SEED"), *many = getenv("LOCKSTEP_LONG");
    uint64_t first = seed ? strtoull(seed, NULL, 0) : 1;
    uint64_t count = seed ? 1 : HAS_SANITIZER ? 100 : 1000;
    if (many && !seed)
        count = strtoull(many, NULL, 0) > 1 ? strtoull(many, NULL, 0) : 20000;
    ls_executor *executors[EXECUTORS] = {NULL, harness_executor(2, 0), harness_executor(4, 0),
                                         harness_executor(1, 7), harness_checker()};
    counts counted = {0};
    for (uint64_t i = first; i < first + count; i++)
        run_forest(i, executors, &counted);
    print_message("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " ticks, %" PRIu64
                  " of them refused for a cycle\n",
                  first, first + count - 1, counted.ticks, counted.cycles);
    if (!seed)
        assert_true(counted.cycles > count && counted.ticks - counted.cycles > count);
    for (uint32_t i = 0; i < EXECUTORS; i++)
        ls_executor_destroy(executors[i]);
}
