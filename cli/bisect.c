/* lockstep bisect: finds where two recordings of a match, or two builds on one recording, begin to
 * differ. */
#include "cli/bisect/bisect_run.h"
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/match_playback.h"
#include "cli/common/number.h"
#include "cli/module/sim_load.h"
#include <lockstep/recording.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct bisect_options {
    const char *paths[2];
    uint32_t path_count;
    const char *sims[2]; /* --sim and --other; NULL: not given */
    uint64_t timeout_ns;
    bool any_build, is_json;
};

struct bisect {
    const struct bisect_options *options;
    ls_recording *recordings[2];
    ls_error rests[2]; /* names later files of each match, which are not compared; or "" */
    ls_loaded_sim loaded[2];
    ls_bisect_alone alone[2]; /* of two builds: each run in a process of its own */
    bool is_other_version;    /* a build has another version than the recording */
};

static void check_options(const ls_argument_state *state, void *input)
{
    const struct bisect_options *options = input;
    if (options->path_count == 0)
        ls_argument_fail(state, "FILE is missing: the recording");
    if (options->path_count == 1 && !options->sims[1])
        ls_argument_fail(state, "with one recording give a second build with --other");
}

static void take_path(const ls_argument_state *state, const ls_argument *argument, void *input,
                      char *text)
{
    struct bisect_options *options = input;
    (void)argument;
    if (options->path_count == 2)
        ls_argument_fail(state, "two recordings at most");
    options->paths[options->path_count++] = text;
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Builds:"),
    LS_ARGUMENT_TEXT("sim", "NAME|PATH.so", struct bisect_options, sims[0],
                     "Use this simulation: the name of a built-in one, or a shared object "
                     "(default: the built-in one of the recording's name)"),
    LS_ARGUMENT_TEXT("other", "NAME|PATH.so", struct bisect_options, sims[1],
                     "Use this build for the second side: recording B, or the second run of FILE"),
    LS_ARGUMENT_FLAG("any-build", struct bisect_options, any_build,
                     "Accept a --sim of another version than the recording's, with a warning"),
    LS_ARGUMENT_NUMBER("timeout", "S", struct bisect_options, timeout_ns, 1, LS_TIMEOUT_S_MAX,
                       "End a replay that completes no tick for S seconds (default 60); the search "
                       "within a tick may always take 300 seconds",
                       .scale = LS_SECOND_NS),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", struct bisect_options, is_json, "Print one JSON object"),
    {0},
};
static const ls_arguments argument_table = {
    .list = argument_list,
    .usage = "A B\nFILE --other PATH.so",
    .file_ending = "lsr",
    .take = take_path,
    .check = check_options,
    .doc =
        "Find the first tick in which two recordings of one match differ, or two builds that "
        "replay one recording; and in it the system, the component, the entity, the field and the "
        "store, with its line if the simulation is built with -g. Recordings that differ are "
        "replayed up to that tick, which is then run in several ways until one way ends as each "
        "recording says; if none does, the states that both files hold after it are compared. Each "
        "of two builds also runs in a process of its own, where loading one cannot affect the "
        "other, and is compared with the hashes of the recording.\vExit codes:\n"
        "  0  no difference\n"
        "  1  a difference, or both builds agree on a state that the recording of "
        "their version contradicts\n"
        "  2  wrong use, or no such file\n"
        "  3  another version or simulation, two matches, or different components\n"
        "  4  a file is damaged, or continued in a file that cannot be followed, and "
        "there is no difference before that\n"
        "  5  a file cannot be read, or stdout cannot be written\n"
        "  7  a side crashed or hung; the output names side, tick and system"};

static const char *sim_of(const struct bisect *bisect, uint32_t side)
{
    const struct bisect_options *options = bisect->options;
    if (options->sims[side])
        return options->sims[side];
    return ls_recording_get_header(bisect->recordings[0])->simulation.name;
}

static ls_status load(struct bisect *bisect, uint32_t side, ls_error *error)
{
    const struct bisect_options *options = bisect->options;
    if (side == 1)
        return ls_sim_load_other(options->sims[1], &bisect->loaded[1], error);
    return ls_match_playback_load_sim(options->paths[0], bisect->recordings[0], options->sims[0],
                                      &bisect->loaded[0], error);
}

/* Checks that a recording is of the simulation. With --any-build, another version only gets a
 * warning. */
static ls_status check_simulation(struct bisect *bisect, uint32_t side, ls_error *error)
{
    ls_error warning;
    ls_status status =
        ls_match_playback_check_build(bisect->recordings[side], &bisect->loaded[side],
                                      bisect->options->any_build, &warning, error);
    bisect->is_other_version |= !status && warning.text[0];
    if (!status)
        ls_match_playback_warn_of_build("bisect", &warning);
    return status;
}

static ls_status load_builds(struct bisect *bisect, ls_error *error)
{
    const struct bisect_options *options = bisect->options;
    ls_status status = load(bisect, 0, error);
    if (!status && options->sims[1])
        status = load(bisect, 1, error);
    if (!status && bisect->loaded[0].sim == bisect->loaded[1].sim)
        status =
            ls_error_set(error, LS_ERROR_USAGE, "--sim and --other are one and the same build");
    if (!status)
        status = check_simulation(bisect, 0, error);
    if (!status && options->path_count == 2 && !options->sims[1])
        bisect->loaded[1] = bisect->loaded[0];
    if (!status && options->path_count == 2)
        status = check_simulation(bisect, 1, error);
    return status;
}

/* Runs one build alone on the recording. On Windows this may be the process of one side, which its
 * words name: the other side is then left out. */
static ls_status run_alone(struct bisect *bisect, uint32_t side, ls_error *error)
{
    static const char *const sides[] = {"A", "B"};
    const char *words = ls_child_words();
    if (words && strcmp(words, sides[side]) != 0)
        return LS_OK;
    const ls_bisect_alone_config config = {.recording = bisect->recordings[0],
                                           .sim = sim_of(bisect, side),
                                           .side = side,
                                           .words = sides[side],
                                           .end_tick = UINT64_MAX,
                                           .timeout_ns = bisect->options->timeout_ns,
                                           .shows_progress = isatty(STDERR_FILENO)};
    return ls_bisect_alone_run(&config, &bisect->alone[side], error);
}

static ls_status prepare(struct bisect *bisect, ls_error *error)
{
    const struct bisect_options *options = bisect->options;
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status && i < options->path_count; i++)
        status = ls_match_playback_open_match(options->paths[i], &bisect->recordings[i],
                                              &bisect->rests[i], error);
    for (uint32_t i = 0; !status && i < options->path_count; i++)
        ls_match_playback_warn_of_forgery("bisect", bisect->recordings[i]);
    /* Done before a build is loaded here: a library's constructor could change this process. */
    for (uint32_t i = 0; !status && options->path_count == 1 && i < 2; i++)
        status = run_alone(bisect, i, error);
    return status ? status : load_builds(bisect, error);
}

/* Whether the builds, which agree with each other, end with another root than the recording. */
static bool diverges(const struct bisect *bisect)
{
    uint64_t index;
    return !bisect->is_other_version &&
           ls_bisect_alone_diverges(&bisect->alone[0], bisect->recordings[0], &index);
}

static ls_exit exit_of(const struct bisect *bisect, ls_bisect_kind kind)
{
    return kind == LS_BISECT_SAME    ? diverges(bisect) ? LS_EXIT_DIVERGED : LS_EXIT_GOOD
           : kind == LS_BISECT_CRASH ? LS_EXIT_CRASHED
                                     : LS_EXIT_DIVERGED;
}

static ls_status find(const struct bisect *bisect, ls_bisect_kind *kind, ls_error *error)
{
    const struct bisect_options *options = bisect->options;
    ls_bisect_pair pair = {.is_json = options->is_json,
                           .timeout_ns = options->timeout_ns,
                           .alone = options->path_count == 1 ? bisect->alone : NULL,
                           .shows_progress = isatty(STDERR_FILENO)};
    for (uint32_t i = 0; i < 2; i++) {
        pair.recordings[i] = bisect->recordings[i];
        pair.programs[i] = bisect->loaded[i].program;
        pair.names[i] = options->path_count == 2 ? options->paths[i] : sim_of(bisect, i);
    }
    return ls_bisect_run(&pair, kind, error);
}

/* If no difference was found but a part of a match was not compared, that is an error. */
static ls_status check_rests(const struct bisect *bisect, ls_bisect_kind kind, ls_error *error)
{
    for (uint32_t i = 0; kind == LS_BISECT_SAME && i < bisect->options->path_count; i++) {
        if (bisect->rests[i].text[0])
            return ls_error_set(error, LS_ERROR_CORRUPT, "%.256s: the same up to there, but %.600s",
                                bisect->options->paths[i], bisect->rests[i].text);
    }
    return LS_OK;
}

ls_exit ls_command_bisect(int count, char **arguments)
{
    struct bisect_options options = {.timeout_ns = LS_CHILD_TIMEOUT_NS};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    struct bisect bisect = {.options = &options};
    ls_bisect_kind kind;
    ls_error error;
    ls_status status = prepare(&bisect, &error);
    if (!status)
        status = find(&bisect, &kind, &error);
    if (!status)
        status = check_rests(&bisect, kind, &error);
    ls_exit code = status ? ls_command_fail("bisect", status, &error) : exit_of(&bisect, kind);
    if (bisect.loaded[1].program != bisect.loaded[0].program)
        ls_sim_unload(&bisect.loaded[1]);
    ls_sim_unload(&bisect.loaded[0]);
    for (uint32_t i = 0; i < 2; i++)
        ls_recording_close(bisect.recordings[i]);
    for (uint32_t i = 0; i < 2; i++)
        ls_bisect_alone_reset(&bisect.alone[i]);
    return code;
}
