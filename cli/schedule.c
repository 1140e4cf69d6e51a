/* lockstep schedule */
#include "cli/command.h"
#include "cli/match_options.h"
#include "cli/sim_load.h"

#include <stdio.h>

static error_t parse(int key, char *text, struct argp_state *state)
{
    ls_match_options *options = state->input;
    (void)text;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case ARGP_KEY_END:
        if (!options->sim)
            argp_error(state, "--sim is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ls_sim_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .parser = parse,
    .children = children,
    .doc = "Print the systems of a simulation in the order of the serial executor: what each "
           "matches and touches, and which systems it waits for."
           "\vExit codes: 0 good; 2 wrong use; 3 a simulation built against another version; 5 "
           "stdout cannot be written; 6 an ambiguous schedule."};

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
    for (uint32_t i = 0; i < count; i++) {
        const ls_system *system = ls_program_system(program, i);
        printf("%4u  %s (%s)\n", i, system->name,
               system->mode == LS_CONCURRENT ? "concurrent" : "sequential");
        print_terms(system);
        print_names("      spawns into ", system->lanes);
        print_names("      commands spawns into ", system->command_lanes);
        print_names("      labels ", system->labels);
        print_waits(program, i);
    }
}

ls_exit ls_command_schedule(int count, char **arguments)
{
    ls_match_options options = {0};
    argp_parse(&argp, count, arguments, 0, NULL, &options);
    ls_loaded_sim loaded;
    ls_error error;
    ls_status status = ls_sim_load(options.sim, &loaded, &error);
    if (status)
        return ls_command_fail("schedule", status, &error);
    print_schedule(loaded.program);
    ls_sim_unload(&loaded);
    return LS_EXIT_GOOD;
}
