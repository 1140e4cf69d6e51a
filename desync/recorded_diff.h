/* The difference between two states, or between two recordings: the component, the cell and both
 * values, as texts. No tick is run in different ways, so no system is named, only who may have
 * written.
 */
#ifndef LS_RECORDED_DIFF_H
#define LS_RECORDED_DIFF_H

#include "desync/divergence.h"

/* The texts of a divergence: `to` is emptied first, or for add_name() continued after a comma.
 * Text that does not fit is left out. */
void ls_recorded_diff_set(char to[LS_DIVERGENCE_NAME_BYTES], const char *text); /* NULL: "" */
void ls_recorded_diff_add_name(char *to, size_t bytes, const char *name);
void ls_recorded_diff_set_entity(const ls_program *program, ls_entity entity,
                                 ls_divergence *divergence);
void ls_recorded_diff_set_field(const ls_field *field, uint32_t item, ls_divergence *divergence);

/* The systems that may write the divergence's component. */
void ls_recorded_diff_name_writers(const ls_program *program, ls_divergence *divergence);

/* The difference that the comparison of two states chose. */
typedef struct ls_recorded_diff_choice {
    bool is_made;
    const ls_component *component; /* NULL: what differs is no cell */
    ls_entity entity;
} ls_recorded_diff_choice;

/* The first difference of the expected state and the found one, in a cell of `wanted` unless that
 * is NULL. Sets component, entity, field and both values.
 *   errors  asserts that both are of one program */
void ls_recorded_diff_compare(ls_world *expected, ls_world *found, const ls_component *wanted,
                              ls_recorded_diff_choice *choice, ls_divergence *divergence);

/* Compares the contents of two recordings of one match after the tick where they differ first:
 * `after` is the first tick before which the states differ. When one has column hashes or a
 * keyframe and the other has none, the other is replayed, and counts when it reaches the root that
 * it recorded. `expected` is from the first one, `found` from the second. Only known members of the
 * divergence are set; the reading positions of the recordings are unspecified afterwards. errors
 * asserts programs of one schema and one list of lanes */
void ls_recorded_diff_find(ls_recording *const recordings[2], const ls_program *const programs[2],
                           uint64_t after, ls_divergence *divergence);

#endif
