#include "tests/model/generate.h"

/* Picks a component with the role that the system may write, or read if `writes` is false. Returns
 * NO_ENTITY if it finds none. */
static uint8_t pick_component(struct generator *g, uint32_t system, program_role role, bool writes)
{
    for (uint32_t i = 0; i < 20; i++) {
        uint8_t found = (uint8_t)below(g, g->made->component_count);
        if (g->has_sink && found == 0 && chance(g, 90))
            continue;
        bool is_free = g->mood != MOOD_PARALLEL || g->owner[found] == system ||
                       (!writes && g->owner[found] == NO_ENTITY);
        if (g->made->components[found].role == role && (is_free || chance(g, 1)))
            return found;
    }
    return NO_ENTITY;
}

static bool has_own_write(const program_system *system, uint8_t component, uint8_t access)
{
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        if (term->kind <= LS_OPTIONAL && term->query == 0 && term->component == component &&
            (term->access == LS_ACCESS_STRUCTURE ||
             (term->access == LS_ACCESS_WRITE && access >= LS_ACCESS_READ)))
            return true;
    }
    return false;
}

void generate_term(program_system *system, uint8_t component, ls_match_kind kind, ls_access access,
                   uint32_t query)
{
    if (component == NO_ENTITY || system->term_count == PROGRAM_TERMS_MAX)
        return;
    bool is_other = kind == LS_OTHERS || (kind <= LS_OPTIONAL && query != 0);
    if (system->is_concurrent && is_other && has_own_write(system, component, (uint8_t)access))
        return; /* would conflict with itself */
    system->terms[system->term_count++] = (program_term){.component = component,
                                                         .kind = (uint8_t)kind,
                                                         .access = (uint8_t)access,
                                                         .query = (uint8_t)query};
}

static uint8_t pick_cell(struct generator *g, uint32_t index, bool is_written)
{
    return pick_component(g, index, ROLE_CELL, is_written);
}

/* Adds up to three terms of which entities meet one. */
static void add_choice(struct generator *g, uint32_t index, uint32_t query)
{
    program_system *system = &g->made->systems[index];
    ls_filter filter = LS_FILTER_ANY;
    for (uint32_t i = 1 + below(g, 3); i-- > 0;) {
        uint32_t before = system->term_count;
        ls_access access = chance(g, 70) ? LS_ACCESS_PRESENCE : LS_ACCESS_READ;
        generate_term(system, pick_cell(g, index, false), LS_OPTIONAL, access, query);
        if (system->term_count == before)
            continue;
        system->terms[before].filter = (uint8_t)filter;
        filter = LS_FILTER_OR;
    }
}

static void add_change(struct generator *g, uint32_t index, uint32_t query)
{
    program_system *system = &g->made->systems[index];
    uint32_t before = system->term_count;
    ls_filter filter = (ls_filter)(LS_FILTER_CHANGED + below(g, 3));
    bool is_removal = filter == LS_FILTER_REMOVED;
    generate_term(system, pick_cell(g, index, false), is_removal ? LS_EXCLUDE : LS_INCLUDE,
                  is_removal ? LS_ACCESS_PRESENCE : LS_ACCESS_READ, query);
    if (system->term_count > before)
        system->terms[before].filter = (uint8_t)filter;
}

bool generate_observed(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    uint32_t before = system->term_count;
    generate_term(system, pick_cell(g, index, false), LS_OTHERS, LS_ACCESS_READ, 0);
    if (system->term_count == before)
        return false;
    system->terms[before].filter = LS_FILTER_OBSERVED;
    return true;
}

static void add_limits(struct generator *g, program_system *system, uint32_t query)
{
    for (uint32_t i = 1 + below(g, 2); i-- > 0 && system->limit_count < PROGRAM_LIMITS_MAX;)
        system->limits[system->limit_count++] =
            (program_limit){(uint8_t)query, (uint8_t)below(g, g->made->lane_count + 1)};
}

void generate_query(struct generator *g, uint32_t index, uint32_t query)
{
    program_system *system = &g->made->systems[index];
    uint32_t count = 1 + below(g, 3), before = system->term_count;
    for (uint32_t i = 0; i < count || (system->term_count == before && i < 40); i++) {
        uint32_t dice = below(g, 100);
        ls_match_kind kind = dice < 65 ? LS_INCLUDE : dice < 80 ? LS_EXCLUDE : LS_OPTIONAL;
        ls_access access = kind == LS_EXCLUDE ? LS_ACCESS_PRESENCE : (ls_access)below(g, 4);
        if (system->is_concurrent && query != 0 && access > LS_ACCESS_READ)
            access = LS_ACCESS_READ;
        uint8_t component = pick_cell(g, index, access >= LS_ACCESS_WRITE);
        generate_term(system, component, kind, access, query);
    }
    for (uint32_t i = 0; i < 2 && chance(g, 15); i++)
        add_choice(g, index, query);
    for (uint32_t i = 0; i < 2 && chance(g, 20); i++)
        add_change(g, index, query);
    if (system->term_count > before && chance(g, 15))
        add_limits(g, system, query);
}

void generate_terms_beside(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    bool is_seq = !system->is_concurrent;
    for (uint32_t i = below(g, 4); i-- > 0;) {
        ls_access max = is_seq ? LS_ACCESS_STRUCTURE : LS_ACCESS_READ;
        ls_access access = (ls_access)below(g, max + 1u);
        uint8_t component = pick_cell(g, index, access >= LS_ACCESS_WRITE);
        generate_term(system, component, LS_OTHERS, access, 0);
    }
    if (chance(g, 25))
        generate_term(system, pick_cell(g, index, false), LS_START, LS_ACCESS_READ, 0);
    if (chance(g, 30))
        generate_term(system, pick_component(g, index, ROLE_SINGLETON, is_seq), LS_OTHERS,
                      is_seq ? LS_ACCESS_WRITE : LS_ACCESS_READ, 0);
    for (uint32_t i = system->lane_count ? 2 : 0; i-- > 0;)
        generate_term(system, pick_cell(g, index, true), LS_SPAWNED, LS_ACCESS_STRUCTURE, 0);
    for (uint32_t i = chance(g, 40) ? 1 + below(g, 2) : 0; i-- > 0;) {
        uint8_t role = chance(g, 80) ? ROLE_CELL : ROLE_SINGLETON;
        /* Includes components of other systems: two additions need no order. */
        uint8_t component = pick_component(g, index, (program_role)role, chance(g, 40));
        if (g->has_sink || chance(g, 30))
            component = 0;
        for (uint32_t j = 0, end = chance(g, 30) ? system->term_count : 0; j < end; j++) {
            if (system->terms[j].access == LS_ACCESS_STRUCTURE &&
                system->terms[j].kind <= LS_OPTIONAL)
                component = system->terms[j].component; /* detached before the values arrive */
        }
        uint8_t layout = component == NO_ENTITY ? 0 : g->made->components[component].layout;
        uint32_t op = LS_COMBINE - below(g, layout < PROGRAM_ENTITY_LAYOUTS_FROM ? 7 : 3);
        if (layout != 0)
            generate_term(system, component, LS_ACCUMULATED, (ls_access)op, 0);
    }
    if (chance(g, 60))
        generate_term(system, pick_component(g, index, ROLE_EVENT, true), LS_EVENTS,
                      chance(g, 50) ? LS_ACCESS_WRITE : LS_ACCESS_READ, 0);
    for (uint32_t i = chance(g, 35) ? 1 + below(g, 2) : 0; i-- > 0;)
        generate_term(system, pick_cell(g, index, false), LS_COMMANDS, LS_ACCESS_STRUCTURE, 0);
}
