/* Grids, joins that systems walk, inputs and prefabs. They are added to programs that are otherwise
 * complete, each to a seventh of all, with random numbers of their own. */
#include "tests/model/generate.h"

/* Whether a concurrent system changes the component on its own entities, so that it can find others
 * only as they were when it began. */
static bool changes_own(const program_system *system, uint8_t component, ls_access access)
{
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        if (term->component == component && term->kind < LS_OTHERS && term->access >= access)
            return true;
    }
    return false;
}

/* A component with positions: mostly one that the program has. */
static uint8_t pick_places(struct generator *g, bool is_space)
{
    struct program *p = g->made;
    uint8_t layout = is_space ? PROGRAM_SPACE : PROGRAM_PLANE;
    for (uint8_t i = 0; i < p->component_count; i++) {
        if (p->components[i].layout == layout && chance(g, 80))
            return i;
    }
    const program_component made = {.layout = layout, .role = ROLE_CELL};
    return p->component_count < PROGRAM_COMPONENTS_MAX ? generate_component(g, &made) : NO_ENTITY;
}

/* The term by which the system finds its own place; the number of terms if it has no room. */
static uint32_t add_own_place(struct generator *g, program_system *system, uint8_t places)
{
    uint32_t term = 0;
    while (term < system->term_count &&
           (system->terms[term].component != places || system->terms[term].kind != LS_INCLUDE ||
            system->terms[term].query != 0))
        term++;
    if (term < system->term_count || !program_query_count(system) ||
        system->term_count == PROGRAM_TERMS_MAX)
        return term;
    ls_access access = chance(g, 35) ? LS_ACCESS_WRITE : LS_ACCESS_READ;
    system->terms[system->term_count++] =
        (program_term){.component = places,
                       .kind = (uint8_t)(chance(g, 70) ? LS_INCLUDE : LS_OPTIONAL),
                       .access = (uint8_t)access};
    /* Moves itself at the end. */
    for (uint8_t field = 0; field < 2 && access == LS_ACCESS_WRITE; field++) {
        if (system->body_count < PROGRAM_BODY_MAX && chance(g, 80))
            system->body[system->body_count++] = (struct instruction){
                .op = OP_STORE, .term = (uint8_t)term, .field = field, .entity = E_MATCH};
    }
    return term;
}

/* Mostly a component that some system changes. */
static uint8_t pick_changed(struct generator *g)
{
    const struct program *p = g->made;
    for (uint32_t tries = 0; tries < 20; tries++) {
        const program_system *system = &p->systems[below(g, p->system_count)];
        const program_term *term = &system->terms[below(g, PROGRAM_TERMS_MAX)];
        if (term < system->terms + system->term_count && term->kind <= LS_OTHERS &&
            term->access >= LS_ACCESS_WRITE && term->access <= LS_ACCESS_STRUCTURE)
            return term->component;
    }
    return (uint8_t)below(g, p->component_count);
}

/* Chooses a component that a grid or join filters by, mostly with its values. False if it has no
 * cells. */
static bool pick_filter(struct generator *g, program_system *system, uint8_t *with)
{
    *with = pick_changed(g);
    if (g->made->components[*with].role != ROLE_CELL)
        return false;
    if (system->term_count < PROGRAM_TERMS_MAX && chance(g, 85))
        system->terms[system->term_count++] =
            (program_term){.component = *with, .kind = LS_START, .access = LS_ACCESS_READ};
    return true;
}

static void insert_near(struct generator *g, program_system *system, uint32_t grid, uint32_t term)
{
    uint32_t kind = chance(g, 30) ? NEAR_NEAREST : below(g, NEAR_KINDS);
    struct instruction made = {.op = OP_NEAR,
                               .term = (uint8_t)(chance(g, 80) ? term : UINT8_MAX),
                               .entity = E_MATCH,
                               .to = (uint8_t)(E_LOADED + below(g, 2)),
                               .a = 5,
                               .b = (uint8_t)grid,
                               .c = 4};
    made.imm = kind + NEAR_KINDS * (below(g, NEAR_RADII) + NEAR_RADII * below(g, NEAR_MOST));
    uint32_t at = generate_insert(g, system, made);
    if (at == PROGRAM_BODY_MAX)
        return;
    if (!program_is_valid(g->made, system, at))
        system->body[at].imm -= kind; /* a walk without values */
    generate_guard(g, system, at, 0);
}

static void add_grid(struct generator *g, uint32_t index)
{
    static const int32_t cells[] = {1, LS_FIX_ONE / 4, LS_FIX_ONE, 5 * LS_FIX_ONE, LS_FIX_MAX};
    program_system *system = &g->made->systems[index];
    bool is_space = chance(g, 55);
    uint8_t places = pick_places(g, is_space);
    if (places == NO_ENTITY || system->grid_count == PROGRAM_GRIDS_MAX)
        return;
    program_grid *grid = &system->grids[system->grid_count];
    *grid = (program_grid){.component = places, .offsets = {0, 4, 8}};
    grid->has_z = is_space && chance(g, 80);
    if (is_space && !grid->has_z)
        grid->offsets[1] = 8;
    grid->cell = cells[below(g, LS_COUNT_OF(cells))];
    uint32_t term = add_own_place(g, system, places);
    if (chance(g, 65))
        grid->has_with = pick_filter(g, system, &grid->with);
    grid->start = chance(g, 30) || changes_own(system, places, LS_ACCESS_WRITE) ||
                  (grid->has_with && changes_own(system, grid->with, LS_ACCESS_STRUCTURE));
    uint32_t number = system->grid_count++;
    for (uint32_t i = 2 + below(g, 2); i-- > 0;)
        insert_near(g, system, number, term);
}

static bool is_key(const ls_field *field)
{
    return field->bytes == ls_type_bytes(field->type) && field->type != LS_TYPE_FIX;
}

static void add_keys(struct generator *g, uint32_t index)
{
    struct program *p = g->made;
    program_system *system = &p->systems[index];
    uint8_t component = (uint8_t)below(g, p->component_count);
    const program_layout *layout = program_layout_of(p, component);
    uint8_t field = (uint8_t)(layout->field_count ? below(g, layout->field_count) : 0);
    if (p->components[component].role != ROLE_CELL || !layout->field_count ||
        !is_key(&layout->fields[field]) || system->join_count == PROGRAM_JOINS_MAX)
        return;
    uint32_t number = system->join_count++;
    program_join *join = &system->joins[number];
    *join = (program_join){.component = component, .field = field};
    if (chance(g, 50))
        join->has_with = pick_filter(g, system, &join->with);
    join->start = chance(g, 30) || changes_own(system, component, LS_ACCESS_WRITE) ||
                  (join->has_with && changes_own(system, join->with, LS_ACCESS_STRUCTURE));
    for (uint32_t i = 1 + below(g, 2); i-- > 0;) {
        const struct instruction made = {.op = OP_KEYS,
                                         .entity = (uint8_t)(chance(g, 80) ? E_MATCH : E_LOADED),
                                         .to = (uint8_t)(E_LOADED + below(g, 2)),
                                         .a = 5,
                                         .b = (uint8_t)number,
                                         .c = 4,
                                         .imm = below(g, 16 * KEYS_KINDS)};
        uint32_t at = generate_insert(g, system, made);
        if (at == PROGRAM_BODY_MAX)
            continue;
        if (!program_is_valid(g->made, system, at))
            system->body[at].imm -= made.imm % KEYS_KINDS; /* a walk without values */
        generate_guard(g, system, at, 0);
    }
}

static void add_inputs(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    if (!g->made->inputs)
        g->made->inputs = (uint8_t)(INPUTS_ORDERS + below(g, 2));
    for (uint32_t i = 1 + below(g, 2); i-- > 0;)
        generate_insert(g, system,
                        (struct instruction){.op = OP_INPUT, .c = 4, .imm = below(g, 32)});
}

/* Adds up to two terms by which the system gives components to what it spawns. */
static void add_given(struct generator *g, program_system *system, bool is_command)
{
    for (uint32_t i = 0; i < 2 && system->term_count < PROGRAM_TERMS_MAX; i++) {
        uint8_t component = (uint8_t)below(g, g->made->component_count);
        if (g->made->components[component].role == ROLE_CELL)
            system->terms[system->term_count++] =
                (program_term){.component = component,
                               .kind = (uint8_t)(is_command ? LS_COMMANDS : LS_SPAWNED),
                               .access = LS_ACCESS_STRUCTURE};
    }
}

/* Adds a prefab. Only few invocations spawn it, because the entities live on. */
static void add_prefab(struct generator *g, uint32_t index)
{
    program_system *system = &g->made->systems[index];
    bool is_command = chance(g, 50);
    uint8_t *count = is_command ? &system->command_lane_count : &system->lane_count;
    uint8_t *lanes = is_command ? system->command_lanes : system->lanes;
    if (*count == 0)
        lanes[(*count)++] = (uint8_t)below(g, g->made->lane_count + 1);
    if (chance(g, 80))
        add_given(g, system, is_command);
    struct instruction made = {.op = (uint8_t)(is_command ? OP_COMMAND_PREFAB : OP_PREFAB),
                               .entity =
                                   (uint8_t)(is_command ? E_COMMANDED : E_NEWBORN + below(g, 2))};
    made.imm = below(g, *count) + 2 * below(g, 1 << 16);
    uint32_t at = generate_insert(g, system, made);
    if (at < PROGRAM_BODY_MAX)
        generate_guard(g, system, at, 2 + below(g, 6));
}

void generate_finds(struct generator *g)
{
    generate_in_some(g, 40, add_grid);
    generate_in_some(g, 41, add_keys);
    generate_in_some(g, 42, add_inputs);
    generate_in_some(g, 43, add_prefab);
}
