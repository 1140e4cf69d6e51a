/* Compares the engine's world with the model's state, value by value. */
#ifndef LS_MODEL_COMPARE_H
#define LS_MODEL_COMPARE_H

#include "tests/model/model.h"
#include <lockstep/world.h>

/* Both return false at the first difference, which `text` names. */
bool compare_world(const ls_world *world, const model_state *state, char *text, size_t bytes);
bool compare_states(const model_state *a, const model_state *b, char *text, size_t bytes);

#endif
