/* lockstep run: runs a match without a network, for inspection, measurements and determinism
 * tests. */
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/inspect.h"
#include "cli/common/match_options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/random_inputs.h"
#include "cli/module/describe.h"
#include "cli/module/sim_load.h"
#include "cli/schedule/trace_file.h"
#include "core/base/json_writer.h"
#include "core/base/platform.h"
#include "desync/crash.h"
#include "desync/rerun.h"
#include <lockstep/hash.h>
#include <lockstep/json.h>

#include <inttypes.h>
#include <stdio.h>

#define TICKS_DEFAULT  600
#define SLICES_DEFAULT (1u << 18)

struct run_options {
    ls_match_options match;
    uint64_t ticks;
    const char *component; /* the component to print; NULL: all */
    const char *trace_path;
    uint32_t trace_slices; /* per thread */
    bool prints, prints_last, has_bots, round_trips, is_json, checks;
};

struct run {
    const struct run_options *options;
    ls_inspect printed;
    ls_trace *trace;
    ls_executor *executor;
    ls_world *world;
    ls_world *spare; /* with --roundtrip: the other world; the two swap each tick */
    ls_random_inputs players;
    uint64_t digest; /* of all roots so far */
    uint64_t elapsed_ns;
};

static void check_options(const ls_argument_state *state, void *input)
{
    const struct run_options *options = input;
    if (!options->match.sim)
        ls_argument_fail(state, "--sim is missing; `lockstep sims` lists what is built in");
    if (options->checks && (options->match.shuffle_seed || options->match.threads > 1))
        ls_argument_fail(state, "--check runs on one thread; leave out --threads and --shuffle");
    if (options->prints + options->prints_last + options->is_json > 1)
        ls_argument_fail(state, "--print, --state and --json exclude each other");
    if (options->component && !options->prints)
        ls_argument_fail(state, "--component goes with --print");
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Run:"),
    LS_ARGUMENT_NUMBER("ticks", "N", struct run_options, ticks, 0, UINT32_MAX,
                       "Run N ticks (default 600)"),
    LS_ARGUMENT_FLAG("bots", struct run_options, has_bots,
                     "Let the simulation's bot play every seat (default: all seats stay empty)"),
    LS_ARGUMENT_FLAG("roundtrip", struct run_options, round_trips,
                     "Encode the state and decode it into another world before each tick"),
    LS_ARGUMENT_FLAG("check", struct run_options, checks,
                     "Find what systems do without declaring it; many times slower"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("print", struct run_options, prints,
                     "Print the state before each tick, and nothing else"),
    LS_ARGUMENT_TEXT("component", "NAME", struct run_options, component,
                     "With --print, print this component only"),
    LS_ARGUMENT_FLAG("state", struct run_options, prints_last,
                     "Print the last state as JSON, and nothing else"),
    LS_ARGUMENT_FLAG("json", struct run_options, is_json, "Print the result as one JSON object"),
    LS_ARGUMENT_TEXT(
        "trace", "FILE", struct run_options, trace_path,
        "Write which thread ran what and when, in the format of Perfetto and chrome://tracing"),
    LS_ARGUMENT_NUMBER("trace-slices", "N", struct run_options, trace_slices, 1,
                       LS_TRACE_SLICES_MAX,
                       "Keep the first N slices of each thread in --trace (default 262144); the "
                       "file counts the rest"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_arguments, offsetof(struct run_options, match)},
    {&ls_threads_arguments, offsetof(struct run_options, match)},
    {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .check = check_options,
    .doc = "Run a match on this machine, without a network. The last line holds root=, the hash of "
           "the last state, and digest=, a hash over the hashes of all ticks: equal digests mean "
           "equal runs.\vExit codes:\n"
           "  0  good\n"
           "  1  --roundtrip found a state that differs from its encoded form, or --check "
           "a system that does what it did not declare\n"
           "  2  wrong use, or a loop of the schedule does not end\n"
           "  3  the simulation was built against another version\n"
           "  5  stdout or the trace cannot be written\n"
           "  6  the schedule does not build, or the setup or a tick fails: two sides of a "
           "par changed one cell, or an entity became its own ancestor, for example\n"
           "  134  the simulation failed an assertion"};

static void mix_root(struct run *run)
{
    ls_trace_slice slice = {.kind = LS_TRACE_ROOT,
                            .start_ns = ls_trace_now(run->trace),
                            .tick = ls_world_tick(run->world)};
    uint64_t root = ls_world_root(run->world);
    ls_trace_add(run->trace, slice);
    uint8_t bytes[16];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_write_u64(&writer, run->digest);
    ls_write_u64(&writer, root);
    run->digest = ls_hash_bytes(bytes, sizeof bytes);
}

static void print_state(const struct run *run)
{
    const ls_component *component = run->printed.component;
    char *text =
        component ? ls_world_print_component(run->world, component) : ls_world_print(run->world);
    puts(text);
    ls_free(text);
}

static void print_last_state(const ls_world *world)
{
    char *text = ls_world_json(world);
    puts(text);
    ls_free(text);
}

static ls_status run_tick(struct run *run, ls_error *error)
{
    if (run->options->prints)
        print_state(run);
    if (run->options->round_trips) {
        ls_status status = ls_rerun_round_trip(&run->world, &run->spare, error);
        if (status)
            return status;
    }
    ls_frame frame = {.tick = ls_world_tick(run->world)};
    if (run->options->has_bots)
        frame = ls_random_inputs_frame(&run->players, run->world);
    ls_status status = ls_world_advance(run->world, &frame, run->executor, error);
    if (!status)
        mix_root(run);
    return status;
}

static ls_status print_result(const struct run *run, ls_error *error)
{
    char text[LS_DESCRIBE_BYTES];
    ls_status status = ls_describe(run->world, text, error);
    if (status)
        return status;
    const struct run_options *options = run->options;
    const ls_match *match = ls_world_match(run->world);
    uint64_t root = ls_world_root(run->world), ticks = ls_world_tick(run->world);
    double seconds = (double)run->elapsed_ns / (double)LS_SECOND_NS;
    double rate = seconds > 0 ? (double)ticks / seconds : 0;
    const char *sim = ls_program_sim(ls_world_program(run->world))->name;
    if (options->is_json) {
        ls_builder json = {0};
        ls_json_open(&json, NULL, '{');
        ls_json_string(&json, "sim", sim);
        ls_json_u64_string(&json, "seed", match->seed);
        ls_json_u64(&json, "ticks", ticks);
        ls_json_root(&json, "root", root);
        ls_json_root(&json, "digest", run->digest);
        ls_json_u64(&json, "entities", ls_world_entity_count(run->world));
        ls_json_decimal(&json, "seconds", run->elapsed_ns / 1000, 6);
        ls_json_decimal(&json, "ticks_per_second", (uint64_t)(rate * 10), 1);
        ls_json_words(&json, "text", text);
        ls_json_close(&json, '}');
        puts(json.data);
        ls_free(json.data);
        return LS_OK;
    }
    printf("%s: %" PRIu64 " entities, %.3f s, %.0f ticks/s, %.1f times real time%s%s\n", sim,
           ls_world_entity_count(run->world), seconds, rate, rate / match->tick_rate,
           text[0] ? "; " : "", text);
    printf("root=%016" PRIx64 " ticks=%" PRIu64 " digest=%016" PRIx64 " sim=%s seed=%" PRIu64 "\n",
           root, ticks, run->digest, sim, match->seed);
    return LS_OK;
}

static ls_status prepare(struct run *run, const ls_program *program, ls_error *error)
{
    const struct run_options *options = run->options;
    ls_match match;
    uint32_t threads = options->match.threads ? options->match.threads : 1;
    ls_status status = ls_match_options_apply(&options->match, program, &match, error);
    if (!status)
        status = ls_inspect_find(program, options->component, NULL, &run->printed, error);
    const ls_sim *sim = ls_program_sim(program);
    if (!status && options->has_bots && !sim->bot && !sim->bot_state)
        status = ls_error_set(error, LS_ERROR_USAGE, "the simulation %s has no bots", sim->name);
    if (!status && options->trace_path)
        status = ls_trace_create(threads, options->trace_slices, &run->trace, error);
    const ls_executor_config config = {.threads = threads,
                                       .shuffle_seed = options->match.shuffle_seed,
                                       .share_from = options->match.share_from,
                                       .check = options->checks,
                                       .trace = run->trace,
                                       .is_pinned = options->match.is_pinned};
    if (!status)
        status = ls_executor_create(&config, &run->executor, error);
    if (!status)
        status = ls_world_create(program, &match, &run->world, error);
    return status;
}

static ls_status write_trace(const struct run *run, ls_error *error)
{
    ls_schedule_graph *graph = ls_schedule_graph_create(ls_world_program(run->world));
    ls_status status = ls_trace_file_write(run->options->trace_path, run->trace, graph, error);
    ls_schedule_graph_destroy(graph);
    return status;
}

static ls_status run_all(struct run *run, ls_error *error)
{
    mix_root(run);
    uint64_t start_ns = ls_monotonic_ns();
    ls_status status = LS_OK;
    ls_tick_progress progress;
    ls_tick_progress_begin(&progress);
    for (uint64_t i = 0; !status && i < run->options->ticks; i++) {
        status = run_tick(run, error);
        if (!run->options->prints)
            ls_tick_progress_show(&progress, i + 1, run->options->ticks);
    }
    ls_tick_progress_end(&progress);
    if (status)
        return status;
    run->elapsed_ns = ls_monotonic_ns() - start_ns;
    status = run->trace ? write_trace(run, error) : LS_OK;
    if (status)
        return status;
    if (run->options->prints_last)
        print_last_state(run->world);
    else if (!run->options->prints)
        return print_result(run, error);
    return LS_OK;
}

ls_exit ls_command_run(int count, char **arguments)
{
    struct run_options options = {
        .ticks = TICKS_DEFAULT, .trace_slices = SLICES_DEFAULT, .match.seed = 1};
    ls_arguments_parse(&argument_table, count, arguments, &options);

    ls_crash_report("lockstep run");
    struct run run = {.options = &options};
    ls_loaded_sim loaded;
    ls_error error;
    ls_status status = ls_sim_load(options.match.sim, &loaded, &error);
    if (!status)
        status = prepare(&run, loaded.program, &error);
    if (!status)
        status = run_all(&run, &error);
    ls_world_destroy(run.spare);
    ls_world_destroy(run.world);
    ls_executor_destroy(run.executor);
    ls_trace_destroy(run.trace);
    ls_sim_unload(&loaded);
    return status ? ls_command_fail("run", status, &error) : LS_EXIT_GOOD;
}
