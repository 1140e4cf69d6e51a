#include <lockstep/typed.h>

#include "core/run/access_fault.h"
#include "core/run/run.h"

#include <stdio.h>

void ls_cell_size_far_(const ls_context *context, uint32_t term, size_t bytes)
{
    if (term >= context->plan->term_count)
        ls_access_fault(context, term, LS_ENTITY_NULL, "the system has no such term");
    uint32_t cell_bytes = context->plan->terms[term].cell_bytes;
    if (cell_bytes != bytes) {
        char why[160];
        snprintf(why, sizeof why,
                 "takes a cell of %u bytes for a type of %zu; name the struct that the component "
                 "describes",
                 cell_bytes, bytes);
        ls_access_fault(context, term, LS_ENTITY_NULL, why);
    }
    /* A cache of the engine, as in core/run/access.c: the next call finds the size here. */
    ((ls_context *)(uintptr_t)context)->front.cursors[term].cell_bytes = cell_bytes;
}
