/* The names and the first state of a random program. */
#include "tests/model/generate.h"

#include "tests/support/split_sim.h"

#include <string.h>

void generate_names(struct generator *g)
{
    struct program *p = g->made;
    uint32_t first = below(g, 26); /* names sort in another order than indices */
    for (uint32_t i = 0; i < p->component_count; i++)
        snprintf(p->components[i].name, 8, "%c%c", 'A' + (int)((first + i * 11) % 26),
                 (int)('0' + i));
    for (uint32_t i = 0; i < p->lane_count; i++)
        snprintf(p->lanes[i], 8, "%c%c", 'a' + (int)((first + i * 17) % 26), (int)('0' + i));
    for (uint32_t i = 0; i < p->system_count; i++)
        snprintf(p->systems[i].name, 8, "%c%c", 'a' + (int)((first * 3 + i * 7) % 26),
                 (int)('0' + i));
}

void generate_groups(struct generator *g)
{
    struct program *p = g->made;
    static const uint8_t densities[] = {0, 20, 50, 90, 100, 100};
    p->group_count = 1 + below(g, PROGRAM_GROUPS_MAX);
    for (uint32_t i = 0; i < p->group_count; i++) {
        program_group *group = &p->groups[i];
        group->lane = (uint8_t)below(g, p->lane_count + 1);
        group->despawned = chance(g, 50) ? 0 : (uint8_t)below(g, 60);
        uint32_t max = g->mood == MOOD_SMALL ? 8 : chance(g, 40) ? 700 : 60;
        group->count = (uint16_t)(1 + below(g, max));
        for (uint32_t j = 0; j < p->component_count; j++) {
            group->density[j] = densities[below(g, LS_COUNT_OF(densities))];
            group->run[j] = (uint8_t)below(g, 7);
        }
    }
}

/* Lets a third of the events live for several ticks. It has random numbers of its own, so the rest
 * of the program does not depend on it. */
static void keep_events(struct generator *g)
{
    for (uint32_t i = 0; i < g->made->component_count; i++) {
        program_component *made = &g->made->components[i];
        struct generator own = {.random = program_hash(g->made->seed, 6 + i)};
        if (made->role == ROLE_EVENT)
            made->ticks = (uint8_t)(chance(&own, 33) ? 2 + below(&own, 3) : 1);
    }
}

void generate_components(struct generator *g)
{
    struct program *p = g->made;
    p->component_count = 1 + below(g, g->mood == MOOD_PARALLEL ? 8 : 6);
    for (uint32_t i = 0; i < p->component_count; i++) {
        program_component *made = &p->components[i];
        made->layout =
            (uint8_t)(chance(g, 40) ? PROGRAM_ENTITY_LAYOUTS_FROM +
                                          below(g, PROGRAM_LAYOUTS - PROGRAM_ENTITY_LAYOUTS_FROM)
                                    : below(g, PROGRAM_ENTITY_LAYOUTS_FROM));
        made->role = i == 0 || made->layout == 0 ? ROLE_CELL
                     : chance(g, 20)             ? ROLE_EVENT
                     : chance(g, 8)              ? ROLE_SINGLETON
                                                 : ROLE_CELL;
        if (made->role == ROLE_EVENT && chance(g, 60))
            made->layout = (uint8_t)(PROGRAM_ENTITY_LAYOUTS_FROM + below(g, 2));
        bool has_reference = made->layout >= PROGRAM_ENTITY_LAYOUTS_FROM;
        if (has_reference && made->role == ROLE_CELL && chance(g, 40))
            made->on_despawn = chance(g, 50) ? LS_NULL : LS_CASCADE;
        if (has_reference && made->role == ROLE_SINGLETON && chance(g, 50))
            made->on_despawn = LS_NULL;
    }
    keep_events(g);
}

/* Mostly a component that some system attaches. */
static uint32_t pick_attached(struct generator *own)
{
    const struct program *p = own->made;
    for (uint32_t tries = 0; p->system_count && tries < 40; tries++) {
        const program_system *system = &p->systems[below(own, p->system_count)];
        const program_term *term = &system->terms[below(own, PROGRAM_TERMS_MAX)];
        if (term < system->terms + system->term_count && term->access == LS_ACCESS_STRUCTURE)
            return term->component;
    }
    return below(own, p->component_count);
}

/* Makes hierarchies of some of the single references that cascade. */
static bool make_parents(struct generator *own)
{
    struct program *p = own->made;
    bool is_any = false;
    for (uint32_t i = 0; i < p->component_count; i++) {
        program_component *component = &p->components[i];
        if (component->role != ROLE_CELL || component->on_despawn != LS_CASCADE ||
            program_layout_of(p, i)->fields[0].bytes != sizeof(ls_entity) || !chance(own, 70))
            continue;
        component->on_despawn = LS_PARENT;
        is_any = true;
    }
    return is_any;
}

/* Lets sequential systems run parents first. */
static void run_by_depth(struct generator *own)
{
    struct program *p = own->made;
    for (uint32_t i = 0; i < p->system_count; i++) {
        program_system *system = &p->systems[i];
        uint32_t component = below(own, p->component_count);
        while (p->components[component].on_despawn != LS_PARENT)
            component = (component + 1) % p->component_count;
        if (!system->is_concurrent && program_query_count(system) && chance(own, 60))
            system->parents_first = (uint8_t)(1 + component);
    }
}

/* Makes states of the game, with random numbers of its own: the rest of the program does not depend
 * on them. Mostly one system enters states. */
static void make_states(struct program *p)
{
    struct generator own = {.random = program_hash(p->seed, 31)};
    bool has_states = chance(&own, 15);
    for (uint32_t i = 0; has_states && i < p->system_count; i++) {
        program_states *made = &p->systems[i].states;
        made->enters = !p->systems[i].is_concurrent && chance(&own, 50);
        made->use = chance(&own, 60) ? (uint8_t)(USE_IN_STATE + below(&own, 3)) : USE_ALWAYS;
        made->state = (uint8_t)below(&own, PROGRAM_STATES);
    }
}

/* With random numbers of its own: the rest of the program does not depend on what this makes,
 * except for a second setup. That could give an entity two incompatible components or make a cycle,
 * so a program has only one or the other. */
void generate_facts(struct generator *g)
{
    struct program *p = g->made;
    struct generator own = {.random = program_hash(p->seed, 30), .made = p};
    for (uint32_t i = chance(&own, 20) ? 1 + below(&own, PROGRAM_PAIRS_MAX) : 0; i-- > 0;) {
        uint32_t one = pick_attached(&own), other = below(&own, p->component_count);
        const program_pair pair = {(uint8_t)(one < other ? one : other),
                                   (uint8_t)(one < other ? other : one)};
        bool is_new = one != other;
        for (uint32_t j = 0; j < p->pair_count; j++)
            is_new &= p->pairs[j].one != pair.one || p->pairs[j].other != pair.other;
        if (is_new && p->components[pair.one].role == ROLE_CELL &&
            p->components[pair.other].role == ROLE_CELL)
            p->pairs[p->pair_count++] = pair;
    }
    p->despawns_empty = chance(&own, 20);
    bool has_parents = make_parents(&own);
    if (has_parents)
        run_by_depth(&own);
    p->has_second_setup = !p->pair_count && !has_parents && program_hash(p->seed, 1) % 2;
    make_states(p);
}

static void add_prefix(char name[8], uint32_t part)
{
    char own[8];
    memcpy(own, name, sizeof own);
    snprintf(name, 8, "%s%.3s", split_prefixes[part], own);
}

/* Moves parts into modules, with random numbers of its own: the rest of the program does not depend
 * on them. A module has no word for a lane of the simulation itself, so modules have all lanes. */
void generate_modules(struct generator *g)
{
    struct program *p = g->made;
    struct generator own = {.random = program_hash(p->seed, 20), .made = p};
    p->has_modules = chance(&own, 50);
    for (uint32_t i = 0; p->has_modules && i < p->component_count; i++)
        add_prefix(p->components[i].name, below(&own, SPLIT_PARTS));
    for (uint32_t i = 0; p->has_modules && i < p->lane_count; i++)
        add_prefix(p->lanes[i], 1 + below(&own, SPLIT_PARTS - 1));
    for (uint32_t i = 0; p->has_modules && i < p->system_count; i++)
        add_prefix(p->systems[i].name, below(&own, SPLIT_PARTS));
}
