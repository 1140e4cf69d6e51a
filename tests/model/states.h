/* States of the game in random programs: a system runs in a state, or in the first tick of one or
 * after one, and may enter another one when it has run its body. */
#ifndef LS_MODEL_STATES_H
#define LS_MODEL_STATES_H

#include <lockstep/system.h>

enum { PROGRAM_STATES = 3 };

typedef enum program_use {
    USE_ALWAYS,
    USE_IN_STATE,
    USE_ON_ENTER,
    USE_ON_EXIT,
    USE_COUNT,
} program_use;

typedef struct program_states {
    uint8_t use, state; /* when the system runs */
    bool enters;        /* a sequential system: it changes the state */
} program_states;

/* The engine's LS_STATES(): the singleton, and the criterion of a use and state. */
const ls_component *program_game(void);
const ls_system *program_criterion(const program_states *when);

#endif
