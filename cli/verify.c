/* lockstep verify: plays recordings back and compares the root of every tick. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/cpus.h"
#include "cli/serve/recordings.h"
#include "cli/verify/verify_report.h"
#include "cli/verify/verify_team.h"
#include "cli/watch/fetched_recording.h"
#include "core/base/builder.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 20000

struct verify_options {
    ls_match_options match; /* only --sim and --threads */
    char **arguments;       /* files and folders; points into argv */
    uint32_t argument_count;
    uint32_t jobs;
    uint64_t timeout_ns;
    const char *junit_path;
    const char *key; /* the argument of --key */
    ls_server_keys keys;
    bool allows_any_build, is_json, requires_signed, is_strict;
};

/* The files to verify. */
struct files {
    char **paths;
    uint32_t count;
};

static void take_key(const ls_argument_state *state, const ls_argument *argument, void *input,
                     char *text)
{
    struct verify_options *options = input;
    (void)argument;
    if (options->key)
        ls_argument_fail(state, "--key once: a file may hold several keys");
    options->key = text;
}

static void take_path(const ls_argument_state *state, const ls_argument *argument, void *input,
                      char *text)
{
    struct verify_options *options = input;
    (void)state;
    (void)argument;
    options->arguments[options->argument_count++] = text;
}

static void check_options(const ls_argument_state *state, void *input)
{
    const struct verify_options *options = input;
    if (!options->argument_count)
        ls_argument_fail(state, "FILE is missing: a recording");
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Acceptance:"),
    LS_ARGUMENT_FLAG("any-build", struct verify_options, allows_any_build,
                     "Accept a recording of another version of the simulation, with a warning"),
    LS_ARGUMENT_CALL(
        "key", "KEY|FILE", take_key,
        "Accept only recordings signed by this server: its public key, HOST:PORT#KEY, its identity "
        "file, or a file with a key at the end of each line, like that of known servers"),
    LS_ARGUMENT_FLAG("require-signed", struct verify_options, requires_signed,
                     "Accept only recordings in which every tick is signed"),
    LS_ARGUMENT_FLAG("strict", struct verify_options, is_strict,
                     "Refuse bytes after the end of a closed recording, instead of warning"),
    LS_ARGUMENT_TITLE("Processes:"),
    LS_ARGUMENT_NUMBER(
        "jobs", "N", struct verify_options, jobs, 1, LS_THREADS_MAX,
        "Verify N files at a time, each in its own process (default: one per CPU, at most 8)"),
    LS_ARGUMENT_NUMBER("timeout", "S", struct verify_options, timeout_ns, 1, LS_TIMEOUT_S_MAX,
                       "Fail a simulation that completes no tick for S seconds (default 60)",
                       .scale = LS_SECOND_NS),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("junit", "FILE", struct verify_options, junit_path,
                     "Write the results as JUnit XML to FILE, too"),
    LS_ARGUMENT_FLAG("json", struct verify_options, is_json,
                     "Print a JSON object per file, and one for all files, one per line"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_sim_arguments, offsetof(struct verify_options, match)},
    {&ls_threads_arguments, offsetof(struct verify_options, match)},
    {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .usage = "FILE...",
    .file_ending = "lsr",
    .take = take_path,
    .check = check_options,
    .doc = "Simulate recordings again, without waiting for the clock, and compare the hash of "
           "every tick. A folder stands for all .lsr files in it. Further files of a match whose "
           "disk failed (NAME.1.lsr ...) belong to the first one, and count as one with it. "
           "Without --sim the built-in simulation of the recording's name is used. A file with a "
           "torn end is verified up to the tear. For the first tick that diverges the output names "
           "system, component, entity, field and both values, if the file holds them. docs/ci.md "
           "shows it in CI. FILE may be http://HOST:PORT/NAME.lsr, or http://HOST:PORT/live/ROOM/ "
           "for what is published of a match so far; https:// works, too.\vExit codes:\n"
           "  0  every tick agrees, also in a torn file (a line says where it is torn)\n"
           "  1  a tick diverged, or the simulation crashed or hung\n"
           "  2  wrong use, or no such file\n"
           "  3  another version or simulation\n"
           "  4  the file is damaged, or not signed as --key or --require-signed asks\n"
           "  5  the file cannot be read, or stdout cannot be written\n"
           "  6  a tick fails in this build, as in `lockstep run`\n"
           "The worst of several files counts: 1 before 4, 3, 6, 5 and 2."};

static void add_path(struct files *files, const char *path)
{
    LS_ASSERT(files->count < FILES_MAX);
    files->paths = ls_realloc(files->paths, (files->count + 1) * sizeof *files->paths);
    files->paths[files->count++] = ls_text_duplicate(path);
}

/* The name of a folder without slashes at its end, which the paths of its files would repeat. */
static char *copy_folder(const char *folder)
{
    char *copy = ls_text_duplicate(folder);
    size_t bytes = strlen(copy);
    while (bytes > 1 && copy[bytes - 1] == '/')
        copy[--bytes] = 0;
    return copy;
}

/* Whether the file belongs to a match whose first file is in the folder, so that it is verified
 * with that one. The name alone proves nothing. */
static bool is_taken_in(const char *path)
{
    char first[LS_PATH_BYTES_MAX];
    ls_series *series;
    uint32_t number;
    if (!ls_series_number(path, &number) ||
        !ls_series_first_name(path, number, first, sizeof first) ||
        ls_series_open(first, &series, NULL) != LS_OK)
        return false;
    bool is_listed = false;
    for (uint32_t i = 1; !is_listed && i < series->count; i++)
        is_listed = strcmp(series->names[i], path) == 0;
    ls_series_close(series);
    return is_listed;
}

static ls_status refuse_more(const char *path, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_LIMIT,
                        "%s: more than %d files; verify them in several calls", path, FILES_MAX);
}

static ls_status add_folder(struct files *files, const char *named, ls_error *error)
{
    char **paths, *folder = copy_folder(named);
    uint32_t count;
    ls_status status = ls_recordings_list(folder, &paths, &count, error);
    if (!status && count == 0)
        status = ls_error_set(error, LS_ERROR_USAGE, "%s is a folder without .lsr files", folder);
    if (!status && count > FILES_MAX - files->count)
        status = refuse_more(named, error);
    for (uint32_t i = 0; !status && i < count; i++)
        if (!is_taken_in(paths[i]))
            add_path(files, paths[i]);
    ls_recordings_list_free(paths, count);
    ls_free(folder);
    return status;
}

/* Collects the files, replacing each folder among the arguments by its recordings. */
static ls_status collect(const struct verify_options *options, struct files *files, ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < options->argument_count; i++) {
        const char *path = options->arguments[i];
        struct stat about;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            status = add_folder(files, path, error);
        else if (files->count == FILES_MAX)
            status = refuse_more(path, error);
        else
            add_path(files, path);
    }
    return status;
}

/* `words`: those with which verify_team.c has started this process for one of the files; NULL: it
 * has not. */
static ls_exit verify_files(const struct verify_options *options, const struct files *files,
                            const char *words)
{
    ls_verify_result *results = ls_alloc(files->count * sizeof *results);
    const char **names = ls_alloc(files->count * sizeof *names);
    for (uint32_t i = 0; i < files->count; i++)
        names[i] = ls_fetched_recording_name(files->paths[i]);
    const ls_verify_config one = {.match = &options->match,
                                  .path = files->paths[0],
                                  .allows_any_build = options->allows_any_build,
                                  .is_strict = options->is_strict,
                                  .trust = {&options->keys, options->requires_signed}};
    bool is_one = files->count == 1;
    const ls_verify_team_config team = {.file = &one,
                                        .paths = files->paths,
                                        .names = names,
                                        .count = files->count,
                                        .jobs = options->jobs ? options->jobs : ls_cpus_jobs(),
                                        .timeout_ns = options->timeout_ns,
                                        .shows_progress = isatty(STDERR_FILENO),
                                        .prints_events =
                                            words ? words[0] == '1' : is_one && !options->is_json,
                                        .print = options->is_json ? ls_verify_print_json
                                                 : is_one         ? ls_verify_print_alone
                                                                  : ls_verify_print};
    ls_verify_report report = {.names = names,
                               .results = results,
                               .count = files->count,
                               .sim = options->match.sim,
                               .key = options->key,
                               .requires_signed = options->requires_signed,
                               .is_strict = options->is_strict};
    uint64_t start_ns = ls_monotonic_ns();
    ls_verify_team_run(&team, results);
    report.ns = ls_monotonic_ns() - start_ns;
    if (!is_one)
        ls_verify_print_total(&report, options->is_json);
    ls_error error;
    ls_exit code = ls_verify_exit(&report);
    ls_status status = LS_OK;
    if (options->junit_path)
        status = ls_verify_write_junit(&report, options->junit_path, &error);
    if (status) {
        ls_exit trouble = ls_command_fail("verify", status, &error);
        code = code ? code : trouble;
    }
    ls_free(names);
    ls_free(results);
    return code;
}

static ls_exit run(int count, char **arguments)
{
    struct verify_options options = {.arguments = ls_alloc((size_t)count * sizeof(char *)),
                                     .timeout_ns = LS_CHILD_TIMEOUT_NS};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    struct files files = {0};
    ls_error error;
    ls_status status = LS_OK;
    const char *words = ls_child_words();
    if (options.key)
        status = ls_server_keys_read(options.key, &options.keys, &error);
    if (words && strlen(words) > 2)
        add_path(&files, words + 2);
    else if (!status)
        status = collect(&options, &files, &error);
    ls_exit code =
        status ? ls_command_fail("verify", status, &error) : verify_files(&options, &files, words);
    for (uint32_t i = 0; i < files.count; i++)
        ls_free(files.paths[i]);
    ls_free(files.paths);
    ls_free(options.arguments);
    ls_server_keys_reset(&options.keys);
    return code;
}

ls_exit ls_command_verify(int count, char **arguments)
{
    static const ls_fetched_command command = {"verify", run, .keeps_bad = true};
    return ls_fetched_recording_run(&command, count, arguments);
}
