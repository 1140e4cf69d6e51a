/* One program: does the engine accept it, and do all its runs agree with the model? */
#ifndef LS_MODEL_CHECK_H
#define LS_MODEL_CHECK_H

#include "tests/model/program.h"
#include <lockstep/executor.h>

enum { CHECK_TEXT_BYTES = 4096 };

/* Why the engine refuses to leave two systems without an order. */
typedef enum check_refusal {
    REFUSED_VALUES, /* one uses what the other changes */
    REFUSED_LANE,   /* both spawn into one lane */
    REFUSED_LIVES,  /* one spawns, the other matches every living entity */
    REFUSED_BIRTHS, /* one would see some of the other's newborns */
    REFUSED_EVENTS, /* one sends what the other receives */
    REFUSED_COUNT,
} check_refusal;

/* Counts of what a run has covered. */
typedef struct check_counts {
    uint64_t programs, ticks, cut_short, systems, entities, invocations;
    uint64_t unordered_pairs, refused_systems;
    uint64_t refused[REFUSED_COUNT];
    /* Those pairs that theorem 4.7 calls safe: their labels of influence are disjoint. */
    uint64_t refused_safe[REFUSED_COUNT];
} check_counts;

typedef struct checker {
    ls_executor *two, *four, *check;
    check_counts counts;
    char text[CHECK_TEXT_BYTES]; /* the first difference */
} checker;

void checker_begin(checker *self);
void checker_end(checker *self);

/* Resolves each refusal of the engine: orders the pair that it names, or drops the system. False
 * when the program has another fault; `text` names it. */
bool check_settle(checker *self, struct program *program);
/* Runs the settled program in all ways. False at the first difference; `text` names it. */
bool check_program(checker *self, const struct program *program);

/* Gives fatal signals their usual effect, for a child of a program that catches them. */
void check_take_signals(void);
/* Both in a child process, which may crash. */
bool check_in_child(const struct program *program, char *text);

/* shrink.c: the smallest program found that still fails; `text` is its failure. */
struct program check_shrink(const struct program *failing, char *text);

#endif
