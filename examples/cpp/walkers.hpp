/* The components, events and inputs of walkers, for the simulation and for a program that shows it.
 */
#ifndef WALKERS_HPP
#define WALKERS_HPP

#include <lockstep/angle.h>
#include <lockstep/lockstep.hpp>

namespace walkers
{

constexpr int width = 32, height = 18; /* size of the field in steps */

LS_COMPONENT(place, FIX(x), FIX(y));

/* score, reload: ticks until the next shot. dx, dy: steps per tick. is_here: its seat is occupied.
 * moved: rises when it is placed elsewhere, so do not interpolate. */
LS_COMPONENT(walker, U32(player), U16(score), U16(reload), FIX(dx), FIX(dy), ANGLE(aim),
             BOOL(is_here), U8(moved));

/* ticks: remaining ones. */
LS_COMPONENT(shot, U32(player), U16(ticks), ANGLE(aim));

/* Presentation events: they do not affect the match. */
LS_EVENT(bang, U32(player));
LS_EVENT(hit, U32(player), U32(victim));

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
