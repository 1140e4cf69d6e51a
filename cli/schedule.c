/* lockstep schedule */
#include "cli/command.h"
#include "cli/match_options.h"
#include "cli/schedule_check.h"
#include "cli/sim_load.h"

#include <stdio.h>
#include <string.h>

typedef struct schedule_options {
    ls_match_options match;
    const char *action;
    bool is_json;
} schedule_options;

enum { OPTION_JSON = 256 };

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "With check: print the report as JSON", 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    schedule_options *chosen = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &chosen->match;
        return 0;
    case OPTION_JSON:
        chosen->is_json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (chosen->action || (strcmp(text, "list") != 0 && strcmp(text, "check") != 0))
            argp_error(state, "\"%s\" is neither list nor check", text);
        chosen->action = text;
        return 0;
    case ARGP_KEY_END:
        if (!chosen->match.sim)
            argp_error(state, "--sim is missing");
        if (!chosen->action)
            chosen->action = "list";
        if (chosen->is_json && strcmp(chosen->action, "check") != 0)
            argp_error(state, "--json goes with check");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ls_sim_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .parser = parse,
    .options = options,
    .children = children,
    .args_doc = "[list|check]",
    .doc = "list: the systems of a simulation in the order of the serial executor, by stage: what "
           "each matches and touches, and which systems it waits for.\n"
           "check: everything that is wrong with the schedule, in one report, with the edges that "
           "would settle it, and hints."
           "\vExit codes: 0 good; 2 wrong use; 3 a simulation built against another version; 5 "
           "stdout cannot be written; 6 a schedule that does not build."};

static const char *const kind_words[] = {
    [LS_INCLUDE] = "",        [LS_EXCLUDE] = "without ",       [LS_ANYWAY] = "optionally ",
    [LS_OTHERS] = "others' ", [LS_START] = "others' first ",   [LS_NEWBORNS] = "newborns' ",
    [LS_COMMANDS] = "later ", [LS_ACCUMULATED] = "anybody's ", [LS_EVENTS] = "event ",
};
static const char *const access_words[] = {
    [LS_PRESENCE] = "",       [LS_READ] = "read ",
    [LS_WRITE] = "write ",    [LS_STRUCTURE] = "structure ",
    [LS_ADD] = "add to ",     [LS_MIN] = "minimum of ",
    [LS_MAX] = "maximum of ", [LS_OR] = "or into ",
};

static const char *const slot_words[] = {
    [LS_PARALLEL] = "",
    [LS_AT_START] = ", exclusive at the start",
    [LS_BEFORE_COMMANDS] = ", exclusive before commands",
    [LS_AT_END] = ", exclusive at the end",
};

static const char *access_word(const ls_term *term)
{
    if (term->kind == LS_EVENTS)
        return term->access == LS_WRITE ? "send " : "receive ";
    if (term->kind == LS_INCLUDE && term->access == LS_PRESENCE)
        return "with ";
    return access_words[term->access];
}

static void print_terms(const ls_system *system)
{
    for (uint32_t i = 0; i < LS_TERMS_MAX && system->terms[i].component; i++) {
        const ls_term *term = &system->terms[i];
        printf("      %s%s%s", access_word(term), kind_words[term->kind], term->component->name);
        if (term->query)
            printf(" (query %u)", term->query);
        putchar('\n');
    }
    for (uint32_t i = 0; i < LS_SYSTEM_JOINS_MAX && system->joins[i].component; i++) {
        const ls_join *join = &system->joins[i];
        printf("      join by key of %s", join->component->name);
        if (join->query)
            printf(" (drives query %u)", join->query);
        putchar('\n');
    }
    for (uint32_t i = 0; i < LS_SYSTEM_GRIDS_MAX && system->grids[i].component; i++)
        printf("      join by place of %s%s%s\n", system->grids[i].component->name,
               system->grids[i].with ? " with " : "",
               system->grids[i].with ? system->grids[i].with->name : "");
}

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

static void print_schedule(const ls_program *program)
{
    uint32_t count = ls_program_system_count(program);
    printf("%s: %u systems, %u components\n", ls_program_sim(program)->name, count,
           ls_program_column_count(program));
    uint32_t stage = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const ls_system *system = ls_program_system(program, i);
        if (ls_program_stage_count(program) > 1 && ls_program_stage_of(program, i) != stage) {
            stage = ls_program_stage_of(program, i);
            printf("stage %s\n", ls_program_stage(program, stage)->name);
        }
        printf("%4u  %s (%s%s)\n", i, system->name,
               system->mode == LS_CONCURRENT ? "concurrent" : "sequential",
               slot_words[system->slot]);
        print_terms(system);
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
    schedule_options chosen = {.action = NULL};
    argp_parse(&argp, count, arguments, 0, NULL, &chosen);
    return strcmp(chosen.action, "check") == 0
               ? ls_schedule_check_print(chosen.match.sim, chosen.is_json)
               : list(chosen.match.sim);
}
