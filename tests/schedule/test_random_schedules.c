/* Thousands of random schedules. An accepted one gives one state in every order that it allows. For
 * every kind of refusal, some state shows the order of the pair.
 * LOCKSTEP_SEED=n      runs that schedule only, and shrinks it if it fails
 * LOCKSTEP_LONG=n      runs n schedules (20,000 if n is 1), with more orders each
 * LOCKSTEP_NO_SHRINK   reports a failing schedule without shrinking it */
#include "tests/schedule/build.h"
#include "tests/schedule/prove.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each build of ./test covers different seeds. */
#if HAS_ADDRESS_SANITIZER
enum { FIRST_SEED = 2000001, SCHEDULES = 300 };
#elif HAS_THREAD_SANITIZER
enum { FIRST_SEED = 3000001, SCHEDULES = 150 };
#elif !defined(__OPTIMIZE__)
enum { FIRST_SEED = 4000001, SCHEDULES = 300 };
#elif defined(__clang__)
enum { FIRST_SEED = 1000001, SCHEDULES = 5000 };
#else
enum { FIRST_SEED = 1, SCHEDULES = 5000 };
#endif

enum {
    ENOUGH = 5000,
    REFUSALS_TO_SHOW = 40
}; /* schedules for the checks of rare pairs; refusals of a kind that need a witness */

static prover self;

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_counts(const prove_counts *counts)
{
    uint64_t unseen = counts->pairs - counts->witnessed;
    print_message("%" PRIu64 " schedules: %" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64
                  " with a system that cannot be\n",
                  counts->schedules, counts->accepted, counts->refused, counts->unusable);
    print_message("accepted: %" PRIu64 " orders (all of them, but for %" PRIu64
                  " schedules), %" PRIu64 " pairs without an order, %" PRIu64
                  " of them kept apart (%" PRIu64 " by incompatible tags, %" PRIu64
                  " of a spawner and another lane), %" PRIu64
                  " that conflict and run in no common tick; %" PRIu64 " ticks in all\n",
                  counts->orders, counts->cut_orders, counts->unordered_pairs, counts->kept_apart,
                  counts->kept_by_tags, counts->kept_by_lanes, counts->never_meet, counts->ticks);
    print_message("refused: %" PRIu64 " pairs, %" PRIu64 " for several reasons, %" PRIu64
                  " with a witness, %" PRIu64 " without (%.1f %%)\n",
                  counts->pairs, counts->with_several_reasons, counts->witnessed, unseen,
                  percent(unseen, counts->pairs));
    print_message("without a witness: %" PRIu64 " where one met nobody, %" PRIu64
                  " kept apart by filters, %" PRIu64 " explained by what they do, %" PRIu64
                  " for several reasons, %" PRIu64 " others\n",
                  counts->met_nobody, counts->filtered, counts->explained, counts->several,
                  counts->unseen);
    print_message("pars and another system: %" PRIu64 " pairs, %" PRIu64 " with a witness\n",
                  counts->pars, counts->pars_witnessed);
    print_message("%-40s %8s %8s %8s\n", "of pairs with one reason", "refused", "witness", "none");
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        const rule_counts *found = &counts->rules[i];
        print_message("  %-38s %8" PRIu64 " %8" PRIu64 " %6.1f %%\n", rule_names[i], found->refused,
                      found->witnessed, percent(found->refused - found->witnessed, found->refused));
    }
}

static void print_abilities(const prove_counts *counts)
{
    static const char *const names[PROVE_ABILITIES] = {"states",
                                                       "a par with a fork",
                                                       "access to the world",
                                                       "deaths with consequences",
                                                       "empty entities that end",
                                                       "systems on the main thread",
                                                       "systems that run parents first"};
    for (uint32_t i = 0; i < PROVE_ABILITIES; i++)
        print_message("accepted with %s: %" PRIu64 "\n", names[i], counts->with[i]);
    print_message("%" PRIu64 " pairs in two sides of a par; %" PRIu64
                  " changes of the state, in whose matches systems ran %" PRIu64
                  " times and paused %" PRIu64 " times\n",
                  counts->beside, counts->state_changes, counts->state_runs, counts->state_pauses);
    print_message("ticks refused: %" PRIu64 " with incompatible components, %" PRIu64
                  " with a clash about a partner, %" PRIu64 " with a clash of a par, %" PRIu64
                  " with an entity as its own ancestor\n",
                  order_refused[ORDER_INCOMPATIBLE], order_refused[ORDER_PARTNER],
                  order_refused[ORDER_PAR], order_refused[ORDER_ANCESTOR]);
}

/* Rare abilities do not disappear from the schedules unnoticed. */
static void expect_abilities(const prove_counts *counts)
{
    for (uint32_t i = 0; i < PROVE_ABILITIES; i++)
        assert_true(counts->with[i] >= counts->accepted / 100);
    for (uint32_t i = 0; i < ORDER_REFUSALS; i++)
        assert_true(order_refused[i] > 0);
    assert_true(counts->beside > 0 && counts->pars_witnessed > 0);
    assert_true(counts->state_changes > counts->with[PROVE_STATES] / 2);
    assert_true(counts->state_runs > 0 && counts->state_pauses > 0);
}

static void print_ops(const prove_counts *counts)
{
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        for (uint32_t j = i; j < OP_COUNT; j++) {
            const rule_counts *found = &counts->ops[i][j];
            if (found->refused > found->witnessed)
                print_message("  %-28s %-28s %6" PRIu64 " %6" PRIu64 "  seed %" PRIu64 "\n",
                              op_names[i], op_names[j], found->refused, found->witnessed,
                              found->example);
        }
    }
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        for (uint32_t j = i; j < OP_COUNT; j++) {
            if (counts->free_ops[i][j])
                print_message("  free: %-28s %-28s %6" PRIu64 "\n", op_names[i], op_names[j],
                              counts->free_ops[i][j]);
        }
    }
}

static void report(const schedule *failing, uint64_t seed)
{
    print_error("seed %" PRIu64 ": %s\n", seed, self.text);
    if (getenv("LOCKSTEP_NO_SHRINK"))
        return;
    schedule small = prove_shrink(&self, failing);
    print_error("shrunk to: %s\n", self.text);
    schedule_print(&small);
    print_error("repeat with: LOCKSTEP_SEED=%" PRIu64 " test_random_schedules\n", seed);
}

/* A kind of refusal without any witness is unjustified. */
static void expect_witnesses(const prove_counts *counts)
{
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        if (counts->rules[i].witnessed == 0)
            fail_msg("of %" PRIu64 " refusals for \"%s\" alone none shows; one is that of seed "
                     "%" PRIu64,
                     counts->rules[i].refused, rule_names[i], counts->rules[i].example);
    }
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        for (uint32_t j = i; j < OP_COUNT; j++) {
            const rule_counts *found = &counts->ops[i][j];
            if (found->refused >= REFUSALS_TO_SHOW && found->witnessed == 0 &&
                !rules_explain((op_kind)i, (op_kind)j))
                fail_msg("of %" PRIu64 " refusals for \"%s\" and \"%s\" alone none shows; one is "
                         "that of seed %" PRIu64,
                         found->refused, op_names[i], op_names[j], found->example);
        }
    }
}

/* Pairs that need no order must occur unordered, or the run proves nothing about them. */
static void expect_freedom(const prove_counts *counts)
{
    static const op_kind free_pairs[][2] = {
        {OP_WITH, OP_WITHOUT},
        {OP_MAYBE, OP_READ},
        {OP_MAYBE, OP_WRITE},
        {OP_WITH, OP_ADD},
        {OP_READ, OP_READ},
        {OP_READ, OP_START},
        {OP_READ, OP_GRID},
        {OP_READ, OP_JOIN},
        {OP_READ, OP_OBSERVE},
        {OP_ADD, OP_ADD},
        {OP_MIN, OP_MIN},
        {OP_MAX, OP_MAX},
        {OP_OR, OP_OR},
        {OP_SEND, OP_SEND},
        {OP_RECEIVE, OP_RECEIVE},
        {OP_ATTACH, OP_COMMAND},
        {OP_COMMAND, OP_COMMAND},
        {OP_SPAWN, OP_DESPAWN},
        {OP_SPAWN, OP_GUESS},
        {OP_OTHERS_READ, OP_SPAWN_WITH},
        {OP_OTHERS_WRITE, OP_SPAWN_WITH},
        {OP_OTHERS_CHANGE, OP_SPAWN_WITH},
        {OP_OTHERS_ASK, OP_SPAWN_WITH},
        {OP_ADD, OP_SPAWN_WITH},
        {OP_START, OP_SPAWN_WITH},
        {OP_SPAWN_WITH, OP_SPAWN_WITH},
        {OP_WITH, OP_PARTNER},
        {OP_WITHOUT, OP_PARTNER},
        {OP_MAYBE, OP_PARTNER},
        {OP_SPAWN_WITH, OP_PARTNER},
        {OP_READ, OP_CHANGED},
        {OP_ARG_MIN, OP_ARG_MIN},
        {OP_ARG_MAX, OP_ARG_MAX},
        {OP_COMBINE, OP_COMBINE},
        {OP_WRITE, OP_ANY_OF},
        {OP_READ, OP_JOIN_COUNT},
        {OP_READ, OP_JOIN_START},
        {OP_READ, OP_GRID_START},
        {OP_READ, OP_GRID_NEAREST},
        {OP_READ, OP_GRID_VALUES},
        {OP_READ, OP_PAIR_JOINED},
        {OP_STATE, OP_STATE},
        {OP_READ, OP_READS_WORLD},
        {OP_COMMAND, OP_READS_WORLD},
        {OP_READS_WORLD, OP_READS_WORLD},
    };
    uint32_t missing = 0; /* up to five may be missing by chance */
    for (uint32_t i = 0; i < LS_COUNT_OF(free_pairs); i++) {
        if (counts->free_ops[free_pairs[i][0]][free_pairs[i][1]] == 0 && ++missing > 5)
            fail_msg("\"%s\" and \"%s\" were never without an order", op_names[free_pairs[i][0]],
                     op_names[free_pairs[i][1]]);
    }
    assert_true(counts->kept_apart > 0);
    assert_true(counts->kept_by_tags > 0);
    assert_true(counts->kept_by_lanes > 0);
    assert_true(counts->never_meet > 0);
}

static uint64_t schedule_count(bool is_long)
{
    uint64_t count = is_long ? strtoull(getenv("LOCKSTEP_LONG"), NULL, 0) : SCHEDULES;
    return is_long && count <= 1 ? 20000 : count;
}

TEST(test_random_schedules_are_accepted_and_refused_for_a_reason)
{
    const char *given = getenv("LOCKSTEP_SEED");
    bool is_long = getenv("LOCKSTEP_LONG") != NULL;
    uint64_t first = given ? strtoull(given, NULL, 0) : FIRST_SEED;
    uint64_t count = given ? 1 : schedule_count(is_long);
    prover_begin(&self, is_long);
    for (uint64_t seed = first; seed < first + count; seed++) {
        schedule made = schedule_generate(seed);
        if (given)
            schedule_print(&made);
        if (prove_schedule(&self, &made))
            continue;
        report(&made, seed);
        fail_msg("the schedule of seed %" PRIu64 " fails", seed);
    }
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + count - 1);
    print_counts(&self.counts);
    print_abilities(&self.counts);
    if (getenv("LOCKSTEP_DEEDS"))
        print_ops(&self.counts);
    prover_end(&self);
    assert_true(order_calls > 0);
    if (given || count < ENOUGH)
        return; /* too few schedules: the rarest pairs would be missing by chance */
    expect_abilities(&self.counts);
    expect_freedom(&self.counts);
    expect_witnesses(&self.counts);
}
