/* Walkers: every player steers one unit and shoots at the others. The drawing program uses these
 * components, events and input bytes. */
#ifndef WALKERS_H
#define WALKERS_H

#include <lockstep/lockstep.h>

#define WALKERS_WIDTH  32 /* size of the field in steps */
#define WALKERS_HEIGHT 18
#define WALKERS_RADIUS LS_FIX(0.5)

typedef struct place {
    ls_fix x, y;
} place;

typedef struct walker {
    uint32_t player;
    uint16_t score;
    uint16_t reload; /* ticks until the next shot */
    ls_fix dx, dy;   /* steps per tick */
    ls_angle aim;
    uint8_t is_here; /* its seat is occupied */
    uint8_t moved;   /* rises when it is placed elsewhere: do not interpolate */
} walker;

typedef struct shot {
    uint32_t player;
    uint16_t ticks; /* remaining ticks */
    ls_angle aim;
} shot;

/* Presentation events, for pictures and sounds; they do not affect the match. They name the player
 * but not the position, so a slightly wrong prediction still predicts the same event. */
typedef struct bang { /* a shot was fired */
    uint32_t player;
} bang;
typedef struct hit {
    uint32_t player, victim;
} hit;

extern const ls_component Place, Walker, Shot, Bang, Hit;

/* A player's input in each tick: both axes of the stick, -127..127, and the direction of the
 * aim. */
#define WALKERS_STATE_BYTES 4
void walkers_state_encode(int stick_x, int stick_y, ls_angle aim,
                          uint8_t bytes[WALKERS_STATE_BYTES]);

/* The only order; it has one byte. */
#define WALKERS_FIRE 1

extern const ls_sim walkers;

#endif
