/* Shared by the tests of spans and of match loops: entities in two lanes with components that a
 * test chooses, and one system. */
#ifndef LS_RUN_SIM_H
#define LS_RUN_SIM_H

#include "harness.h"

typedef struct number {
    int32_t value;
} number;

extern const ls_component numbers, run_extras, left, right;
extern const ls_component *const run_components[4];
extern const char *const run_lanes[2];
/* Spawns the population: slot i of lane 1 or 2 gets the number 1000 * (lane - 1) + i. */
extern const ls_system run_setup;

/* The entities that have each component. NULL means all for `has_number`, none for the others. Set
 * it before creating a world. */
typedef struct run_population {
    uint32_t counts[2];
    bool (*has_number)(uint32_t lane, uint32_t i);
    bool (*has_extra)(uint32_t lane, uint32_t i);
    bool (*has_left)(uint32_t lane, uint32_t i);
} run_population;

extern run_population run_entities;

bool every_other(uint32_t lane, uint32_t i);
bool last_of_page(uint32_t lane, uint32_t i);

/* Creates a world with this one system. */
void run_begin(harness *self, const ls_system *system);

#endif
