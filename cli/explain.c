/* lockstep explain: finds the cause of a desync from a recording or a bundle of evidence,
 * unattended. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/cpus.h"
#include "cli/common/match_options.h"
#include "cli/common/match_playback.h"
#include "cli/explain/explain_print.h"
#include "cli/explain/explain_rows.h"
#include "cli/explain/explain_target.h"
#include "cli/explain/explain_test.h"
#include "cli/explain/explain_worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct explain_options {
    ls_match_options match; /* only --sim */
    ls_explain_config config;
    uint64_t tick;
    const char *row;
    const char *test_folder;
    bool is_json, requires_agreement;
};

static void check_options(const ls_argument_state *state, void *input)
{
    struct explain_options *options = input;
    if (options->requires_agreement && options->test_folder)
        ls_argument_fail(state, "--to-test makes a case that runs --agree; one of them at a time");
    options->config.sim = options->match.sim;
    options->config.shows_progress = !options->is_json && !options->row && isatty(STDERR_FILENO);
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Runs:"),
    LS_ARGUMENT_TEXT(
        "other", "PATH.so", struct explain_options, config.other,
        "Run another build of the same sources too, for instance by the other side's compiler"),
    LS_ARGUMENT_TEXT("match", "FILE", struct explain_options, config.match,
                     "Read the whole match of a bundle from FILE, for a run from its start "
                     "(default: the recording beside the bundle, if there is one)"),
    LS_ARGUMENT_NUMBER(
        "timeout", "S", struct explain_options, config.timeout_ns, 1, LS_TIMEOUT_S_MAX,
        "End a run that completes no tick for S seconds (default 60); its result is then unknown",
        .scale = LS_SECOND_NS),
    LS_ARGUMENT_NUMBER(
        "tick", "T", struct explain_options, tick, 1, UINT64_MAX / 2,
        "Explain the difference before tick T (default: the first tick whose hash a run does not "
        "reproduce)"),
    LS_ARGUMENT_FLAG("any-build", struct explain_options, config.any_build,
                     "Accept a file of another version of the simulation, with a warning"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", struct explain_options, is_json,
                     "Print one JSON object at the end instead of lines"),
    LS_ARGUMENT_TEXT(
        "to-test", "DIR", struct explain_options, test_folder,
        "Write a ctest case for the file to DIR, which passes when all runs agree with each other"),
    LS_ARGUMENT_FLAG("agree", struct explain_options, requires_agreement,
                     "Compare the runs with each other only, as the case of --to-test does: a "
                     "repaired simulation has other hashes than the file"),
    LS_ARGUMENT_TEXT("row", "ROW", struct explain_options, row, "", .is_hidden = true),
    LS_ARGUMENT_TEXT("finding", "TEXT", struct explain_options, config.finding, "",
                     .is_hidden = true),
    LS_ARGUMENT_TEXT("bundle", "FILE", struct explain_options, config.bundle, "",
                     .is_hidden = true),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_sim_arguments, offsetof(struct explain_options, match)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .usage = "FILE",
    .file_ending = "lsr",
    .file = offsetof(struct explain_options, config.path),
    .file_missing = "FILE is missing: a recording or a bundle",
    .file_twice = "one recording or bundle at a time",
    .check = check_options,
    .doc =
        "Find the cause of a desync: run the ticks before it again in every way in which machines "
        "may differ, each in a process of its own, and conclude from the runs that reproduce a "
        "side which class the fault is of. docs/desync.md explains the classes.\vExit codes:\n"
        "  0  a cause was found, or there is nothing to explain; the output says which\n"
        "  1  with --agree: runs differ or crash\n"
        "  2  wrong use, or no such file\n"
        "  3  another version or simulation\n"
        "  4  the file is damaged, or nothing was found in it and the match continues "
        "in a file that cannot be followed\n"
        "  5  no more processes\n"
        "  7  every run crashed or hung; the last lines say where"};

struct explain {
    ls_explain_case subject;
    ls_explain_row rows[LS_EXPLAIN_ROWS_MAX];
    ls_explain_result result;
    uint8_t *where; /* owns the texts of ls_result_pack(), into which `result` points */
    bool dies;      /* the first rerun crashes or hangs in a system, in tick `subject.tick` - 1 */
};

/* Finds the tick before which the sides differ, unless it is given: the first rerun finds it. */
static ls_status find_tick(struct explain *explain, ls_error *error)
{
    ls_explain_case *subject = &explain->subject;
    const ls_evidence *evidence = subject->evidence;
    if (evidence && subject->tick == evidence->tick) {
        explain->result.server_root = evidence->server.root;
        explain->result.client_root = evidence->client.root;
        explain->result.has_client = true;
        return LS_OK;
    }
    if (subject->tick == LS_EXPLAIN_TICK_UNKNOWN) {
        ls_explain_row first = explain->rows[0];
        first.from = subject->first_tick;
        ls_status status = ls_explain_row_run(subject, &first, error);
        if (status)
            return status;
        if (first.is_stuck && !first.crash.is_in_system)
            return ls_error_set(error, LS_ERROR_IO,
                                "cannot find where %s differs: the search made no progress for "
                                "%.3g s; raise --timeout, or name the tick with --tick",
                                subject->config.path,
                                (double)subject->config.timeout_ns / (double)LS_SECOND_NS);
        explain->dies =
            (first.side == LS_SIDE_CRASHED || first.is_stuck) && first.crash.is_in_system;
        subject->tick = explain->dies          ? first.crash.tick + 1
                        : first.has_difference ? first.tick
                                               : subject->end_tick;
        /* A recording that a crash cut off lacks its last roots: go back to the last tick with a
         * root. */
        while (!explain->dies && subject->tick > subject->first_tick &&
               !ls_recording_find_root(subject->recording, subject->tick,
                                       &explain->result.server_root))
            subject->tick--;
    }
    if (!ls_recording_find_root(subject->recording, subject->tick, &explain->result.server_root) &&
        !explain->dies)
        return ls_error_set(error, LS_ERROR_USAGE, "%s has no root of tick %" PRIu64,
                            subject->config.path, subject->tick);
    return LS_OK;
}

static ls_status run_rows(struct explain *explain, uint32_t from, bool is_silent, ls_error *error)
{
    for (uint32_t i = from; i < explain->result.row_count; i++) {
        ls_explain_row *row = &explain->rows[i];
        ls_status status = LS_OK;
        if (ls_explain_row_place(&explain->subject, explain->rows, i, row))
            status = ls_explain_row_run(&explain->subject, row, error);
        if (status)
            return status;
        if (row->side == LS_SIDE_NEITHER && row->root == explain->result.server_root)
            row->side = LS_SIDE_SERVER;
        else if (row->side == LS_SIDE_NEITHER && explain->result.has_client &&
                 row->root == explain->result.client_root)
            row->side = LS_SIDE_CLIENT;
        if (!is_silent)
            ls_explain_print_row(&explain->result, row);
    }
    return LS_OK;
}

static ls_status run_all_rows(struct explain *explain, bool is_silent, ls_error *error)
{
    uint32_t count = explain->result.row_count;
    ls_status status = run_rows(explain, 0, is_silent, error);
    if (status)
        return status;
    explain->result.row_count = ls_explain_rows_plan_again(&explain->subject, explain->rows, count);
    return run_rows(explain, count, is_silent, error);
}

static void add_evidence(const struct explain *explain, ls_explain_facts *facts)
{
    const ls_evidence *evidence = explain->subject.evidence;
    facts->has_client = explain->result.has_client;
    facts->has_other_inputs = evidence->server.inputs != evidence->client.inputs;
    facts->has_other_builds = strcmp(evidence->server.build, evidence->client.build) != 0;
    facts->cells = evidence->findings_in_all;
    facts->bits = ls_explain_case_bits(&explain->subject);
    facts->others = ls_explain_case_others(&explain->subject);
}

/* Whether every run of this build ends with the same root, which is neither side's. Then only the
 * version explains the difference. */
static bool is_only_the_version(const struct explain *explain)
{
    const ls_explain_row *rows = explain->rows;
    for (uint32_t i = 0; i < explain->result.row_count; i++)
        if (rows[i].side != LS_SIDE_NOT_RUN &&
            (rows[i].side != LS_SIDE_NEITHER ||
             (rows[i].kind != LS_EXPLAIN_CHECK && rows[i].root != rows[0].root)))
            return false;
    return true;
}

static void conclude(struct explain *explain)
{
    const ls_explain_case *subject = &explain->subject;
    ls_diagnosis *diagnosis = &explain->result.diagnosis;
    ls_explain_facts facts = {.rows = explain->rows,
                              .row_count = explain->result.row_count,
                              .is_start = subject->tick <= subject->first_tick,
                              .starts_late = subject->first_tick > 0,
                              .imports = subject->imports.names,
                              .imports_floats = subject->imports.has_floats,
                              .imports_machine = subject->imports.has_machine};
    if (subject->evidence)
        add_evidence(explain, &facts);
    facts.has_other_versions = subject->warning.text[0] && is_only_the_version(explain);
    ls_diagnosis_find(&facts, diagnosis);
    ls_explain_target_find(&explain->result, &explain->where);
    char system[LS_EXPLAIN_NAME_BYTES];
    const char *where = explain->result.where_json;
    ls_explain_stores stores = {.is_unstored = where && strstr(where, "\"unstored\": true")};
    if (ls_explain_target_name(&explain->result, "system", system) ||
        ls_explain_target_name(&explain->result, "same_system", system))
        stores.system = system;
    ls_diagnosis_add_stores(&facts, &stores, diagnosis);
}

/* Returns the first row that failed or has a root different from the first row's; NULL if there is
 * none. The check executor fails when it finds something. */
static const ls_explain_row *find_odd(const struct explain *explain)
{
    for (uint32_t i = 0; i < explain->result.row_count; i++) {
        const ls_explain_row *row = &explain->rows[i];
        if (row->side != LS_SIDE_NOT_RUN &&
            (row->side >= LS_SIDE_FAILED ||
             (row->kind != LS_EXPLAIN_CHECK && row->root != explain->rows[0].root)))
            return row;
    }
    return NULL;
}

static ls_exit print_agreement(const struct explain *explain)
{
    const ls_explain_row *odd = find_odd(explain);
    ls_explain_print_agreement(&explain->result, odd);
    return odd ? LS_EXIT_DIVERGED : LS_EXIT_GOOD;
}

/* Checks that --other names a build of this simulation. Its row shows whether it has the same
 * sources. */
static ls_status check_other(const ls_explain_case *subject, ls_error *error)
{
    ls_loaded_sim other;
    if (!subject->config.other)
        return LS_OK;
    ls_status status = ls_sim_load_other(subject->config.other, &other, error);
    if (!status)
        ls_sim_unload(&other);
    return status;
}

static ls_status open_case(struct explain *explain, const struct explain_options *options,
                           ls_error *error)
{
    explain->result = (ls_explain_result){
        .subject = &explain->subject, .rows = explain->rows, .is_json = options->is_json};
    ls_status status = ls_explain_case_open(&options->config, &explain->subject, error);
    if (!status)
        status = check_other(&explain->subject, error);
    if (options->tick)
        explain->subject.tick = options->tick;
    return status;
}

static ls_status look(struct explain *explain, const struct explain_options *options,
                      ls_error *error)
{
    explain->result.row_count =
        ls_explain_rows_plan(&explain->subject, ls_cpus_threads(), explain->rows);
    ls_status status = find_tick(explain, error);
    if (!status && !options->is_json)
        ls_explain_print_head(&explain->result);
    if (!status)
        status = run_all_rows(explain, options->is_json, error);
    if (!status && !options->requires_agreement)
        conclude(explain);
    return status;
}

/* If nothing was found but a part of the match was not examined, that is an error. */
static ls_status check_rest(const struct explain *explain, bool is_clean, ls_error *error)
{
    const ls_explain_case *subject = &explain->subject;
    if (!is_clean || !subject->rest.text[0])
        return LS_OK;
    return ls_error_set(error, LS_ERROR_CORRUPT,
                        "%.256s: nothing was found up to tick %" PRIu64 ", but %.600s",
                        subject->config.path, subject->end_tick, subject->rest.text);
}

static void print(const struct explain *explain, const struct explain_options *options)
{
    if (!options->is_json) {
        ls_explain_print_end(&explain->result);
        return;
    }
    ls_builder text = {0};
    ls_explain_print_json(&explain->result, &text);
    fputs(text.data, stdout);
    ls_free(text.data);
}

static void close_case(struct explain *explain)
{
    ls_free(explain->where);
    ls_explain_case_close(&explain->subject);
    ls_free(explain);
}

/* `explain --agree` without its output. */
static ls_status agree(const ls_explain_config *config, uint64_t tick, bool *agrees,
                       ls_error *error)
{
    const struct explain_options options = {
        .config = *config, .tick = tick, .is_json = true, .requires_agreement = true};
    struct explain *explain = ls_alloc(sizeof *explain);
    ls_status status = open_case(explain, &options, error);
    if (!status)
        status = look(explain, &options, error);
    *agrees = !status && !find_odd(explain);
    if (*agrees)
        status = check_rest(explain, true, error);
    close_case(explain);
    return status;
}

/* Prints what was found, or with --agree the row that differs. */
static ls_status conclude_command(struct explain *explain, const struct explain_options *options,
                                  ls_exit *code, ls_error *error)
{
    if (options->requires_agreement) {
        *code = print_agreement(explain);
        return check_rest(explain, *code == LS_EXIT_GOOD, error);
    }
    print(explain, options);
    *code = explain->result.diagnosis.cause == LS_CLASS_CRASH ? LS_EXIT_CRASHED : LS_EXIT_GOOD;
    return check_rest(explain, explain->result.diagnosis.cause == LS_CLASS_NONE, error);
}

ls_exit ls_command_explain(int count, char **arguments)
{
    struct explain_options options = {.config.timeout_ns = LS_CHILD_TIMEOUT_NS};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_explain_row_worker(&options.config, options.row);

    ls_error error;
    struct explain *explain = ls_alloc(sizeof *explain);
    ls_exit code = LS_EXIT_GOOD;
    ls_status status = open_case(explain, &options, &error), written = LS_OK;
    if (!status) {
        ls_match_playback_warn_of_forgery("explain", explain->subject.recording);
        ls_match_playback_warn_of_build("explain", &explain->subject.warning);
        status = look(explain, &options, &error);
    }
    if (!status && options.test_folder)
        written = ls_explain_test_write(&explain->result, options.test_folder, agree,
                                        &explain->result.test, &error);
    if (!status)
        status = conclude_command(explain, &options, &code, &error);
    status = status ? status : written;
    close_case(explain);
    return status ? ls_command_fail("explain", status, &error) : code;
}
