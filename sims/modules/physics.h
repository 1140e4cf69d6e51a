/* Bodies that fall, fly and bounce on the ground: a module of three simulations. The user of the
 * module spawns the bodies and receives their landings. */
#ifndef LS_PHYSICS_H
#define LS_PHYSICS_H

#include <lockstep/lockstep.h>

/* y is the height above the ground, speed is per tick. */
LS_COMPONENT(body, FIX2(at), FIX2(speed));
/* A body touches the ground. */
LS_EVENT(landing, ENTITY(body, LS_KEEP), FIX(x));

extern const ls_module ls_physics;

#endif
