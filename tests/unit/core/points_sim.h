/* Entities at points of space, for tests of grids: half of them or more have a mass, a cargo or a
 * tag, which grids filter by and carry. A test adds its systems, and `populate`, a function that
 * spawns. */
#ifndef LS_POINTS_SIM_H
#define LS_POINTS_SIM_H
#include "harness.h"

typedef struct place {
    uint64_t order; /* depends on the order of neighbours */
    ls_fix3 at;
    uint32_t padding;
} place;
typedef struct mass {
    uint32_t grams, more;
} mass;
/* Values of another size are stored in other ways. */
typedef struct cargo {
    uint64_t items[5];
} cargo;

static const ls_field place_fields[] = {LS_FIELD(place, order, LS_TYPE_U64),
                                        LS_FIELD(place, at, LS_TYPE_FIX3),
                                        LS_FIELD(place, padding, LS_TYPE_U32)};
static const ls_field mass_fields[] = {LS_FIELD(mass, grams, LS_TYPE_U32),
                                       LS_FIELD(mass, more, LS_TYPE_U32)};
static const ls_field cargo_fields[] = {LS_FIELD(cargo, items, LS_TYPE_U64)};
static const ls_component places = LS_COMPONENT_TABLE(place, "place", place_fields);
static const ls_component masses = LS_COMPONENT_TABLE(mass, "mass", mass_fields);
static const ls_component cargoes = LS_COMPONENT_TABLE(cargo, "cargo", cargo_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&places, &masses, &cargoes, &tag};
static const char *const lanes[] = {"a", "b"};

static inline cargo cargo_of(uint64_t number)
{
    return (cargo){{number, ~number, number * 3, number * 5, 7}};
}

static void populate(ls_context *context, const ls_entity *unused);
static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(places), LS_OTHERS_STRUCTURE(masses),
                          LS_OTHERS_STRUCTURE(cargoes), LS_OTHERS_STRUCTURE(tag)),
    .lanes = "a, b"};

/* Grids of the same entities with and without z. */
#define PLANE(filter, edge)                                                                        \
    .component = &places, .with = filter, .offset_x = offsetof(place, at.x),                       \
    .offset_y = offsetof(place, at.y), .cell = edge
#define SPACE(filter, edge) PLANE(filter, edge), .has_z = true, .offset_z = offsetof(place, at.z)

#endif
