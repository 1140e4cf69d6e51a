/* The terms of a system, as a list that its function uses by name.
 *
 *     LS_TERMS(walking, WRITES(place), READS(walker), QUERY(1, READS(place, other), WITH(apple)));
 *     static const ls_system walk = {.name = "walk", .terms = walking, ...};
 *
 * Each term names a component of include/lockstep/define.h. Its own name is that of the component;
 * a second one, as `other` above, tells two terms of one component apart. The terms outside of
 * QUERY and WALKS are those of query 0. include/lockstep/uses.h uses the names.
 *   errors  do not compile: two terms of one name, an unknown kind of term, a term that the
 *           component does not allow */
#ifndef LS_TERMS_H
#define LS_TERMS_H

#include <lockstep/term_kinds.h>

/* Defines the array `list`, which lasts, and `struct list_terms`. A member of that struct has the
 * size of a pointer, so its place is the index of its term. It is a union with a member for each
 * use that the term grants, and so other uses do not compile. */
#define LS_TERMS(list, ...)                                                                        \
    struct list##_terms {                                                                          \
        LS_EACH_(LS_GRANTS_, list, __VA_ARGS__)                                                    \
    };                                                                                             \
    LS_UNUSED_ static const ls_term list[] = {LS_EACH_(LS_TERM_, 0, __VA_ARGS__){                  \
        NULL, LS_INCLUDE, LS_ACCESS_PRESENCE, 0, LS_FILTER_NONE, NULL}}

/* Members of ls_grid and ls_join, by the names of a component and its fields:
 *
 *     .grids = LS_GRIDS({LS_POSITION(place, x, y), .cell = LS_FIX(4)}),
 *     .joins = LS_JOINS({LS_KEY(worker, home)},
 *                       {LS_KEY(worker, team), .query = 1, LS_KEY_FROM(leader, team)})
 *
 * A position is two FIX fields or, in space, three: LS_POSITION(place, x, y, z). With _PAIR it is
 * one FIX2, with _TRIPLE one FIX3. */
#define LS_POSITION(type, ...)                                                                     \
    LS_FOURTH_(__VA_ARGS__, LS_POSITION_3_, LS_POSITION_2_, ~)(type, __VA_ARGS__)
#define LS_POSITION_PAIR(type, at)   LS_POSITION(type, at.x, at.y)
#define LS_POSITION_TRIPLE(type, at) LS_POSITION(type, at.x, at.y, at.z)
#define LS_POSITION_2_(type, x, y)                                                                 \
    .component = &type##_component, .offset_x = offsetof(type##_cell_, x),                         \
    .offset_y = offsetof(type##_cell_, y)
#define LS_POSITION_3_(type, x, y, z)                                                              \
    LS_POSITION_2_(type, x, y), .has_z = true, .offset_z = offsetof(type##_cell_, z)
#define LS_KEY(type, field) .component = &type##_component, .offset = offsetof(type##_cell_, field)
#define LS_KEY_FROM(type, field)                                                                   \
    .from = &type##_component, .from_offset = offsetof(type##_cell_, field)

#endif
