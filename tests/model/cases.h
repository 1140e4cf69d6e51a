/* Small hand-written programs for tests that name what they show. */
#ifndef LS_MODEL_CASES_H
#define LS_MODEL_CASES_H

#include "tests/model/on_model.h"

/* Components of every case: numbers A and B (u32), a tag T, references E, an event V of a u32, a
 * singleton S of a u32 and an event W of a reference. Lane 1 is "a", lane 2 "b". */
enum { CASE_A, CASE_B, CASE_T, CASE_E, CASE_V, CASE_S, CASE_W, CASE_COMPONENTS };

struct program case_begin(void);
/* `count` entities in `lane` that have the components of the bit mask. */
void case_add_group(struct program *program, uint8_t lane, uint16_t count, uint32_t components);

/* A system to be filled in; it runs after those before it. */
program_system *case_add_system(struct program *program, bool is_concurrent);
uint8_t case_add_term(program_system *system, ls_match_kind kind, ls_access access,
                      uint8_t component, uint8_t query);
void case_add(program_system *system, struct instruction instruction);

/* Runs the program in the engine in all ways, asserts that it agrees with the model, and leaves
 * the model in the state after the last tick. The caller ends it by on_model_end(). */
void case_run(const struct program *program, on_model *model);
/* The u32 of the `index`-th entity that has the component. */
uint32_t case_number(const on_model *model, uint32_t component, uint32_t index);

#endif
