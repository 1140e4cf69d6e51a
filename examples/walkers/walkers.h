/* Walkers: every player steers one unit and shoots at the others. The drawing program uses these
 * components, events and input bytes. */
#ifndef WALKERS_H
#define WALKERS_H

#include <lockstep/lockstep.h>

#define WALKERS_WIDTH  32 /* size of the field in steps */
#define WALKERS_HEIGHT 18
#define WALKERS_RADIUS LS_FIX(0.5)

LS_COMPONENT(place, FIX(x), FIX(y));

/* `reload`: ticks until the next shot. `dx`, `dy`: steps per tick. `is_here`: its seat is occupied.
 * `moved` rises when it is placed elsewhere: do not interpolate. */
LS_COMPONENT(walker, U32(player), U16(score), U16(reload), FIX(dx), FIX(dy), ANGLE(aim),
             BOOL(is_here), U8(moved));

/* `ticks` is how long it flies on. */
LS_COMPONENT(shot, U32(player), U16(ticks), ANGLE(aim));

/* Presentation events, for pictures and sounds; they do not affect the match. They name the player
 * but not the position, so a slightly wrong prediction still predicts the same event. */
LS_EVENT(bang, U32(player)); /* a shot was fired */
LS_EVENT(hit, U32(player), U32(victim));

/* A player's input in each tick: both axes of the stick, -127..127, and the direction of the
 * aim. */
#define WALKERS_STATE_BYTES 4
void walkers_state_encode(int stick_x, int stick_y, ls_angle aim,
                          uint8_t bytes[WALKERS_STATE_BYTES]);

/* The only order; it has one byte. */
#define WALKERS_FIRE 1

extern const ls_sim walkers;

#endif
