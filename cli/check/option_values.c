#include "cli/check/option_values.h"

#include <lockstep/random.h>

/* Returns the number of values minus 1: the number itself may not fit 64 bits. */
static uint64_t range_of(const ls_option *option)
{
    return (uint64_t)option->max - (uint64_t)option->min;
}

static int64_t value_at(const ls_option *option, uint64_t offset)
{
    return (int64_t)((uint64_t)option->min + offset);
}

/* How many values of the option are tried in a round. The value that the match has is counted too.
 * The first round has the ends of a wide range, or all values of a small one; the second what is
 * between the ends. */
static uint32_t tried(const ls_option *option, uint32_t round)
{
    uint64_t span = range_of(option);
    if (span < LS_OPTION_VALUES_ALL)
        return round == 0 ? (uint32_t)span + 1 : 0;
    return round == 0 ? 2 : LS_OPTION_VALUES_BETWEEN;
}

static int64_t tried_value(const ls_option *option, uint32_t round, uint32_t index)
{
    uint64_t span = range_of(option);
    if (span < LS_OPTION_VALUES_ALL)
        return value_at(option, index);
    return value_at(option, round == 0 ? index * span
                                       : span / (LS_OPTION_VALUES_BETWEEN + 1) * (index + 1));
}

/* Counts the ways up to number `until`. If there is a way with that number, stores its value in
 * `*found`, which may be NULL only if there is none. */
static uint32_t walk(const ls_sim *sim, const ls_option_pins *pins, uint32_t until,
                     const ls_match *match, ls_match *found)
{
    uint32_t count = 0, option_count = sim->option_count;
    for (uint32_t turn = 0; turn < 2 * option_count; turn++) {
        uint32_t i = turn % option_count, round = turn / option_count;
        const ls_option *option = &sim->options[i];
        for (uint32_t j = 0; j < tried(option, round) && !pins->is_pinned[i]; j++) {
            int64_t value = tried_value(option, round, j);
            if (value == match->options[i])
                continue;
            if (count++ < until)
                continue;
            found->options[i] = value;
            return count;
        }
    }
    return count;
}

uint32_t ls_option_values_count(const ls_sim *sim, const ls_option_pins *pins,
                                const ls_match *match)
{
    return walk(sim, pins, UINT32_MAX, match, NULL);
}

void ls_option_values_set(const ls_sim *sim, const ls_option_pins *pins, uint32_t way,
                          ls_match *match)
{
    const ls_match before = *match;
    LS_ASSERT(walk(sim, pins, way, &before, match) == way + 1);
}

void ls_option_values_draw(const ls_sim *sim, const ls_option_pins *pins, uint64_t seed,
                           ls_match *match)
{
    enum { KEPT, LEAST, GREATEST, ANY, CHOICES };
    for (uint32_t i = 0; i < sim->option_count; i++) {
        const ls_option *option = &sim->options[i];
        ls_random_stream stream = ls_random_child(ls_random_root(seed), i);
        uint32_t choice = ls_random_below(ls_random_draw(stream, 0), CHOICES);
        uint64_t bits = ls_random_draw(stream, 1), span = range_of(option);
        if (pins->is_pinned[i] || choice == KEPT)
            continue;
        if (choice == ANY)
            match->options[i] = value_at(option, span == UINT64_MAX ? bits : bits % (span + 1));
        else
            match->options[i] = choice == LEAST ? option->min : option->max;
    }
}
