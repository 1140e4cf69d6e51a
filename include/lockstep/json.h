/* A state as JSON, for people, scripts and other programs: whole and exact, so that what is read
 * back has the same root. Not for the network; that has snapshots. */
#ifndef LS_JSON_H
#define LS_JSON_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_JSON_FORMAT 1

/* The state as one JSON object; equal states give equal texts. Lanes and components come in
 * canonical order, a line for each entity of a component:
 *     "components": {"body": {"beasts/3:1": {"place": [1.5, -2], "mood": "calm", ...}, ...}, ...}
 * An entity is "lane/slot:generation" or null, an enum its name, fix the decimals that give it
 * back, fix2 an array of two. Every value of 64 bits is a string, since many readers of JSON keep
 * 53 bits of a number. An LS_FIELD_ITEMS array has only its items in use.
 *   owns    ls_free() by the caller */
LS_API char *ls_world_json(const ls_world *world);

/* Longer texts are refused, however large the world was that wrote them. */
#define LS_JSON_BYTES_MAX (64u << 20)

/* Replaces the world's state by what ls_world_json() wrote of a world of the same simulation and
 * match, perhaps edited since, or hostile. All members have to be there; their order is free.
 * 64-bit numbers may be JSON integers too.
 *   errors  LS_ERROR_CORRUPT with the component, entity and field that is wrong, or for what is
 *           no JSON the line; LS_ERROR_INCOMPATIBLE for another simulation, match or format;
 *           LS_ERROR_LIMIT for a text that is too long, or that wants far more room than its
 *           length explains. The world is then unchanged */
LS_API ls_status ls_world_from_json(ls_world *world, const char *text, size_t bytes,
                                    ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
