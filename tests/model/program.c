/* Layouts of components, and the check that instructions use only what their system declares. */
#include "tests/model/program.h"

#include <string.h>

#define FIELD(name, type, offset, bytes)                                                           \
    {                                                                                              \
        name, type, offset, bytes, 0, NULL, LS_KEEP, NULL                                          \
    }

const program_layout program_layouts[] = {
    {0, 0, {{0}}},
    {4, 1, {FIELD("a", LS_TYPE_U32, 0, 4)}},
    {8, 2, {FIELD("a", LS_TYPE_I32, 0, 4), FIELD("b", LS_TYPE_U32, 4, 4)}},
    {16,
     4,
     {FIELD("a", LS_TYPE_U64, 0, 8), FIELD("b", LS_TYPE_U16, 8, 2), FIELD("c", LS_TYPE_I16, 10, 2),
      FIELD("d", LS_TYPE_I32, 12, 4)}},
    {8,
     3,
     {FIELD("a", LS_TYPE_U16, 0, 4), FIELD("b", LS_TYPE_I8, 4, 1), FIELD("c", LS_TYPE_U8, 5, 3)}},
    {8, 1, {FIELD("e", LS_TYPE_ENTITY, 0, 8)}},
    {16,
     3,
     {FIELD("e", LS_TYPE_ENTITY, 0, 8), FIELD("a", LS_TYPE_U32, 8, 4),
      FIELD("b", LS_TYPE_I32, 12, 4)}},
    {16, 1, {FIELD("e", LS_TYPE_ENTITY, 0, 16)}},
    {12,
     3,
     {FIELD("x", LS_TYPE_FIX, 0, 4), FIELD("y", LS_TYPE_FIX, 4, 4), FIELD("a", LS_TYPE_U32, 8, 4)}},
    {16, 2, {FIELD("at", LS_TYPE_FIX3, 0, 12), FIELD("b", LS_TYPE_I32, 12, 4)}},
};

/* The programs' own operation: exclusive or, which is commutative and associative. */
static void xor_words(uint8_t *value, const uint8_t *other, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        value[i] ^= other[i];
}

#define XOR(bytes)                                                                                 \
    static void xor_##bytes(void *value, const void *other)                                        \
    {                                                                                              \
        xor_words(value, other, bytes);                                                            \
    }
XOR(4)
XOR(8)
XOR(16)

ls_combine_function *program_operation(uint32_t bytes)
{
    return bytes == 4 ? xor_4 : bytes == 8 ? xor_8 : xor_16;
}

static bool is_matched(uint8_t kind)
{
    return kind <= LS_OPTIONAL;
}

uint32_t program_query_count(const program_system *system)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        if (is_matched(term->kind) && !term->is_walked && term->query >= count)
            count = term->query + 1u;
    }
    return count;
}

bool program_walks(const program_system *system, uint32_t query)
{
    for (uint32_t i = 0; i < system->term_count; i++) {
        if (system->terms[i].is_walked && system->terms[i].query == query)
            return true;
    }
    return false;
}

static bool is_singleton(const struct program *program, const program_term *term)
{
    return program->components[term->component].role == ROLE_SINGLETON;
}

/* True if a concurrent system may access `entity` through the term. */
static bool is_in_reach(const program_system *system, const program_term *term, uint8_t entity)
{
    return !system->is_concurrent || !is_matched(term->kind) || term->query != 0 ||
           entity == E_MATCH;
}

static bool may_read(const program_system *system, const program_term *term,
                     const struct instruction *at, bool is_value)
{
    bool is_kind = is_matched(term->kind) || term->kind == LS_OTHERS || term->kind == LS_START;
    return is_kind && (!is_value || term->access >= LS_ACCESS_READ) &&
           is_in_reach(system, term, at->entity);
}

static bool may_write(const program_system *system, const program_term *term,
                      const struct instruction *at, ls_access access)
{
    if (term->access < access || term->access > LS_ACCESS_STRUCTURE)
        return false;
    if (term->kind == LS_SPAWNED)
        return at->op == OP_ATTACH && (at->entity == E_NEWBORN || at->entity == E_NEWBORN + 1);
    bool is_kind = term->kind == LS_INCLUDE || term->kind == LS_OPTIONAL ||
                   (term->kind == LS_OTHERS && !system->is_concurrent);
    if (system->is_concurrent && (term->query != 0 || at->entity != E_MATCH))
        return false;
    return is_kind && is_in_reach(system, term, at->entity);
}

static bool has_number(const struct program *program, const program_term *term, uint8_t field)
{
    const program_layout *layout = program_layout_of(program, term->component);
    return field < layout->field_count && layout->fields[field].type != LS_TYPE_ENTITY;
}

static bool has_reference(const struct program *program, const program_term *term, uint8_t field)
{
    const program_layout *layout = program_layout_of(program, term->component);
    return field < layout->field_count && layout->fields[field].type == LS_TYPE_ENTITY;
}

static bool is_loaded(uint8_t entity)
{
    return entity == E_LOADED || entity == E_LOADED + 1;
}

/* Bulk instructions are valid only at the start of the body. */
static bool is_bulk_valid(const struct program *program, const program_system *system,
                          uint32_t index)
{
    const struct instruction *at = &system->body[index];
    const program_term *term = &system->terms[at->term];
    for (uint32_t i = 0; i < index; i++) {
        if (system->body[i].op > OP_BULK_DETACH)
            return false;
    }
    (void)program;
    return system->is_concurrent && program_query_count(system) == 1 && at->entity == E_MATCH &&
           (term->kind == LS_INCLUDE || term->kind == LS_OPTIONAL) && term->query == 0 &&
           term->access == LS_ACCESS_STRUCTURE;
}

static bool is_term_valid(const struct program *program, const program_system *system,
                          uint32_t index)
{
    const struct instruction *at = &system->body[index];
    const program_term *term = &system->terms[at->term];
    if (at->term >= system->term_count)
        return false;
    switch (at->op) {
    case OP_BULK_ATTACH:
    case OP_BULK_DETACH:
        return is_bulk_valid(program, system, index);
    case OP_LOAD:
        return may_read(system, term, at, true) && has_number(program, term, at->field);
    case OP_FOLLOW:
        return may_read(system, term, at, true) && has_reference(program, term, at->field) &&
               is_loaded(at->to);
    case OP_HAS:
        return may_read(system, term, at, false) && !is_singleton(program, term);
    case OP_STORE:
        return may_write(system, term, at, LS_ACCESS_WRITE) && has_number(program, term, at->field);
    case OP_POINT:
        return may_write(system, term, at, LS_ACCESS_WRITE) &&
               has_reference(program, term, at->field);
    case OP_ATTACH:
    case OP_DETACH:
        return may_write(system, term, at, LS_ACCESS_STRUCTURE);
    case OP_GIVE:
        return term->kind == LS_PARTNER && at->entity == E_MATCH &&
               has_number(program, term, at->field);
    case OP_ACCUMULATE:
        return term->kind == LS_ACCUMULATED &&
               (!is_singleton(program, term) || at->entity == E_NULL);
    case OP_SEND:
        return term->kind == LS_EVENTS && term->access == LS_ACCESS_WRITE;
    case OP_RECEIVE:
        return term->kind == LS_EVENTS && term->access == LS_ACCESS_READ && is_loaded(at->to);
    default:
        return term->kind == LS_COMMANDS;
    }
}

/* Whether the walk may take its action at any entity, not only at the own one of a concurrent
 * system. */
static bool is_walk_valid(const struct program *program, const program_system *system,
                          const struct instruction *at)
{
    const struct instruction anywhere = {.op = OP_WALK, .entity = E_NULL};
    bool is_begun = at->op == OP_WALK ? program_walks(system, at->b)
                                      : at->b < system->term_count &&
                                            system->terms[at->b].filter == LS_FILTER_OBSERVED;
    if (!is_begun || at->term >= system->term_count)
        return false;
    const program_term *term = &system->terms[at->term];
    switch (at->imm % WALK_ACTIONS) {
    case WALK_LOAD:
        return may_read(system, term, &anywhere, true) && has_number(program, term, at->field) &&
               !is_singleton(program, term);
    case WALK_DESPAWN:
        return true;
    default:
        return may_write(system, term, &anywhere, LS_ACCESS_STRUCTURE);
    }
}

bool program_has_values(const struct program *program, const program_system *system,
                        uint32_t component)
{
    for (uint32_t i = 0; i < system->term_count; i++) {
        const program_term *term = &system->terms[i];
        if (term->component == component && term->access == LS_ACCESS_READ &&
            (term->kind == LS_OTHERS || term->kind == LS_START))
            return program_layout_of(program, component)->bytes > 0;
    }
    return false;
}

/* Whether the search is valid: around the place of an entity that the system may read, or, without
 * a term, around a place made of a number. */
static bool is_near_valid(const struct program *program, const program_system *system,
                          const struct instruction *at)
{
    if (at->b >= system->grid_count || !is_loaded(at->to))
        return false;
    const program_grid *grid = &system->grids[at->b];
    if (at->imm % NEAR_KINDS == NEAR_WITH &&
        !(grid->has_with && program_has_values(program, system, grid->with)))
        return false;
    return at->term >= system->term_count ||
           (system->terms[at->term].component == grid->component &&
            may_read(system, &system->terms[at->term], at, true));
}

static bool is_keys_valid(const struct program *program, const program_system *system,
                          const struct instruction *at)
{
    /* the handle of a newborn may be pending */
    if (at->b >= system->join_count || !is_loaded(at->to) || at->entity == E_NEWBORN ||
        at->entity == E_NEWBORN + 1)
        return false;
    const program_join *join = &system->joins[at->b];
    return at->imm % KEYS_KINDS != KEYS_WITH ||
           (join->has_with && program_has_values(program, system, join->with));
}

/* Whether some component can be a part of the prefab. */
static bool is_prefab_valid(const program_system *system, const struct instruction *at)
{
    bool is_command = at->op == OP_COMMAND_PREFAB;
    if (at->imm % 2 >= (is_command ? system->command_lane_count : system->lane_count))
        return false;
    for (uint32_t i = 0; i < system->term_count; i++) {
        if (program_is_prefab_term(&system->terms[i], is_command))
            return is_command ? at->entity == E_COMMANDED
                              : at->entity == E_NEWBORN || at->entity == E_NEWBORN + 1;
    }
    return false;
}

static bool is_number_op(uint8_t op)
{
    return op == OP_NOTHING || op == OP_CONST || op == OP_ARITH || op == OP_SKIP || op == OP_TICK ||
           op == OP_INPUT;
}

bool program_is_valid(const struct program *program, const program_system *system, uint32_t index)
{
    const struct instruction *at = &system->body[index];
    if (is_number_op(at->op))
        return true;
    bool is_command = at->op >= OP_COMMAND_ATTACH;
    if (at->entity >= E_COUNT || at->to >= E_COUNT)
        return false;
    if (!is_command && (at->entity == E_COMMANDED || at->to == E_COMMANDED))
        return false; /* the handle of a command spawn is valid only in commands */
    switch (at->op) {
    case OP_SPAWN:
        return at->imm < system->lane_count &&
               (at->entity == E_NEWBORN || at->entity == E_NEWBORN + 1);
    case OP_COMMAND_SPAWN:
        return at->imm < system->command_lane_count && at->entity == E_COMMANDED;
    case OP_GUESS:
        return is_loaded(at->to);
    case OP_WORLD_LOAD:
    case OP_WORLD_ATTACH:
    case OP_WORLD_DETACH:
        return at->b < program->component_count && program->components[at->b].role == ROLE_CELL &&
               system->world >= (at->op == OP_WORLD_LOAD ? LS_ACCESS_READ : LS_ACCESS_STRUCTURE);
    case OP_WALK:
    case OP_OBSERVE:
        return is_walk_valid(program, system, at);
    case OP_NEAR:
        return is_near_valid(program, system, at);
    case OP_KEYS:
        return is_keys_valid(program, system, at);
    case OP_PREFAB:
    case OP_COMMAND_PREFAB:
        return is_prefab_valid(system, at);
    case OP_DESPAWN:
    case OP_ALIVE:
    case OP_RANDOM:
        return true;
    default:
        return is_term_valid(program, system, index);
    }
}

void program_clean(struct program *program)
{
    for (uint32_t i = 0; i < program->system_count; i++) {
        program_system *system = &program->systems[i];
        for (uint32_t j = 0; j < system->body_count; j++) {
            if (!program_is_valid(program, system, j))
                system->body[j] = (struct instruction){.op = OP_NOTHING};
        }
    }
}

program_system program_setup_system(const struct program *program)
{
    program_system setup = {.name = "setup"};
    for (uint32_t i = 0; i < program->component_count; i++) {
        bool is_cell = program->components[i].role == ROLE_CELL;
        bool is_event = program->components[i].role == ROLE_EVENT;
        setup.terms[setup.term_count++] = (program_term){.component = (uint8_t)(is_event ? 0 : i),
                                                         .kind = LS_OTHERS,
                                                         .access = is_event  ? LS_ACCESS_PRESENCE
                                                                   : is_cell ? LS_ACCESS_STRUCTURE
                                                                             : LS_ACCESS_WRITE};
    }
    for (uint32_t i = 0; i <= program->lane_count; i++)
        setup.lanes[setup.lane_count++] = (uint8_t)i;
    return setup;
}

/* A setup has no events, no inputs and no filters by change, and no partners that may clash. One
 * query, because a product may be too large. */
static bool may_set_up(const program_system *system)
{
    if (program_query_count(system) > 1 || system->world ||
        (system->partner.is_set && !system->partner.first_wins))
        return false;
    for (uint32_t i = 0; i < system->term_count; i++) {
        if (system->terms[i].kind == LS_EVENTS || system->terms[i].filter >= LS_FILTER_CHANGED)
            return false;
    }
    for (uint32_t i = 0; i < system->body_count; i++) {
        if (system->body[i].op == OP_INPUT)
            return false;
    }
    return true;
}

bool program_second_setup(const struct program *program, program_system *setup)
{
    for (uint32_t i = 0; program->has_second_setup && i < program->system_count; i++) {
        if (!may_set_up(&program->systems[i]))
            continue;
        *setup = program->systems[i];
        snprintf(setup->name, sizeof setup->name, "second");
        setup->states = (program_states){0};
        return true;
    }
    return false;
}

void program_remove_system(struct program *program, uint32_t index)
{
    uint32_t last = --program->system_count;
    for (uint32_t i = index; i < last; i++)
        program->systems[i] = program->systems[i + 1];
    for (uint32_t i = 0; i <= last; i++) {
        for (uint32_t j = index; j < last; j++)
            program->before[i][j] = program->before[i][j + 1];
    }
    for (uint32_t i = index; i < last; i++)
        memcpy(program->before[i], program->before[i + 1], sizeof program->before[i]);
    memset(program->before[last], 0, sizeof program->before[last]);
    for (uint32_t i = 0; i <= last; i++)
        program->before[i][last] = false;
}

void program_remove_term(program_system *system, uint32_t index)
{
    system->term_count--;
    if (system->terms[index].filter == LS_FILTER_ANY && index < system->term_count &&
        system->terms[index + 1].filter == LS_FILTER_OR)
        system->terms[index + 1].filter = LS_FILTER_ANY;
    for (uint32_t i = index; i < system->term_count; i++)
        system->terms[i] = system->terms[i + 1];
    for (uint32_t i = 0; i < system->body_count; i++) {
        struct instruction *at = &system->body[i];
        if (at->op != OP_NOTHING && at->term == index)
            at->term = UINT8_MAX; /* invalid for instructions that use a term */
        else if (at->term > index)
            at->term--;
        if (at->op == OP_OBSERVE && at->b >= index)
            at->b = at->b == index ? UINT8_MAX : at->b - 1;
    }
}
