/* A par in a schedule that is otherwise complete, and choices of threads. */
#include "tests/schedule/generate.h"

#include <string.h>

/* All orders that the schedule asks for, weak ones too, closed over their paths. */
static void close_orders(const schedule *made, bool paths[SYSTEMS_MAX][SYSTEMS_MAX])
{
    uint32_t count = made->system_count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            const actor *one = &made->systems[i], *other = &made->systems[j];
            bool is_labelled =
                i != j && other->after_label && one->labels >> (other->after_label - 1) & 1;
            paths[i][j] = made->before[i][j] || made->weakly[i][j] || made->needs[i][j] ||
                          is_labelled || (i != j && schedule_is_in(one, other->after_part));
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < count; j++)
                paths[i][j] |= paths[i][k] && paths[k][j];
        }
    }
}

/* To other systems, a par is one node: no path may leave it and come back, and none may lead from
 * one side to another. */
static bool is_closed(const schedule *made)
{
    bool paths[SYSTEMS_MAX][SYSTEMS_MAX], is_left[SYSTEMS_MAX] = {false},
                                          is_reached[SYSTEMS_MAX] = {false}, is_well = true;
    close_orders(made, paths);
    for (uint32_t i = 0; i < made->system_count; i++) {
        uint32_t one = made->systems[i].side;
        for (uint32_t j = 0; j < made->system_count; j++) {
            uint32_t other = made->systems[j].side;
            is_well &= !paths[i][j] || !one || !other || one == other;
            is_left[j] |= paths[i][j] && one && !other;
            is_reached[i] |= paths[i][j] && !one && other;
        }
    }
    for (uint32_t i = 0; i < made->system_count; i++)
        is_well &= !is_left[i] || !is_reached[i];
    return is_well;
}

/* Removes the orders between sides. */
static void clear_orders(schedule *made)
{
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *one = &made->systems[i];
        if (!one->side)
            continue;
        one->after_label = one->after_part = 0;
        for (uint32_t j = 0; j < made->system_count; j++) {
            if (made->systems[j].side && made->systems[j].side != one->side)
                made->before[i][j] = made->weakly[i][j] = made->needs[i][j] = false;
        }
    }
}

static bool choose_sides(struct generator *own, schedule *made)
{
    uint32_t stage = below(own, made->stage_count), members[SIDES_MAX] = {0}, filled = 0;
    made->par_sides = (uint8_t)(chance(own, 80) ? 2 : SIDES_MAX);
    made->par_first_wins = chance(own, 75); /* a tick that fails hides other differences */
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        if (system->slot != LS_PARALLEL || system->stage != stage || !chance(own, 65))
            continue;
        system->side = (uint8_t)(1 + below(own, made->par_sides));
        filled += members[system->side - 1u]++ == 0;
    }
    return filled == made->par_sides && !made->insertion_order[stage];
}

static void generate_main_threads(schedule *made)
{
    struct generator own = {.random = mix(made->seed, 22)};
    for (uint32_t i = 0; i < made->stage_count; i++)
        made->is_on_main_thread[i] = chance(&own, 5);
    for (uint32_t i = 0; i < made->system_count; i++) {
        actor *system = &made->systems[i];
        system->is_on_main_thread = !system->home_thread && chance(&own, 5);
        system->cost_ns = chance(&own, 15) ? below(&own, 1000000) : 0;
    }
}

/* Most schedules with many orders have no par that fits, so several are tried. */
void generate_par(schedule *made)
{
    struct generator own = {.random = mix(made->seed, 21)};
    generate_main_threads(made);
    if (!chance(&own, 20))
        return;
    for (uint32_t tries = 0; tries < 6; tries++) {
        schedule candidate = *made;
        if (!choose_sides(&own, &candidate))
            continue;
        clear_orders(&candidate);
        if (is_closed(&candidate)) {
            *made = candidate;
            return;
        }
    }
}
