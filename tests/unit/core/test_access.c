/* Calls every access function through every kind of term. An undeclared access aborts, and the
 * message names system and component. */
#include "mutation_sim.h"

static const void *sink;

static void find(ls_context *context, uint32_t term, ls_entity self)
{
    sink = ls_cell_find(context, term, self);
}

static void has(ls_context *context, uint32_t term, ls_entity self)
{
    ls_cell_has(context, term, self);
}

static void write_cell(ls_context *context, uint32_t term, ls_entity self)
{
    sink = ls_cell_write(context, term, self);
}

static void attach(ls_context *context, uint32_t term, ls_entity self)
{
    ls_cell_attach(context, term, self, NULL);
}

static void detach(ls_context *context, uint32_t term, ls_entity self)
{
    ls_cell_detach(context, term, self);
}

static void read_singleton(ls_context *context, uint32_t term, ls_entity self)
{
    sink = ls_singleton_read(context, term);
}

static void write_singleton(ls_context *context, uint32_t term, ls_entity self)
{
    sink = ls_singleton_write(context, term);
}

static void accumulate(ls_context *context, uint32_t term, ls_entity self)
{
    ls_accumulate(context, term, self, NULL);
}

static void send(ls_context *context, uint32_t term, ls_entity self)
{
    ls_event_send(context, term, NULL);
}

static void receive(ls_context *context, uint32_t term, ls_entity self)
{
    ls_event_walk walk;
    ls_event_begin(context, term, &walk);
}

static void command_attach(ls_context *context, uint32_t term, ls_entity self)
{
    ls_command_attach(context, term, self, NULL);
}

static void command_detach(ls_context *context, uint32_t term, ls_entity self)
{
    ls_command_detach(context, term, self);
}

enum {
    FIND = 1 << 0,
    HAS = 1 << 1,
    WRITE = 1 << 2,
    ATTACH = 1 << 3,
    DETACH = 1 << 4,
    READ_SINGLETON = 1 << 5,
    WRITE_SINGLETON = 1 << 6,
    ACCUMULATE = 1 << 7,
    SEND = 1 << 8,
    RECEIVE = 1 << 9,
    COMMAND = 3 << 10,
    READ_CELLS = FIND | HAS,
    WRITE_CELLS = FIND | HAS | WRITE,
    ALL_OF_CELLS = WRITE_CELLS | ATTACH | DETACH,
};
/* Indexed by the bit that permits the function. */
static void (*const functions[])(ls_context *context, uint32_t term, ls_entity self) = {
    find,       has,  write_cell, attach,         detach,        read_singleton, write_singleton,
    accumulate, send, receive,    command_attach, command_detach};

/* The call that the system makes once, for its first entity. */
static struct {
    void (*function)(ls_context *context, uint32_t term, ls_entity self);
    uint32_t term, distance;
} deed;

static void act(ls_context *context, const ls_entity *entities)
{
    if (ls_entity_slot(entities[0]) != 0 || !deed.function)
        return;
    /* First move the cursor to this page, because the call then takes another path. */
    for (uint32_t i = 0; deed.distance && i < 3; i++)
        deed.function(context, deed.term, entities[0]);
    deed.function(context, deed.term, entities[0] + deed.distance);
}

static void act_span(ls_context *context, const ls_span *span)
{
    act(context, &(ls_entity){ls_span_entity(span, 0)});
}

typedef struct permission {
    ls_term term;
    uint32_t functions;
} permission;

static const permission concurrent_permissions[] = {
    {LS_WITH(counts), HAS},
    {LS_READS(extras), READ_CELLS},
    {LS_WRITES(links), WRITE_CELLS},
    {LS_ATTACHES(marks), ALL_OF_CELLS},
    {LS_OTHERS_READ(counts), READ_CELLS},
    {LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, extras), HAS},
    {LS_OTHERS_START(links), READ_CELLS},
    {LS_TERM(0, LS_START, LS_ACCESS_PRESENCE, marks), HAS},
    {LS_SPAWNS_WITH(counts), ATTACH},
    {LS_COMMANDED(marks), COMMAND},
    {LS_ACCUMULATES(extras, LS_ADD), ACCUMULATE},
    {LS_ACCUMULATES(totals, LS_MAX), ACCUMULATE},
    {LS_OTHERS_READ(totals), READ_CELLS | READ_SINGLETON},
    {LS_SENDS(shouts), SEND},
    {LS_RECEIVES(beeps), RECEIVE},
};
static const permission sequential_permissions[] = {
    {LS_READS(links), READ_CELLS},
    {LS_ATTACHES(counts), ALL_OF_CELLS},
    {LS_OTHERS_STRUCTURE(counts), ALL_OF_CELLS},
    {LS_OTHERS_WRITE(extras), WRITE_CELLS},
    {LS_OTHERS_READ(links), READ_CELLS},
    {LS_OTHERS_START(extras), READ_CELLS},
    {LS_OTHERS_WRITE(totals), WRITE_CELLS | READ_SINGLETON | WRITE_SINGLETON},
    {LS_SPAWNS_WITH(marks), ATTACH},
    {LS_COMMANDED(counts), COMMAND},
    {LS_ACCUMULATES(extras, LS_OR), ACCUMULATE},
    {LS_SENDS(beeps), SEND},
    {LS_RECEIVES(shouts), RECEIVE},
};

static void give_all(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    ls_cell_attach(context, 1, entity, &(tally){i});
    ls_cell_attach(context, 2, entity, NULL);
}

static void one_tick(void *world)
{
    harness_tick(world, NULL);
}

/* Tries every function through every term, and through a term that does not exist. */
static void expect_permissions(ls_system *system, const permission *permissions, uint32_t count)
{
    ls_term terms[32] = {{0}};
    assert_true(count < LS_COUNT_OF(terms));
    for (uint32_t i = 0; i < count; i++)
        terms[i] = permissions[i].term;
    system->terms = terms;
    population = (mutation_population){3, give_all};
    harness self;
    harness_begin(&self, mutation_sim(system, 1), 1);
    for (uint32_t function = 0; function < LS_COUNT_OF(functions); function++) {
        deed.function = functions[function];
        for (deed.term = 0; deed.term < count; deed.term++) {
            const char *component = permissions[deed.term].term.component->name;
            char words[64];
            snprintf(words, sizeof words, "system \"judged\", term %u (\"%s\")", deed.term,
                     component);
            if (permissions[deed.term].functions >> function & 1)
                harness_tick(self.world, NULL);
            else
                assert_dies(one_tick, self.world, words);
        }
        assert_dies(one_tick, self.world, "\"judged\"", "no such term");
        deed.term = UINT32_MAX;
        assert_dies(one_tick, self.world, "\"judged\"", "no such term");
    }
    harness_end(&self);
}

static int forget(void **state)
{
    memset(&deed, 0, sizeof deed);
    return mutation_forget(state);
}

TESTS_AROUND(forget, NULL);

TEST(test_access_of_concurrent_systems_is_what_they_declare)
{
    ls_system match = {.name = "judged", .match = act, .lanes = "b"};
    ls_system span = {.name = "judged", .span = act_span, .lanes = "b"};
    expect_permissions(&match, concurrent_permissions, LS_COUNT_OF(concurrent_permissions));
    expect_permissions(&span, concurrent_permissions, LS_COUNT_OF(concurrent_permissions));
}

TEST(test_access_of_sequential_systems_is_what_they_declare)
{
    ls_system match = {.name = "judged", .mode = LS_SEQUENTIAL, .match = act, .lanes = "b"};
    expect_permissions(&match, sequential_permissions, LS_COUNT_OF(sequential_permissions));
}

/* The match form owns one entity, the span form the entities of the span. */
TEST(test_access_stops_at_the_own_entities)
{
    const ls_system matches[] = {{.name = "judged",
                                  .match = act,
                                  .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ATTACHES(marks))}};
    const ls_system spans[] = {{.name = "judged",
                                .span = act_span,
                                .terms = LS_TERM_LIST(LS_WRITES(counts), LS_ATTACHES(marks))}};
    static void (*const reaching[])(ls_context *, uint32_t, ls_entity) = {find, has, write_cell,
                                                                          detach, attach};
    for (uint32_t form = 0; form < 2; form++) {
        population = (mutation_population){2, NULL};
        harness self;
        harness_begin(&self, mutation_sim(form ? spans : matches, 1), 1);
        for (uint32_t i = 0; i < LS_COUNT_OF(reaching); i++) {
            deed.function = reaching[i];
            deed.term = 1;
            deed.distance = 1;
            if (form)
                harness_tick(self.world, NULL); /* slot 1 belongs to the same span */
            if (!form)
                assert_dies(one_tick, self.world, "\"judged\"", "\"mark\"", "entity a/1:1,",
                            "than its own");
            deed.distance = 2;
            assert_dies(one_tick, self.world, "\"judged\"", "\"mark\"", "entity a/2:1,",
                        "than its own");
            deed.distance = 1u << 24; /* an entity of the next lane */
            assert_dies(one_tick, self.world, "\"judged\"", "\"mark\"", "entity b/0:1,",
                        "than its own");
        }
        deed.distance = 0;
        harness_end(&self);
    }
}

/* Counts null handles that seem to have a cell; the cursor must not stay at a page for a handle
 * without an entity. */
static uint32_t found_after_nobody;

static void match_none_first(ls_context *context, const ls_entity *entities)
{
    const tally none = {7};
    for (uint32_t i = 0; i < 3; i++) {
        found_after_nobody += ls_cell_find(context, 0, LS_ENTITY_NULL) != NULL;
        found_after_nobody += ls_cell_write(context, 1, LS_ENTITY_NULL) != NULL;
        found_after_nobody += ls_cell_has(context, 2, LS_ENTITY_NULL);
        found_after_nobody += ls_cell_attach(context, 3, LS_ENTITY_NULL, &none);
        found_after_nobody += ls_cell_detach(context, 3, LS_ENTITY_NULL);
    }
    const tally *own = ls_cell_find(context, 0, entities[0]);
    found_after_nobody += own && own->value == ls_entity_slot(entities[0]) ? 10 : 0;
    found_after_nobody += ls_cell_write(context, 1, entities[0]) ? 10 : 0;
    found_after_nobody += ls_cell_has(context, 2, entities[0]) ? 10 : 0;
    found_after_nobody += ls_cell_attach(context, 3, entities[0], NULL) ? 10 : 0;
    found_after_nobody += ls_cell_detach(context, 3, entities[0]) ? 10 : 0;
}

TEST(test_access_to_nobody_hides_no_own_entity)
{
    ls_system system = {.name = "judged",
                        .match = match_none_first,
                        .terms = LS_TERM_LIST(LS_READS(counts), LS_WRITES(extras), LS_WITH(links),
                                              LS_ATTACHES(marks))};
    population = (mutation_population){3, give_all};
    for (int mode = LS_CONCURRENT; mode <= LS_SEQUENTIAL; mode++) {
        system.mode = (ls_mode)mode;
        harness self;
        harness_begin(&self, mutation_sim(&system, 1), 1);
        found_after_nobody = 0;
        harness_tick(self.world, NULL);
        assert_int_equal(found_after_nobody, 3 * 5 * 10);
        harness_end(&self);
    }
}

static void spawn_elsewhere(ls_context *context, uint32_t term, ls_entity self)
{
    ls_spawn(context, term);
}

static void command_elsewhere(ls_context *context, uint32_t term, ls_entity self)
{
    ls_command_spawn(context, term);
}

TEST(test_access_to_lanes_is_what_the_system_lists)
{
    ls_system system = {.name = "judged",
                        .match = act,
                        .terms = LS_TERM_LIST(LS_READS(counts)),
                        .lanes = "b",
                        .command_lanes = "b, c"};
    population.count = 1;
    for (int mode = LS_CONCURRENT; mode <= LS_SEQUENTIAL; mode++) {
        system.mode = (ls_mode)mode;
        harness self;
        harness_begin(&self, mutation_sim(&system, 1), 1);
        deed.function = spawn_elsewhere;
        deed.term = 0;
        harness_tick(self.world, NULL);
        deed.term = 1;
        assert_dies(one_tick, self.world, "\"judged\"",
                    "lane 1 (counted from 0) of its .lanes, which lists only 1");
        deed.function = command_elsewhere;
        harness_tick(self.world, NULL);
        deed.term = 2;
        assert_dies(one_tick, self.world, "\"judged\"",
                    "lane 2 (counted from 0) of its .command_lanes, which lists only 2");
        harness_end(&self);
    }
}

/* The function to call in a span or block, and the term to pass. */
static struct {
    uint32_t function, term;
} deed_of_form;

static void act_on_span(ls_context *context, const ls_span *span)
{
    if (deed_of_form.function == 0)
        sink = ls_span_read(context, span, deed_of_form.term);
    else if (deed_of_form.function == 1)
        sink = ls_span_write(context, span, deed_of_form.term);
    else if (deed_of_form.function == 2)
        sink = ls_span_attach(context, span, deed_of_form.term);
    else
        ls_span_detach(context, span, deed_of_form.term);
}

static void act_on_block(ls_context *context, const ls_block *block)
{
    if (deed_of_form.function == 0)
        sink = ls_block_read(context, block, deed_of_form.term);
    else if (deed_of_form.function == 1)
        sink = ls_block_write(context, block, deed_of_form.term);
    else if (deed_of_form.function == 2)
        sink = ls_block_attach(context, block, deed_of_form.term, 1);
    else
        ls_block_detach(context, block, deed_of_form.term, 1);
}

TEST(test_access_of_spans_and_blocks_is_what_they_declare)
{
    static const struct {
        ls_term term;
        uint32_t
            allowed; /* how many of read, write, attach and detach are allowed, in this order */
    } terms[] = {{LS_WITH(counts), 0},
                 {LS_READS(extras), 1},
                 {LS_WRITES(links), 2},
                 {LS_ATTACHES(marks), 4},
                 {LS_SPAWNS_WITH(extras), 0},
                 {LS_COMMANDED(counts), 0},
                 {LS_ACCUMULATES(extras, LS_ADD), 0}};
    ls_term list[LS_COUNT_OF(terms) + 1] = {{0}};
    for (uint32_t i = 0; i < LS_COUNT_OF(terms); i++)
        list[i] = terms[i].term;
    ls_system system = {.name = "judged", .terms = list};
    population = (mutation_population){3, give_all};
    for (uint32_t form = 0; form < 2; form++) {
        system.span = form ? NULL : act_on_span;
        system.block = form ? act_on_block : NULL;
        harness self;
        harness_begin(&self, mutation_sim(&system, 1), 1);
        for (uint32_t i = 0; i < 4 * (LS_COUNT_OF(terms) + 1); i++) {
            deed_of_form.function = i % 4;
            deed_of_form.term = i / 4;
            if (i / 4 == LS_COUNT_OF(terms))
                assert_dies(one_tick, self.world, "\"judged\"", "no such term");
            else if (i % 4 < terms[i / 4].allowed)
                harness_tick(self.world, NULL);
            else
                assert_dies(one_tick, self.world, "\"judged\"", terms[i / 4].term.component->name,
                            form ? "one of the 64 slots from a/0:1"
                                 : "one of the 3 slots from a/0:1");
        }
        harness_end(&self);
    }
}
