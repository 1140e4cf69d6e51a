#include "core/angle.h"

/* sin(pi/2 * sqrt(u)) / sqrt(u) over u = 0..1 as a polynomial of least relative error (Remez), in
 * 2^-30. Its error is 0.0002 of a unit of ls_fix, less than any of the angles comes to a tie. */
static const int64_t sine[] = {1686629674, -693597876, 85564854, -5016767, 161942};

/* atan(q) over q = 0..1 in 32 segments, each a parabola through the Chebyshev nodes, in 2^-32
 * turns. The 33rd is q = 1. Error: 0.007 of a unit of ls_angle. */
static const int32_t arc[33][3] = {
    {0, 21365323, -10423},          {21354250, 21344443, -31148},   {42667121, 21282081, -51512},
    {63897279, 21178963, -71284},   {85004562, 21036272, -90252},   {105950208, 20855621, -108226},
    {126697252, 20639002, -125042}, {147210889, 20388736, -140564}, {167458766, 20107412, -154691},
    {187411223, 19797828, -167351}, {207041468, 19462921, -178502}, {226325686, 19105711, -188135},
    {245243093, 18729239, -196264}, {263775929, 18336516, -202928}, {281909408, 17930474, -208184},
    {299631615, 17513930, -212107}, {316933382, 17089553, -214783}, {333808120, 16659837, -216306},
    {350251642, 16227090, -216776}, {366261965, 15793416, -216296}, {381839112, 15360715, -214969},
    {396984901, 14930683, -212894}, {411702746, 14504813, -210170}, {425997458, 14084404, -206887},
    {439875054, 13670573, -203131}, {453342581, 13264262, -198984}, {466407951, 12866255, -194518},
    {479079786, 12477189, -189799}, {491367279, 12097568, -184887}, {503280065, 11727779, -179835},
    {514828117, 11368100, -174690}, {526021635, 11018716, -169493}, {536870912, 0, 0},
};

enum {
    RATIO_BITS = 25, /* of q */
    STEP_BITS = 20,  /* of the place within one of the 32 segments */
};

/* `quarter` 0..16384 from 0 to a quarter turn; its square is exact in 28 bits. */
static ls_fix sine_of(int64_t quarter)
{
    int64_t u = quarter * quarter;
    int64_t sum = sine[3] + ((sine[4] * u) >> 28);
    sum = sine[2] + ((sum * u) >> 28);
    sum = sine[1] + ((sum * u) >> 28);
    sum = sine[0] + ((sum * u) >> 28);
    return (ls_fix)((sum * quarter + (1 << 27)) >> 28);
}

/* -value where the bits of `mask` are set, value where they are clear. Directions are random to the
 * branch predictor, and a wrong guess costs more than a sine: no branch depends on one here. */
static int32_t negate_if(int32_t value, int32_t mask)
{
    return (value ^ mask) - mask;
}

/* Folded before the polynomial, so that the symmetries of the circle are exact: doubled as 16
 * signed bits, an angle counts up to the quarter turn and down again, and its size is the
 * quarter's. */
ls_fix ls_angle_sin(ls_angle angle)
{
    int32_t doubled = (int16_t)(uint16_t)(angle << 1);
    int32_t rising = negate_if(doubled, -(doubled < 0)) >> 1;
    return negate_if(sine_of(rising), -(angle >> 15));
}

ls_fix ls_angle_cos(ls_angle angle)
{
    return ls_angle_sin((ls_angle)(angle + LS_ANGLE_QUARTER));
}

/* The angle whose tangent is low / high, 0..8192; low <= high, 0 < high. */
static int32_t arc_of(uint32_t low, uint32_t high)
{
    uint64_t ratio = ((uint64_t)low << RATIO_BITS) / high;
    const int32_t *row = arc[ratio >> STEP_BITS];
    int64_t step = (int64_t)(ratio & ((1 << STEP_BITS) - 1));
    int64_t slope = row[1] + ((row[2] * step) >> STEP_BITS);
    return (int32_t)((row[0] + ((slope * step) >> STEP_BITS) + 32768) >> 16);
}

ls_angle ls_angle_atan2(ls_fix y, ls_fix x)
{
    int32_t left = -(x < 0), below = -(y < 0);
    uint32_t width = ((uint32_t)x ^ (uint32_t)left) - (uint32_t)left;
    uint32_t height = ((uint32_t)y ^ (uint32_t)below) - (uint32_t)below;
    int32_t steep = -(height > width);
    uint32_t exchange = (width ^ height) & (uint32_t)steep;
    uint32_t low = height ^ exchange, high = width ^ exchange;
    if (LS_UNLIKELY(high == 0))
        return 0;
    int32_t turn = negate_if(arc_of(low, high), steep) + (LS_ANGLE_QUARTER & steep);
    turn = negate_if(turn, left) + (LS_ANGLE_HALF & left);
    return (ls_angle)negate_if(turn, below);
}
