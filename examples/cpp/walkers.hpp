/* The components, events and inputs of walkers, for the simulation and for a program that shows it.
 */
#ifndef WALKERS_HPP
#define WALKERS_HPP

#include <lockstep/angle.h>
#include <lockstep/lockstep.hpp>

namespace walkers
{

constexpr int width = 32, height = 18; /* size of the field in steps */

struct place {
    ls_fix x, y;
};

struct walker {
    uint32_t player;
    uint16_t score;
    uint16_t reload; /* ticks until the next shot */
    ls_fix dx, dy;   /* steps per tick */
    ls_angle aim;
    uint8_t is_here; /* its seat is occupied */
    uint8_t moved;   /* rises when it is placed elsewhere: do not interpolate */
};

struct shot {
    uint32_t player;
    uint16_t ticks; /* remaining ticks */
    ls_angle aim;
};

/* Presentation events: they do not affect the match. */
struct bang {
    uint32_t player;
};
struct hit {
    uint32_t player, victim;
};

extern const lockstep::component<place> Place;
extern const lockstep::component<walker> Walker;
extern const lockstep::component<shot> Shot;
extern const lockstep::event<bang> Bang;
extern const lockstep::event<hit> Hit;

/* A player's input in each tick: both axes of the stick, -127..127, and the direction of the aim.
 */
constexpr uint32_t state_bytes = 4;
void encode_state(int stick_x, int stick_y, ls_angle aim, uint8_t bytes[state_bytes]);

/* The only order; it has one byte. */
constexpr uint8_t fire_order = 1;

} // namespace walkers

extern "C" const ls_sim *ls_sim_export(void);

#endif
