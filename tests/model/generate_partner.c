/* Partners: entities that a concurrent system writes by a reference of its own. They are added to
 * programs that are otherwise complete, in a seventh of all, with random numbers of their own. Some
 * use components that the program has, the others new ones. */
#include "tests/model/generate.h"

#include <string.h>

enum { TRIES = 24, GIVES_MAX = 3 };

static bool is_single_reference(const struct generator *g, uint32_t component)
{
    const program_layout *layout = program_layout_of(g->made, component);
    return g->made->components[component].role == ROLE_CELL && layout->field_count &&
           layout->fields[0].type == LS_TYPE_ENTITY && layout->fields[0].bytes == 8;
}

uint8_t generate_component(struct generator *g, const program_component *given)
{
    struct program *p = g->made;
    static const uint8_t densities[] = {20, 50, 90, 100};
    uint32_t index = p->component_count++;
    program_component *made = &p->components[index];
    *made = *given;
    snprintf(made->name, sizeof made->name, "%c%c", (char)('A' + below(g, 26)),
             (char)('0' + index));
    for (uint32_t i = 0; i < p->group_count; i++) {
        p->groups[i].density[index] = densities[below(g, LS_COUNT_OF(densities))];
        p->groups[i].run[index] = (uint8_t)below(g, 7);
    }
    return (uint8_t)index;
}

/* Adds a component with a single reference, or with numbers alone. In a chain, each entity of the
 * first state refers to the one spawned before it, so that no two have the same partner. */
static uint8_t add_component(struct generator *g, bool is_reference)
{
    if (g->made->component_count == PROGRAM_COMPONENTS_MAX)
        return NO_ENTITY;
    const program_component made = {
        .layout = (uint8_t)(is_reference ? PROGRAM_ENTITY_LAYOUTS_FROM + below(g, 2)
                                         : 1 + below(g, PROGRAM_ENTITY_LAYOUTS_FROM - 1)),
        .role = ROLE_CELL,
        .on_despawn = (uint8_t)(is_reference ? below(g, LS_PARENT) : LS_KEEP),
        .is_chain = is_reference && chance(g, 85)};
    return generate_component(g, &made);
}

/* Lets query 0 read the component on its own entities; false if that query excludes or changes it,
 * or has no room. */
static bool read_own(program_system *system, uint8_t component)
{
    bool is_read = false;
    for (uint32_t i = 0; i < system->term_count; i++) {
        program_term *term = &system->terms[i];
        if (term->component != component || term->query != 0 || term->kind > LS_OPTIONAL)
            continue;
        if (term->kind != LS_INCLUDE || term->access > LS_ACCESS_READ || term->filter)
            return false;
        term->access = LS_ACCESS_READ;
        is_read = true;
    }
    if (!is_read && system->term_count + 2 > PROGRAM_TERMS_MAX)
        return false;
    if (!is_read)
        system->terms[system->term_count++] =
            (program_term){.component = component, .kind = LS_INCLUDE, .access = LS_ACCESS_READ};
    return true;
}

/* The component by which the system finds partners. */
static uint8_t pick_reference(struct generator *g, program_system *system)
{
    for (uint32_t tries = chance(g, 25) ? TRIES : 0; tries-- > 0;) {
        uint8_t found = (uint8_t)below(g, g->made->component_count);
        if (is_single_reference(g, found) && read_own(system, found))
            return found;
    }
    uint8_t made = add_component(g, true);
    return made != NO_ENTITY && read_own(system, made) ? made : NO_ENTITY;
}

/* Whether the system may write the component of partners, because it does not read that component
 * of other entities. */
static bool is_free(const struct generator *g, const program_system *system, uint8_t component)
{
    const program_layout *layout = program_layout_of(g->made, component);
    bool has_number = layout->field_count > 1 ||
                      (layout->field_count && layout->fields[0].type != LS_TYPE_ENTITY);
    if (g->made->components[component].role != ROLE_CELL || !has_number)
        return false;
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        bool is_own = term->kind <= LS_OPTIONAL && term->query == 0;
        bool is_other = term->kind == LS_OTHERS || (term->kind <= LS_OPTIONAL && !is_own);
        if (term->component == component && ((is_own && term->access == LS_ACCESS_STRUCTURE) ||
                                             (is_other && term->access >= LS_ACCESS_READ)))
            return false;
    }
    return true;
}

static uint8_t pick_given(struct generator *g, const program_system *system)
{
    for (uint32_t tries = chance(g, 50) ? TRIES : 0; tries-- > 0;) {
        uint8_t found = (uint8_t)below(g, g->made->component_count);
        if (is_free(g, system, found))
            return found;
    }
    return add_component(g, false);
}

static void add_partner(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    if (!system->is_concurrent || program_query_count(system) != 1 || system->join_count ||
        system->term_count + 2 > PROGRAM_TERMS_MAX)
        return;
    uint8_t reference = pick_reference(g, system);
    uint8_t given = reference == NO_ENTITY ? NO_ENTITY : pick_given(g, system);
    if (given == NO_ENTITY)
        return;
    uint32_t term = system->term_count++;
    system->partner = (program_partner){true, chance(g, 50), reference, 0};
    system->terms[term] =
        (program_term){.component = given, .kind = LS_PARTNER, .access = LS_ACCESS_WRITE};
    for (uint32_t tries = 0, gives = 1 + below(g, GIVES_MAX);
         tries < TRIES && gives && system->body_count < PROGRAM_BODY_MAX; tries++) {
        system->body[system->body_count] = (struct instruction){
            .op = OP_GIVE, .term = (uint8_t)term, .field = (uint8_t)below(g, 4), .a = 0};
        bool is_valid = program_is_valid(g->made, system, system->body_count);
        system->body_count += is_valid;
        gives -= is_valid;
    }
}

void generate_partners(struct generator *g)
{
    generate_in_some(g, 7, add_partner);
}
