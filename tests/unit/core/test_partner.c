/* Partners: a concurrent system that writes one other entity for each of its matches. */
#include "harness.h"
#include <lockstep/json.h>
#include <lockstep/snapshot.h>

LS_COMPONENT(married, ENTITY(spouse, LS_KEEP), U32(gift));
LS_COMPONENT(purse, U32(coins));
LS_COMPONENT(house, U32(rooms));
LS_TAG(payer);
LS_SINGLETON(total, U32(sum));
LS_COMPONENTS(components, married, purse, house, payer, total);
static const char *const lanes[] = {"a", "b"};

enum { FOLK = 700 }; /* of several pages */

/* Changes the references of the first state; each test has its own. */
static void (*choose)(ls_entity *spouses);
static ls_entity extra[2]; /* dead, and alive without a purse */

/* Payers are in lane "a", their partners in lane "b", in another order. */
LS_TERMS(founding, OTHERS_STRUCTURE(married), OTHERS_STRUCTURE(purse), OTHERS_STRUCTURE(house),
         OTHERS_STRUCTURE(payer));
static void found(ls_context *context, const ls_entity *unused)
{
    LS_USES(context, founding);
    static ls_entity own[FOLK], others[FOLK], spouses[FOLK];
    ls_spawn_many(context, 0, FOLK, own);
    ls_spawn_many(context, 1, FOLK, others);
    for (uint32_t i = 0; i < LS_COUNT_OF(extra); i++)
        extra[i] = ls_spawn(context, 1);
    ls_despawn(context, extra[0]);
    for (uint32_t i = 0; i < FOLK; i++) {
        LS_ATTACH(context, purse, others[i], .coins = i);
        LS_ATTACH(context, house, others[i], .rooms = 1);
        spouses[i] = others[i * 37 % FOLK];
    }
    if (choose)
        choose(spouses);
    for (uint32_t i = 0; i < FOLK; i++) {
        LS_ATTACH_TAG(context, payer, own[i]);
        LS_ATTACH(context, married, own[i], .spouse = spouses[i], .gift = i + 1);
    }
}
static const ls_system setup = {
    .name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "a, b"};

LS_TERMS(paying, READS(married), WITH(payer), PARTNER_WRITES(purse));
static void pay(ls_context *context, ls_entity own, uint32_t gift)
{
    LS_USES(context, paying);
    purse *theirs = LS_WRITE_PARTNER(context, purse, own);
    if (theirs)
        theirs->coins = theirs->coins * 3 + gift;
}
static void pay_match(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, paying);
    pay(context, entities[0], LS_READ(context, married, entities[0])->gift);
}
static void pay_span(ls_context *context, const ls_span *span)
{
    LS_USES(context, paying);
    const married *own = LS_READ_SPAN(context, married, span);
    for (uint32_t i = 0; i < span->count; i++)
        pay(context, ls_span_entity(span, i), own[i].gift);
}
static void pay_block(ls_context *context, const ls_block *block)
{
    LS_USES(context, paying);
    const married *own = LS_READ_BLOCK(context, married, block);
    uint32_t i;
    for (uint64_t left = block->matches; ls_mask_take(&left, &i);)
        pay(context, ls_block_entity(block, i), own[i].gift);
}
#define BY_SPOUSE                                                                                  \
    {                                                                                              \
        LS_KEY(married, spouse)                                                                    \
    }
#define FIRST_WINS                                                                                 \
    {                                                                                              \
        LS_KEY(married, spouse), .clash = LS_PARTNER_FIRST_WINS                                    \
    }
#define PAYER(...)                                                                                 \
    {                                                                                              \
        .name = "pay", .terms = paying, .partner = BY_SPOUSE, __VA_ARGS__                          \
    }

static ls_sim sim_of(const ls_system *systems, uint32_t count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = count;
    sim.setup = &setup;
    return sim;
}

static const struct {
    uint32_t threads;
    uint64_t shuffle;
} ways[] = {{1, 0}, {2, 0}, {4, 0}, {1, 9}, {0, 0}};

static ls_executor *executor_of(uint32_t way)
{
    return ways[way].threads ? harness_executor(ways[way].threads, ways[way].shuffle)
                             : harness_checker();
}

static uint32_t coins_of(const ls_world *world, uint32_t slot)
{
    const purse *found = ls_world_cell(world, &purse_component, ls_entity_make(2, slot, 1));
    assert_non_null(found);
    return found->coins;
}

/* Runs ticks on each executor; the world at the end is checked by `check`. */
static void run_all(const ls_sim *sim, uint32_t ticks, void (*check)(const ls_world *world))
{
    uint64_t root = 0;
    for (uint32_t way = 0; way < LS_COUNT_OF(ways); way++) {
        harness self;
        harness_begin(&self, sim, 7);
        ls_executor *executor = executor_of(way);
        for (uint32_t tick = 0; tick < ticks; tick++) {
            const ls_frame frame = {.tick = tick};
            ls_error error = {""};
            if (ls_world_advance(self.world, &frame, executor, &error) != LS_OK)
                fail_msg("%s", error.text);
        }
        check(self.world);
        if (way > 0)
            assert_int_equal(ls_world_root(self.world), root);
        root = ls_world_root(self.world);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

/* Each partner was paid in three ticks. */
static void check_paid(const ls_world *world)
{
    for (uint32_t i = 0; i < FOLK; i++) {
        uint32_t coins = i * 37 % FOLK;
        for (uint32_t tick = 0; tick < 3; tick++)
            coins = coins * 3 + i + 1;
        assert_int_equal(coins_of(world, i * 37 % FOLK), coins);
    }
}

TEST(test_partner_is_written_by_its_match)
{
    const ls_system forms[] = {PAYER(.match = pay_match), PAYER(.span = pay_span),
                               PAYER(.block = pay_block)};
    choose = NULL;
    for (uint32_t i = 0; i < LS_COUNT_OF(forms); i++) {
        const ls_sim sim = sim_of(&forms[i], 1);
        run_all(&sim, 3, check_paid);
    }
}

/* The tick fails on each executor with the same message and leaves nothing behind. */
static void assert_clash(const ls_sim *sim, uint32_t at, const char *const *words)
{
    for (uint32_t way = 0; way < LS_COUNT_OF(ways); way++) {
        harness self;
        harness_begin(&self, sim, 7);
        ls_executor *executor = executor_of(way);
        for (uint32_t tick = 0; tick < at; tick++)
            harness_tick(self.world, executor);
        assert_int_equal(ls_world_tick(self.world), at);
        ls_error error;
        harness_assert_tick_refused(self.world, executor, words, &error);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}
#define assert_clashes(sim, at, ...) assert_clash(sim, at, (const char *const[]){__VA_ARGS__, NULL})

static void two_have_one(ls_entity *spouses)
{
    spouses[600] = spouses[299];
}

TEST(test_partner_of_two_matches_fails_the_tick)
{
    const ls_system systems[] = {PAYER(.match = pay_match)};
    const ls_sim sim = sim_of(systems, 1);
    choose = two_have_one;
    assert_clashes(&sim, 0, "tick 0: system \"pay\" matches a/299:1 and a/600:1",
                   "the partner b/563:1 (by \"married\")", "LS_PARTNER_FIRST_WINS");
}

TEST(test_partner_of_two_matches_fails_a_setup)
{
    static const ls_system setups[] = {{.name = "found",
                                        .mode = LS_SEQUENTIAL,
                                        .match = found,
                                        .terms = founding,
                                        .lanes = "a, b"},
                                       PAYER(.match = pay_match)};
    ls_sim sim = sim_of(NULL, 0);
    sim.setup = setups;
    sim.setup_count = 2;
    choose = two_have_one;
    ls_error error;
    harness_assert_setup_refused(&sim, &error);
    assert_non_null(strstr(error.text, "system \"pay\" matches a/299:1 and a/600:1"));
}

static void check_first_won(const ls_world *world)
{
    uint32_t coins = 299 * 37 % FOLK;
    for (uint32_t tick = 0; tick < 3; tick++)
        coins = coins * 3 + 300;
    assert_int_equal(coins_of(world, 299 * 37 % FOLK), coins);
    char *text = ls_world_json(world);
    assert_non_null(strstr(text, "\"values\": \"3\"")); /* one in each tick */
    ls_free(text);
}

TEST(test_partner_is_of_the_first_match_if_that_wins)
{
    const ls_system systems[] = {
        {.name = "pay", .match = pay_match, .terms = paying, .partner = FIRST_WINS}};
    const ls_sim sim = sim_of(systems, 1);
    choose = two_have_one;
    run_all(&sim, 3, check_first_won);
}

/* None of these is a cell that two could write. */
static void have_nothing_to_write(ls_entity *spouses)
{
    for (uint32_t i = 0; i < 50; i++) {
        const ls_entity none[] = {LS_ENTITY_NULL, UINT64_MAX, extra[0], extra[1]};
        spouses[i] = none[i % 4];
    }
}

static void check_some_paid(const ls_world *world)
{
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(coins_of(world, i * 37 % FOLK), i * 37 % FOLK);
    assert_int_equal(coins_of(world, 60 * 37 % FOLK), (60 * 37 % FOLK) * 3 + 61);
}

TEST(test_partner_without_the_component_counts_for_nothing)
{
    const ls_system systems[] = {PAYER(.match = pay_match)};
    const ls_sim sim = sim_of(systems, 1);
    choose = have_nothing_to_write;
    run_all(&sim, 1, check_some_paid);
}

/* Matches with purses of their own. */
LS_TERMS(lending, READS(married), WRITES(purse), PARTNER_WRITES(purse, theirs));
static void lend(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, lending);
    purse *own = LS_WRITE(context, purse, entities[0]);
    purse *their_own = LS_WRITE_PARTNER(context, theirs, entities[0]);
    own->coins += 5;
    if (their_own)
        their_own->coins += 7;
}
LS_TERMS(settling, WITH(house), WITH(purse), ATTACHES(married));
static void marry_in_turn(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, settling);
    uint32_t slot = ls_entity_slot(entities[0]);
    if (slot < 10)
        LS_ATTACH(context, married, entities[0], .spouse = ls_entity_make(2, slot + 10, 1));
    if (slot == 14)
        LS_ATTACH(context, married, entities[0], .spouse = LS_ENTITY_NULL);
}
static const ls_system couples[] = {
    {.name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "a, b"},
    {.name = "marry", .match = marry_in_turn, .terms = settling}};

static void check_lent(const ls_world *world)
{
    assert_int_equal(coins_of(world, 3), 3 + 5);
    assert_int_equal(coins_of(world, 13), 13 + 7);
    assert_int_equal(coins_of(world, 4), 4 + 5);
    assert_int_equal(coins_of(world, 14), 14 + 5); /* its own match comes first */
}

TEST(test_partner_that_is_a_match_itself_clashes)
{
    ls_system systems[] = {{.name = "lend", .match = lend, .terms = lending, .partner = BY_SPOUSE}};
    ls_sim sim = sim_of(systems, 1);
    sim.setup = couples;
    sim.setup_count = 2;
    choose = NULL;
    assert_clashes(&sim, 0, "system \"lend\" matches b/4:1 and its partner b/14:1",
                   "its own \"purse\"");
    systems[0].partner = (ls_partner)FIRST_WINS;
    run_all(&sim, 1, check_lent);
}

static void be_ones_own(ls_entity *spouses)
{
    for (uint32_t i = 0; i < FOLK; i++)
        spouses[i] = ls_entity_make(1, i, 1); /* the payer, without a purse */
}

/* References change between the ticks; what was found once is not found for all times. */
LS_TERMS(courting, WRITES(married), WITH(payer));
static void court(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, courting);
    if (ls_tick(context) == 3 && ls_entity_slot(entities[0]) == 450)
        LS_WRITE(context, married, entities[0])->spouse = ls_entity_make(2, 5 * 37, 1);
}
TEST(test_partner_is_looked_for_again_when_references_change)
{
    const ls_system systems[] = {
        {.name = "court", .match = court, .terms = courting, .before = "pay"},
        PAYER(.match = pay_match)};
    const ls_sim sim = sim_of(systems, 2);
    choose = NULL;
    assert_clashes(&sim, 3, "tick 3: system \"pay\" matches a/5:1 and a/450:1");
}

/* Two refer to an entity that is spawned in the third tick. */
static void refer_to_the_next(ls_entity *spouses)
{
    spouses[10] = spouses[20] = ls_entity_make(2, FOLK, 3); /* the slot of extra[0] */
}
LS_TERMS(bearing, SPAWNS_WITH(purse));
static void bear(ls_context *context, const ls_entity *unused)
{
    LS_USES(context, bearing);
    if (ls_tick(context) == 2)
        LS_ATTACH(context, purse, ls_spawn(context, 0), .coins = 1);
}
TEST(test_partner_may_come_to_life_between_ticks)
{
    ls_system systems[] = {{.name = "bear",
                            .mode = LS_SEQUENTIAL,
                            .match = bear,
                            .terms = bearing,
                            .lanes = "b",
                            .after = "pay"},
                           PAYER(.match = pay_match)};
    static const ls_set sets[] = {{.name = "spring", .when = {.every = 4, .phase = 2}}};
    ls_sim sim = sim_of(systems, 2);
    choose = refer_to_the_next;
    assert_clashes(&sim, 3, "tick 3: system \"pay\" matches a/10:1 and a/20:1", "b/700:3");
    systems[0].after = NULL; /* it runs first, and its entity is dead to "pay" for that tick */
    systems[0].labels = "spring";
    sim.sets = sets;
    sim.set_count = 1;
    assert_clashes(&sim, 3, "tick 3: system \"pay\" matches a/10:1 and a/20:1", "b/700:3");
}

/* A snapshot shares pages; what is restored is not changed by later ticks. */
TEST(test_partner_writes_leave_snapshots_alone)
{
    const ls_system systems[] = {PAYER(.span = pay_span)};
    const ls_sim sim = sim_of(systems, 1);
    choose = NULL;
    harness self;
    harness_begin(&self, &sim, 7);
    ls_executor *executor = harness_executor(4, 0);
    uint64_t roots[4];
    for (uint32_t tick = 0; tick < 4; tick++) {
        roots[tick] = ls_world_root(self.world);
        if (tick < 3)
            harness_tick(self.world, executor);
    }
    harness_end(&self);
    harness_begin(&self, &sim, 7);
    for (uint32_t tick = 0; tick < 3; tick++) {
        ls_snapshot *before = ls_world_snapshot(self.world);
        harness_tick(self.world, executor);
        assert_int_equal(ls_world_root(self.world), roots[tick + 1]);
        ls_world_restore(self.world, before);
        assert_int_equal(ls_world_root(self.world), roots[tick]);
        harness_tick(self.world, executor);
        ls_snapshot_destroy(before);
    }
    assert_int_equal(ls_world_root(self.world), roots[3]);
    ls_executor_destroy(executor);
    harness_end(&self);
}

static void pay_for_another(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, paying);
    (void)LS_WRITE_PARTNER(context, purse, ls_entity_make(2, 3, 1));
}
static void run_once(void *given)
{
    harness self;
    harness_begin(&self, given, 7);
    harness_tick(self.world, NULL);
}
TEST(test_partner_of_another_entity_stops_the_process)
{
    const ls_system systems[] = {PAYER(.match = pay_for_another)};
    ls_sim sim = sim_of(systems, 1);
    choose = NULL;
    assert_dies(run_once, &sim, "\"pay\"", "b/3:1", "the partner of another entity");
}

LS_TERMS(saving, WRITES(purse));
TEST(test_partner_needs_an_order_with_other_writers)
{
    const ls_system systems[] = {PAYER(.match = pay_match),
                                 {.name = "save", .match = harness_match, .terms = saving}};
    const ls_sim sim = sim_of(systems, 2);
    assert_refused(&sim, LS_ERROR_REFUSED, "\"pay\"", "\"save\"", "\"purse\"");
}

LS_TERMS(no_reference, WITH(married), PARTNER_WRITES(purse));
LS_TERMS(changing_it, WRITES(married), PARTNER_WRITES(purse));
LS_TERMS(looking, READS(married), PARTNER_WRITES(purse), OTHERS_READ(purse, all));
LS_TERMS(attaching, READS(married), PARTNER_WRITES(purse), ATTACHES(purse, own));
LS_TERMS(walking, READS(married), PARTNER_WRITES(purse), WALKS(1, READS(purse, all)));
LS_TERMS(starting, READS(married), PARTNER_WRITES(purse), OTHERS_START(purse, before));
LS_TERMS(none, READS(married));
TEST(test_partner_is_validated)
{
    const struct {
        ls_system system;
        ls_status status;
        const char *word;
    } faults[] = {
        {{.match = harness_match, .terms = paying}, LS_ERROR_USAGE, "the system names none"},
        {{.match = harness_match, .terms = none, .partner = BY_SPOUSE},
         LS_ERROR_USAGE,
         "no term writes the partner"},
        {{.match = harness_match, .terms = paying, .partner = BY_SPOUSE, .mode = LS_SEQUENTIAL},
         LS_ERROR_USAGE,
         "use OTHERS_WRITE(...)"},
        {{.match = harness_match, .terms = paying, .partner = {LS_KEY(married, gift)}},
         LS_ERROR_USAGE,
         "no single reference"},
        {{.match = harness_match, .terms = no_reference, .partner = BY_SPOUSE},
         LS_ERROR_USAGE,
         "query 0 does not read it"},
        {{.match = harness_match, .terms = changing_it, .partner = BY_SPOUSE},
         LS_ERROR_USAGE,
         "changes this component itself"},
        {{.match = harness_match, .terms = looking, .partner = BY_SPOUSE},
         LS_ERROR_REFUSED,
         "looks at it on others"},
        {{.match = harness_match, .terms = attaching, .partner = BY_SPOUSE},
         LS_ERROR_REFUSED,
         "attaches it"},
        {{.match = harness_match, .terms = walking, .partner = BY_SPOUSE},
         LS_ERROR_REFUSED,
         "looks at it on others"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(faults); i++) {
        ls_system system = faults[i].system;
        system.name = "one";
        const ls_sim sim = sim_of(&system, 1);
        assert_refused(&sim, faults[i].status, "\"one\"", faults[i].word);
    }
    const ls_system system = {
        .name = "one", .match = harness_match, .terms = starting, .partner = BY_SPOUSE};
    const ls_sim sim = sim_of(&system, 1);
    choose = be_ones_own;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}
