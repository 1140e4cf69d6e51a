/* Combines accumulated values with cells: numbers field by field, and LS_ARG_MIN, LS_ARG_MAX and
 * operations of the simulation's own as a whole. */
#ifndef LS_COMBINE_H
#define LS_COMBINE_H
#include "core/schedule/program_data.h"

#include <string.h>

/* Adds numbers of 32 bits, the most common type, without choosing an operation for each number. */
static inline void ls_combine_add_u32(uint8_t *cell, const uint8_t *value, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += sizeof(uint32_t)) {
        uint32_t a, b;
        memcpy(&a, cell + at, sizeof a);
        memcpy(&b, value + at, sizeof b);
        a += b;
        __asm__("" : "+r"(a)); /* keeps compilers from making vectors, because cells are short */
        memcpy(cell + at, &a, sizeof a);
    }
}

/* Whether the term adds fields of 32 bits only. Signed ones wrap around as unsigned ones do. */
static inline bool ls_combine_adds_u32(const ls_plan_term *term)
{
    return term->access == LS_ADD &&
           (term->combines_as == LS_TYPE_U32 || term->combines_as == LS_TYPE_I32 ||
            term->combines_as == LS_TYPE_FIX);
}

/* ls_combine() for any term: chooses the function for each type. */
void ls_combine_any(const ls_program *program, const ls_plan_term *term, uint8_t *cell,
                    const uint8_t *value);
/* Combines `value` with `cell`, a cell of the term's column, and stores the result in `cell`. */
static inline void ls_combine(const ls_program *program, const ls_plan_term *term, uint8_t *cell,
                              const uint8_t *value)
{
    if (LS_LIKELY(ls_combine_adds_u32(term)))
        ls_combine_add_u32(cell, value, term->cell_bytes);
    else
        ls_combine_any(program, term, cell, value);
}

#endif
