#include "cli/network/relay_options.h"

#include "cli/common/match_options.h"
#include "cli/common/number.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

#define REORDER_DELAY_NS (40 * NS_PER_MS) /* when none is given */

enum {
    KEY_FIRST = 0x300,
    KEY_SEED = 0x340,
    KEY_ONLY,
    KEY_PROFILE,
    KEY_REBIND_AFTER,
};

/* The conditions in the order of their keys. */
static const struct condition {
    const char *name, *unit;
    size_t offset;
    uint32_t decimals; /* of the unit that make one of ours */
    uint64_t min, max;
} conditions[] = {
    {"loss", "%", offsetof(ls_impairment_conditions, loss), 4, 0, LS_CHANCE_WHOLE},
    {"burst", "ms", offsetof(ls_impairment_conditions, burst_ns), 6, LS_IMPAIRMENT_BURST_NS_MIN,
     10 * NS_PER_S},
    {"delay", "ms", offsetof(ls_impairment_conditions, delay_ns), 6, 0, 10 * NS_PER_S},
    {"jitter", "ms", offsetof(ls_impairment_conditions, jitter_ns), 6, 0, 10 * NS_PER_S},
    {"reorder", "%", offsetof(ls_impairment_conditions, reorder), 4, 0, LS_CHANCE_WHOLE},
    {"reorder-delay", "ms", offsetof(ls_impairment_conditions, reorder_delay_ns), 6, 0,
     10 * NS_PER_S},
    {"duplicate", "%", offsetof(ls_impairment_conditions, duplicate), 4, 0, LS_CHANCE_WHOLE},
    {"corrupt", "%", offsetof(ls_impairment_conditions, corrupt), 4, 0, LS_CHANCE_WHOLE},
    {"truncate", "%", offsetof(ls_impairment_conditions, truncate), 4, 0, LS_CHANCE_WHOLE},
    {"rate", "kB/s", offsetof(ls_impairment_conditions, rate), 3, 1000, 1000 * NS_PER_MS},
};

enum { CONDITIONS = LS_COUNT_OF(conditions), REORDER_DELAY = 5 };

static uint64_t *member(ls_impairment_conditions *of, uint32_t index)
{
    return (uint64_t *)(void *)((char *)of + conditions[index].offset);
}

/* The name of an option as it is typed: with what is before it for `join`. */
#define NAME_BYTES 32
static const char *name_of(const char *before, const char *name, char text[NAME_BYTES])
{
    int length = snprintf(text, NAME_BYTES, "%s%s", before, name);
    LS_ASSERT(length > 0 && length < NAME_BYTES);
    return text;
}

static void parse_condition(const struct argp_state *state, const char *before, uint32_t index,
                            const char *text)
{
    ls_relay_options *options = state->input;
    const struct condition *condition = &conditions[index];
    char name[NAME_BYTES];
    uint64_t value;
    uint64_t unit = 1;
    for (uint32_t i = 0; i < condition->decimals; i++)
        unit *= 10;
    if (!ls_parse_decimal(text, condition->decimals, condition->max, &value) ||
        value < condition->min)
        argp_error(state, "--%s takes a number of %s from %llu to %llu, not '%s'",
                   name_of(before, condition->name, name), condition->unit,
                   (unsigned long long)(condition->min / unit),
                   (unsigned long long)(condition->max / unit), text);
    *member(&options->given, index) = value;
    options->mask |= 1u << index;
}

static void parse_side(const struct argp_state *state, const char *before, const char *text)
{
    ls_relay_options *options = state->input;
    if (strcmp(text, "up") == 0)
        options->side = LS_RELAY_UP;
    else if (strcmp(text, "down") == 0)
        options->side = LS_RELAY_DOWN;
    else
        argp_error(state, "--%sonly takes up or down, not '%s'", before, text);
}

static error_t parse_named(int key, char *text, const struct argp_state *state, const char *before)
{
    ls_relay_options *options = state->input;
    char name[NAME_BYTES];
    switch (key) {
    case KEY_SEED:
        options->seed = ls_argp_u64(state, name_of(before, "seed", name), text, 0, UINT64_MAX);
        return 0;
    case KEY_ONLY:
        parse_side(state, before, text);
        return 0;
    case KEY_PROFILE:
        if (!ls_impairment_profile(text, &options->profile))
            argp_error(state, "--%sprofile takes one of " LS_IMPAIRMENT_PROFILES ", not '%s'",
                       before, text);
        return 0;
    case KEY_REBIND_AFTER:
        options->rebind_after_ns =
            ls_argp_u64(state, name_of(before, "rebind-after", name), text, 1, 86400) * NS_PER_S;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(const struct argp_state *state, const char *before)
{
    ls_impairment_conditions chosen = ls_relay_options_conditions(state->input);
    if (chosen.burst_ns && !chosen.loss)
        argp_error(state, "--%sburst gathers what --%sloss loses: give both", before, before);
}

static error_t parse(int key, char *text, const struct argp_state *state, const char *before)
{
    ls_relay_options *options = state->input;
    error_t result = 0;
    if (key == ARGP_KEY_END) {
        check(state, before);
        return 0;
    }
    if (key >= KEY_FIRST && key < KEY_FIRST + CONDITIONS)
        parse_condition(state, before, (uint32_t)(key - KEY_FIRST), text);
    else
        result = parse_named(key, text, state, before);
    if (result == 0)
        options->is_any = true;
    return result;
}

static error_t parse_relay(int key, char *text, struct argp_state *state)
{
    return parse(key, text, state, "");
}

static error_t parse_join(int key, char *text, struct argp_state *state)
{
    return parse(key, text, state, "relay-");
}

/* clang-format off */
#define OPTIONS(title, before)                                                                     \
    {                                                                                              \
        {0, 0, NULL, 0, title, LS_RELAY_GROUP},                                                    \
        {before "loss", KEY_FIRST, "PERCENT", 0, "Drop this share of the packets", 0},             \
        {before "burst", KEY_FIRST + 1, "MS", 0,                                                   \
         "Gather the losses of --" before "loss in bursts of this mean length", 0},                \
        {before "delay", KEY_FIRST + 2, "MS", 0, "Delay every packet, in each direction", 0},      \
        {before "jitter", KEY_FIRST + 3, "MS", 0,                                                  \
         "Delay each packet further, by a random time up to this", 0},                             \
        {before "reorder", KEY_FIRST + 4, "PERCENT", 0,                                            \
         "Hold back this share of the packets, which others then overtake", 0},                    \
        {before "reorder-delay", KEY_FIRST + 5, "MS", 0,                                           \
         "Hold packets of --" before "reorder back for this time (default 40)", 0},                \
        {before "duplicate", KEY_FIRST + 6, "PERCENT", 0,                                          \
         "Deliver this share of the packets twice", 0},                                            \
        {before "corrupt", KEY_FIRST + 7, "PERCENT", 0,                                            \
         "Flip one bit in this share of the packets", 0},                                          \
        {before "truncate", KEY_FIRST + 8, "PERCENT", 0,                                           \
         "Cut off the end of this share of the packets", 0},                                       \
        {before "rate", KEY_FIRST + 9, "KB", 0,                                                    \
         "Limit each client to this many kB/s in each direction; a packet that would wait longer " \
         "than 0.5 s is dropped",                                                                  \
         0},                                                                                       \
        {before "seed", KEY_SEED, "N", 0, "Seed of the random impairments (default 0)", 0},        \
        {before "only", KEY_ONLY, "up|down", 0,                                                    \
         "Impair one direction only: up, to the server, or down, from it (default: both)", 0},     \
        {before "profile", KEY_PROFILE, "NAME", 0,                                                 \
         "Start from a named network, which other options adjust: " LS_IMPAIRMENT_PROFILES, 0},        \
        {before "rebind-after", KEY_REBIND_AFTER, "S", 0,                                          \
         "Move each client to another port once, after S seconds, as a NAT does", 0},              \
        {0}                                                                                        \
    }
/* clang-format on */
static const struct argp_option relay_options[] = OPTIONS("Impairments:", "");
static const struct argp_option join_options[] =
    OPTIONS("Impairments between this client and the server:", "relay-");

const struct argp ls_relay_argp = {relay_options, parse_relay, NULL, NULL, NULL, NULL, NULL};
const struct argp ls_join_relay_argp = {join_options, parse_join, NULL, NULL, NULL, NULL, NULL};

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
