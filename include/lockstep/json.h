/* A world's state as JSON, for people and other programs. The text is complete and exact: reading
 * it back gives the same root. The network uses snapshots instead. */
#ifndef LS_JSON_H
#define LS_JSON_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_JSON_FORMAT 1

/* Writes the state as one JSON object; equal states give equal texts. Lanes and components come in
 * canonical order, one line for each entity of a component:
 *     "components": {"body": {"beasts/3:1": {"place": [1.5, -2], "mood": "calm", ...}, ...}, ...}
 * An entity is "lane/slot:generation" or null, an enum its name, a fix the decimal number that
 * reads back exactly, a fix2 an array of two. A 64-bit value is a string, because many JSON readers
 * keep only 53 bits of a number. An LS_FIELD_ITEMS array has only the items in use.
 *   owns    ls_free() by the caller */
LS_API char *ls_world_json(const ls_world *world);

/* ls_world_from_json() refuses longer texts, even if ls_world_json() wrote them. */
#define LS_JSON_BYTES_MAX (64u << 20)

/* Replaces the world's state by the text of ls_world_json() for a world of the same simulation and
 * match. The text may be edited, or hostile. All members must be present, in any order. 64-bit
 * numbers may also be JSON integers.
 *   errors  LS_ERROR_CORRUPT names the wrong component, entity and field, or the line that is not
 *           JSON; LS_ERROR_INCOMPATIBLE: another simulation, match or format; LS_ERROR_LIMIT: the
 *           text is too long, or would need far more memory than its length justifies. The world is
 *           then unchanged */
LS_API ls_status ls_world_from_json(ls_world *world, const char *text, size_t bytes,
                                    ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
