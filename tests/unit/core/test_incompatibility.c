/* Incompatible components: the check, and what the detector of ambiguities makes of them. */
#include "harness.h"
#include <lockstep/json.h>
#include <lockstep/snapshot.h>

LS_COMPONENT(place, U32(at));
LS_COMPONENT(swimmer, U32(depth));
LS_TAG(walker);
LS_TAG(marked);
LS_COMPONENTS(components, place, swimmer, walker, marked);
static const char *const lanes[] = {"a", "b"};
static const ls_incompatibility never[] = {LS_NEVER_BOTH(swimmer, walker)};

enum { FOLK = 700, CULPRIT = 523 }; /* of several pages */
/* Entities of lane "a": the even ones swim, the odd ones walk. */
LS_TERMS(founding, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(swimmer), OTHERS_STRUCTURE(walker));
static void found(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, founding);
    for (uint32_t i = 0; i < FOLK; i++) {
        ls_entity entity = ls_spawn(context, 0);
        LS_ATTACH(context, place, entity, .at = i);
        if (i % 2)
            LS_ATTACH_TAG(context, walker, entity);
        else
            LS_ATTACH(context, swimmer, entity, .depth = i);
    }
}
static const ls_system setup = {
    .name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "a"};

static ls_sim sim_of(const ls_system *systems, uint32_t count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = count;
    sim.setup = &setup;
    sim.incompatibilities = never;
    sim.incompatibility_count = LS_COUNT_OF(never);
    return sim;
}

static bool is_culprit(ls_entity entity)
{
    return ls_entity_slot(entity) == CULPRIT;
}

LS_TERMS(attaching, WITH(walker), ATTACHES(swimmer));
static void attach_one(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, attaching);
    if (is_culprit(entities[0]))
        LS_ATTACH(context, swimmer, entities[0], .depth = 1);
}
static void attach_block(ls_context *context, const ls_block *block)
{
    LS_USES(context, attaching);
    if (block->first_slot / 64 == CULPRIT / 64)
        (void)LS_ATTACH_BLOCK(context, swimmer, block, (uint64_t)1 << CULPRIT % 64);
}
static void attach_span(ls_context *context, const ls_span *span)
{
    LS_USES(context, attaching);
    if (span->first_slot == CULPRIT)
        (void)LS_ATTACH_SPAN(context, swimmer, span);
}
LS_TERMS(reaching, OTHERS_STRUCTURE(walker), WITH(swimmer));
static void attach_other(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, reaching);
    if (ls_entity_slot(entities[0]) == CULPRIT - 1)
        LS_ATTACH_TAG(context, walker, entities[0]);
}
LS_TERMS(bearing, WITH(place), SPAWNS_WITH(swimmer), SPAWNS_WITH(walker));
static void bear(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, bearing);
    if (is_culprit(entities[0]))
        LS_SPAWN_WITH(context, 0, VALUE(swimmer, .depth = 1), TAG(walker));
}
LS_TERMS(commanding, WITH(place), COMMANDED(swimmer), COMMANDED(walker));
static void command(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, commanding);
    if (is_culprit(entities[0]))
        LS_COMMAND_ATTACH(context, swimmer, entities[0], .depth = 1);
}
static void command_spawn(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, commanding);
    if (is_culprit(entities[0]))
        LS_COMMAND_SPAWN_WITH(context, 0, VALUE(swimmer, .depth = 1), TAG(walker));
}
LS_TERMS(resetting, WRITES_WORLD, WALKS(1, WITH(walker)));
static void attach_any(ls_context *context, const ls_entity *unused)
{
    LS_USES(context, resetting);
    LS_EACH_MATCH(context, 1, entity)
    {
        if (is_culprit(entity))
            LS_ATTACH_ANY(context, swimmer, entity, .depth = 1);
    }
}

/* Each way to attach, alone, with the entity that the message names. */
static const struct way {
    ls_system system;
    const char *cause, *entity;
} ways[] = {
    {{.match = attach_one, .terms = attaching}, "system \"culprit\"", "a/523"},
    {{.match = attach_one, .terms = attaching, .mode = LS_SEQUENTIAL},
     "system \"culprit\"",
     "a/523"},
    {{.block = attach_block, .terms = attaching}, "system \"culprit\"", "a/523"},
    {{.span = attach_span, .terms = attaching}, "system \"culprit\"", "a/523"},
    {{.match = attach_other, .terms = reaching, .mode = LS_SEQUENTIAL},
     "system \"culprit\"",
     "a/522"},
    {{.match = bear, .terms = bearing, .lanes = "b"}, "system \"culprit\"", "b/0"},
    {{.match = bear, .terms = bearing, .lanes = "b", .mode = LS_SEQUENTIAL},
     "system \"culprit\"",
     "b/0"},
    {{.match = command, .terms = commanding}, "the commands of system \"culprit\"", "a/523"},
    {{.match = command_spawn, .terms = commanding, .command_lanes = "b"},
     "the commands of system \"culprit\"",
     "b/0"},
    {{.match = attach_any, .terms = resetting, .mode = LS_SEQUENTIAL},
     "system \"culprit\"",
     "a/523"},
};

/* Each tick fails on every executor with the same message, and changes nothing. */
static void assert_breach(const ls_sim *sim, const char *const *words)
{
    static const uint32_t threads[] = {1, 2, 4, 1, 0};
    char first[LS_COUNT_OF(((ls_error *)0)->text)] = "";
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        harness self;
        harness_begin(&self, sim, 7);
        ls_executor *executor =
            threads[i] ? harness_executor(threads[i], i == 3 ? 9 : 0) : harness_checker();
        ls_error error;
        harness_assert_tick_refused(self.world, executor, words, &error);
        if (!first[0])
            memcpy(first, error.text, sizeof first);
        assert_string_equal(error.text, first);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}
#define assert_breaks(sim, ...) assert_breach(sim, (const char *const[]){__VA_ARGS__, NULL})

TEST(test_incompatibility_is_found_however_it_is_attached)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(ways); i++) {
        ls_system system = ways[i].system;
        char cause[64], entity[64];
        system.name = "culprit";
        snprintf(cause, sizeof cause, "%s gave", ways[i].cause);
        snprintf(entity, sizeof entity, "entity %s:1 both \"swimmer\" and \"walker\"",
                 ways[i].entity);
        const ls_sim sim = sim_of(&system, 1);
        assert_breaks(&sim, "tick 0", cause, entity);
    }
}

static void run_ticks(const ls_sim *sim, uint32_t ticks)
{
    static const uint32_t threads[] = {1, 4};
    uint64_t root = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        harness self;
        harness_begin(&self, sim, 7);
        ls_executor *executor = harness_executor(threads[i], 0);
        for (uint32_t tick = 0; tick < ticks; tick++)
            harness_tick(self.world, executor);
        if (i > 0)
            assert_int_equal(ls_world_root(self.world), root);
        root = ls_world_root(self.world);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

TEST(test_incompatibility_without_the_declaration_is_allowed)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(ways); i++) {
        ls_system system = ways[i].system;
        system.name = "culprit";
        ls_sim sim = sim_of(&system, 1);
        sim.incompatibility_count = 0;
        run_ticks(&sim, 2);
    }
}

LS_TERMS(swapping, WITH(place), ATTACHES(swimmer), ATTACHES(walker));
static void swap(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, swapping);
    if (LS_HAS(context, walker, entities[0])) {
        LS_DETACH(context, walker, entities[0]);
        LS_ATTACH(context, swimmer, entities[0], .depth = 2);
    } else {
        LS_ATTACH_TAG(context, walker, entities[0]); /* both, until the next line */
        LS_DETACH(context, swimmer, entities[0]);
    }
}

TEST(test_incompatibility_holds_when_a_system_has_ended)
{
    const ls_system systems[] = {{.name = "swap", .match = swap, .terms = swapping}};
    const ls_sim sim = sim_of(systems, 1);
    run_ticks(&sim, 5);
}

/* Both break the fact, on every executor; the first one is named. */
TEST(test_incompatibility_names_the_first_of_the_serial_order)
{
    const ls_system systems[] = {
        {.name = "one", .match = bear, .terms = bearing, .lanes = "a"},
        {.name = "two", .match = bear, .terms = bearing, .lanes = "b"},
    };
    const ls_sim sim = sim_of(systems, 2);
    harness self;
    harness_begin(&self, &sim, 7);
    const char *name = ls_program_system(self.program, 0)->name;
    harness_end(&self);
    assert_breaks(&sim, "system \"", name);
}

LS_TERMS(swimming, WITH(marked), ATTACHES(swimmer));
static void start_to_swim(ls_context *context, const ls_block *block)
{
    LS_USES(context, swimming);
    (void)LS_ATTACH_BLOCK(context, swimmer, block, block->matches);
}
LS_TERMS(walking, WITH(marked), ATTACHES(walker));
static void start_to_walk(ls_context *context, const ls_block *block)
{
    LS_USES(context, walking);
    (void)LS_ATTACH_BLOCK(context, walker, block, block->matches);
}
LS_TERMS(marking, OTHERS_STRUCTURE(marked));
static void found_marked(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, marking);
    for (uint32_t i = 0; i < 5; i++)
        LS_ATTACH_TAG(context, marked, ls_spawn(context, 0));
}
static const ls_system marks = {
    .name = "mark", .mode = LS_SEQUENTIAL, .match = found_marked, .terms = marking, .lanes = "a"};

TEST(test_incompatibility_is_checked_at_the_merge_of_a_par)
{
    const ls_system systems[] = {{.name = "one", .block = start_to_swim, .terms = swimming},
                                 {.name = "two", .block = start_to_walk, .terms = walking}};
    const ls_par both[] = {{.name = "both", .sides = "one, two"}};
    ls_sim sim = sim_of(systems, 2);
    sim.setup = &marks;
    sim.pars = both;
    sim.par_count = 1;
    assert_breaks(&sim, "the merge of par \"both\"", "entity a/0:1 both \"swimmer\" and");
}

TEST(test_incompatibility_is_checked_in_a_setup)
{
    static const ls_system setups[] = {
        {.name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "a"},
        {.name = "spoil", .match = attach_one, .terms = attaching}};
    ls_sim sim = sim_of(NULL, 0);
    sim.setup = setups;
    sim.setup_count = 2;
    ls_error error;
    harness_assert_setup_refused(&sim, &error);
    assert_non_null(strstr(error.text, "setup \"spoil\" gave entity a/523:1 both"));
}

TEST(test_incompatibility_of_a_module_is_checked)
{
    static const ls_component *const parts[] = {&swimmer_component, &walker_component};
    static const ls_system born[] = {
        {.name = "bear", .match = bear, .terms = bearing, .lanes = "world"}};
    static const ls_module water = {.name = "water",
                                    .components = parts,
                                    .component_count = 2,
                                    .incompatibilities = never,
                                    .incompatibility_count = 1};
    static const ls_module *const modules[] = {&water};
    static const ls_component *const own[] = {&place_component, &marked_component};
    ls_sim sim = sim_of(born, 1);
    sim.incompatibility_count = 0;
    sim.components = own;
    sim.component_count = LS_COUNT_OF(own);
    sim.modules = modules;
    sim.module_count = 1;
    assert_breaks(&sim, "both \"water.swimmer\" and \"water.walker\"");
}

TEST(test_incompatibility_refuses_bytes_and_text_of_such_a_state)
{
    const ls_system systems[] = {{.name = "swap", .match = attach_one, .terms = attaching}};
    ls_sim free_sim = sim_of(systems, 1), sim = sim_of(systems, 1);
    free_sim.incompatibility_count = 0;
    harness loose, strict;
    harness_begin(&loose, &free_sim, 7);
    harness_begin(&strict, &sim, 7);
    harness_tick(loose.world, NULL);
    ls_error error;
    uint64_t root = ls_world_root(strict.world);
    char *text = ls_world_json(loose.world);
    assert_int_equal(ls_world_from_json(strict.world, text, strlen(text), &error),
                     LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "entity a/523:1 has both \"swimmer\" and \"walker\""));
    ls_free(text);
    size_t count;
    uint8_t *snapshot = harness_bytes(loose.world, &count);
    /* The head has the fingerprint of the other simulation: bytes 6 to 21. */
    memcpy(snapshot + 6, ls_program_fingerprint(strict.program), LS_FINGERPRINT_BYTES);
    assert_int_equal(ls_world_decode(strict.world, snapshot, count, &error), LS_ERROR_CORRUPT);
    assert_non_null(strstr(error.text, "entity a/523:1 has both \"swimmer\" and \"walker\""));
    assert_int_equal(ls_world_root(strict.world), root);
    ls_free(snapshot);
    harness_end(&loose);
    harness_end(&strict);
}

TEST(test_incompatibility_is_part_of_the_fingerprint)
{
    ls_sim one = sim_of(NULL, 0), other = sim_of(NULL, 0);
    other.incompatibility_count = 0;
    harness first, second;
    harness_begin(&first, &one, 1);
    harness_begin(&second, &other, 1);
    assert_memory_not_equal(ls_program_fingerprint(first.program),
                            ls_program_fingerprint(second.program), LS_FINGERPRINT_BYTES);
    harness_end(&first);
    harness_end(&second);
}

LS_TERMS(diving, WRITES(place), WITH(swimmer));
LS_TERMS(strolling, WRITES(place), WITH(walker));
LS_TERMS(strolling_away, WRITES(place), DETACHES(walker));
LS_TERMS(strolling_blind, WRITES(place), OPTIONALLY_WITH(walker));
LS_TERMS(looking, OTHERS_READ(place), WITH(walker));
static void move(ls_context *context, const ls_span *span)
{
    LS_USES(context, diving);
    place *own = LS_WRITE_SPAN(context, place, span);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].at = own[i].at * 3 + 1;
}
static void stroll(ls_context *context, const ls_span *span)
{
    LS_USES(context, strolling);
    place *own = LS_WRITE_SPAN(context, place, span);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].at += 5;
}
#define DIVER                                                                                      \
    {                                                                                              \
        .name = "dive", .span = move, .terms = diving                                              \
    }

TEST(test_incompatibility_lifts_an_ambiguity)
{
    const ls_system systems[] = {DIVER, {.name = "stroll", .span = stroll, .terms = strolling}};
    ls_sim sim = sim_of(systems, 2);
    run_ticks(&sim, 4);
    const ls_par both[] = {{.name = "both", .sides = "dive, stroll"}};
    ls_schedule_report *report;
    ls_error error;
    sim.pars = both;
    sim.par_count = 1;
    assert_int_equal(ls_program_check(&sim, &report, &error), LS_OK);
    assert_int_equal(report->hint_count, 0); /* the two sides change no common cell */
    ls_schedule_report_destroy(report);
    sim.incompatibility_count = 0;
    assert_int_equal(ls_program_check(&sim, &report, &error), LS_OK);
    assert_int_equal(report->hint_count, 1);
    ls_schedule_report_destroy(report);
    sim.par_count = 0;
    assert_refused(&sim, LS_ERROR_REFUSED, "\"dive\"", "\"stroll\"", "\"place\"");
}

/* The right side attaches "walker" later: an entity may dive in one side and stroll in the other.
 */
TEST(test_incompatibility_does_not_hold_across_sides_that_attach)
{
    const ls_system systems[] = {
        DIVER,
        {.name = "stroll", .span = stroll, .terms = strolling, .labels = "right"},
        {.name = "walk",
         .block = start_to_walk,
         .terms = walking,
         .labels = "right",
         .after = "stroll"}};
    const ls_par both[] = {{.name = "both", .sides = "dive, right"}};
    ls_schedule_report *report;
    ls_error error;
    ls_sim sim = sim_of(systems, 3);
    sim.pars = both;
    sim.par_count = 1;
    assert_int_equal(ls_program_check(&sim, &report, &error), LS_OK);
    assert_int_equal(report->hint_count, 1);
    assert_non_null(strstr(report->findings[0].text, "\"dive\" and \"stroll\""));
    ls_schedule_report_destroy(report);
}

TEST(test_incompatibility_lifts_nothing_else)
{
    const struct {
        const ls_term *terms;
        ls_mode mode;
    } others[] = {{strolling_away, LS_CONCURRENT},
                  {strolling_blind, LS_CONCURRENT},
                  {strolling, LS_SEQUENTIAL},
                  {looking, LS_CONCURRENT},
                  {diving, LS_CONCURRENT}};
    for (uint32_t i = 0; i < LS_COUNT_OF(others); i++) {
        const ls_system systems[] = {DIVER,
                                     {.name = "other",
                                      .match = harness_match,
                                      .terms = others[i].terms,
                                      .mode = others[i].mode}};
        const ls_sim sim = sim_of(systems, 2);
        assert_refused(&sim, LS_ERROR_REFUSED, "\"dive\"", "\"other\"", "\"place\"");
    }
}

TEST(test_incompatibility_needs_an_order_of_those_that_attach)
{
    const ls_system systems[] = {{.name = "one", .block = start_to_swim, .terms = swimming},
                                 {.name = "two", .block = start_to_walk, .terms = walking}};
    ls_sim sim = sim_of(systems, 2);
    assert_refused(&sim, LS_ERROR_REFUSED, "\"one\"", "\"two\"", "asks for the presence of");
    sim.incompatibility_count = 0;
    run_ticks(&sim, 1);
}

LS_TERMS(born_swimming, WITH(place), SPAWNS_WITH(swimmer));
LS_TERMS(born_walking, WITH(place), SPAWNS_WITH(walker));
TEST(test_incompatibility_of_spawners_needs_no_order)
{
    const ls_system systems[] = {
        {.name = "one", .match = harness_match, .terms = born_swimming, .lanes = "a"},
        {.name = "two", .match = harness_match, .terms = born_walking, .lanes = "b"}};
    const ls_sim sim = sim_of(systems, 2);
    run_ticks(&sim, 2);
}

/* test_mistakes has the other faults. */
TEST(test_incompatibility_is_validated)
{
    const ls_incompatibility half[] = {{&place_component, NULL}};
    ls_sim sim = sim_of(NULL, 0);
    sim.incompatibilities = half;
    assert_refused(&sim, LS_ERROR_USAGE, "incompatibility 0 of 1 lacks a component");
    static const ls_incompatibility empty[LS_INCOMPATIBILITIES_MAX];
    sim.incompatibilities = empty;
    sim.incompatibility_count = LS_INCOMPATIBILITIES_MAX + 1;
    assert_refused(&sim, LS_ERROR_LIMIT, "257 incompatibilities");
}
