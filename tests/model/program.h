/* Programs as plain values, so that they can be generated, shrunk, and run by both interpreters. A
 * system's body is a list of instructions over a few registers for numbers and entities. */
#ifndef LS_MODEL_PROGRAM_H
#define LS_MODEL_PROGRAM_H

#include "tests/model/instruction.h"
#include "tests/model/program_lists.h"
#include "tests/model/states.h"
#include <lockstep/sim.h>
#include <stdio.h>

typedef enum program_form { FORM_SPAN, FORM_BLOCK, FORM_MATCH, FORM_EACH, FORM_COUNT } program_form;

typedef struct program_system {
    char name[8];
    bool is_concurrent;
    uint8_t form; /* form of the engine's function, for a concurrent system with one query */
    uint8_t term_count, body_count;
    uint8_t lane_count, command_lane_count, join_count, grid_count;
    /* 0 is lane 0; otherwise 1 + index in the program's lanes. The setup has all lanes. */
    uint8_t lanes[1 + PROGRAM_LANES_MAX], command_lanes[2];
    program_term terms[PROGRAM_TERMS_MAX];
    program_join joins[PROGRAM_JOINS_MAX];
    program_grid grids[PROGRAM_GRIDS_MAX];
    program_partner partner;
    uint8_t parents_first; /* sequential: 1 + the component with the parent; 0: canonical order */
    program_states states;
    uint8_t world; /* LS_ACCESS_READ or LS_ACCESS_STRUCTURE: a term of the whole world; 0: none */
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

typedef enum program_inputs_use {
    INPUTS_NONE,
    INPUTS_ORDERS,
    INPUTS_WITH_STATES
} program_inputs_use;

struct program {
    uint64_t seed;
    uint32_t ticks;
    bool is_planted; /* a planted fault, to test the checker: the engine ignores despawns */
    bool has_second_setup;
    bool despawns_empty; /* entities without a component end at the sync point */
    bool has_modules;    /* names have prefixes of modules (tests/support/split_sim.h) */
    uint8_t inputs;      /* program_inputs_use */
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
/* The last two have positions, in the plane and in space; only grids use them. */
enum {
    PROGRAM_ENTITY_LAYOUTS_FROM = 5,
    PROGRAM_LAYOUTS = 8,
    PROGRAM_PLANE = PROGRAM_LAYOUTS,
    PROGRAM_SPACE
};

/* generate.c */
struct program program_generate(uint64_t seed);
/* program.c: is_valid checks the declared access; clean removes invalid instructions. */
bool program_is_valid(const struct program *program, const program_system *system, uint32_t index);
void program_clean(struct program *program);
uint32_t program_query_count(const program_system *system); /* those of the vector */
bool program_walks(const program_system *system, uint32_t query);
/* Whether a grid or join that filters by a component has its values. */
bool program_has_values(const struct program *program, const program_system *system,
                        uint32_t component);
/* Whether the term lets the system attach the component to what it spawns as a prefab. */
static inline bool program_is_prefab_term(const program_term *term, bool is_command)
{
    return term->access == LS_ACCESS_STRUCTURE &&
           (is_command ? term->kind == LS_COMMANDS
                       : term->kind == LS_SPAWNED || term->kind == LS_OTHERS);
}
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
