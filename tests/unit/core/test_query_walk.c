/* Queries that a system's function walks: the order of matches, what changes during a walk do, and
 * what may be declared. tests/model compares walks of random programs with the paper's model. */
#include "mutation_sim.h"

/* Terms and queries. */
enum { COUNTS, EXTRA, WALKED = 1, WALKED_TOO = 3 };

/* Every third entity has a mark, every second one an extra. */
static void sow(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (i % 2 == 0)
        ls_cell_attach(context, 1, entity, &(tally){1000 + i});
    if (i % 3 == 0)
        ls_cell_attach(context, 3, entity, NULL);
}

static bool is_sown(uint32_t i)
{
    return i % 97 == 0 || i > 2990;
}

static void sow_few(ls_context *context, ls_entity entity, uint32_t i)
{
    if (is_sown(i))
        sow(context, entity, i);
}

/* The hash of the walks of one invocation: slots with an extra but no mark, and inside them
 * those with both. */
static uint64_t expected_hash(uint32_t own)
{
    uint64_t hash = own;
    for (uint32_t i = 0; i < population.count; i++) {
        if (!is_sown(i) || i % 2 || i % 3 == 0)
            continue;
        hash = hash * 31 + i;
        for (uint32_t k = 0; k < population.count && i < 400; k++) {
            if (is_sown(k) && k % 2 == 0 && k % 3 == 0)
                hash = hash * 31 + k;
        }
    }
    return hash;
}

static uint64_t walk_both(ls_context *context, uint32_t own)
{
    uint64_t hash = own;
    LS_EACH_MATCH(context, WALKED, outer)
    {
        const tally *extra = ls_cell_find(context, EXTRA, outer);
        hash = hash * 31 + extra->value - 1000;
        if (extra->value - 1000 >= 400)
            continue;
        LS_EACH_MATCH(context, WALKED_TOO, inner)
        hash = hash * 31 + ls_entity_slot(inner);
    }
    return hash;
}

static void note_hashes(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, COUNTS);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value = (uint32_t)walk_both(context, span->first_slot + i);
}

static void note_hash(ls_context *context, const ls_entity *entities)
{
    tally *own = ls_cell_write(context, COUNTS, entities[0]);
    own->value = (uint32_t)walk_both(context, ls_entity_slot(entities[0]));
}

static const ls_term hash_terms[] = {
    LS_WRITES(counts),
    LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_READ, extras),
    LS_TERM(LS_WALKED | WALKED, LS_EXCLUDE, LS_ACCESS_PRESENCE, marks),
    LS_TERM(LS_WALKED | WALKED_TOO, LS_INCLUDE, LS_ACCESS_PRESENCE, marks),
    LS_TERM(LS_WALKED | WALKED_TOO, LS_INCLUDE, LS_ACCESS_READ, extras),
    {0}};

static void check_hashes(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++) {
        if (is_sown(i))
            assert_int_equal(((const tally *)mutation_cell(world, &counts, i))->value,
                             (uint32_t)expected_hash(i));
    }
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_query_walk_finds_what_a_search_finds)
{
    const ls_system spans[] = {{.name = "hash", .span = note_hashes, .terms = hash_terms}};
    const ls_system rolls[] = {
        {.name = "hash", .mode = LS_SEQUENTIAL, .match = note_hash, .terms = hash_terms}};
    const ls_system matches[] = {{.name = "hash", .match = note_hash, .terms = hash_terms}};
    population = (mutation_population){.count = 3000, .with = sow_few};
    mutations_agree(spans, 2, check_hashes);
    mutations_agree(rolls, 2, check_hashes);
    mutations_agree(matches, 2, check_hashes);
}

/* A system without a query vector, whose two queries match nothing. */
static uint32_t runs;

static void count_run(ls_context *context, const ls_entity *entities)
{
    LS_EACH_MATCH(context, WALKED, entity)
    fail_msg("%llx has no such component", (unsigned long long)entity);
    runs++;
}

TEST(test_query_walk_of_nothing_does_not_stop_its_system)
{
    static const ls_term terms[] = {LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_READ, links),
                                    {0}};
    static const ls_term vector_terms[] = {
        LS_READS(counts), LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_READ, links), {0}};
    const ls_system systems[] = {
        {.name = "alone", .mode = LS_SEQUENTIAL, .match = count_run, .terms = terms},
        {.name = "roll", .mode = LS_SEQUENTIAL, .match = count_run, .terms = vector_terms}};
    harness self;
    runs = 0;
    population = (mutation_population){.count = 5, .with = sow};
    harness_begin(&self, mutation_sim(systems, LS_COUNT_OF(systems)), 1);
    harness_tick(self.world, NULL);
    assert_int_equal(runs, 6);
    harness_end(&self);
}

/* The slots that a walk met, and a function that the system calls at each match. */
static struct {
    uint32_t slots[32], count;
    void (*act)(ls_context *context, ls_entity entity);
} met;

static void walk_once(ls_context *context, const ls_entity *entities)
{
    LS_EACH_MATCH(context, WALKED, entity)
    {
        met.slots[met.count++] = ls_entity_slot(entity);
        met.act(context, entity);
    }
}

enum { EXTRA_OF_ANY = 2, MARK_OF_ANY };

static void detach_next(ls_context *context, ls_entity entity)
{
    (void)ls_cell_detach(context, EXTRA_OF_ANY, entity + 4);
}

static void mark_next(ls_context *context, ls_entity entity)
{
    (void)ls_cell_attach(context, MARK_OF_ANY, entity + 2, NULL);
}

static void attach_next(ls_context *context, ls_entity entity)
{
    (void)ls_cell_attach(context, EXTRA_OF_ANY, entity + 1, NULL);
}

static void spawn_next(ls_context *context, ls_entity entity)
{
    ls_entity spawned = ls_spawn(context, 0);
    (void)ls_cell_attach(context, EXTRA_OF_ANY, spawned, NULL);
}

static void despawn_next(ls_context *context, ls_entity entity)
{
    ls_despawn(context, entity + 6);
    ls_despawn(context, entity);
}

static void despawn_many(ls_context *context, ls_entity entity)
{
    ls_despawn_many(context, (const ls_entity[]){entity, entity + 6}, 2);
}

TEST(test_query_walk_looks_again_and_meets_no_new_match)
{
    static const ls_term terms[] = {
        LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_READ, extras),
        LS_TERM(LS_WALKED | WALKED, LS_EXCLUDE, LS_ACCESS_PRESENCE, marks),
        LS_OTHERS_STRUCTURE(extras),
        LS_OTHERS_STRUCTURE(marks),
        {0}};
    /* Before any change: slots 2, 4, 8, 10, 14, 16, 20. */
    static const struct {
        void (*act)(ls_context *context, ls_entity entity);
        uint32_t slots[8], count;
    } cases[] = {{detach_next, {2, 4, 10, 16}, 4},
                 {mark_next, {2, 8, 14, 20}, 4},
                 {attach_next, {2, 4, 8, 10, 14, 16, 20}, 7},
                 {spawn_next, {2, 4, 8, 10, 14, 16, 20}, 7},
                 {despawn_next, {2, 4, 14, 16}, 4},
                 {despawn_many, {2, 4, 14, 16}, 4}};
    const ls_system systems[] = {
        {.name = "walk", .mode = LS_SEQUENTIAL, .match = walk_once, .terms = terms, .lanes = "a"}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        harness self;
        memset(&met, 0, sizeof met);
        met.act = cases[i].act;
        population = (mutation_population){.count = 21, .with = sow};
        harness_begin(&self, mutation_sim(systems, 1), 1);
        harness_tick(self.world, NULL);
        if (met.count != cases[i].count ||
            memcmp(met.slots, cases[i].slots, sizeof *met.slots * met.count) != 0)
            fail_msg("case %u met %u matches, the third %u", i, met.count, met.slots[2]);
        harness_end(&self);
    }
}

/* A run criterion may walk, too: the set runs while some entity has a mark. */
static void ask_for_marks(ls_context *context, const ls_entity *entities)
{
    LS_EACH_MATCH(context, WALKED, entity)
    ls_decide(context, LS_YES);
}

static void take_one_mark(ls_context *context, const ls_entity *entities)
{
    LS_EACH_MATCH(context, WALKED, entity)
    {
        (void)ls_cell_detach(context, 0, entity);
        runs++;
        return;
    }
}

TEST(test_query_walk_serves_a_run_criterion)
{
    static const ls_term asked[] = {
        LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_PRESENCE, marks), {0}};
    static const ls_term taken[] = {
        LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_STRUCTURE, marks), {0}};
    static const ls_system criterion = {
        .name = "ask", .mode = LS_SEQUENTIAL, .match = ask_for_marks, .terms = asked};
    static const ls_set sets[] = {{.name = "marked", .when = {.criterion = &criterion}}};
    const ls_system systems[] = {{.name = "take",
                                  .mode = LS_SEQUENTIAL,
                                  .match = take_one_mark,
                                  .terms = taken,
                                  .labels = "marked"}};
    harness self;
    population = (mutation_population){.count = 7, .with = sow};
    ls_sim sim = *mutation_sim(systems, 1);
    sim.sets = sets;
    sim.set_count = 1;
    runs = 0;
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < 6; tick++)
        harness_tick(self.world, NULL);
    assert_int_equal(runs, 3);
    harness_end(&self);
}

static void walk_what(ls_context *context, const ls_entity *entities)
{
    ls_query_walk walk;
    ls_query_walk_begin(context, runs, &walk);
}

static void run_world(void *world)
{
    harness_tick(world, NULL);
}

TEST(test_query_walk_stops_a_system_that_does_not_list_it)
{
    static const ls_term terms[] = {
        LS_READS(counts), LS_TERM(LS_WALKED | WALKED, LS_INCLUDE, LS_ACCESS_READ, extras), {0}};
    static const uint32_t wrong[] = {0, 2, 16, 33, UINT32_MAX, LS_WALKED | WALKED};
    const ls_system systems[] = {
        {.name = "walk", .mode = LS_SEQUENTIAL, .match = walk_what, .terms = terms}};
    harness self;
    population = (mutation_population){.count = 1};
    harness_begin(&self, mutation_sim(systems, 1), 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        char words[40];
        runs = wrong[i];
        snprintf(words, sizeof words, "walks query %u, which", wrong[i]);
        assert_dies(run_world, self.world, "system \"walk\"", words, "WALKS(...)");
    }
    harness_end(&self);
}

TEST(test_query_walk_declarations_have_rules)
{
    static const struct {
        ls_mode mode;
        ls_term terms[4];
        const char *words;
    } cases[] = {
        {LS_SEQUENTIAL,
         {LS_TERM(LS_WALKED, LS_INCLUDE, LS_ACCESS_READ, extras)},
         "query 0 is of the"},
        {LS_SEQUENTIAL,
         {LS_TERM(LS_WALKED | 16, LS_INCLUDE, LS_ACCESS_READ, extras)},
         "no such query"},
        {LS_SEQUENTIAL, {LS_TERM_LANE(LS_WALKED | 16, "a")}, "no such query"},
        {LS_SEQUENTIAL,
         {LS_TERM(LS_WALKED | 1, LS_OTHERS, LS_ACCESS_READ, extras)},
         "WALKS(...) has only"},
        {LS_SEQUENTIAL,
         {LS_READS(counts), LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, extras),
          LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, extras)},
         "query 1 is walked, but its number is below those of its vector; give it a number from 2"},
        {LS_CONCURRENT,
         {LS_READS(counts), LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_WRITE, extras)},
         "changes its own entities only"},
        {LS_CONCURRENT,
         {LS_WRITES(counts), LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, counts)},
         "conflicts with itself"},
        {LS_CONCURRENT,
         {LS_READS(counts), LS_ATTACHES(marks),
          LS_TERM(LS_WALKED | 1, LS_EXCLUDE, LS_ACCESS_PRESENCE, marks)},
         "conflicts with itself"},
        {LS_CONCURRENT,
         {LS_TERM(LS_WALKED | 1, LS_INCLUDE, LS_ACCESS_READ, extras)},
         "matches nothing"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        const ls_system systems[] = {{.name = "walk",
                                      .mode = cases[i].mode,
                                      .match = harness_match,
                                      .terms = cases[i].terms}};
        ls_error error;
        harness_refusal(mutation_sim(systems, 1), &error);
        if (!strstr(error.text, cases[i].words))
            fail_msg("case %u: %s", i, error.text);
    }
}
