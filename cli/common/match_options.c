#include "cli/common/match_options.h"

#include "cli/common/clock.h"
#include "cli/common/number.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_S_MAX 86400

enum {
    KEY_SET = 0x100,
    KEY_UNITS,
    KEY_PLAYERS,
    KEY_SEED,
    KEY_TICK_RATE,
    KEY_SIM,
    KEY_THREADS,
    KEY_SHARE,
    KEY_SHUFFLE,
    KEY_PIN
};

uint64_t ls_argp_u64(const struct argp_state *state, const char *option, const char *text,
                     uint64_t min, uint64_t max)
{
    uint64_t value = 0;
    if (!ls_parse_u64(text, min, max, &value))
        argp_error(state, "--%s takes a number from %llu to %llu, not '%s'", option,
                   (unsigned long long)min, (unsigned long long)max, text);
    return value;
}

uint64_t ls_argp_patience_ns(const struct argp_state *state, const char *text)
{
    return LS_NS_PER_S * ls_argp_u64(state, "patience", text, 1, PATIENCE_S_MAX);
}

void ls_argp_recording(const struct argp_state *state, const char *text, const char **path)
{
    if (*path)
        argp_error(state, "one recording at a time");
    *path = text;
}

static void add_set(struct argp_state *state, ls_match_options *options, const ls_match_set *set)
{
    if (options->set_count == LS_OPTIONS_MAX)
        argp_error(state, "more than %d options are set", LS_OPTIONS_MAX);
    options->sets[options->set_count++] = *set;
}

static void parse_set(struct argp_state *state, ls_match_options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    ls_match_set set = {.name = text};
    if (!equals || equals == text || !ls_parse_i64(equals + 1, &set.value))
        argp_error(state, "--set takes NAME=NUMBER, not '%s'", text);
    set.name_bytes = (uint32_t)(equals - text);
    add_set(state, options, &set);
}

static void parse_units(struct argp_state *state, ls_match_options *options, const char *text)
{
    ls_match_set set = {.name = "units", .name_bytes = 5};
    if (!ls_parse_i64(text, &set.value))
        argp_error(state, "--units takes a number, not '%s'", text);
    add_set(state, options, &set);
}

static error_t parse_match(int key, char *text, struct argp_state *state)
{
    ls_match_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case KEY_SET:
        parse_set(state, options, text);
        return 0;
    case KEY_UNITS:
        parse_units(state, options, text);
        return 0;
    case KEY_PLAYERS:
        options->players = (uint32_t)ls_argp_u64(state, "players", text, 1, LS_PLAYERS_MAX);
        return 0;
    case KEY_TICK_RATE:
        options->tick_rate = (uint32_t)ls_argp_u64(state, "tick-rate", text, 1, LS_TICK_RATE_MAX);
        return 0;
    case KEY_SEED:
        options->seed = ls_argp_u64(state, "seed", text, 0, UINT64_MAX);
        options->has_seed = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_sim(int key, char *text, struct argp_state *state)
{
    ls_match_options *options = state->input;
    if (key != KEY_SIM)
        return ARGP_ERR_UNKNOWN;
    options->sim = text;
    return 0;
}

static error_t parse_threads(int key, char *text, struct argp_state *state)
{
    ls_match_options *options = state->input;
    switch (key) {
    case KEY_THREADS:
        options->threads = (uint32_t)ls_argp_u64(state, "threads", text, 1, LS_THREADS_MAX);
        return 0;
    case KEY_PIN:
        options->is_pinned = true;
        return 0;
    case KEY_SHARE:
        options->share_from = (uint32_t)ls_argp_u64(state, "share-from", text, 1, UINT32_MAX);
        return 0;
    case KEY_SHUFFLE:
        options->shuffle_seed = ls_argp_u64(state, "shuffle", text, 1, UINT64_MAX);
        return 0;
    case ARGP_KEY_END:
        if (options->shuffle_seed && options->threads > 1)
            argp_error(state, "--shuffle runs on one thread; leave out --threads");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option sim_options[] = {
    {0, 0, NULL, 0, "Simulation:", LS_SIM_GROUP},
    {"sim", KEY_SIM, "NAME|PATH.so", 0,
     "Use this simulation: the name of a built-in one, or a shared object", 0},
    {0},
};

static const struct argp_option threads_options[] = {
    {"threads", KEY_THREADS, "N", 0, "Simulate on N threads (default 1); the result is the same",
     LS_SIM_GROUP},
    {"share-from", KEY_SHARE, "N", 0,
     "Use --threads only in ticks with at least N entities (default: where measured times say that "
     "it pays)",
     0},
    {"pin", KEY_PIN, NULL, 0, "Pin each thread of --threads except the first to its own CPU", 0},
    {"shuffle", KEY_SHUFFLE, "SEED", 0,
     "Run systems and pages in a random legal order, on one thread", 0},
    {0},
};

static const struct argp_option match_options[] = {
    {"players", KEY_PLAYERS, "N", 0, "Number of seats (default: as the simulation says)",
     LS_SIM_GROUP},
    {"set", KEY_SET, "NAME=VALUE", 0,
     "Set an option of the simulation; `lockstep sims` lists the options", 0},
    {"units", KEY_UNITS, "N", 0, "Short for --set units=N", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the match (default 1; serve draws one)", 0},
    {"tick-rate", KEY_TICK_RATE, "HZ", 0, "Ticks per second (default: as the simulation says)", 0},
    {0},
};

const struct argp ls_sim_argp = {.options = sim_options, .parser = parse_sim};
const struct argp ls_threads_argp = {.options = threads_options, .parser = parse_threads};
static const struct argp_child match_children[] = {{&ls_sim_argp, 0, NULL, 0}, {0}};
const struct argp ls_match_argp = {
    .options = match_options, .parser = parse_match, .children = match_children};

static ls_status apply_set(const ls_match_set *set, const ls_sim *sim, ls_match *match,
                           ls_error *error)
{
    char known[512] = "none";
    for (uint32_t i = 0, used = 0; i < sim->option_count; i++) {
        const ls_option *option = &sim->options[i];
        if (strlen(option->name) == set->name_bytes &&
            memcmp(option->name, set->name, set->name_bytes) == 0) {
            match->options[i] = set->value;
            return LS_OK;
        }
        if (used < sizeof known)
            used += (uint32_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                       option->name);
    }
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
