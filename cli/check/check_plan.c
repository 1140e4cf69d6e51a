#include "cli/check/check_plan.h"

#include "cli/check/check_case_kinds.h"
#include "cli/common/cpus.h"
#include "core/base/bounds.h"

#include <string.h>

#define OPTION_TICKS    100 /* few: an option matters most to the setup, before tick 0 */
#define OPTION_DECLARED 20
#define REJOINS         4
#define REJOIN_EARLY    16
#define INTERLEAVES     2
#define PROCESSES       3

/* How many cases of a kind a match has. */
struct counts {
    uint32_t shuffles, threads, interleaves, rejoins, processes;
};

static void add_trial(ls_check_case *cases, uint32_t *count, const ls_check_case_match *match,
                      const char *kind, uint64_t number)
{
    LS_ASSERT(*count < LS_CHECK_CASES_MAX);
    cases[(*count)++] = (ls_check_case){
        .kind = ls_check_case_kind_find(kind, strlen(kind)), .match = match, .number = number};
}

static void add_other(ls_check_case *cases, uint32_t *count, const ls_check_case_match *match,
                      const char *path)
{
    add_trial(cases, count, match, "other", 0);
    cases[*count - 1].path = path;
}

/* Returns the tick at which a client joins late: after the first tick, within the first ticks, or
 * at random. */
static uint64_t rejoin_tick(const ls_check_case_match *match, uint32_t index)
{
    if (index == 0 || match->ticks < 4)
        return 1;
    bool is_early = index == 1 && match->ticks > REJOIN_EARLY;
    uint32_t end = is_early ? REJOIN_EARLY + 1 : (uint32_t)match->ticks;
    ls_random_stream stream = ls_random_child(ls_random_root(match->match.seed), index);
    return 2 + ls_random_below(ls_random_draw(stream, 0), end - 2);
}

static uint32_t plan_all(const ls_check_plan *plan, const struct counts *counts,
                         const ls_check_case_match *match, ls_check_case *cases)
{
    const uint64_t threads[] = {2, 1, 4, 8, ls_cpus_threads()};
    LS_ASSERT(counts->threads <= LS_COUNT_OF(threads));
    uint64_t seed = match->match.seed;
    uint32_t count = 0;
    add_trial(cases, &count, match, "base", 0);
    /* The longest cases come first, so that short ones fill the gaps at the end. */
    add_trial(cases, &count, match, "declared", 0);
    add_trial(cases, &count, match, "roundtrip", 0);
    add_trial(cases, &count, match, "repeat", 0);
    add_trial(cases, &count, match, "validator", 0);
    if (ls_program_sim(match->program)->describe)
        add_trial(cases, &count, match, "describe", 0);
    for (uint32_t i = 0; i < counts->shuffles; i++)
        add_trial(cases, &count, match, "shuffle", seed + i + 1);
    for (uint32_t i = 0; i < counts->threads; i++)
        add_trial(cases, &count, match, "threads", threads[i]);
    for (uint32_t i = 0; i < counts->interleaves; i++)
        add_trial(cases, &count, match, "interleave", seed + i + 1);
    for (uint32_t i = 0; i < counts->rejoins; i++)
        add_trial(cases, &count, match, "rejoin", rejoin_tick(match, i));
    add_trial(cases, &count, match, "rollback", seed + 1);
    for (uint32_t i = 0; i < counts->processes; i++)
        add_trial(cases, &count, match, "process", PROCESSES - i);
    for (uint32_t i = 0; i < plan->other_count; i++)
        add_other(cases, &count, match, plan->others[i]);
    return count;
}

static void add_one(const ls_check_plan *plan, const ls_check_only *only,
                    const ls_check_case_match *match, ls_check_case *cases, uint32_t *count)
{
    if (strcmp(only->kind->name, "other") == 0)
        add_other(cases, count, match, plan->others[only->number - 1]);
    else
        add_trial(cases, count, match, only->kind->name, only->number);
}

/* Keeps the cases that --only names, and the first, which all others need. */
static uint32_t select_only(const ls_check_plan *plan, const ls_check_case_match *match,
                            ls_check_case *cases, uint32_t count)
{
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++) {
        bool is_wanted = false;
        for (uint32_t j = 0; j < plan->only_count; j++)
            is_wanted |= !plan->only[j].has_number && plan->only[j].kind == cases[i].kind;
        if (is_wanted)
            cases[kept++] = cases[i];
    }
    for (uint32_t j = 0; j < plan->only_count; j++) {
        bool is_late = strcmp(plan->only[j].kind->name, "rejoin") == 0 &&
                       plan->only[j].number > match->ticks; /* after the end of this match */
        if (plan->only[j].has_number && !is_late)
            add_one(plan, &plan->only[j], match, cases, &kept);
    }
    return kept;
}

/* Chooses the inputs: the mode of --inputs if given, random ones if the simulation has no bot, else
 * in turn those of bots and mixed ones. */
static ls_random_inputs_mode mode_of(const ls_check_plan *plan, uint32_t turn)
{
    const ls_sim *sim = ls_program_sim(plan->program);
    if (plan->has_mode)
        return plan->mode;
    if (!sim->bot && !sim->bot_state)
        return LS_RANDOM_INPUTS_RANDOM;
    return turn % 2 ? LS_RANDOM_INPUTS_MIXED : LS_RANDOM_INPUTS_BOTS;
}

static uint32_t option_count(const ls_check_plan *plan)
{
    return ls_min_u32(
        ls_option_values_count(ls_program_sim(plan->program), &plan->pins, &plan->match),
        plan->option_matches);
}

uint32_t ls_check_plan_count(const ls_check_plan *plan)
{
    return plan->seeds + option_count(plan);
}

/* Prepares the match without its cases. Longer matches come in pairs, and each pair has twice the
 * ticks of the pair before it. The first of a pair has the given options; the second has drawn
 * ones, unless --option-matches is 0. */
static void set_match(const ls_check_plan *plan, uint32_t index, ls_check_case_match *match)
{
    const ls_sim *sim = ls_program_sim(plan->program);
    uint32_t usual = ls_check_plan_count(plan);
    uint32_t longer = index < usual ? 0 : index - usual, turn = index;
    match->match = plan->match;
    match->match.seed += index;
    match->ticks = plan->ticks;
    match->declared_ticks = plan->declared_ticks;
    match->is_option_match = index >= plan->seeds && index < usual;
    if (match->is_option_match) {
        ls_option_values_set(sim, &plan->pins, index - plan->seeds, &match->match);
        match->ticks = ls_min(match->ticks, OPTION_TICKS);
        match->declared_ticks = ls_min(match->declared_ticks, OPTION_DECLARED);
    } else if (index >= usual) {
        turn = longer / 2;
        if (plan->option_matches && longer % 2)
            ls_option_values_draw(sim, &plan->pins, match->match.seed, &match->match);
        for (uint32_t i = 0; i <= turn && match->ticks < LS_CHECK_TICKS_MAX; i++) {
            match->ticks *= 2;
            match->declared_ticks *= 2;
        }
    }
    match->ticks = ls_min(match->ticks, LS_CHECK_TICKS_MAX);
    match->declared_ticks = ls_min(match->declared_ticks, match->ticks);
    match->mode = mode_of(plan, turn);
}

uint32_t ls_check_plan_match(const ls_check_plan *plan, uint32_t index, ls_check_case_match *match,
                             ls_check_case *cases)
{
    const uint32_t threads = ls_cpus_threads() > 8 ? 5 : 4; /* used of threads[] in plan_all() */
    const struct counts usual = {plan->shuffles, threads, INTERLEAVES, REJOINS, PROCESSES};
    const struct counts few = {plan->shuffles > 0, 1, 1, 1, 1};
    set_match(plan, index, match);
    uint32_t count = plan_all(plan, match->is_option_match ? &few : &usual, match, cases);
    if (plan->only_count)
        count = select_only(plan, match, cases, count);
    for (uint32_t i = 0; i < count; i++) {
        cases[i].match_index = index;
        cases[i].index = i;
    }
    return count;
}
