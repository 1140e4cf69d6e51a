/* Shared by the tests of the check executor: a population of which half has health, and a tick that
 * must fail with findings and leave everything unchanged. */
#ifndef LS_CHECK_SIM_H
#define LS_CHECK_SIM_H

#include "harness.h"

enum { LANE_A = 1 };

typedef struct place {
    int32_t x, y;
} place;

typedef struct health {
    int32_t left;
    uint8_t mood, is_ill, spare[2];
    ls_entity friend;
} health;

typedef struct tally {
    uint32_t sum, spare;
} tally;

/* Slots 0 to 299 of lane "a": all have a place; even slots have health with a reference to
 * themselves as friend. `tallies` is a singleton, `bells` an event; no entity has a note. */
extern const ls_component places, healths, tallies, bells, notes;

/* Casts const away, as a faulty system would. */
static inline void *unconst(const void *pointer)
{
    return (void *)(uintptr_t)pointer;
}

ls_sim check_sim(const ls_system *systems, uint32_t count);

/* Runs one checked tick. Asserts that its findings contain all words, and that the world, its root
 * and a snapshot of it are unchanged. */
void check_finds(const ls_sim *sim, const char *const *words);
#define expect_finding(systems, ...)                                                               \
    do {                                                                                           \
        ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));                                     \
        check_finds(&sim, (const char *const[]){"tick 0: system \"", __VA_ARGS__, NULL});          \
    } while (0)

#endif
