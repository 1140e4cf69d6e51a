/* Entity handles. A handle names one entity: a slot and the slot's generation. After the entity
 * dies the generation is never used again, so every remaining copy of the handle is recognised as
 * dead. */
#ifndef LS_ENTITY_H
#define LS_ENTITY_H

#include <lockstep/base.h>

/* generation:32 | lane:8 | slot:24. Generations start at 1, so that zeroed memory holds no handle.
 */
typedef uint64_t ls_entity;

#define LS_ENTITY_NULL ((ls_entity)0)
#define LS_LANES_MAX   256u
#define LS_SLOTS_MAX   (1u << 24) /* entities that a lane holds at one time */

static inline ls_entity ls_entity_make(uint32_t lane, uint32_t slot, uint32_t generation)
{
    return (ls_entity)generation << 32 | (ls_entity)lane << 24 | slot;
}

static inline uint32_t ls_entity_slot(ls_entity entity)
{
    return (uint32_t)entity & (LS_SLOTS_MAX - 1);
}

static inline uint32_t ls_entity_lane(ls_entity entity)
{
    return (uint32_t)entity >> 24;
}

static inline uint32_t ls_entity_generation(ls_entity entity)
{
    return (uint32_t)(entity >> 32);
}

#endif
