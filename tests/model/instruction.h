/* The instructions of a system's body, over a few registers for numbers and entities. */
#ifndef LS_MODEL_INSTRUCTION_H
#define LS_MODEL_INSTRUCTION_H

#include <stdint.h>

/* First register of each group: match, loaded, spawned, spawned by a command, always null. */
enum { E_MATCH = 0, E_LOADED = 4, E_NEWBORN = 6, E_COMMANDED = 8, E_NULL = 9, E_COUNT };

typedef enum program_op {
    OP_NOTHING, /* removed by the shrinker */
    /* Valid first in a concurrent body: acts on all matches of a span, or on the slots that `imm`
     * selects. If `a` is 0, it attaches zeros to entities without the component. */
    OP_BULK_ATTACH,
    OP_BULK_DETACH,
    OP_CONST,  /* c = imm */
    OP_ARITH,  /* c = a op b */
    OP_SKIP,   /* skips b instructions if a % (imm % 16 + 2) == 0; bit 4 of imm negates */
    OP_LOAD,   /* c = field of the entity's cell */
    OP_HAS,    /* c = whether the entity has the component */
    OP_FOLLOW, /* to = a reference field of the entity's cell */
    OP_STORE,  /* field = a */
    OP_POINT,  /* reference field = to */
    OP_ATTACH, /* attaches a value made of a and to; c = success */
    OP_DETACH,
    OP_SPAWN, /* entity = a new entity in lane imm */
    OP_DESPAWN,
    OP_ALIVE,      /* c = whether the entity is alive */
    OP_RANDOM,     /* c = draw imm of the entity */
    OP_TICK,       /* c = tick */
    OP_ACCUMULATE, /* accumulates a value made of a; c = success */
    OP_SEND,       /* sends a value made of a and to */
    OP_RECEIVE,    /* c = hash of all events; to = the last event's reference */
    OP_GUESS,      /* to = a guessed handle, made from imm */
    OP_WALK,       /* walks query b and takes action imm at its matches; c = hash of them */
    OP_OBSERVE,    /* walks the changes of term b and takes action imm; c = hash of them */
    OP_GIVE,       /* field = a, of the own entity's partner */
    /* By a term of the whole world: component b of any entity. */
    OP_WORLD_LOAD,   /* c = field of the entity's cell */
    OP_WORLD_ATTACH, /* attaches a value made of a and to; c = success */
    OP_WORLD_DETACH, /* c = success */
    OP_NEAR,         /* finds entities by grid b; c = hash of them, to = the last one */
    OP_KEYS,   /* finds entities by join b; c = hash of them or their number, to = the last one */
    OP_INPUT,  /* c = hash of the inputs of player imm */
    OP_PREFAB, /* entity = a new entity in lane imm % 2 with the prefab that imm describes */
    OP_COMMAND_ATTACH,
    OP_COMMAND_DETACH,
    OP_COMMAND_SPAWN, /* entity = a new entity in command lane imm */
    OP_COMMAND_PREFAB,
    OP_COUNT,
} program_op;

/* The action of OP_WALK and OP_OBSERVE, in the low bits of imm. The bits above choose the matches.
 */
enum {
    WALK_LOAD,   /* reads the field */
    WALK_DETACH, /* detaches the component */
    WALK_ATTACH,
    WALK_DESPAWN,
    WALK_ACTIONS,
    WALK_NESTED = 4, /* besides, walks the query again at some matches */
    WALK_SHIFT = 3,
};

/* The low bits of imm of OP_NEAR; those above choose the radius, then how many of the nearest. The
 * place is that of the entity; without a term, or if it has none, it is made of number register
 * `a`. */
enum { NEAR_WALK, NEAR_WITH, NEAR_NEAREST, NEAR_KINDS, NEAR_RADII = 8, NEAR_MOST = 12 };

/* OP_KEYS: the key is the entity, or a number made of number register `a` and imm. */
enum { KEYS_WALK, KEYS_COUNT, KEYS_WITH, KEYS_KINDS };

struct instruction {
    uint8_t op, term, field, entity, to, a, b, c;
    uint32_t imm;
};

#endif
