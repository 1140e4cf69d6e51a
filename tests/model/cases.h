/* Small hand-written programs for tests of one behaviour each. */
#ifndef LS_MODEL_CASES_H
#define LS_MODEL_CASES_H

#include "tests/model/on_model.h"

/* Components of every case: numbers A and B (u32), tag T, reference E, event V (u32), singleton S
 * (u32), event W (reference). Lane 1 is "a", lane 2 "b". */
enum { CASE_A, CASE_B, CASE_T, CASE_E, CASE_V, CASE_S, CASE_W, CASE_COMPONENTS };

struct program case_begin(void);
/* Adds `count` entities to `lane`, each with the components of the bit mask. */
void case_add_group(struct program *program, uint8_t lane, uint16_t count, uint32_t components);

/* Adds an empty system that runs after all earlier ones; the caller fills it in. */
program_system *case_add_system(struct program *program, bool is_concurrent);
uint8_t case_add_term(program_system *system, ls_match_kind kind, ls_access access,
                      uint8_t component, uint8_t query);
void case_add(program_system *system, struct instruction instruction);

/* Runs the program on every variant of the engine, asserts that each agrees with the model, and
 * leaves the model in the state after the last tick. The caller then calls on_model_end(). */
void case_run(const struct program *program, on_model *model);
/* The u32 value of the `index`-th entity that has the component. */
uint32_t case_number(const on_model *model, uint32_t component, uint32_t index);

#endif
