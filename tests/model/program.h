/* Programs as plain values, so that they can be generated, shrunk, and run by both interpreters. A
 * system's body is a list of instructions over a few registers for numbers and entities. */
#ifndef LS_MODEL_PROGRAM_H
#define LS_MODEL_PROGRAM_H

#include "tests/model/instruction.h"
#include "tests/model/states.h"
#include <lockstep/sim.h>
#include <stdio.h>

enum {
    PROGRAM_COMPONENTS_MAX = 10,
    PROGRAM_LANES_MAX = 3, /* besides lane 0 */
    PROGRAM_SYSTEMS_MAX = 8,
    PROGRAM_TERMS_MAX = 12,
    PROGRAM_LIMITS_MAX = 4,
    PROGRAM_BODY_MAX = 40,
    PROGRAM_GROUPS_MAX = 4,
    PROGRAM_PAIRS_MAX = 2,
    PROGRAM_FIELDS_MAX = 5,
    PROGRAM_REGISTERS = 6,
};

typedef enum program_role { ROLE_CELL, ROLE_EVENT, ROLE_SINGLETON } program_role;

typedef struct program_component {
    char name[8];   /* with the prefix of its module */
    uint8_t layout; /* index in program_layouts[] */
    uint8_t role;
    uint8_t on_death;
    uint8_t ticks; /* ROLE_EVENT: how many it lives */
    bool is_chain; /* its first references are to the entity spawned before the holder */
} program_component;

/* Two components that no entity has both of. */
typedef struct program_pair {
    uint8_t one, other;
} program_pair;

typedef struct program_term {
    uint8_t component, kind, access, query;
    uint8_t filter; /* ls_filter */
    bool is_walked; /* the query is not of the vector: OP_WALK walks it */
} program_term;

/* Query `query` matches only entities of this lane, or of another one that is named so. */
typedef struct program_limit {
    uint8_t query, lane;
} program_limit;

/* Query `query`, never 0, matches only entities with a field equal to query 0's key: the field of
 * `from`, or the entity itself. */
typedef struct program_join {
    uint8_t query, component, field;
    bool has_from, start;
    uint8_t from, from_field;
} program_join;

/* The system writes the entity in a field of query 0's component. */
typedef struct program_partner {
    bool is_set, first_wins;
    uint8_t component, field;
} program_partner;

typedef enum program_form { FORM_SPAN, FORM_BLOCK, FORM_MATCH, FORM_EACH, FORM_COUNT } program_form;

typedef struct program_system {
    char name[8];
    bool is_concurrent;
    uint8_t form; /* form of the engine's function, for a concurrent system with one query */
    uint8_t term_count, body_count;
    uint8_t lane_count, command_lane_count, join_count;
    /* 0 is lane 0; otherwise 1 + index in the program's lanes. The setup has all lanes. */
    uint8_t lanes[1 + PROGRAM_LANES_MAX], command_lanes[2];
    program_term terms[PROGRAM_TERMS_MAX];
    program_join joins[2];
    program_partner partner;
    uint8_t parents_first; /* sequential: 1 + the component with the parent; 0: canonical order */
    program_states states;
    uint8_t world; /* LS_READ or LS_STRUCTURE: a term of the whole world; 0: none */
    uint8_t limit_count;
    program_limit limits[PROGRAM_LIMITS_MAX];
    struct instruction body[PROGRAM_BODY_MAX];
} program_system;

/* Entities of the first state: `count` in one lane, with each component at random. */
typedef struct program_group {
    uint8_t lane;
    uint8_t despawned;                       /* percent */
    uint8_t density[PROGRAM_COMPONENTS_MAX]; /* percent */
    uint8_t run[PROGRAM_COMPONENTS_MAX];     /* log2 of how many neighbours share a draw */
    uint16_t count;
} program_group;

struct program {
    uint64_t seed;
    uint32_t ticks;
    bool is_planted; /* a planted fault, to test the checker: the engine ignores despawns */
    bool has_second_setup;
    bool despawns_empty; /* entities without a component end at the sync point */
    bool has_modules;    /* names have prefixes of modules (tests/support/split_sim.h) */
    uint32_t component_count, lane_count, system_count, group_count, pair_count;
    program_pair pairs[PROGRAM_PAIRS_MAX];
    program_component components[PROGRAM_COMPONENTS_MAX];
    char lanes[PROGRAM_LANES_MAX][8];
    program_system systems[PROGRAM_SYSTEMS_MAX];
    bool before[PROGRAM_SYSTEMS_MAX][PROGRAM_SYSTEMS_MAX];
    program_group groups[PROGRAM_GROUPS_MAX];
};

typedef struct program_layout {
    uint32_t bytes, field_count;
    ls_field fields[PROGRAM_FIELDS_MAX];
} program_layout;
extern const program_layout program_layouts[];
enum { PROGRAM_LAYOUTS = 8, PROGRAM_ENTITY_LAYOUTS_FROM = 5 };

/* generate.c */
struct program program_generate(uint64_t seed);
/* program.c: is_valid checks the declared access; clean removes invalid instructions. */
bool program_is_valid(const struct program *program, const program_system *system, uint32_t index);
void program_clean(struct program *program);
uint32_t program_query_count(const program_system *system); /* those of the vector */
bool program_walks(const program_system *system, uint32_t query);
/* A system with all components and lanes: term i is component i, unless that is an event; lane i is
 * lane i. */
program_system program_setup_system(const struct program *program);
/* The second setup, if the program has one: a copy of the first system that may be a setup. */
bool program_second_setup(const struct program *program, program_system *setup);
static inline const program_layout *program_layout_of(const struct program *program,
                                                      uint32_t component)
{
    return &program_layouts[program->components[component].layout];
}
/* The operation of LS_COMBINE for cells of this size. */
ls_combine_function *program_operation(uint32_t bytes);
/* Reductions for the shrinker. */
void program_remove_system(struct program *program, uint32_t index);
void program_remove_term(program_system *system, uint32_t index);
/* print_program.c */
void program_print(const struct program *program, FILE *file);

static inline uint64_t program_hash(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b + 1) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 30)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
