/* The parts of a random program that become sides of a par, alone and together. */
#ifndef LS_MODEL_PAR_SIDES_H
#define LS_MODEL_PAR_SIDES_H

#include "tests/model/on_engine.h"
#include <lockstep/world.h>

enum { SIDES_TEXT_BYTES = 1024 };
enum { FIRST, SECOND, BOTH, SIMS };

/* A third system of the first side: after its other one, or beside it in a par of their own. */
typedef enum sides_more { MORE_NONE, MORE_AFTER, MORE_PAR } sides_more;

/* One program in three forms (first side, second side, par) with a world each, and a world with the
 * state before the tick. The par of a program with modules has them; a side alone has none. */
typedef struct sides {
    struct program programs[SIMS];
    on_engine engines[SIMS];
    sides_more more;
    ls_par pars[2];     /* of the sides, and of two systems within the first one */
    char labels[2][64]; /* of the systems of the first side, if there are two */
    bool is_turned;     /* the second system is the first side of the list */
    test_names side_names, inner_names;
    ls_program *built[SIMS];
    ls_world *worlds[SIMS], *start;
    char hint[4 * SIDES_TEXT_BYTES]; /* of the schedule: which pairs of systems may change one
                                        cell */
    char text[SIDES_TEXT_BYTES];     /* the first difference */
} sides;

/* Takes two or three systems of a random program. False if it has too few, or takes too long. */
bool sides_make(sides *self, uint64_t seed);
/* Builds all forms, each with a world. Any two systems that build alone form a valid par. False if
 * one does not build: it conflicts with itself. */
bool sides_begin(sides *self, bool is_turned);
void sides_end(sides *self);

#endif
