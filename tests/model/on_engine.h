/* A program as a simulation of the engine. */
#ifndef LS_MODEL_ON_ENGINE_H
#define LS_MODEL_ON_ENGINE_H

#include "tests/model/interpret.h"
#include "tests/support/names.h"
#include "tests/support/split_sim.h"
#include <lockstep/program.h>

/* The lists of a system. */
typedef struct on_engine_lists {
    ls_term terms[PROGRAM_TERMS_MAX + PROGRAM_COMPONENTS_MAX + PROGRAM_LIMITS_MAX + 3];
    ls_join joins[PROGRAM_JOINS_MAX + 1];
    ls_grid grids[PROGRAM_GRIDS_MAX + 1];
    test_names lanes, command_lanes, before, after;
} on_engine_lists;

typedef struct on_engine_data {
    const struct on_engine *engine;
    const struct program *program;
    const program_system *system;
} on_engine_data;

typedef struct on_engine {
    const struct program *program;
    ls_field fields[PROGRAM_COMPONENTS_MAX][PROGRAM_FIELDS_MAX];
    ls_component components[PROGRAM_COMPONENTS_MAX];
    const ls_component *pointers[PROGRAM_COMPONENTS_MAX + 1];
    const char *lanes[PROGRAM_LANES_MAX];
    program_system setup_systems[2];
    on_engine_data data[PROGRAM_SYSTEMS_MAX + 2];
    on_engine_lists lists[PROGRAM_SYSTEMS_MAX + 2]; /* by data */
    ls_system systems[PROGRAM_SYSTEMS_MAX];
    ls_system setups[2];
    ls_operation operations[PROGRAM_COMPONENTS_MAX];
    ls_incompatibility pairs[PROGRAM_PAIRS_MAX];
    uint32_t set_count;
    ls_set sets[PROGRAM_SYSTEMS_MAX];
    ls_system criteria[PROGRAM_SYSTEMS_MAX];
    ls_sim sim;
    split_sim split; /* with modules and a nonzero turn, `sim` is a copy of its simulation */
} on_engine;

/* Builds the simulation. A nonzero `turn` lists components, lanes and systems in another order, and
 * gives concurrent systems another form of function, and moves parts into modules; none of it may
 * change a result. `self` must not be moved. */
void on_engine_make(on_engine *self, const struct program *program, uint32_t turn);
/* on_engine_parts.c: components, operations and incompatible pairs; a system without its function.
 */
void on_engine_make_parts(on_engine *self);
/* The description of a system, but for its function and its orders. */
void on_engine_fill(on_engine *self, const program_system *given, uint32_t index, ls_system *made);
/* Adds the orders of a system. */
void on_engine_order(on_engine *self, uint32_t index, uint32_t turn, ls_system *made);

#endif
