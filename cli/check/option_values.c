#include "cli/check/option_values.h"

#include <lockstep/random.h>

/* Returns the number of values minus 1, which fits for every range. */
static uint64_t span_of(const ls_option *option)
{
    return (uint64_t)option->max - (uint64_t)option->min;
}

static int64_t value_at(const ls_option *option, uint64_t offset)
{
    return (int64_t)((uint64_t)option->min + offset);
}

/* Returns how many values of the option are tried, with the one that the match has. */
static uint32_t tried(const ls_option *option)
{
    uint64_t span = span_of(option);
    return span < LS_OPTION_VALUES_ALL ? (uint32_t)span + 1 : 2;
}

static int64_t tried_value(const ls_option *option, uint32_t index)
{
    uint64_t span = span_of(option);
    return value_at(option, span < LS_OPTION_VALUES_ALL ? index : index * span);
}

/* Counts the ways up to number `until`. If there is one with that number, and `found` is not NULL,
 * stores its value there. */
static uint32_t walk(const ls_sim *sim, const ls_option_pins *pins, uint32_t until,
                     const ls_match *match, ls_match *found)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sim->option_count; i++) {
        const ls_option *option = &sim->options[i];
        for (uint32_t j = 0; j < tried(option) && !pins->is_pinned[i]; j++) {
            int64_t value = tried_value(option, j);
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
        uint64_t bits = ls_random_draw(stream, 1), span = span_of(option);
        if (pins->is_pinned[i] || choice == KEPT)
            continue;
        if (choice == ANY)
            match->options[i] = value_at(option, span == UINT64_MAX ? bits : bits % (span + 1));
        else
            match->options[i] = choice == LEAST ? option->min : option->max;
    }
}
