/* Programs as plain values: generated, shrunk, and run by both interpreters. A system's body is a
 * list of instructions over a few registers for numbers and for entities. */
#ifndef LS_MODEL_PROGRAM_H
#define LS_MODEL_PROGRAM_H

#include <lockstep/sim.h>
#include <stdio.h>

enum {
    PROGRAM_COMPONENTS_MAX = 10,
    PROGRAM_LANES_MAX = 3, /* besides lane 0 */
    PROGRAM_SYSTEMS_MAX = 8,
    PROGRAM_TERMS_MAX = 12,
    PROGRAM_BODY_MAX = 40,
    PROGRAM_GROUPS_MAX = 4,
    PROGRAM_FIELDS_MAX = 5,
    PROGRAM_REGISTERS = 6,
};

/* Entity registers: of the match, loaded, newborn, spawned by a command, always null. */
enum { E_MATCH = 0, E_LOADED = 4, E_NEWBORN = 6, E_COMMANDED = 8, E_NULL = 9, E_COUNT };

typedef enum program_role { ROLE_CELL, ROLE_EVENT, ROLE_SINGLETON } program_role;

typedef struct program_component {
    char name[8];
    uint8_t layout; /* of layouts[] */
    uint8_t role;
    uint8_t on_death;
} program_component;

typedef enum program_op {
    OP_NOTHING, /* left by the shrinker */
    /* First in a concurrent body: for all matches of a span, or those whose slots `imm` selects.
     * With `a` 0 it attaches zeros, and only where the component is missing. */
    OP_BULK_ATTACH,
    OP_BULK_DETACH,
    OP_CONST,  /* c = imm */
    OP_ARITH,  /* c = a op b */
    OP_SKIP,   /* the next b when a % (imm % 16 + 2) is 0, or is not if imm has bit 4 */
    OP_LOAD,   /* c = field of entity's cell */
    OP_HAS,    /* c = entity has the component */
    OP_FOLLOW, /* to = entity field of entity's cell */
    OP_STORE,  /* field = a */
    OP_POINT,  /* entity field = to */
    OP_ATTACH, /* a value made of a and to; c = whether it worked */
    OP_DETACH,
    OP_SPAWN, /* entity = a newborn in lane imm */
    OP_DESPAWN,
    OP_ALIVE,      /* c */
    OP_RANDOM,     /* c = draw imm of entity */
    OP_TICK,       /* c */
    OP_ACCUMULATE, /* a value made of a; c = whether it was taken */
    OP_SEND,       /* a value made of a and to */
    OP_RECEIVE,    /* c = all events folded; to = the last one's entity */
    OP_GUESS,      /* to = a made-up handle, from imm */
    OP_COMMAND_ATTACH,
    OP_COMMAND_DETACH,
    OP_COMMAND_SPAWN, /* entity = a newborn in command lane imm */
    OP_COUNT,
} program_op;

struct instruction {
    uint8_t op, term, field, entity, to, a, b, c;
    uint32_t imm;
};

typedef struct program_term {
    uint8_t component, kind, access, query;
} program_term;

/* Query `query`, not 0, meets only entities whose field equals query 0's: the field of `from`,
 * or the entity itself. */
typedef struct program_join {
    uint8_t query, component, field;
    bool has_from, start;
    uint8_t from, from_field;
} program_join;

typedef enum program_form { FORM_SPAN, FORM_BLOCK, FORM_MATCH, FORM_COUNT } program_form;

typedef struct program_system {
    char name[8];
    bool is_concurrent;
    uint8_t form; /* of the engine's function, when concurrent with one query */
    uint8_t term_count, body_count;
    uint8_t lane_count, command_lane_count;
    /* 0 is lane 0, else 1 + index in the program's. The setup has all. */
    uint8_t lanes[1 + PROGRAM_LANES_MAX], command_lanes[2];
    program_term terms[PROGRAM_TERMS_MAX];
    uint8_t join_count;
    program_join joins[2];
    struct instruction body[PROGRAM_BODY_MAX];
} program_system;

/* Entities of the first state: `count` in one lane, each with each component by chance. */
typedef struct program_group {
    uint8_t lane;
    uint8_t despawned;                       /* percent */
    uint8_t density[PROGRAM_COMPONENTS_MAX]; /* percent */
    uint8_t run[PROGRAM_COMPONENTS_MAX];     /* log2 of the entities that share the chance */
    uint16_t count;
} program_group;

struct program {
    uint64_t seed;
    uint32_t ticks;
    bool is_planted; /* for tests of the checker: the engine's side ignores despawns */
    uint32_t component_count, lane_count, system_count, group_count;
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
/* program.c: whether the instruction keeps within the declared access; clean drops the others. */
bool program_is_valid(const struct program *program, const program_system *system, uint32_t index);
void program_clean(struct program *program);
uint32_t program_query_count(const program_system *system);
/* Term i is component i, lane i lane i. */
program_system program_setup_system(const struct program *program);
static inline const program_layout *program_layout_of(const struct program *program,
                                                      uint32_t component)
{
    return &program_layouts[program->components[component].layout];
}
/* The reductions of the shrinker. */
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
