#include "cli/common/match_options.h"

#include "cli/common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_set(const ls_argument_state *state, ls_match_options *options,
                    const ls_match_set *set)
{
    if (options->set_count == LS_OPTIONS_MAX)
        ls_argument_fail(state, "more than %d options are set", LS_OPTIONS_MAX);
    options->sets[options->set_count++] = *set;
}

static void take_set(const ls_argument_state *state, const ls_argument *argument, void *options,
                     char *text)
{
    const char *equals = strchr(text, '=');
    ls_match_set set = {.name = text};
    (void)argument;
    if (!equals || equals == text || !ls_parse_i64(equals + 1, &set.value))
        ls_argument_fail(state, "--set takes NAME=NUMBER, not '%s'", text);
    set.name_bytes = (uint32_t)(equals - text);
    add_set(state, options, &set);
}

static void take_units(const ls_argument_state *state, const ls_argument *argument, void *options,
                       char *text)
{
    ls_match_set set = {.name = "units", .name_bytes = 5};
    (void)argument;
    if (!ls_parse_i64(text, &set.value))
        ls_argument_fail(state, "--units takes a number, not '%s'", text);
    add_set(state, options, &set);
}

static const ls_argument sim_list[] = {
    LS_ARGUMENT_TITLE("Simulation:"),
    LS_ARGUMENT_TEXT("sim", "NAME|PATH.so", ls_match_options, sim,
                     "Use this simulation: the name of a built-in one, or a shared object"),
    {0},
};
static const ls_argument threads_list[] = {
    LS_ARGUMENT_NUMBER("threads", "N", ls_match_options, threads, 1, LS_THREADS_MAX,
                       "Simulate on N threads (default 1); the result is the same"),
    LS_ARGUMENT_NUMBER("share-from", "N", ls_match_options, share_from, 1, UINT32_MAX,
                       "Use --threads only in ticks with at least N entities (default: where "
                       "measured times say that it pays)"),
    LS_ARGUMENT_FLAG("pin", ls_match_options, is_pinned,
                     "Pin each thread of --threads except the first to its own CPU"),
    LS_ARGUMENT_NUMBER("shuffle", "SEED", ls_match_options, shuffle_seed, 1, UINT64_MAX,
                       "Run systems in a random legal order; on one thread pages too"),
    {0},
};
static const ls_argument match_list[] = {
    LS_ARGUMENT_NUMBER("players", "N", ls_match_options, players, 1, LS_PLAYERS_MAX,
                       "Number of seats (default: as the simulation says)"),
    LS_ARGUMENT_CALL("set", "NAME=VALUE", take_set,
                     "Set an option of the simulation; `lockstep sims` lists the options",
                     .is_repeatable = true),
    LS_ARGUMENT_CALL("units", "N", take_units, "Short for --set units=N"),
    LS_ARGUMENT_NUMBER("seed", "N", ls_match_options, seed, 0, UINT64_MAX,
                       "Seed of the match (default 1; `serve` draws one at random)",
                       .has = offsetof(ls_match_options, has_seed)),
    LS_ARGUMENT_NUMBER("tick-rate", "HZ", ls_match_options, tick_rate, 1, LS_TICK_RATE_MAX,
                       "Ticks per second (default: as the simulation says)"),
    {0},
};

const ls_arguments ls_sim_arguments = {.list = sim_list};
const ls_arguments ls_threads_arguments = {.list = threads_list};

/* The title of these options comes with ls_sim_arguments, which is before this table. */
static const ls_arguments rest_of_match = {.list = match_list};
static const ls_arguments_part match_parts[] = {{&ls_sim_arguments, 0}, {&rest_of_match, 0}, {0}};
const ls_arguments ls_match_arguments = {.parts = match_parts};

uint32_t ls_match_set_option(const ls_match_set *set, const ls_sim *sim)
{
    uint32_t i = 0;
    while (i < sim->option_count && (strlen(sim->options[i].name) != set->name_bytes ||
                                     memcmp(sim->options[i].name, set->name, set->name_bytes) != 0))
        i++;
    return i;
}

static ls_status take_value(const ls_match_set *set, const ls_sim *sim, const ls_option *option,
                            int64_t *value, ls_error *error)
{
    bool has_short = !set->is_wish && strcmp(option->name, "units") == 0;
    *value = set->value;
    if (set->value >= option->min && set->value <= option->max)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s=%" PRId64 " is out of range for the simulation %s: give %s%s%s=N "
                        "with N from %" PRId64 " to %" PRId64,
                        option->name, set->value, sim->name, has_short ? "--units N or " : "",
                        set->is_wish ? "" : "--set ", option->name, option->min, option->max);
}

static ls_status apply_set(const ls_match_set *set, const ls_sim *sim, ls_match *match,
                           ls_error *error)
{
    char known[512] = "none";
    uint32_t found = ls_match_set_option(set, sim);
    if (found < sim->option_count)
        return take_value(set, sim, &sim->options[found], &match->options[found], error);
    for (uint32_t i = 0, used = 0; i < sim->option_count && used < sizeof known; i++)
        used += (uint32_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                   sim->options[i].name);
    return ls_error_set(error, LS_ERROR_NOT_FOUND,
                        "the simulation %s has no option '%.*s'; its options: %s", sim->name,
                        (int)set->name_bytes, set->name, known);
}

ls_status ls_match_options_apply(const ls_match_options *options, const ls_program *program,
                                 ls_match *match, ls_error *error)
{
    const ls_sim *sim = ls_program_sim(program);
    *match = ls_program_match(program, options->seed);
    if (options->players)
        match->player_count = options->players;
    if (options->tick_rate)
        match->tick_rate = options->tick_rate;
    for (uint32_t i = 0; i < options->set_count; i++) {
        ls_status status = apply_set(&options->sets[i], sim, match, error);
        if (status)
            return status;
    }
    return ls_program_check_match(program, match, error);
}

ls_status ls_match_options_executor(const ls_match_options *options, ls_executor **executor,
                                    ls_error *error)
{
    *executor = NULL;
    if (options->threads <= 1 && !options->shuffle_seed)
        return LS_OK;
    const ls_executor_config config = {.threads = options->threads ? options->threads : 1,
                                       .shuffle_seed = options->shuffle_seed,
                                       .share_from = options->share_from,
                                       .is_pinned = options->is_pinned};
    return ls_executor_create(&config, executor, error);
}
