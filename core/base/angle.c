#include <lockstep/angle.h>

/* The sine over a quarter turn: 64 parabolas over 256 angles each, and the end point. Columns:
 * value in 2^-30; slope, with 6 more bits; curvature, with 10 more bits than the slope. Each
 * parabola passes through the Chebyshev nodes; then its coefficients were moved by a few units
 * until each of the 16385 results was the ls_fix nearest to the sine. Two 32-bit products are
 * faster than a polynomial of degree 9, which is as accurate. */
static const int32_t sine[65][3] = {
    {-150, 6588769, -3849},
    {26350832, 6586791, -11824},
    {52685932, 6580833, -19831},
    {78989266, 6570917, -27747},
    {105245021, 6557042, -35646},
    {131437444, 6539218, -43524},
    {157550566, 6517455, -51375},
    {183568849, 6491767, -59196},
    {209476565, 6462167, -66981},
    {235258085, 6428676, -74725},
    {260897950, 6391311, -82425},
    {286380564, 6350097, -90074},
    {311690640, 6305058, -97470},
    {336813100, 6256221, -105207},
    {361732648, 6203616, -112680},
    {386434276, 6147273, -120086},
    {410903102, 6087228, -127419},
    {435124489, 6023516, -134675},
    {459083671, 5956176, -141770},
    {482766399, 5885247, -148860},
    {506158278, 5810770, -155940},
    {529245332, 5732801, -162846},
    {552013560, 5651374, -169654},
    {574449233, 5566614, -176660},
    {596538875, 5478360, -182960},
    {618269252, 5386876, -189449},
    {639627192, 5292147, -195825},
    {660599862, 5194233, -202082},
    {681174539, 5093186, -208218},
    {701338938, 4989072, -214228},
    {721080876, 4881954, -220109},
    {740388442, 4771895, -225858},
    {759250045, 4658961, -231350},
    {777654270, 4543221, -236903},
    {795590158, 4424745, -242274},
    {813046755, 4303603, -247458},
    {830013578, 4179868, -252494},
    {846480450, 4053616, -257377},
    {862437471, 3924923, -262105},
    {877874962, 3793865, -266676},
    {892783639, 3660521, -271005},
    {907154565, 3524973, -275332},
    {920979040, 3387302, -279412},
    {934248753, 3247590, -283325},
    {946955709, 3105921, -287066},
    {959092254, 2962382, -290635},
    {970651078, 2817059, -294029},
    {981625188, 2670039, -297205},
    {992008035, 2521410, -300283},
    {1001793361, 2371262, -303139},
    {1010975215, 2219686, -305813},
    {1019548084, 2066774, -308303},
    {1027506830, 1912616, -310607},
    {1034846655, 1757306, -312724},
    {1041563100, 1600937, -314653},
    {1047652167, 1443604, -316392},
    {1053110161, 1285402, -317940},
    {1057933798, 1126425, -319257},
    {1062120179, 966770, -320462},
    {1065666776, 806532, -321434},
    {1068571452, 645809, -322212},
    {1070832469, 484697, -322796},
    {1072448452, 323292, -323185},
    {1073418432, 161693, -323380},
    {1073741824, 0, 0},
};

/* atan(q) for q = 0..1: 32 parabolas through the Chebyshev nodes, in 2^-32 turns. The last row is
 * q = 1. Error before rounding: 0.007 units of ls_angle. */
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
    RATIO_BITS = 25, /* fraction bits of the quotient */
    STEP_BITS = 20,  /* bits of the position within one of the 32 parabolas of `arc` */
};

/* `quarter` is 0..16384, for angles from 0 to a quarter turn. */
static int32_t sine_of(int32_t quarter)
{
    const int32_t *row = sine[quarter >> 8];
    int32_t step = quarter & 255;
    int32_t slope = row[1] + ((step * row[2]) >> 10);
    return (row[0] + ((step * slope) >> 6) + 8192) >> 14;
}

/* Returns -value if `mask` is all ones, value if it is zero. It has no branch: directions are
 * random, and a mispredicted branch costs more than a sine. */
static int32_t negate_if(int32_t value, int32_t mask)
{
    return (value ^ mask) - mask;
}

/* Folds the angle into a quarter turn before the lookup, so that the symmetries of the circle are
 * exact. As 16 signed bits, the doubled angle has a magnitude that rises until the quarter turn
 * and falls after it. */
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

/* The angle with tangent low / high, 0..8192; requires low <= high and 0 < high. */
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
