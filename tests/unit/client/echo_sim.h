/* A small simulation for client tests: players hold a stick and give orders. Every order sends a
 * shout, every eighth tick a beep. Both depend on all earlier states of the sticks. */
#ifndef LS_ECHO_SIM_H
#define LS_ECHO_SIM_H

#include <lockstep/lockstep.h>

enum { ECHO_PLAYERS = 3, ECHO_STATE_BYTES = 2 };

typedef struct echo_sum {
    uint64_t value, orders;
} echo_sum;

typedef struct echo_shout {
    uint32_t player, what;
} echo_shout;

extern const ls_component echo_sums, echo_shouts, echo_beeps;
extern const ls_sim echo_sim;

#endif
