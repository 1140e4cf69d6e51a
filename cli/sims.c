/* lockstep sims: lists the built-in simulations and their options. */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/module/sim_load.h"

#include <inttypes.h>
#include <stdio.h>

static const ls_arguments argument_table = {
    .doc = "List the built-in simulations, with the options that --set takes.\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use\n"
           "  5  stdout cannot be written"};

static void print_sim(const ls_sim *sim)
{
    printf("%s %s: %s\n", sim->name, sim->version, sim->summary);
    printf("  %u ticks a second, %u player%s%s\n", sim->tick_rate, sim->player_count,
           sim->player_count == 1 ? "" : "s", sim->bot || sim->bot_state ? ", has bots" : "");
    for (uint32_t i = 0; i < sim->option_count; i++) {
        const ls_option *option = &sim->options[i];
        printf("  --set %s=%" PRId64 "  %s (%" PRId64 " to %" PRId64 ")\n", option->name,
               option->standard, option->summary, option->min, option->max);
    }
}

ls_exit ls_command_sims(int count, char **arguments)
{
    ls_arguments_parse(&argument_table, count, arguments, NULL);
    const char *names[LS_SIM_NAMES_MAX];
    uint32_t named = ls_sim_names(names);
    for (uint32_t i = 0; i < named; i++) {
        ls_loaded_sim loaded;
        ls_error error;
        ls_status status = ls_sim_load(names[i], &loaded, &error);
        if (status)
            return ls_command_fail("sims", status, &error);
        print_sim(loaded.sim); /* with the options of its modules */
        ls_sim_unload(&loaded);
    }
    return LS_EXIT_GOOD;
}
