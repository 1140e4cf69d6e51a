/* Operations of a simulation's own, by which accumulated values combine. Constant data.
 *
 *     static void enclose(bounds *all, const bounds *part);
 *     LS_OPERATIONS(operations, OPERATION(bounds, enclose));
 *
 * defines the array `operations` for the simulation. Messages call an operation by its function.
 *   errors  a function of another component's values does not compile
 *   source  docs/ecs.md, "Combine values by an operation of your own" */
#ifndef LS_OPERATION_H
#define LS_OPERATION_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/define.h>

/* Combines two values of a component into `*value`. It must be a pure function of both, commutative
 * and associative: values arrive in an unspecified order, and the cell's value is one of them. The
 * check executor tests both laws on the values of each tick. */
typedef void ls_combine_function(void *value, const void *other);

/* The operation of LS_ACCUMULATES(component, LS_COMBINE), one for each component. LS_OPERATIONS
 * makes it from a function on the component's type; the type of `combine` names no component. */
typedef struct ls_operation {
    const ls_component *component;
    const char *name; /* for messages */
    ls_combine_function *combine;
} ls_operation;

#define LS_OPERATIONS(list, ...)                                                                   \
    LS_EACH_(LS_OPERATION_TYPED_, ~, __VA_ARGS__)                                                  \
    LS_UNUSED_ static const ls_operation list[] = {LS_EACH_(LS_OPERATION_ROW_, ~, __VA_ARGS__)}
#define LS_OPERATION_TYPED_(c, operation) LS_OPERATION_TYPED_##operation
#define LS_OPERATION_TYPED_OPERATION(type, function)                                               \
    LS_DEMAND_(LS_COMBINES_(type##_cell_, function),                                               \
               "OPERATION(" #type ", " #function ") takes void " #function "(" #type               \
               " *value, const " #type " *other)");                                                \
    static void type##_by_##function##_(void *value, const void *other)                            \
    {                                                                                              \
        function((type##_cell_ *)value, (const type##_cell_ *)other);                              \
    }
#define LS_OPERATION_ROW_(c, operation) LS_OPERATION_ROW_##operation
#define LS_OPERATION_ROW_OPERATION(type, function)                                                 \
    {&type##_component, #function, type##_by_##function##_},

#ifdef __cplusplus
template <class Value> constexpr bool ls_combines_(void (*)(Value *, const Value *)) noexcept
{
    return true;
}
template <class Value> constexpr bool ls_combines_(...) noexcept
{
    return false;
}
#define LS_COMBINES_(cell, function) ls_combines_<cell>(&function)
#else
#define LS_COMBINES_(cell, function)                                                               \
    _Generic(&function, void (*)(cell *, const cell *) : 1, default : 0)
#endif

#endif
