/* Shared by the parts of the proof: prove.c runs accepted schedules, prove_refused.c looks for
 * witnesses, prove_states.c compares which systems ran. */
#ifndef LS_TEST_PROVE_PARTS_H
#define LS_TEST_PROVE_PARTS_H

#include "tests/schedule/build.h"
#include "tests/schedule/prove.h"

enum { PROVE_TICKS = 3, PROVE_BIG_SEED = 1000 };

/* Prints the error into the text. Returns false. */
bool prove_fail(prover *self, const char *format, ...);
ls_world *prove_make_world(const ls_program *program, uint64_t seed);
/* Spawns may double the entities, and a query vector visits a product of matches: limits the
 * work. */
bool prove_is_small(const ls_world *world);
uint32_t prove_position_of(const ls_program *program, const char *name);
/* prove_refused.c */
bool prove_refused(prover *self, const schedule *given);
/* prove_states.c: plays a match, and compares the systems that ran in each tick with the states of
 * the game. */
bool prove_states(prover *self, const schedule *given, const ls_program *program);

#endif
