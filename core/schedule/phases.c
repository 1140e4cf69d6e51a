#include "core/schedule/phases.h"

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether no tick meets both conditions. A tick with tick % a == p and tick % b == q exists exactly
 * if p and q are equal modulo the greatest common divisor of a and b. By the Chinese remainder
 * theorem, a tick that meets more conditions exists if one exists for every two of them. */
static bool exclude(const ls_condition *one, const ls_condition *other)
{
    if (!one->every || !other->every)
        return false;
    uint32_t divisor = common_divisor(one->every, other->every);
    return one->phase % divisor != other->phase % divisor;
}

static bool holds_one(const ls_plan_gate *gate, uint32_t i, uint32_t j)
{
    return gate->members && (ls_bit_has(gate->members, i) || ls_bit_has(gate->members, j));
}

bool ls_phases_exclude(const ls_program *program, uint32_t i, uint32_t j)
{
    for (uint32_t a = 0; a < program->gate_count; a++) {
        for (uint32_t b = 0; holds_one(&program->gates[a], i, j) && b < a; b++) {
            if (holds_one(&program->gates[b], i, j) &&
                exclude(program->gates[a].when, program->gates[b].when))
                return true;
        }
    }
    return false;
}
