/* The columns of a random schedule, and values for them. */
#ifndef LS_TEST_SCHEDULE_COLUMNS_H
#define LS_TEST_SCHEDULE_COLUMNS_H

#include "tests/schedule/schedule.h"
#include <lockstep/operation.h>

typedef struct quad {
    uint32_t value, key;
    ls_fix x, y;
} quad;

/* A cell of P. Bodies see the reference as the numbers of a cell. */
typedef struct reference {
    uint32_t value, key;
    ls_entity entity;
} reference;

typedef struct roster {
    ls_entity entities[ROSTER];
} roster;

typedef struct sink {
    uint64_t sum;
} sink;

enum { COLUMNS_OPERATIONS = 4, REFERENCE_FIELDS = 3 };

extern const ls_component *const body_components[COLUMN_COUNT];
extern const ls_component body_roster, body_sink;
/* Sent instead of what is added to the sink, if systems read the whole world. It lives for two
 * ticks, so the root has it. */
extern const ls_component body_shout;
/* By ls_states_use_ and state: the criteria of the game. */
extern const ls_system *const body_states[STATES][STATES];
extern const ls_operation body_operations[COLUMNS_OPERATIONS]; /* for LS_COMBINE */

/* A handle that a system of this tick may spawn. */
ls_entity unborn(uint32_t index);
quad cell_of(uint64_t number);
/* A value for the column. Some of the entities that P refers to are dead or not yet spawned. */
quad cell_in(uint32_t column, uint64_t number);
uint64_t fold(uint64_t number, const quad *seen);

#endif
