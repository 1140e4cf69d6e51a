/* Angles as 16-bit integers, and trigonometry on them with the same results on every machine. Tests
 * can cover all 65536 angles, and a full turn wraps by itself. To turn slower than 1/182 of a
 * degree a tick, keep a finer counter in the simulation.
 *   unit    ls_angle: 1/65536 turn, counted from the x axis towards the y axis
 *   thread  any; nothing here has state or fails */
#ifndef LS_ANGLE_H
#define LS_ANGLE_H

#include <lockstep/fix.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t ls_angle;

#define LS_ANGLE_QUARTER ((ls_angle)16384)
#define LS_ANGLE_HALF    ((ls_angle)32768)

/* LS_DEGREES(-90): converts a whole number of degrees; rounds down. */
#define LS_DEGREES(degrees) ((ls_angle)((((degrees) % 360 + 360) % 360) * 65536 / 360))

/* Use these two functions for sums and differences: C promotes two angles to int, which does not
 * wrap. */
static inline ls_angle ls_angle_add(ls_angle angle, int32_t turn)
{
    return (ls_angle)(angle + (uint32_t)turn);
}

/* The shortest turn that leads from `from` to `to`, -32768..32767. */
static inline int16_t ls_angle_turn(ls_angle from, ls_angle to)
{
    return (int16_t)(uint16_t)(to - from);
}

/* Exact: the ls_fix nearest to the true value, for every angle. */
LS_API ls_fix ls_angle_sin(ls_angle angle);
LS_API ls_fix ls_angle_cos(ls_angle angle);

/* The angle of the direction (x, y); 0 for (0, 0). Less than 0.51 units from the true value, exact
 * on axes and diagonals. Mirrored directions give mirrored angles. */
LS_API ls_angle ls_angle_atan2(ls_fix y, ls_fix x);

#ifdef __cplusplus
}
#endif

#endif
