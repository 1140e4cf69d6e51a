#include "cli/network/relay_options.h"

#include "cli/common/clock.h"
#include "cli/common/number.h"

#include <stdio.h>
#include <string.h>

#define REORDER_DELAY_NS (40 * LS_NS_PER_MS) /* if no delay is given */

/* The conditions, indexed by the number of their option. */
static const struct condition {
    const char *name, *unit;
    size_t offset;
    uint32_t decimals; /* the option's unit is 10^decimals of the member's unit */
    uint64_t min, max;
} conditions[] = {
    {"loss", "%", offsetof(ls_impairment_conditions, loss), 4, 0, LS_PROBABILITY_ONE},
    {"burst", "ms", offsetof(ls_impairment_conditions, burst_ns), 6, LS_IMPAIRMENT_BURST_NS_MIN,
     10 * LS_SECOND_NS},
    {"delay", "ms", offsetof(ls_impairment_conditions, delay_ns), 6, 0, 10 * LS_SECOND_NS},
    {"jitter", "ms", offsetof(ls_impairment_conditions, jitter_ns), 6, 0, 10 * LS_SECOND_NS},
    {"reorder", "%", offsetof(ls_impairment_conditions, reorder), 4, 0, LS_PROBABILITY_ONE},
    {"reorder-delay", "ms", offsetof(ls_impairment_conditions, reorder_delay_ns), 6, 0,
     10 * LS_SECOND_NS},
    {"duplicate", "%", offsetof(ls_impairment_conditions, duplicate), 4, 0, LS_PROBABILITY_ONE},
    {"corrupt", "%", offsetof(ls_impairment_conditions, corrupt), 4, 0, LS_PROBABILITY_ONE},
    {"truncate", "%", offsetof(ls_impairment_conditions, truncate), 4, 0, LS_PROBABILITY_ONE},
    {"rate", "kB/s", offsetof(ls_impairment_conditions, rate), 3, 1000, 1000 * LS_NS_PER_MS},
};

enum { CONDITIONS = LS_COUNT_OF(conditions), REORDER_DELAY = 5 };

static uint64_t *member(ls_impairment_conditions *of, uint32_t index)
{
    return (uint64_t *)(void *)((char *)of + conditions[index].offset);
}

static void take_condition(const ls_argument_state *state, const ls_argument *argument, void *input,
                           char *text)
{
    ls_relay_options *options = input;
    const struct condition *condition = &conditions[argument->number];
    uint64_t value, unit = 1;
    for (uint32_t i = 0; i < condition->decimals; i++)
        unit *= 10;
    if (!ls_parse_decimal(text, condition->decimals, condition->max, &value) ||
        value < condition->min)
        ls_argument_fail(state, "--%s takes a number of %s from %llu to %llu, not '%s'",
                         argument->name, condition->unit,
                         (unsigned long long)(condition->min / unit),
                         (unsigned long long)(condition->max / unit), text);
    *member(&options->given, argument->number) = value;
    options->mask |= 1u << argument->number;
}

static void take_profile(const ls_argument_state *state, const ls_argument *argument, void *input,
                         char *text)
{
    ls_relay_options *options = input;
    if (!ls_impairment_profile(text, &options->profile))
        ls_argument_fail(state, "--%s takes one of " LS_IMPAIRMENT_PROFILES ", not '%s'",
                         argument->name, text);
}

static void check(const ls_argument_state *state, const ls_relay_options *options,
                  const char *before)
{
    ls_impairment_conditions chosen = ls_relay_options_conditions(options);
    if (chosen.burst_ns && !chosen.loss)
        ls_argument_fail(state, "--%sburst gathers what --%sloss loses: give both", before, before);
}

static void check_relay(const ls_argument_state *state, void *options)
{
    check(state, options, "");
}

static void check_join(const ls_argument_state *state, void *options)
{
    check(state, options, "relay-");
}

static const char *const sides[] = {"both", "up", "down", NULL};

/* clang-format off */
#define CONDITION(number_, name, value, help) \
    LS_ARGUMENT_CALL(name, value, take_condition, help, .number = (number_), .has = IS_ANY)
#define IS_ANY offsetof(ls_relay_options, is_any)
#define LIST(title, before)                                                                        \
    {                                                                                              \
        LS_ARGUMENT_TITLE(title),                                                                  \
        CONDITION(0, before "loss", "PERCENT", "Drop this share of the packets"),                  \
        CONDITION(1, before "burst", "MS",                                                         \
                  "Gather the losses of --" before "loss in bursts of this mean length"),          \
        CONDITION(2, before "delay", "MS", "Delay every packet, in each direction"),               \
        CONDITION(3, before "jitter", "MS",                                                        \
                  "Delay each packet further, by a random time up to this"),                       \
        CONDITION(4, before "reorder", "PERCENT",                                                  \
                  "Hold back this share of the packets, which others then overtake"),              \
        CONDITION(5, before "reorder-delay", "MS",                                                 \
                  "Hold packets of --" before "reorder back for this time (default 40)"),          \
        CONDITION(6, before "duplicate", "PERCENT", "Deliver this share of the packets twice"),    \
        CONDITION(7, before "corrupt", "PERCENT", "Flip one bit in this share of the packets"),    \
        CONDITION(8, before "truncate", "PERCENT",                                                 \
                  "Cut off the end of this share of the packets"),                                 \
        CONDITION(9, before "rate", "KB",                                                          \
                  "Limit each client to this many kB/s in each direction; a packet that would "    \
                  "wait longer than 0.5 s is dropped"),                                            \
        LS_ARGUMENT_FLAG(before "shared", ls_relay_options, is_shared,                             \
                         "All clients together pass one line of --" before "rate",                 \
                         .has = IS_ANY),                                                           \
        LS_ARGUMENT_NUMBER(before "seed", "N", ls_relay_options, seed, 0, UINT64_MAX,              \
                           "Seed of the random impairments (default 0)", .has = IS_ANY),           \
        LS_ARGUMENT_CHOICE(before "only", "up|down|both", ls_relay_options, side, sides,                \
                           "Impair one direction only: up, to the server, or down, from it "       \
                           "(default: both)", .has = IS_ANY),                                      \
        LS_ARGUMENT_CALL(before "profile", "NAME", take_profile,                                   \
                         "Start from a named network, which other options adjust: "                \
                         LS_IMPAIRMENT_PROFILES, .has = IS_ANY),                                   \
        LS_ARGUMENT_NUMBER(before "rebind-after", "S", ls_relay_options, rebind_after_ns, 1,       \
                           86400, "Move each client to another port once, after S seconds, as a "  \
                           "NAT does", .scale = LS_SECOND_NS, .has = IS_ANY),                          \
        {0}                                                                                        \
    }
/* clang-format on */
static const ls_argument relay_list[] = LIST("Impairments:", "");
static const ls_argument join_list[] =
    LIST("Impairments between this client and the server:", "relay-");

const ls_arguments ls_relay_arguments = {.list = relay_list, .check = check_relay};
const ls_arguments ls_join_relay_arguments = {.list = join_list, .check = check_join};

ls_impairment_conditions ls_relay_options_conditions(const ls_relay_options *options)
{
    ls_impairment_conditions result = options->profile, given = options->given;
    for (uint32_t i = 0; i < CONDITIONS; i++) {
        if (options->mask & 1u << i)
            *member(&result, i) = *member(&given, i);
    }
    if (result.reorder && !result.reorder_delay_ns && !(options->mask & 1u << REORDER_DELAY))
        result.reorder_delay_ns = REORDER_DELAY_NS;
    return result;
}

void ls_relay_options_apply(const ls_relay_options *options, ls_relay_config *config)
{
    const ls_impairment_conditions chosen = ls_relay_options_conditions(options);
    config->up = options->side == LS_RELAY_DOWN ? (ls_impairment_conditions){0} : chosen;
    config->down = options->side == LS_RELAY_UP ? (ls_impairment_conditions){0} : chosen;
    config->seed = options->seed;
    config->rebind_after_ns = options->rebind_after_ns;
    config->is_shared = options->is_shared;
}

void ls_conditions_format(const ls_impairment_conditions *of, char text[LS_CONDITIONS_TEXT_BYTES])
{
    ls_impairment_conditions copy = *of;
    int used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < CONDITIONS; i++) {
        uint64_t value = *member(&copy, i);
        bool is_idle = i == REORDER_DELAY && !copy.reorder;
        if (!value || is_idle)
            continue;
        double unit = 1;
        for (uint32_t k = 0; k < conditions[i].decimals; k++)
            unit *= 10;
        used += snprintf(text + used, LS_CONDITIONS_TEXT_BYTES - (size_t)used, "%s%s %.6g %s",
                         used ? ", " : "", conditions[i].name, (double)value / unit,
                         conditions[i].unit);
        LS_ASSERT(used < LS_CONDITIONS_TEXT_BYTES);
    }
    if (!used)
        snprintf(text, LS_CONDITIONS_TEXT_BYTES, "nothing");
}
