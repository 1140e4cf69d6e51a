/* The small simulation for tests of whole worlds. It uses every part of core/: all field types,
 * tags, a singleton, three lanes, concurrent and sequential systems with and without an order, a
 * grid, a query vector, spawns, despawns, inputs. */
#ifndef LS_SAMPLE_SIM_H
#define LS_SAMPLE_SIM_H

#include <lockstep/lockstep.h>

typedef struct sample_place {
    ls_fix x, y;
} sample_place;

typedef struct sample_motion {
    ls_fix x, y;
    uint16_t heading; /* LS_TYPE_ANGLE */
    uint16_t turns;
} sample_motion;

typedef struct sample_vigor {
    int32_t points;
    int16_t mood;
    uint8_t level;
    bool is_angry;
} sample_vigor;

typedef struct sample_prey {
    ls_entity of;
    uint64_t since;
} sample_prey;

typedef struct sample_memo {
    uint32_t marks[4];
    int8_t small[8];
} sample_memo;

typedef struct sample_glow {
    uint32_t life, hue;
} sample_glow;

typedef struct sample_score {
    uint64_t ticks;
    int64_t balance;
    uint32_t births, deaths;
    ls_entity last_fed;
    uint8_t joined[8];
} sample_score;

extern const ls_component sample_places, sample_motions, sample_vigors, sample_preys, sample_memos,
    sample_glows, sample_frozen, sample_elite, sample_scores;

/* Options: 0 is the number of beasts at the start, which is kept up; 1 is the number of sparks
 * spawned each tick. */
enum { SAMPLE_BEASTS = 0, SAMPLE_SPARKS = 1, SAMPLE_PLAYERS = 2 };

extern const ls_sim sample_sim;
/* The same simulation, with components, lanes and systems registered in reverse order. */
extern const ls_sim sample_sim_reversed;

/* The inputs of the world's next tick: players join at tick 0 and then feed beasts, depending on
 * the seed. */
typedef struct sample_frame {
    ls_frame frame;
    ls_input inputs[SAMPLE_PLAYERS];
    uint8_t bytes[SAMPLE_PLAYERS][8];
} sample_frame;

void sample_frame_init(sample_frame *sample, const ls_world *world);

#endif
