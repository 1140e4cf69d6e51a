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
/* generate_state.c: either incompatible components and hierarchies, by which sequential systems may
 * run parents first, or a second setup; states; whether empty entities are despawned. */
void generate_facts(struct generator *g);
/* generate_state.c: moves components, lanes and systems into modules. */
void generate_modules(struct generator *g);
/* generate_terms.c: adds a term, if there is room for it and the component is not NO_ENTITY. */
void generate_term(program_system *system, uint8_t component, ls_match_kind kind, ls_access access,
                   uint32_t query);
/* generate_terms.c: adds the terms of a query. */
void generate_query(struct generator *g, uint32_t system, uint32_t query);
/* generate_terms.c: adds the terms that are in no query. */
void generate_terms_beside(struct generator *g, uint32_t system);
/* generate_terms.c: adds a term whose changes the system walks; false if there is none to add. */
bool generate_observed(struct generator *g, uint32_t system);
/* generate_walk.c: gives systems queries and changes to walk. */
void generate_walks(struct generator *g);
/* generate_walk.c: adds to six in ten systems of a seventh of all programs. */
void generate_in_some(struct generator *g, uint64_t stream,
                      void (*add)(struct generator *g, uint32_t index));
/* generate_walk.c: inserts the instruction, which leaves its result in register 4, at the begin of
 * the body, and mixes the result into register 0, which all writes use. Returns its index,
 * PROGRAM_BODY_MAX if it has no room. */
uint32_t generate_insert(struct generator *g, program_system *system, struct instruction made);
/* generate_walk.c: lets some invocations skip the instruction at `at`, in large worlds most of
 * them; in small ones one in `often` + 2 or more does not. A random number is then in register
 * 5. */
void generate_guard(struct generator *g, program_system *system, uint32_t at, uint32_t often);
/* generate_partner.c: adds a component, for which there is room, under a name of its own. */
uint8_t generate_component(struct generator *g, const program_component *given);
/* generate_partner.c: gives concurrent systems partners. */
void generate_partners(struct generator *g);
/* generate_find.c: gives systems grids, joins to walk, inputs and prefabs. */
void generate_finds(struct generator *g);

#endif
