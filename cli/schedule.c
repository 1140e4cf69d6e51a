/* lockstep schedule: lists, checks, draws and times the systems of a simulation. */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/match_options.h"
#include "cli/common/menu.h"
#include "cli/common/system_text.h"
#include "cli/module/sim_load.h"
#include "cli/schedule/schedule_check.h"
#include "cli/schedule/schedule_draw.h"
#include "cli/schedule/source_lines.h"

#include <stdio.h>
#include <string.h>

#define TICKS_DEFAULT 600

typedef struct schedule_options {
    ls_match_options match;
    ls_draw_options draw;
    bool has_ticks;
    const char *sources[LS_SOURCE_LINES_MAX];
    uint32_t source_count;
} schedule_options;

static void check_options(const ls_argument_state *state, void *input)
{
    const schedule_options *chosen = input;
    if (!chosen->match.sim)
        ls_argument_fail(state,
                         "--sim NAME|PATH.so is missing; `lockstep sims` lists the built-in ones");
    if (chosen->draw.times_path && chosen->has_ticks)
        ls_argument_fail(state, "--times and --ticks exclude each other");
    if (chosen->draw.is_json && chosen->source_count)
        ls_argument_fail(state, "--source and --json exclude each other");
}

#define EXIT_CODES                                                                                 \
    "\vExit codes:\n"                                                                              \
    "  0  good\n"                                                                                  \
    "  2  wrong use\n"                                                                             \
    "  3  the simulation was built against another version\n"
#define EXIT_CODE_OUTPUT "  5  the output cannot be written\n"
#define EXIT_CODES_END                                                                             \
    "  6  the schedule does not build\n"                                                           \
    "  134  the simulation failed an assertion"

static const ls_arguments_part list_parts[] = {
    {&ls_sim_arguments, offsetof(schedule_options, match)}, {0}};
static const ls_arguments list_table = {
    .parts = list_parts,
    .check = check_options,
    .doc = "Print the systems of a simulation in the order of the serial executor, by stage: what "
           "each system matches and accesses, and which systems it waits "
           "for." EXIT_CODES EXIT_CODE_OUTPUT EXIT_CODES_END};

static const ls_argument check_options_table[] = {
    LS_ARGUMENT_FLAG("json", schedule_options, draw.is_json, "Print the result as one JSON object"),
    LS_ARGUMENT_TEXTS("source", "FILE", schedule_options, sources, source_count,
                      "Print as a compiler does: errors alone, each with the line of FILE that "
                      "declares what it names; give it once for each source"),
    {0},
};
static const ls_arguments_part check_parts[] = {
    {&ls_sim_arguments, offsetof(schedule_options, match)}, {0}};
static const ls_arguments check_table = {
    .list = check_options_table,
    .parts = check_parts,
    .check = check_options,
    .doc = "Print everything that is wrong with a schedule in one report, with the fewest orders "
           "that settle it, and hints." EXIT_CODES EXIT_CODE_OUTPUT EXIT_CODES_END};

static const ls_argument graph_options[] = {
    LS_ARGUMENT_CHOICE("format", "svg|dot|json", schedule_options, draw.format, ls_draw_formats,
                       "What to write (default svg)"),
    LS_ARGUMENT_TEXT("output", "FILE", schedule_options, draw.path,
                     "Write to FILE instead of stdout", .letter = 'o'),
    LS_ARGUMENT_NUMBER(
        "ticks", "N", schedule_options, draw.ticks, 1, UINT32_MAX,
        "Run N ticks first, and let the critical path be the longest one in time instead of in "
        "systems",
        .has = offsetof(schedule_options, has_ticks)),
    LS_ARGUMENT_TEXT("times", "TRACE", schedule_options, draw.times_path,
                     "Take the times from a file of `lockstep run --trace`, instead of --ticks"),
    {0},
};
static const ls_arguments_part graph_parts[] = {
    {&ls_match_arguments, offsetof(schedule_options, match)},
    {&ls_threads_arguments, offsetof(schedule_options, match)},
    {0}};
static const ls_arguments graph_table = {
    .list = graph_options,
    .parts = graph_parts,
    .check = check_options,
    .doc = "Draw a schedule, or export it for Graphviz or as data: stages, slots, sync points, the "
           "reason for each order, systems that never run at once, and the critical path. Without "
           "--ticks nothing runs, and the options of the match have no effect." EXIT_CODES
           "  4  the file is not a trace, or a damaged one\n" EXIT_CODE_OUTPUT EXIT_CODES_END};

static const ls_argument times_options[] = {
    LS_ARGUMENT_FLAG("json", schedule_options, draw.is_json, "Print the result as one JSON object"),
    LS_ARGUMENT_TEXT("output", "FILE", schedule_options, draw.path,
                     "Write to FILE instead of stdout", .letter = 'o'),
    LS_ARGUMENT_NUMBER("ticks", "N", schedule_options, draw.ticks, 1, UINT32_MAX,
                       "Measure N ticks (default 600)",
                       .has = offsetof(schedule_options, has_ticks)),
    {0},
};
static const ls_arguments_part times_parts[] = {
    {&ls_match_arguments, offsetof(schedule_options, match)},
    {&ls_threads_arguments, offsetof(schedule_options, match)},
    {0}};
static const ls_arguments times_table = {
    .list = times_options,
    .parts = times_parts,
    .check = check_options,
    .doc = "Play a match with bots and print where the time of a tick goes: by system, stage and "
           "thread." EXIT_CODES EXIT_CODE_OUTPUT EXIT_CODES_END};

static void print_touches(const ls_system *system)
{
    char words[512];
    for (uint32_t i = 0; ls_system_touch(system, i, words, sizeof words); i++)
        printf("      %s\n", words);
}

static const char *const slot_words[] = {
    [LS_PARALLEL] = "",
    [LS_AT_START] = ", exclusive at the start",
    [LS_BEFORE_COMMANDS] = ", exclusive before commands",
    [LS_AT_END] = ", exclusive at the end",
};

static void print_names(const char *title, const char *names)
{
    ls_builder text = {0};
    ls_system_text_names(&text, title, names);
    fputs(text.data ? text.data : "", stdout);
    ls_free(text.data);
}

/* Prints only direct predecessors, because waiting for them includes everything that they wait
 * for. */
static void print_waits(const ls_program *program, uint32_t position)
{
    bool is_first = true;
    for (uint32_t i = 0; i < position; i++) {
        bool is_direct = ls_program_is_ordered(program, i, position);
        for (uint32_t j = i + 1; is_direct && j < position; j++)
            is_direct = !(ls_program_is_ordered(program, i, j) &&
                          ls_program_is_ordered(program, j, position));
        if (!is_direct)
            continue;
        printf("%s%s", is_first ? "      waits for " : ", ", ls_program_system(program, i)->name);
        is_first = false;
    }
    if (!is_first)
        putchar('\n');
}

static const char *kind_text(const ls_program *program, uint32_t position)
{
    if (ls_program_is_fork(program, position))
        return "par: begins its sides";
    if (ls_program_is_merge(program, position))
        return "par: merges the changes of its sides";
    return ls_program_system(program, position)->mode == LS_CONCURRENT ? "concurrent"
                                                                       : "sequential";
}

static void print_stage(const ls_stage *stage)
{
    printf("stage %s", stage->name);
    if (stage->within)
        printf(" (within %s)", stage->within);
    putchar('\n');
}

static void print_schedule(const ls_program *program)
{
    uint32_t count = ls_program_system_count(program), stage = UINT32_MAX;
    const ls_sim *sim = ls_program_sim(program);
    printf("%s: %u systems, %u components\n", sim->name, sim->system_count,
           ls_program_column_count(program));
    for (uint32_t i = 0; i < count; i++) {
        const ls_system *system = ls_program_system(program, i);
        if (ls_program_stage_count(program) > 1 && ls_program_stage_of(program, i) != stage) {
            stage = ls_program_stage_of(program, i);
            print_stage(ls_program_stage(program, stage));
        }
        printf("%4u  %s (%s%s%s", i, system->name, kind_text(program, i), slot_words[system->slot],
               system->main_thread ? ", main thread" : "");
        if (system->home_thread)
            printf(", thread %u", system->home_thread);
        printf(")\n");
        print_touches(system);
        print_names("      spawns into ", system->lanes);
        print_names("      commands spawns into ", system->command_lanes);
        print_names("      labels ", system->labels);
        print_waits(program, i);
    }
}

static ls_exit list(int count, char **arguments)
{
    schedule_options chosen = {.has_ticks = false};
    ls_loaded_sim loaded;
    ls_error error;
    ls_arguments_parse(&list_table, count, arguments, &chosen);
    ls_status status = ls_sim_load(chosen.match.sim, &loaded, &error);
    if (status)
        return ls_command_fail("schedule", status, &error);
    print_schedule(loaded.program);
    ls_sim_unload(&loaded);
    return LS_EXIT_GOOD;
}

static ls_exit check(int count, char **arguments)
{
    schedule_options chosen = {.has_ticks = false};
    ls_arguments_parse(&check_table, count, arguments, &chosen);
    return ls_schedule_check_print(chosen.match.sim, chosen.draw.is_json, chosen.sources,
                                   chosen.source_count);
}

static ls_exit graph(int count, char **arguments)
{
    schedule_options chosen = {.match.seed = 1};
    ls_arguments_parse(&graph_table, count, arguments, &chosen);
    return ls_schedule_draw(&chosen.match, &chosen.draw);
}

static ls_exit times(int count, char **arguments)
{
    schedule_options chosen = {.match.seed = 1, .draw.ticks = TICKS_DEFAULT};
    ls_arguments_parse(&times_table, count, arguments, &chosen);
    return ls_schedule_time(&chosen.match, &chosen.draw);
}

static const ls_command actions[] = {
    {"list", "print the systems in serial order, with accesses and waits", list},
    {"check", "print everything that is wrong with the schedule, and hints", check},
    {"graph", "draw the schedule, or export it as data", graph},
    {"times", "play a match with bots and print where the time of a tick goes", times},
};

static const ls_menu menu = {
    .noun = "action",
    .before = "Usage: lockstep schedule [ACTION] --sim NAME|PATH.so [OPTION...]\n\n"
              "Show the systems of a simulation, their order and their time.\n"
              "Without an action: list.\n\n",
    .after = "\n`lockstep schedule ACTION --help` lists the options of an action.\n",
    .entries = actions,
    .count = LS_COUNT_OF(actions),
};

ls_exit ls_command_schedule(int count, char **arguments)
{
    bool has_action =
        count < 2 || strncmp(arguments[1], "--", 2) != 0 || strcmp(arguments[1], "--help") == 0;
    return has_action ? ls_menu_run(&menu, count, arguments) : list(count, arguments);
}
