/* Operations of a simulation's own, by which accumulated values combine. Constant data. */
#ifndef LS_OPERATION_H
#define LS_OPERATION_H

#include <lockstep/component.h>

/* Combines two values of a component into `*value`. It must be a pure function of both, commutative
 * and associative: values arrive in an unspecified order, and that of the cell is one of them. The
 * check executor tests both laws on the values of each tick. */
typedef void ls_combine_function(void *value, const void *other);

/* The operation of LS_ACCUMULATES(component, LS_COMBINE), one for each component. */
typedef struct ls_operation {
    const ls_component *component;
    const char *name; /* for messages */
    ls_combine_function *combine;
} ls_operation;

#endif
