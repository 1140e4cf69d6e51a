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

static const char *const kind_words[] = {[LS_INCLUDE] = "with",
                                         [LS_EXCLUDE] = "without",
                                         [LS_ANYWAY] = "optionally",
                                         [LS_OTHERS] = "others"};
static const char *const access_words[] = {
    [LS_PRESENCE] = "", [LS_READ] = "read ", [LS_WRITE] = "write ", [LS_STRUCTURE] = "structure "};

static void print_terms(const ls_system *system)
{
    for (uint32_t i = 0; i < LS_TERMS_MAX && system->terms[i].component; i++) {
        const ls_term *term = &system->terms[i];
        printf("      %s%s%s", access_words[term->access],
               term->kind == LS_INCLUDE && term->access != LS_PRESENCE ? ""
                                                                       : kind_words[term->kind],
               term->kind == LS_INCLUDE && term->access != LS_PRESENCE ? "" : " ");
        printf("%s", term->component->name);
        if (term->query)
            printf(" (query %u)", term->query);
        putchar('\n');
    }
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
