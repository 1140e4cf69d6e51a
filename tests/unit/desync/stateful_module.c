/* A shared object with variables, for tests that save and restore them. */
#include "stateful_module.h"

#include <stddef.h>

/* Volatile, so that the compiler keeps the variables in these sections. */
static volatile int calls;                   /* in .bss */
static volatile int homes[4] = {5, 6, 7, 8}; /* in .data */
static const int limit = 9;

static void store(int value)
{
    calls++;
    homes[2] = value;
}

static int sum(void)
{
    return calls * 1000 + homes[0] + homes[1] + homes[2] + homes[3];
}

__attribute__((visibility("default"))) const stateful_module *stateful_module_get(void)
{
    static const stateful_module own = {store, sum, &limit};
    return &own;
}
