/* Runs a program with the model. */
#ifndef LS_MODEL_ON_MODEL_H
#define LS_MODEL_ON_MODEL_H

#include "tests/model/interpret.h"
#include "tests/model/model.h"

/* The `data` of a model system. */
typedef struct on_model_data {
    const struct program *program;
    const program_system *system; /* NULL for the setup */
} on_model_data;

typedef struct on_model {
    const struct program *program;
    ls_field fields[PROGRAM_COMPONENTS_MAX][PROGRAM_FIELDS_MAX];
    ls_component components[PROGRAM_COMPONENTS_MAX];
    const ls_component *pointers[PROGRAM_COMPONENTS_MAX];
    model_schema schema;
    model_pair pairs[PROGRAM_PAIRS_MAX];
    on_model_data data[PROGRAM_SYSTEMS_MAX + 2];
    model_system systems[PROGRAM_SYSTEMS_MAX + 2];
    uint32_t order[PROGRAM_SYSTEMS_MAX]; /* the canonical order: ties are broken by name */
    bool is_ordered[PROGRAM_SYSTEMS_MAX][PROGRAM_SYSTEMS_MAX]; /* directly or transitively */
    program_system second_setup;
    /* `serial` composes all systems with the paper's ; and `grouped` those without an order with
     * its ||. */
    model_schedule leaves[PROGRAM_SYSTEMS_MAX];
    model_schedule chain[PROGRAM_SYSTEMS_MAX], parallel[2 * PROGRAM_SYSTEMS_MAX];
    const model_schedule *serial, *grouped; /* NULL without systems */
    model_state state;
} on_model;

/* The program's order must have no cycle. `self` must not be moved, and `program` must outlive
 * it. */
void on_model_begin(on_model *self, const struct program *program);
void on_model_end(on_model *self);

#endif
