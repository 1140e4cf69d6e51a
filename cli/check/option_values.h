/* Which values of a simulation's options `lockstep check` tries. A match with another value may
 * take another branch of a setup or system.
 *   thread  any */
#ifndef LS_OPTION_VALUES_H
#define LS_OPTION_VALUES_H

#include <lockstep/sim.h>

/* The options of a match that stay as they are. */
typedef struct ls_option_pins {
    bool is_pinned[LS_OPTIONS_MAX];
} ls_option_pins;

/* An option with at most LS_OPTION_VALUES_ALL values is tried with each of them. Another option is
 * tried with its least and greatest value and, after all options had these, with
 * LS_OPTION_VALUES_BETWEEN values at equal distances between them. */
enum { LS_OPTION_VALUES_ALL = 16, LS_OPTION_VALUES_BETWEEN = 3 };

/* Returns in how many ways ls_option_values_set() changes `match`. */
uint32_t ls_option_values_count(const ls_sim *sim, const ls_option_pins *pins,
                                const ls_match *match);
/* Changes one option of `match` in the given way, 0 .. count - 1. Each value of an option that is
 * tried and that `match` does not have is one way. */
void ls_option_values_set(const ls_sim *sim, const ls_option_pins *pins, uint32_t way,
                          ls_match *match);
/* Changes all options: each keeps its value, or gets its least, its greatest, or any value, with
 * equal chances. The same seed gives the same values. */
void ls_option_values_draw(const ls_sim *sim, const ls_option_pins *pins, uint64_t seed,
                           ls_match *match);

#endif
