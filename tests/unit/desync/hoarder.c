/* A shared object that keeps things to itself, for the tests of images of its variables. */
#include "hoarder.h"

#include <stddef.h>

/* Volatile: a compiler may otherwise make variables of its own out of them. */
static volatile int calls;                   /* begins as zero */
static volatile int homes[4] = {5, 6, 7, 8}; /* begins as something else */
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

__attribute__((visibility("default"))) const hoarder *hoarder_get(void)
{
    static const hoarder own = {store, sum, &limit};
    return &own;
}
