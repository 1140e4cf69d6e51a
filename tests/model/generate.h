/* Shared by the parts of the generator. */
#ifndef LS_MODEL_GENERATE_H
#define LS_MODEL_GENERATE_H

#include "tests/model/program.h"

enum mood { MOOD_SMALL, MOOD_BIG, MOOD_PARALLEL, MOOD_COUNT };

struct generator {
    uint64_t random;
    enum mood mood;
    struct program *made;
    bool has_sink; /* component 0 is mostly accumulated into, and rarely accessed otherwise */
    uint32_t turn; /* rotation of the systems' order against their indices */
    uint8_t
        owner[PROGRAM_COMPONENTS_MAX]; /* MOOD_PARALLEL: the system that writes each component */
};

enum { NO_ENTITY = 255 };

static inline uint32_t below(struct generator *g, uint32_t count)
{
    return (uint32_t)(program_hash(g->random++, 1) % count);
}

static inline bool chance(struct generator *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

/* generate_state.c: names, in another order than the indices, and the first entities. */
void generate_names(struct generator *g);
void generate_groups(struct generator *g);
void generate_components(struct generator *g);
void generate_kept_events(struct generator *g);
/* generate_state.c: incompatible components and hierarchies, which sequential systems may run
 * parents first, or else a second setup; states. */
void generate_facts(struct generator *g);
/* generate_state.c: moves components, lanes and systems into modules. */
void generate_modules(struct generator *g);
/* generate.c: adds the terms of a query. */
void generate_query(struct generator *g, uint32_t system, uint32_t query);
/* generate.c: adds a term whose changes the system walks; false if there is none to add. */
bool generate_observed(struct generator *g, uint32_t system);
/* generate_walk.c: gives systems queries and changes to walk. */
void generate_walks(struct generator *g);
/* generate_walk.c: adds to six in ten systems of a seventh of all programs. */
void generate_in_some(struct generator *g, uint64_t stream,
                      void (*add)(struct generator *g, uint32_t index));
/* generate_partner.c: gives concurrent systems partners. */
void generate_partners(struct generator *g);

#endif
