/* lockstep check: the determinism test of a user's own simulation. */
#include "cli/check/check_case_kinds.h"
#include "cli/check/check_case_match.h"
#include "cli/check/check_case_runs.h"
#include "cli/check/check_case_worker.h"
#include "cli/check/check_plan.h"
#include "cli/check/check_report.h"
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/cpus.h"
#include "cli/common/junit.h"
#include "cli/common/match_options.h"
#include "cli/common/number.h"
#include "cli/common/output.h"
#include "cli/module/sim_imports.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICKS_DEFAULT          600
#define SEEDS_DEFAULT          2
#define SHUFFLES_DEFAULT       8
#define OPTION_MATCHES_DEFAULT 32
#define OPTION_MATCHES_MAX     1000
#define MINUTE_DECIMALS        3
#define MINUTES_MAX            10080
#define SEEDS_MAX              1000

struct check_options {
    ls_match_options match;
    ls_check_plan plan;
    uint64_t timeout_ns, worker, run_ns;
    uint32_t jobs;
    const char *junit_path;
};

static void take_only(const ls_argument_state *state, const ls_argument *argument, void *input,
                      char *text)
{
    struct check_options *options = input;
    (void)argument;
    if (options->plan.only_count == LS_CHECK_ONLY_MAX)
        ls_argument_fail(state, "--only at most %d times", LS_CHECK_ONLY_MAX);
    ls_check_only *only = &options->plan.only[options->plan.only_count++];
    size_t letters = strcspn(text, "-");
    only->kind = ls_check_case_kind_find(text, letters);
    only->has_number = text[letters] == '-';
    if (only->kind && only->has_number)
        only->number = ls_argument_number(state, "only NAME", text + letters + 1, 0, UINT32_MAX);
    if (only->kind)
        return;
    char known[256] = "";
    const ls_check_case_kind *kind;
    for (uint32_t i = 0; (kind = ls_check_case_kind_at(i)) != NULL; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 kind->name);
    ls_argument_fail(state, "--only takes NAME or NAME-NUMBER, not '%s'; the names: %s", text,
                     known);
}

static void take_minutes(const ls_argument_state *state, const ls_argument *argument, void *input,
                         char *text)
{
    struct check_options *options = input;
    const uint64_t parts = 1000; /* 10 to the power of MINUTE_DECIMALS */
    uint64_t value;
    (void)argument;
    if (!ls_parse_decimal(text, MINUTE_DECIMALS, MINUTES_MAX * parts, &value) || !value)
        ls_argument_fail(state, "--minutes takes 0.001 to %d, not '%s'", MINUTES_MAX, text);
    options->run_ns = value * 60 * LS_SECOND_NS / parts;
}

static void take_other(const ls_argument_state *state, const ls_argument *argument, void *input,
                       char *text)
{
    struct check_options *options = input;
    (void)argument;
    if (options->plan.other_count == LS_CHECK_OTHERS_MAX)
        ls_argument_fail(state, "--other at most %d times", LS_CHECK_OTHERS_MAX);
    if (access(text, R_OK) != 0)
        ls_argument_fail(state, "--other %s: %s", text, strerror(errno));
    options->plan.others[options->plan.other_count++] = text;
}

/* Gives the range of numbers that the kind takes in this match. False if it takes no number. */
static bool find_range(const struct check_options *options, const ls_check_case_kind *kind,
                       uint64_t *min, uint64_t *max)
{
    const struct {
        const char *name;
        uint64_t min, max;
    } ranges[] = {{"shuffle", 0, UINT32_MAX},
                  {"interleave", 1, UINT32_MAX},
                  {"rollback", 0, UINT32_MAX},
                  {"process", 1, UINT32_MAX},
                  {"threads", 1, LS_THREADS_MAX},
                  {"rejoin", 1, options->plan.ticks},
                  {"other", 1, options->plan.other_count}};
    for (uint32_t i = 0; i < LS_COUNT_OF(ranges); i++) {
        if (strcmp(ranges[i].name, kind->name) != 0)
            continue;
        *min = ranges[i].min;
        *max = ranges[i].max;
        return true;
    }
    return false;
}

/* Refuses an --only that selects no case, because a check without cases would pass. */
static void check_only(const ls_argument_state *state, const struct check_options *options,
                       const ls_check_only *only)
{
    const char *name = only->kind->name;
    uint64_t min, max;
    if (strcmp(name, "other") == 0 && !options->plan.other_count)
        ls_argument_fail(state,
                         "--only other: there is no other build; give it with --other PATH.so");
    if (strcmp(name, "shuffle") == 0 && !only->has_number && !options->plan.shuffles)
        ls_argument_fail(state, "--only shuffle: there are none with --shuffles 0");
    if (!only->has_number)
        return;
    if (!find_range(options, only->kind, &min, &max))
        ls_argument_fail(state, "--only %s-%" PRIu64 ": %s takes no number", name, only->number,
                         name);
    else if (only->number < min || only->number > max)
        ls_argument_fail(state,
                         "--only %s-%" PRIu64 ": there are %s-%" PRIu64 " to %s-%" PRIu64 "%s",
                         name, only->number, name, min, name, max,
                         strcmp(name, "rejoin") == 0 ? ", or more with --ticks" : "");
}

static void check_all(const ls_argument_state *state, void *input)
{
    const struct check_options *options = input;
    if (!options->match.sim)
        ls_argument_fail(state, "--sim is missing; `lockstep sims` lists what is built in");
    for (uint32_t i = 0; i < options->plan.only_count; i++)
        check_only(state, options, &options->plan.only[i]);
    for (uint32_t i = 0; i < options->plan.other_count; i++) {
        if (ls_path_is_same(options->match.sim, options->plan.others[i]))
            ls_argument_fail(state, "--sim and --other %s are one and the same build",
                             options->plan.others[i]);
    }
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Matches:"),
    LS_ARGUMENT_NUMBER("ticks", "N", struct check_options, plan.ticks, 1, LS_CHECK_TICKS_MAX,
                       "Run N ticks of each match (default 600)"),
    LS_ARGUMENT_NUMBER("seeds", "N", struct check_options, plan.seeds, 1, SEEDS_MAX,
                       "Run N matches, with seeds from --seed on (default 2)"),
    LS_ARGUMENT_NUMBER("option-matches", "N", struct check_options, plan.option_matches, 0,
                       OPTION_MATCHES_MAX,
                       "Run at most N short matches more, each with another value of an option "
                       "that --set does not give (default 32)"),
    LS_ARGUMENT_CALL("minutes", "M", take_minutes,
                     "Go on for M minutes (such as 0.5) with longer and longer matches, to reach "
                     "late faults; a failure ends it"),
    LS_ARGUMENT_CHOICE(
        "inputs", "bots|random|mixed", struct check_options, plan.mode, ls_random_inputs_words,
        "Where the inputs of every match come from (default: bots and mixed in turn)",
        .has = offsetof(struct check_options, plan.has_mode)),
    LS_ARGUMENT_TITLE("Checks:"),
    LS_ARGUMENT_NUMBER("shuffles", "N", struct check_options, plan.shuffles, 0,
                       LS_CHECK_SHUFFLES_MAX,
                       "Try N random orders of systems in each match (default 8)"),
    LS_ARGUMENT_NUMBER("declared-ticks", "N", struct check_options, plan.declared_ticks, 1,
                       LS_CHECK_TICKS_MAX,
                       "Run N ticks of the check for undeclared accesses, which is many times "
                       "slower (default 100)"),
    LS_ARGUMENT_CALL(
        "other", "PATH.so", take_other,
        "Compare with another build of the same sources, for instance by another compiler; may be "
        "repeated"),
    LS_ARGUMENT_CALL("only", "NAME", take_only,
                     "Run this check only, or one run of it (shuffle-3); may be repeated"),
    LS_ARGUMENT_NUMBER("jobs", "N", struct check_options, jobs, 1, LS_THREADS_MAX,
                       "Run N processes at a time (default: one per CPU, at most 8)"),
    LS_ARGUMENT_NUMBER("timeout", "S", struct check_options, timeout_ns, 1, LS_TIMEOUT_S_MAX,
                       "Fail a run that completes no tick for S seconds (default 60)",
                       .scale = LS_SECOND_NS),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("junit", "FILE", struct check_options, junit_path,
                     "Write the results as JUnit XML to FILE, too"),
    LS_ARGUMENT_NUMBER("worker", "N", struct check_options, worker, 1, UINT32_MAX, "",
                       .is_hidden = true),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_arguments, offsetof(struct check_options, match)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .check = check_all,
    .doc = "Test whether a simulation is deterministic: run the same matches in every way in which "
           "machines may differ, and compare the state after each tick. Each run has a process of "
           "its own, so a crash is a result too. docs/ci.md shows it in CI.\vExit codes:\n"
           "  0  good\n"
           "  1  a check failed: the table names it, and a command repeats it\n"
           "  2  wrong use\n"
           "  3  another version of the interface, or --other has other sources\n"
           "  5  no more processes, or a file cannot be written"};

/* Does the work of another run of this command, and returns only if it cannot. */
static ls_status run_again(const struct check_options *options, const ls_check_case_words *words,
                           ls_check_case_match *match, ls_error *error)
{
    ls_child child = {0};
    ls_status status = LS_ERROR_USAGE;
    ls_check_case *cases = ls_alloc(LS_CHECK_CASES_MAX * sizeof *cases);
    if (words->index < ls_check_plan_match(&options->plan, words->match_index, match, cases)) {
        const ls_check_case *self = &cases[words->index];
        status = ls_check_case_begin(self, words->is_helper ? ls_check_case_host : self->kind->run,
                                     &child, error);
        ls_child_reset(&child);
    }
    ls_free(cases);
    return status ? status : LS_ERROR_USAGE;
}

/* Counts a match of which at least the base ran. */
static void count_match(const ls_check_plan *plan, uint32_t index, const ls_verdict *base,
                        ls_check_report *report)
{
    if (index < plan->seeds)
        report->seed_matches++;
    else if (index < ls_check_plan_count(plan))
        report->option_matches++;
    else
        report->longer_matches++;
    if (base->ticks > report->ticks_max)
        report->ticks_max = base->ticks;
}

/* Runs the matches of the plan, and then longer ones until the time is over or a case fails. */
static ls_verdict *run_matches(const struct check_options *options, ls_check_case_match *match,
                               ls_check_report *report)
{
    ls_check_case *cases = ls_alloc(LS_CHECK_CASES_MAX * sizeof *cases);
    uint32_t usual = ls_check_plan_count(&options->plan);
    uint64_t end_ns = options->run_ns ? ls_monotonic_ns() + options->run_ns : 0;
    ls_verdict *verdicts = NULL;
    for (uint32_t i = 0;
         i < usual || (ls_monotonic_ns() < end_ns && ls_check_report_status(report) == LS_OK);
         i++) {
        uint32_t more = ls_check_plan_match(&options->plan, i, match, cases);
        verdicts = ls_realloc(verdicts, (report->count + more) * sizeof *verdicts);
        const ls_check_cases_config config = {.jobs =
                                                  options->jobs ? options->jobs : ls_cpus_jobs(),
                                              .shows_progress = isatty(STDERR_FILENO),
                                              .deadline_ns = i < usual ? 0 : end_ns,
                                              .match_index = i,
                                              .match_count = usual};
        ls_verdict *base = verdicts + report->count;
        more = ls_check_cases_run(&config, match, cases, more, base);
        ls_check_case_match_reset(match);
        report->verdicts = verdicts;
        report->count += more;
        if (more)
            count_match(&options->plan, i, base, report);
    }
    ls_free(cases);
    return verdicts;
}

static ls_status report_all(const struct check_options *options, const ls_check_report *report,
                            ls_error *error)
{
    ls_check_report_print(report);
    ls_status status = ls_check_report_status(report);
    if (!options->junit_path)
        return status;
    ls_status written = ls_check_report_junit(report, options->junit_path, error);
    if (written)
        ls_command_fail("check", written, error);
    return status ? status : written;
}

/* Options that the command line sets keep their value in all matches. */
static void pin_options(const ls_match_options *options, const ls_sim *sim, ls_option_pins *pins)
{
    for (uint32_t i = 0; i < options->set_count; i++) {
        uint32_t option = ls_match_set_option(&options->sets[i], sim);
        if (option < sim->option_count)
            pins->is_pinned[option] = true;
    }
}

static ls_status check_matches(struct check_options *options, const ls_loaded_sim *loaded,
                               uint32_t hint_count, ls_error *error)
{
    ls_check_case_match match = {
        .sim = options->match.sim, .program = loaded->program, .timeout_ns = options->timeout_ns};
    options->plan.program = loaded->program;
    pin_options(&options->match, loaded->sim, &options->plan.pins);
    ls_status status =
        ls_match_options_apply(&options->match, loaded->program, &options->plan.match, error);
    if (status) {
        ls_command_fail("check", status, error);
        return status;
    }
    ls_check_case_words words;
    if (ls_check_case_read_words(&words))
        return run_again(options, &words, &match, error);
    ls_sim_imports imports;
    ls_sim_imports_find(loaded, &imports);
    ls_check_report report = {.match = &match, .hint_count = hint_count, .imports = imports.names};
    ls_verdict *verdicts = run_matches(options, &match, &report);
    status = report_all(options, &report, error);
    ls_free(verdicts);
    return status;
}

static void junit_of_schedule(const struct check_options *options, const char *name,
                              const char *text)
{
    const ls_junit_case one = {name, "schedule", 0, LS_JUNIT_FAILED, text, NULL};
    ls_builder document = {0};
    ls_error error;
    ls_junit_add(&document, "lockstep check", &one, 1);
    ls_status status = ls_output_write(options->junit_path, &document, &error);
    if (status)
        ls_command_fail("check", status, &error);
    ls_free(document.data);
}

/* Checks the schedule first: if it does not build, no case can run. */
static ls_status check_schedule(const struct check_options *options, const ls_sim *sim,
                                uint32_t *hint_count, ls_error *error)
{
    ls_schedule_report *report;
    ls_status status = ls_program_check(sim, &report, error);
    const char *name = sim->name ? sim->name : options->match.sim;
    ls_builder text = {0};
    for (uint32_t i = 0; status && i < report->count; i++) {
        if (report->findings[i].kind != LS_FINDING_HINT)
            ls_builder_add(&text, "%s: %s\n", ls_finding_word(report->findings[i].kind),
                           report->findings[i].text);
    }
    if (status) {
        printf("FAILED schedule: %s does not build\n%s  again: lockstep schedule check --sim %s\n",
               name, text.data ? text.data : "", options->match.sim);
        if (options->junit_path)
            junit_of_schedule(options, name, text.data ? text.data : error->text);
    }
    *hint_count = report->hint_count;
    ls_free(text.data);
    ls_schedule_report_destroy(report);
    return status && status != LS_ERROR_INCOMPATIBLE ? LS_ERROR_DIVERGED : status;
}

ls_exit ls_command_check(int count, char **arguments)
{
    struct check_options options = {.plan = {.ticks = TICKS_DEFAULT,
                                             .declared_ticks = LS_CHECK_DECLARED_TICKS,
                                             .seeds = SEEDS_DEFAULT,
                                             .shuffles = SHUFFLES_DEFAULT,
                                             .option_matches = OPTION_MATCHES_DEFAULT},
                                    .timeout_ns = LS_CHILD_TIMEOUT_NS,
                                    .match.seed = 1};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    if (options.worker)
        ls_check_case_worker(options.match.sim, options.worker);

    ls_check_case_words words;
    if (ls_check_case_read_words(&words) && words.path)
        options.match.sim = words.path;
    ls_loaded_sim loaded;
    ls_error error;
    uint32_t hint_count;
    ls_status status = ls_sim_find(options.match.sim, &loaded, &error);
    if (status)
        return ls_command_fail("check", status, &error);
    status = check_schedule(&options, loaded.sim, &hint_count, &error);
    if (!status)
        status = ls_program_create(loaded.sim, &loaded.program, &error);
    if (!status)
        status = check_matches(&options, &loaded, hint_count, &error);
    ls_sim_unload(&loaded);
    return ls_exit_of(status);
}
