/* Checks one program: whether the engine accepts it, and whether every run agrees with the
 * model. */
#ifndef LS_MODEL_CHECK_H
#define LS_MODEL_CHECK_H

#include "tests/model/model_state.h"
#include "tests/model/program.h"
#include <lockstep/executor.h>

enum { CHECK_TEXT_BYTES = 4096 };

/* The reasons for which the engine refuses to leave two systems unordered. */
typedef enum check_refusal {
    REFUSED_VALUES, /* one reads or writes what the other changes */
    REFUSED_LANE,   /* both spawn into one lane */
    REFUSED_LIVES,  /* one spawns, the other matches every living entity */
    REFUSED_BIRTHS, /* one would see only some entities that the other spawns */
    REFUSED_EVENTS, /* one sends what the other receives */
    REFUSED_COUNT,
} check_refusal;

/* Counts what the runs have covered. */
typedef struct check_counts {
    uint64_t programs, ticks, cut_short, systems, entities, invocations;
    uint64_t unordered_pairs, refused_systems;
    uint64_t abilities[MODEL_COUNTED]; /* programs, by bit from MODEL_FIRST_COUNTED on */
    uint64_t partners;                 /* systems with partners */
    uint64_t broken; /* ticks that fail: incompatible components, partners, hierarchies */
    /* Programs where a match had a partner, where two clashed, and where the first won. */
    uint64_t partnered, clashed, won;
    uint64_t parented, cycles; /* programs with hierarchies, and those of them with a cycle */
    uint64_t reordered;        /* programs where parents first was not canonical order */
    /* Programs whose state of the game changed, where that state kept a system off, and with a term
     * of the whole world. */
    uint64_t changed, paused, worlds;
    uint64_t refused[REFUSED_COUNT];
    /* Refused pairs that theorem 4.7 calls safe: their sets of influenced labels are disjoint. */
    uint64_t refused_safe[REFUSED_COUNT];
} check_counts;

typedef struct checker {
    ls_executor *two, *four, *check;
    check_counts counts;
    char text[CHECK_TEXT_BYTES]; /* the first difference */
} checker;

void checker_begin(checker *self);
void checker_end(checker *self);

/* Resolves each refusal by the engine: orders the named pair, or removes the system. False if the
 * program has another fault, which `text` names. */
bool check_settle(checker *self, struct program *program);
/* Runs the settled program on every variant. False at the first difference, which `text` names. */
bool check_program(checker *self, const struct program *program);

/* Restores the default handlers of fatal signals, for the child of a program that catches them. */
void check_take_signals(void);
/* Settles and checks the program in a child process, which may crash. */
bool check_in_child(const struct program *program, char *text);

/* shrink.c: returns the smallest program found that still fails; `text` is its failure. */
struct program check_shrink(const struct program *failing, char *text);

#endif
