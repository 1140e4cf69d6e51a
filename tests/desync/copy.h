/* Copies of built-in simulations with one planted fault each (faults/). Tests check that desync
 * diagnosis names the fault (docs/desync.md). Each fault edits the copy; the faulty line ends with
 * FAULT, which the test searches for. */
#ifndef LS_TESTS_DESYNC_COPY_H
#define LS_TESTS_DESYNC_COPY_H

#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/world.h>

#include <string.h>
#include <time.h>

enum { COPY_SYSTEMS_MAX = 24 };

typedef struct copy {
    ls_sim sim;
    ls_system systems[COPY_SYSTEMS_MAX];
} copy;

static inline ls_system *copy_system(copy *of, const char *name)
{
    for (uint32_t i = 0; i < of->sim.system_count; i++)
        if (strcmp(of->systems[i].name, name) == 0)
            return &of->systems[i];
    LS_ASSERT(!"the simulation has no such system");
    return NULL;
}

static inline void copy_add(copy *of, const ls_system *system)
{
    LS_ASSERT(of->sim.system_count < COPY_SYSTEMS_MAX);
    of->systems[of->sim.system_count++] = *system;
}

static inline const ls_sim *copy_make(copy *of, const ls_sim *from, const char *name)
{
    of->sim = *from;
    of->sim.name = name;
    of->sim.source_hash = LS_SIM_SOURCE_HASH;
    memcpy(of->systems, from->systems, from->system_count * sizeof *from->systems);
    of->sim.systems = of->systems;
    return &of->sim;
}

/* The module's export: a copy of `from` after `edit`. */
#define COPY(from, edit)                                                                           \
    LS_SIM_EXPORT const ls_sim *ls_sim_export(void);                                               \
    LS_SIM_EXPORT const ls_sim *ls_sim_export(void)                                                \
    {                                                                                              \
        static copy made;                                                                          \
        if (!made.sim.name) {                                                                      \
            copy_make(&made, &(from), FAULT_NAME);                                                 \
            edit(&made);                                                                           \
        }                                                                                          \
        return &made.sim;                                                                          \
    }

/* The export of a copy in which one system has a function of the same name. */
#define COPY_SPAN(from, name)  COPY_OF_ONE(from, name, span)
#define COPY_MATCH(from, name) COPY_OF_ONE(from, name, match)
#define COPY_OF_ONE(from, name, member)                                                            \
    static void edit(copy *of)                                                                     \
    {                                                                                              \
        copy_system(of, #name)->member = name;                                                     \
    }                                                                                              \
    COPY(from, edit)

/* Delays the caller, so that work on another thread overtakes it wherever the schedule allows. */
static inline void linger(void)
{
    struct timespec pause = {.tv_nsec = 300000};
    nanosleep(&pause, NULL);
}

/* A player without orders, for simulations that have no bot. */
static inline uint32_t idle_bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    (void)world, (void)player, (void)bytes;
    return 0;
}

#endif
