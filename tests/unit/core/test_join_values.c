/* Values in the index of a join by key: those that a read by handle finds. */
#include "harness.h"

#include <lockstep/join.h>

/* Keys that are close together, keys that are far apart, and references. */
LS_COMPONENT(member, ENTITY(of, LS_KEEP), U64(far), U32(team), U32(padding));
LS_COMPONENT(mass, U32(grams), U32(slot), U32(bits));
/* Values of these sizes are stored in other ways. */
LS_COMPONENT(cargo, U64_ARRAY(items, 5));
LS_COMPONENT(colour, U8(number));
LS_COMPONENT(pair, U32(one), U32(other));

LS_COMPONENTS(components, member, mass, cargo, colour, pair);
static const char *const lanes[] = {"a", "b"};

enum { COUNT = 1500, TEAMS = 40, FORMS = 3 };
#define FAR UINT64_C(0x123456789abcdef)

#define BY(field, filter)                                                                          \
    {                                                                                              \
        .component = &member_component, .offset = offsetof(member, field), .with = filter          \
    }
#define BY_ALL(filter) BY(team, filter), BY(far, filter), BY(of, filter)

static ls_entity leaders[TEAMS];
static uint64_t found_count;

/* Some entities lack each of the values, and every ninth refers to no leader. */
static void populate(ls_context *context, const ls_entity *unused)
{
    for (uint32_t i = 0; i < TEAMS; i++)
        leaders[i] = ls_spawn(context, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        ls_entity entity = ls_spawn(context, i % 2);
        uint32_t team = i * 7 % TEAMS;
        const member cell = {i % 9 ? leaders[team] : LS_ENTITY_NULL, team * FAR, team, 0};
        const mass has = {i, ls_entity_slot(entity), ~i};
        const cargo load = {{i, ~i, i * 3, i * 5, 7}};
        const colour painted = {(uint8_t)i};
        const pair two = {i, ~i};
        ls_cell_attach(context, 0, entity, &cell);
        if (i % 3)
            ls_cell_attach(context, 1, entity, &has);
        if (i % 4)
            ls_cell_attach(context, 2, entity, &load);
        if (i % 5)
            ls_cell_attach(context, 3, entity, &painted);
        if (i % 7)
            ls_cell_attach(context, 4, entity, &two);
    }
}

static const ls_system setup = {.name = "populate",
                                .mode = LS_SEQUENTIAL,
                                .match = populate,
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(member_component),
                                                      LS_OTHERS_STRUCTURE(mass_component),
                                                      LS_OTHERS_STRUCTURE(cargo_component),
                                                      LS_OTHERS_STRUCTURE(colour_component),
                                                      LS_OTHERS_STRUCTURE(pair_component)),
                                .lanes = "a, b"};

static uint64_t key_of(uint32_t form, uint32_t team)
{
    return form == 0 ? team : form == 1 ? team * FAR : leaders[team];
}

/* Compares the values of a join with those of the cells of a term, and counts them. */
static void compare_values(const ls_context *context, uint32_t join, uint64_t key, uint32_t term,
                           size_t bytes)
{
    ls_join_walk walk, other;
    ls_entity found, same;
    uint32_t count = 0;
    ls_join_begin(context, join, key, &walk);
    ls_join_begin(context, join, key, &other);
    for (const void *value; (value = ls_join_next_with(&walk, &found)); count++) {
        assert_true(ls_join_next(&other, &same));
        assert_int_equal(found, same);
        assert_memory_equal(value, ls_cell_find(context, term, found), bytes);
    }
    assert_false(ls_join_next(&other, &same));
    assert_int_equal(ls_join_count(context, join, key), count);
    found_count += count;
}

/* Joins 3 i to 3 i + 2 have the values of term i. */
static void compare(ls_context *context, const ls_entity *unused)
{
    static const size_t bytes[] = {sizeof(mass), sizeof(cargo), sizeof(colour), sizeof(pair)};
    for (uint32_t i = 0; i < LS_COUNT_OF(bytes); i++) {
        for (uint32_t form = 0; form < FORMS; form++) {
            for (uint32_t team = 0; team < TEAMS; team++)
                compare_values(context, FORMS * i + form, key_of(form, team), i, bytes[i]);
            compare_values(context, FORMS * i + form, form == 2 ? LS_ENTITY_NULL : TEAMS, i,
                           bytes[i]);
        }
    }
}

/* Writes values, but neither keys nor presence. */
static void add_slots(ls_context *context, const ls_span *span)
{
    mass *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].grams += own[i].slot;
}

/* Takes the value from some, and gives it to others. */
static void shift(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    const pair made = {slot, 1};
    if ((slot + ls_tick(context)) % 3 == 0)
        ls_cell_detach(context, 1, entities[0]);
    else
        ls_cell_attach(context, 1, entities[0], &made);
}

/* Writes the values that it finds: it finds those of its start. */
static void double_own(ls_context *context, const ls_span *span)
{
    const member *cells = ls_span_read(context, span, 0);
    mass *own = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        const mass before = own[i];
        ls_join_walk walk;
        ls_entity found;
        own[i].grams = before.grams * 2 + 1;
        ls_join_begin(context, 0, cells[i].team, &walk);
        for (const mass *value; (value = ls_join_next_with(&walk, &found));) {
            assert_int_equal(value->slot, ls_entity_slot(found));
            if (found == ls_span_entity(span, i))
                assert_memory_equal(value, &before, sizeof before);
        }
    }
}

TEST(test_join_values_are_those_that_a_handle_finds)
{
    const ls_system systems[] = {
        {.name = "add", .span = add_slots, .terms = LS_TERM_LIST(LS_WRITES(mass_component))},
        {.name = "shift",
         .mode = LS_SEQUENTIAL,
         .match = shift,
         .terms = LS_TERM_LIST(LS_WITH(member_component), LS_OTHERS_STRUCTURE(pair_component)),
         .after = "add"},
        {.name = "compare",
         .mode = LS_SEQUENTIAL,
         .match = compare,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(mass_component), LS_OTHERS_READ(cargo_component),
                               LS_OTHERS_READ(colour_component), LS_OTHERS_READ(pair_component)),
         .joins = LS_JOINS(BY_ALL(&mass_component), BY_ALL(&cargo_component),
                           BY_ALL(&colour_component), BY_ALL(&pair_component)),
         .after = "shift"},
        {.name = "double",
         .span = double_own,
         .terms = LS_TERM_LIST(LS_READS(member_component), LS_WRITES(mass_component),
                               LS_OTHERS_START(mass_component)),
         .joins = LS_JOINS(BY(team, &mass_component)),
         .after = "compare"},
    };
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        harness self;
        harness_begin(&self, &sim, 1);
        ls_executor *executor = harness_executor(threads, threads);
        found_count = 0;
        for (uint32_t tick = 0; tick < 4; tick++)
            harness_tick(self.world, executor);
        assert_true(found_count > 4 * 3 * COUNT);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

static void look_for_tagged(ls_context *context, const ls_entity *unused)
{
    ls_join_walk walk;
    ls_entity found;
    for (uint32_t team = 0; team < TEAMS; team++) {
        uint32_t count = 0;
        for (ls_join_begin(context, 0, team, &walk); ls_join_next(&walk, &found); count++)
            assert_int_equal(ls_cell_find(context, 0, found) != NULL, true);
        found_count += count;
    }
}

/* Without values of others, `with` only filters. */
TEST(test_join_values_unread_only_filter)
{
    const ls_system systems[] = {
        {.name = "look",
         .mode = LS_SEQUENTIAL,
         .match = look_for_tagged,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(cargo_component)),
         .joins = LS_JOINS(BY(team, &cargo_component), BY(team, &colour_component))}};
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    found_count = 0;
    harness_tick(self.world, NULL);
    assert_int_equal(found_count, COUNT / 4 * 3);
    harness_end(&self);
}

static void ask_for_values(ls_context *context, const ls_entity *unused)
{
    ls_join_walk walk;
    ls_entity found;
    ls_join_begin(context, 0, 1, &walk);
    (void)ls_join_next(&walk, &found);
    (void)ls_join_next_with(&walk, &found);
}

/* `joins` is the list of the system. */
static void run_without_values(void *joins)
{
    const ls_system systems[] = {{.name = "compare",
                                  .mode = LS_SEQUENTIAL,
                                  .match = ask_for_values,
                                  .terms = LS_TERM_LIST(LS_READS(mass_component)),
                                  .joins = joins}};
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

/* A join without `with`, and one whose values the system does not read of others. */
TEST(test_join_values_that_the_join_lacks_stop_the_process)
{
    const ls_join plain[] = {BY(team, NULL), {0}};
    const ls_join unread[] = {BY(team, &mass_component), {0}};
    assert_dies(run_without_values, (void *)(uintptr_t)plain, "the join has no values",
                "in its `with`", "call ls_join_next()");
    assert_dies(run_without_values, (void *)(uintptr_t)unread, "the join has no values",
                " OTHERS_READ(...)", " OTHERS_START(...)");
}
