/* Shared by the parts of the interpreter of bodies. */
#ifndef LS_MODEL_REGISTERS_H
#define LS_MODEL_REGISTERS_H

#include "tests/model/interpret.h"

struct registers {
    uint64_t numbers[PROGRAM_REGISTERS];
    ls_entity entities[E_COUNT];
};

/* interpret_find.c: grids, joins, inputs and prefabs. */
static inline bool interpret_is_find(uint8_t op)
{
    return (op >= OP_NEAR && op <= OP_PREFAB) || op == OP_COMMAND_PREFAB;
}
void interpret_find(machine *self, const struct instruction *at, struct registers *r);

#endif
