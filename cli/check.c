/* lockstep check: the determinism test of a user's own simulation. */
#include "cli/check/check_case_kinds.h"
#include "cli/check/check_case_match.h"
#include "cli/check/check_case_runs.h"
#include "cli/check/check_case_worker.h"
#include "cli/check/check_report.h"
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/cpus.h"
#include "cli/common/junit.h"
#include "cli/common/match_options.h"
#include "cli/common/output.h"
#include "cli/module/sim_imports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICKS_DEFAULT    600
#define DECLARED_DEFAULT 100
#define SEEDS_DEFAULT    2
#define SHUFFLES_DEFAULT 8
#define REJOINS          4
#define REJOIN_EARLY     16
#define PROCESSES        3
#define OTHERS_MAX       8
#define ONLY_MAX         32
#define SHUFFLES_MAX     256
#define SEEDS_MAX        1000
#define TICKS_MAX        1000000
#define TRIALS_MAX       (SHUFFLES_MAX + ONLY_MAX + OTHERS_MAX + REJOINS + PROCESSES + 32)

/* The argument of --only: `shuffle` or `shuffle-3`. */
struct only {
    const ls_check_case_kind *kind;
    bool has_number;
    uint64_t number;
};

struct check_options {
    ls_match_options match;
    uint64_t ticks, declared_ticks, timeout_ns, worker;
    uint32_t seeds, shuffles, jobs;
    bool has_mode;
    ls_random_inputs_mode mode;
    const char *others[OTHERS_MAX];
    uint32_t other_count;
    struct only only[ONLY_MAX];
    uint32_t only_count;
    const char *junit_path;
};

static void take_only(const ls_argument_state *state, const ls_argument *argument, void *input,
                      char *text)
{
    struct check_options *options = input;
    (void)argument;
    if (options->only_count == ONLY_MAX)
        ls_argument_fail(state, "--only at most %d times", ONLY_MAX);
    struct only *only = &options->only[options->only_count++];
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

static void take_inputs(const ls_argument_state *state, const ls_argument *argument, void *input,
                        char *text)
{
    struct check_options *options = input;
    (void)argument;
    for (uint32_t i = 0; ls_random_inputs_word(i); i++) {
        if (strcmp(ls_random_inputs_word(i), text) == 0) {
            options->mode = (ls_random_inputs_mode)i;
            options->has_mode = true;
            return;
        }
    }
    ls_argument_fail(state, "--inputs takes bots, random or mixed, not '%s'", text);
}

static void take_other(const ls_argument_state *state, const ls_argument *argument, void *input,
                       char *text)
{
    struct check_options *options = input;
    (void)argument;
    if (options->other_count == OTHERS_MAX)
        ls_argument_fail(state, "--other at most %d times", OTHERS_MAX);
    if (access(text, R_OK) != 0)
        ls_argument_fail(state, "--other %s: %s", text, strerror(errno));
    options->others[options->other_count++] = text;
}

/* Gives the range of numbers that the kind takes in this match. False if it takes no number. */
static bool find_range(const struct check_options *options, const ls_check_case_kind *kind,
                       uint64_t *min, uint64_t *max)
{
    const struct {
        const char *name;
        uint64_t min, max;
    } ranges[] = {{"shuffle", 0, UINT32_MAX},    {"rollback", 0, UINT32_MAX},
                  {"process", 1, UINT32_MAX},    {"threads", 1, LS_THREADS_MAX},
                  {"rejoin", 1, options->ticks}, {"other", 1, options->other_count}};
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
                       const struct only *only)
{
    const char *name = only->kind->name;
    uint64_t min, max;
    if (strcmp(name, "other") == 0 && !options->other_count)
        ls_argument_fail(state,
                         "--only other: there is no other build; give it with --other PATH.so");
    if (strcmp(name, "shuffle") == 0 && !only->has_number && !options->shuffles)
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
    struct stat sim, other;
    if (!options->match.sim)
        ls_argument_fail(state, "--sim is missing; `lockstep sims` lists what is built in");
    for (uint32_t i = 0; i < options->only_count; i++)
        check_only(state, options, &options->only[i]);
    for (uint32_t i = 0; i < options->other_count; i++) {
        if (stat(options->match.sim, &sim) == 0 && stat(options->others[i], &other) == 0 &&
            sim.st_dev == other.st_dev && sim.st_ino == other.st_ino)
            ls_argument_fail(state, "--sim and --other %s are one and the same build",
                             options->others[i]);
    }
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Matches:"),
    LS_ARGUMENT_NUMBER("ticks", "N", struct check_options, ticks, 1, TICKS_MAX,
                       "Run N ticks of each match (default 600)"),
    LS_ARGUMENT_NUMBER("seeds", "N", struct check_options, seeds, 1, SEEDS_MAX,
                       "Run N matches, with seeds from --seed on (default 2)"),
    LS_ARGUMENT_CALL("inputs", "bots|random|mixed", take_inputs,
                     "Where the inputs of every match come from (default: bots and mixed in turn)"),
    LS_ARGUMENT_TITLE("Checks:"),
    LS_ARGUMENT_NUMBER("shuffles", "N", struct check_options, shuffles, 0, SHUFFLES_MAX,
                       "Try N random orders of systems in each match (default 8)"),
    LS_ARGUMENT_NUMBER("declared-ticks", "N", struct check_options, declared_ticks, 1, TICKS_MAX,
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
                       .scale = LS_NS_PER_S),
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

static void add_trial(ls_check_case *cases, uint32_t *count, const ls_check_case_match *match,
                      const char *kind, uint64_t number)
{
    LS_ASSERT(*count < TRIALS_MAX);
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

static uint32_t plan_all(const struct check_options *options, const ls_check_case_match *match,
                         ls_check_case *cases)
{
    uint32_t count = 0;
    add_trial(cases, &count, match, "base", 0);
    /* The longest cases come first, so that short ones fill the gaps at the end. */
    add_trial(cases, &count, match, "declared", 0);
    add_trial(cases, &count, match, "roundtrip", 0);
    add_trial(cases, &count, match, "repeat", 0);
    add_trial(cases, &count, match, "validator", 0);
    if (ls_program_sim(match->program)->describe)
        add_trial(cases, &count, match, "describe", 0);
    for (uint32_t i = 0; i < options->shuffles; i++)
        add_trial(cases, &count, match, "shuffle", match->match.seed + i + 1);
    add_trial(cases, &count, match, "threads", 1);
    add_trial(cases, &count, match, "threads", 2);
    add_trial(cases, &count, match, "threads", ls_cpus_threads());
    for (uint32_t i = 0; i < REJOINS; i++)
        add_trial(cases, &count, match, "rejoin", rejoin_tick(match, i));
    add_trial(cases, &count, match, "rollback", match->match.seed + 1);
    for (uint32_t i = 0; i < PROCESSES; i++)
        add_trial(cases, &count, match, "process", i + 1);
    for (uint32_t i = 0; i < options->other_count; i++)
        add_other(cases, &count, match, options->others[i]);
    return count;
}

static void add_one(const struct check_options *options, const struct only *only,
                    const ls_check_case_match *match, ls_check_case *cases, uint32_t *count)
{
    if (strcmp(only->kind->name, "other") == 0)
        add_other(cases, count, match, options->others[only->number - 1]);
    else
        add_trial(cases, count, match, only->kind->name, only->number);
}

static uint32_t plan(const struct check_options *options, const ls_check_case_match *match,
                     ls_check_case *cases)
{
    uint32_t count = plan_all(options, match, cases);
    if (!options->only_count)
        return count;
    uint32_t kept = 1; /* the first case, which all others need */
    for (uint32_t i = 1; i < count; i++) {
        bool is_wanted = false;
        for (uint32_t j = 0; j < options->only_count; j++)
            is_wanted |= !options->only[j].has_number && options->only[j].kind == cases[i].kind;
        if (is_wanted)
            cases[kept++] = cases[i];
    }
    for (uint32_t j = 0; j < options->only_count; j++) {
        if (options->only[j].has_number)
            add_one(options, &options->only[j], match, cases, &kept);
    }
    return kept;
}

/* Chooses the inputs. Bots play if the simulation has any, else inputs are random. */
static ls_random_inputs_mode mode_of(const struct check_options *options, const ls_sim *sim,
                                     uint32_t index)
{
    if (options->has_mode)
        return options->mode;
    if (!sim->bot && !sim->bot_state)
        return LS_RANDOM_INPUTS_RANDOM;
    return index % 2 ? LS_RANDOM_INPUTS_MIXED : LS_RANDOM_INPUTS_BOTS;
}

/* Prepares one match with all its cases; returns their number. */
static uint32_t plan_match(const struct check_options *options, uint32_t index,
                           ls_check_case_match *match, ls_check_case *cases)
{
    match->match.seed = options->match.seed + index;
    match->mode = mode_of(options, ls_program_sim(match->program), index);
    uint32_t count = plan(options, match, cases);
    for (uint32_t i = 0; i < count; i++) {
        cases[i].match_index = index;
        cases[i].index = i;
    }
    return count;
}

/* Does the work of another run of this command, and returns only if it cannot. */
static ls_status run_again(const struct check_options *options, const ls_check_case_words *words,
                           ls_check_case_match *match, ls_error *error)
{
    ls_child child = {0};
    ls_status status = LS_ERROR_USAGE;
    ls_check_case *cases = ls_alloc(TRIALS_MAX * sizeof *cases);
    if (words->index < plan_match(options, words->match_index, match, cases)) {
        const ls_check_case *self = &cases[words->index];
        status = ls_check_case_begin(self, words->is_helper ? ls_check_case_host : self->kind->run,
                                     &child, error);
        ls_child_reset(&child);
    }
    ls_free(cases);
    return status ? status : LS_ERROR_USAGE;
}

static uint32_t run_matches(const struct check_options *options, ls_check_case_match *match,
                            ls_verdict **verdicts)
{
    ls_check_case *cases = ls_alloc(TRIALS_MAX * sizeof *cases);
    uint32_t count = 0;
    for (uint32_t i = 0; i < options->seeds; i++) {
        uint32_t more = plan_match(options, i, match, cases);
        *verdicts = ls_realloc(*verdicts, (count + more) * sizeof **verdicts);
        const ls_check_cases_config config = {.jobs =
                                                  options->jobs ? options->jobs : ls_cpus_jobs(),
                                              .shows_progress = isatty(STDERR_FILENO),
                                              .match_index = i,
                                              .match_count = options->seeds};
        ls_check_cases_run(&config, match, cases, more, *verdicts + count);
        ls_check_case_match_reset(match);
        count += more;
    }
    ls_free(cases);
    return count;
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

static ls_status check_matches(const struct check_options *options, const ls_loaded_sim *loaded,
                               uint32_t hint_count, ls_error *error)
{
    ls_check_case_match match = {.sim = options->match.sim,
                                 .sim_name = loaded->sim->name,
                                 .program = loaded->program,
                                 .ticks = options->ticks,
                                 .declared_ticks = options->declared_ticks,
                                 .timeout_ns = options->timeout_ns};
    if (match.declared_ticks > match.ticks)
        match.declared_ticks = match.ticks;
    ls_status status =
        ls_match_options_apply(&options->match, loaded->program, &match.match, error);
    if (status) {
        ls_command_fail("check", status, error);
        return status;
    }
    ls_check_case_words words;
    if (ls_check_case_read_words(&words))
        return run_again(options, &words, &match, error);
    ls_verdict *verdicts = NULL;
    uint32_t count = run_matches(options, &match, &verdicts);
    ls_sim_imports imports;
    ls_sim_imports_find(loaded, &imports);
    const ls_check_report report = {&match, verdicts, count, hint_count, imports.names};
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
    struct check_options options = {.ticks = TICKS_DEFAULT,
                                    .declared_ticks = DECLARED_DEFAULT,
                                    .seeds = SEEDS_DEFAULT,
                                    .shuffles = SHUFFLES_DEFAULT,
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
