/* A simulation without systems; its components have a field of every type and attribute. The tests
 * of printing, JSON, diff and decoding use it. */
#ifndef LS_EVERY_SIM_H
#define LS_EVERY_SIM_H

#include <lockstep/lockstep.h>

enum { EVERY_FRIENDS = 3, EVERY_STEPS = 4 };

typedef struct every_mixed {
    uint64_t u64;
    int64_t i64;
    ls_entity target;
    ls_entity friends[EVERY_FRIENDS];
    uint32_t u32;
    int32_t i32;
    ls_fix fix;
    ls_fix2 place;
    ls_fix2 steps[EVERY_STEPS];
    uint16_t u16;
    int16_t i16;
    uint16_t angle;
    uint16_t friend_count;
    uint16_t step_count;
    uint8_t u8;
    int8_t i8;
    bool flag;
    uint8_t mood;
    uint8_t list[6];
} every_mixed;

typedef struct every_number {
    int32_t value;
} every_number;

typedef struct every_parent {
    ls_entity of;
} every_parent;

extern const ls_component every_mixeds, every_numbers, every_parents, every_tags, every_score,
    every_noise;
/* Lanes "world", "beasts" and "glow/\"2\"" have the numbers 0, 1 and 2. Option "size" is 0 to 9. */
extern const ls_sim every_sim;

/* Applies random spawns, despawns and cell changes directly, without systems. */
void every_fill(ls_world *world, uint64_t seed, uint32_t changes);

#endif
