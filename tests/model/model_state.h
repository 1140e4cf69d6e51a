/* States of the model and their mutations, as plain values. */
#ifndef LS_MODEL_STATE_H
#define LS_MODEL_STATE_H

#include <lockstep/sim.h>

#define MODEL_CELL_BYTES 16
#define MODEL_LANES_MAX  8
/* The one entity of every singleton; its lane number is above all real ones. */
#define MODEL_SINGLETON ((ls_entity)0x00000001ffffffff)

/* The coverage of a run. */
enum {
    MODEL_PARTNERED = 1,  /* a match had a partner that it may write */
    MODEL_CLASHED = 2,    /* two matches met, and the tick failed */
    MODEL_FIRST_WON = 4,  /* two matches met, and one lost its partner */
    MODEL_HAS_CYCLE = 8,  /* an entity was its own ancestor */
    MODEL_REORDERED = 16, /* a child had its canonical place ahead of its parent */
    MODEL_CHANGED = 32,   /* the state of the game changed */
    MODEL_PAUSED = 64,    /* a system did not run because of the state */
    /* Counted bit by bit, from MODEL_FIRST_COUNTED on. */
    MODEL_FIRST_COUNTED = 7,
    MODEL_FOUND_IN_PLANE = 1 << 7, /* a walk of a grid met an entity */
    MODEL_FOUND_IN_SPACE = 1 << 8,
    MODEL_FOUND_VALUES = 1 << 9,
    MODEL_NEAREST_IN_PLANE = 1 << 10, /* the nearest were some of those in reach */
    MODEL_NEAREST_IN_SPACE = 1 << 11,
    MODEL_FOUND_KEYS = 1 << 12,
    MODEL_COUNTED_KEYS = 1 << 13,
    MODEL_HAD_ORDER = 1 << 14,
    MODEL_HAD_STATE = 1 << 15,
    MODEL_SPAWNED_PREFAB = 1 << 16,
    MODEL_COMMANDED_PREFAB = 1 << 17,
    MODEL_KEPT_EVENT = 1 << 18, /* an event of an earlier tick was received */
    MODEL_COMBINED = 1 << 19,   /* accumulated by the simulation's own operation */
    MODEL_CHOSEN = 1 << 20,     /* accumulated by LS_ARG_MIN or LS_ARG_MAX */
    MODEL_FOUND_KEY_VALUES = 1 << 21,
    MODEL_COUNTED = 15,
};

/* Two components that no entity has both of when a system has ended. */
typedef struct model_pair {
    uint32_t one, other;
} model_pair;

typedef struct model_schema {
    uint32_t component_count; /* including event types */
    const ls_component *const *components;
    uint32_t lane_count; /* including lane 0 */
    bool despawns_empty; /* the paper's live(c) */
    const model_pair *pairs;
    uint32_t pair_count;
    uint32_t baseline_count; /* one for each system and component */
} model_schema;

/* c_i: a partial map from entities to values, in order of lane and slot. */
typedef struct model_cell {
    ls_entity entity;
    uint8_t value[MODEL_CELL_BYTES];
} model_cell;

typedef struct model_map {
    model_cell *cells;
    uint32_t count, capacity;
} model_map;

/* The hidden component: a generation per slot, odd while the slot is alive. */
typedef struct model_lane {
    uint32_t *generations;
    uint32_t count, capacity;
} model_lane;

typedef enum model_kind {
    MODEL_ATTACH,
    MODEL_DETACH,
    MODEL_NEW,        /* nu; `entity` is the fresh entity */
    MODEL_MARK,       /* marks for despawn at the sync point */
    MODEL_ACCUMULATE, /* the operation is `access` */
    MODEL_SEND,
    MODEL_COMMAND_ATTACH,
    MODEL_COMMAND_DETACH,
    MODEL_COMMAND_NEW,
    MODEL_ENTER, /* `lane` is a state of the game */
    MODEL_KEEP,  /* the baseline `baseline` becomes the map of the component */
} model_kind;

/* One generator of the monoid of mutations. A mutation is a list of generators, composed from left
 * to right; the empty list is nil. */
typedef struct model_step {
    model_kind kind;
    uint32_t component;
    uint32_t lane, baseline;
    uint32_t age; /* MODEL_SEND: in ticks */
    ls_access access;
    ls_entity entity;
    const void *by; /* MODEL_COMMAND_...: the system */
    uint8_t value[MODEL_CELL_BYTES];
} model_step;

typedef struct model_mutation {
    model_step *steps;
    uint32_t count, capacity;
    bool breaks;             /* after some system an entity has both components of a pair */
    uint32_t coverage;       /* MODEL_PARTNERED... */
    uint64_t dropped_values; /* of matches that lost their partner */
} model_mutation;

typedef struct model_state {
    const model_schema *schema;
    uint64_t seed, tick;
    uint64_t dropped_commands, dropped_values;
    bool is_broken;    /* the last tick should have failed */
    uint32_t coverage; /* of all ticks */
    /* The states of the game of this tick, the tick before and the next one. */
    uint8_t game, game_before, game_next;
    model_map *maps;
    model_map *baselines; /* maps as they were when systems last ended */
    model_lane lanes[MODEL_LANES_MAX];
    model_mutation events, commands, marks; /* pending; `events` also has kept ones of earlier
                                               ticks */
} model_state;

#endif
