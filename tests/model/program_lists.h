/* The components of a random program, and the lists of its systems. */
#ifndef LS_MODEL_PROGRAM_LISTS_H
#define LS_MODEL_PROGRAM_LISTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PROGRAM_COMPONENTS_MAX = 10,
    PROGRAM_LANES_MAX = 3, /* besides lane 0 */
    PROGRAM_SYSTEMS_MAX = 8,
    PROGRAM_TERMS_MAX = 12,
    PROGRAM_LIMITS_MAX = 4,
    PROGRAM_BODY_MAX = 40,
    PROGRAM_GROUPS_MAX = 4,
    PROGRAM_PAIRS_MAX = 2,
    PROGRAM_JOINS_MAX = 4,
    PROGRAM_GRIDS_MAX = 2,
    PROGRAM_FIELDS_MAX = 5,
    PROGRAM_REGISTERS = 6,
};

typedef enum program_role { ROLE_CELL, ROLE_EVENT, ROLE_SINGLETON } program_role;

typedef struct program_component {
    char name[8];   /* with the prefix of its module */
    uint8_t layout; /* index in program_layouts[] */
    uint8_t role;
    uint8_t on_despawn;
    uint8_t ticks; /* ROLE_EVENT: for how many it lives */
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

/* Query `query` matches only entities with a field equal to query 0's key: the field of `from`, or
 * the entity itself. Query 0: OP_KEYS alone uses the join. */
typedef struct program_join {
    uint8_t query, component, field;
    bool has_from, has_with, start;
    uint8_t from, from_field, with;
} program_join;

/* A grid over the positions in a component. */
typedef struct program_grid {
    uint8_t component, offsets[3]; /* of x, y and z in the cell */
    bool has_with, has_z, start;
    uint8_t with;
    int32_t cell;
} program_grid;

/* The system writes the entity in a field of query 0's component. */
typedef struct program_partner {
    bool is_set, first_wins;
    uint8_t component, field;
} program_partner;

#endif
