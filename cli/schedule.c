/* lockstep schedule */
#include "cli/command.h"
#include "cli/match_options.h"
#include "cli/schedule_check.h"
#include "cli/schedule_draw.h"
#include "cli/sim_load.h"
#include "cli/system_text.h"

#include <stdio.h>
#include <string.h>

#define TICKS_STANDARD 600

typedef struct schedule_options {
    ls_match_options match;
    ls_draw_options draw;
    const char *action;
    bool is_json, has_format, has_ticks;
} schedule_options;

enum { OPTION_JSON = 256, OPTION_FORMAT, OPTION_TICKS, OPTION_TIMES };

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "With check and times: print the result as JSON", 0},
    {"format", OPTION_FORMAT, "svg|dot|json", 0, "With graph: what to make (svg)", 0},
    {"output", 'o', "FILE", 0, "With graph and times: write there, not to stdout", 0},
    {"ticks", OPTION_TICKS, "N", 0,
     "With times: measure N ticks (600). With graph: measure N ticks, so that the critical path is "
     "the longest way in time, not in systems",
     0},
    {"times", OPTION_TIMES, "TRACE", 0,
     "With graph: the same with the times of a file that `lockstep run --trace` has written", 0},
    {0}};

static const char *const actions[] = {"list", "check", "graph", "times"};

static bool is_action(const schedule_options *chosen, const char *action)
{
    return strcmp(chosen->action, action) == 0;
}

static void parse_action(struct argp_state *state, schedule_options *chosen, const char *text)
{
    for (size_t i = 0; i < LS_COUNT_OF(actions) && !chosen->action; i++) {
        if (strcmp(actions[i], text) == 0) {
            chosen->action = actions[i];
            return;
        }
    }
    argp_error(state, "\"%s\" is neither list, check, graph nor times", text);
}

static void parse_format(struct argp_state *state, schedule_options *chosen, const char *text)
{
    chosen->has_format = true;
    if (!ls_draw_format_find(text, &chosen->draw.format))
        argp_error(state, "--format takes svg, dot or json, not '%s'", text);
}

static void check_options(struct argp_state *state, schedule_options *chosen)
{
    if (!chosen->match.sim)
        argp_error(state, "--sim is missing");
    if (!chosen->action)
        chosen->action = "list";
    bool is_graph = is_action(chosen, "graph"), is_times = is_action(chosen, "times");
    if (chosen->is_json && !is_action(chosen, "check") && !is_times)
        argp_error(state, "--json goes with check and times; graph has --format json");
    if (chosen->has_format && !is_graph)
        argp_error(state, "--format goes with graph");
    if (chosen->draw.path && !is_graph && !is_times)
        argp_error(state, "--output goes with graph and times");
    if (chosen->has_ticks && !is_graph && !is_times)
        argp_error(state, "--ticks goes with graph and times");
    if (chosen->draw.times_path && (!is_graph || chosen->has_ticks))
        argp_error(state, "--times goes with graph, and not with --ticks");
    chosen->draw.is_json = chosen->is_json;
    if (is_times && !chosen->has_ticks)
        chosen->draw.ticks = TICKS_STANDARD;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    schedule_options *chosen = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &chosen->match;
        return 0;
    case OPTION_JSON:
        chosen->is_json = true;
        return 0;
    case OPTION_FORMAT:
        parse_format(state, chosen, text);
        return 0;
    case OPTION_TICKS:
        chosen->has_ticks = true;
        chosen->draw.ticks = ls_argp_u64(state, "ticks", text, 1, UINT32_MAX);
        return 0;
    case OPTION_TIMES:
        chosen->draw.times_path = text;
        return 0;
    case 'o':
        chosen->draw.path = text;
        return 0;
    case ARGP_KEY_ARG:
        parse_action(state, chosen, text);
        return 0;
    case ARGP_KEY_END:
        check_options(state, chosen);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&ls_match_argp, 0, NULL, 0}, {&ls_threads_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .parser = parse,
    .options = options,
    .children = children,
    .args_doc = "[list|check|graph|times]",
    .doc = "list: the systems of a simulation in the order of the serial executor, by stage: what "
           "each matches and touches, and which systems it waits for.\n"
           "check: everything that is wrong with the schedule, in one report, with the edges that "
           "would settle it, and hints.\n"
           "graph: the schedule as a picture, for graphviz or as data: stages, slots, sync points, "
           "why one comes before the other, what never runs at once, the critical path.\n"
           "times: runs a match with bots and says where the time of a tick goes: by system, "
           "stage and thread."
           "\vExit codes: 0 good; 2 wrong use; 3 a simulation built against another version, a "
           "trace of another "
           "simulation; 4 a trace that is none; 5 "
           "the output cannot be written; 6 a schedule that does not build; 134 when the "
           "simulation failed an assertion."};

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

static void print_names(const char *title, const char *const names[LS_SYSTEM_NAMES_MAX])
{
    for (uint32_t i = 0; i < LS_SYSTEM_NAMES_MAX && names[i]; i++)
        printf("%s%s", i ? ", " : title, names[i]);
    if (names[0])
        putchar('\n');
}

/* Only direct predecessors: what another predecessor waits for already goes without saying. */
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

static const char *what_it_is(const ls_program *program, uint32_t position)
{
    if (ls_program_is_fork(program, position))
        return "par: its sides begin";
    if (ls_program_is_merge(program, position))
        return "par: what they changed is put together";
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
        printf("%4u  %s (%s%s%s)\n", i, system->name, what_it_is(program, i),
               slot_words[system->slot], system->main_thread ? ", main thread" : "");
        print_touches(system);
        print_names("      spawns into ", system->lanes);
        print_names("      commands spawns into ", system->command_lanes);
        print_names("      labels ", system->labels);
        print_waits(program, i);
    }
}

static ls_exit list(const char *sim)
{
    ls_loaded_sim loaded;
    ls_error error;
    ls_status status = ls_sim_load(sim, &loaded, &error);
    if (status)
        return ls_command_fail("schedule", status, &error);
    print_schedule(loaded.program);
    ls_sim_unload(&loaded);
    return LS_EXIT_GOOD;
}

ls_exit ls_command_schedule(int count, char **arguments)
{
    schedule_options chosen = {.match.seed = 1};
    argp_parse(&argp, count, arguments, 0, NULL, &chosen);
    if (is_action(&chosen, "check"))
        return ls_schedule_check_print(chosen.match.sim, chosen.is_json);
    if (is_action(&chosen, "graph"))
        return ls_schedule_draw(&chosen.match, &chosen.draw);
    if (is_action(&chosen, "times"))
        return ls_schedule_time(&chosen.match, &chosen.draw);
    return list(chosen.match.sim);
}
