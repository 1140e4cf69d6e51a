/* Walkers: every player steers a unit and fires at the others. The program that draws a match needs
 * these components, events and the bytes of the inputs. */
#ifndef WALKERS_H
#define WALKERS_H

#include <lockstep/lockstep.h>

#define WALKERS_WIDTH  32 /* the field, in steps */
#define WALKERS_HEIGHT 18
#define WALKERS_RADIUS LS_FIX(0.5)

typedef struct place {
    ls_fix x, y;
} place;

typedef struct walker {
    uint32_t player;
    uint16_t score;
    uint16_t reload; /* ticks until the next shot */
    ls_fix dx, dy;   /* a tick */
    ls_angle aim;
    uint8_t is_here; /* its seat is taken */
    uint8_t moved;   /* counts how often it was put elsewhere: nothing to blend then */
} walker;

typedef struct shot {
    uint32_t player;
    uint16_t ticks; /* left */
    ls_angle aim;
} shot;

/* Events, for eyes and ears: no state of the match hangs on them. They say who and not where: a
 * prediction that is a hair's breadth off is then still right about the event. */
typedef struct bang { /* a shot was fired */
    uint32_t player;
} bang;
typedef struct hit {
    uint32_t player, victim;
} hit;

extern const ls_component Place, Walker, Shot, Bang, Hit;

/* A player's input in each tick: the stick, -127..127 each, and the direction of the aim. */
#define WALKERS_STATE_BYTES 4
void walkers_state_encode(int stick_x, int stick_y, ls_angle aim,
                          uint8_t bytes[WALKERS_STATE_BYTES]);

/* The one order. */
#define WALKERS_FIRE 1

extern const ls_sim walkers;

#endif
