/* The terms of a system, as a list that its function uses by name.
 *
 *     LS_TERMS(walking, WRITES(place), READS(walker), QUERY(1, READS(place, other), WITH(apple)));
 *     static const ls_system walk = {.name = "walk", .terms = walking, ...};
 *
 * Each term names a component of include/lockstep/define.h. Its own name is that of the component;
 * a second one, as `other` above, tells two terms of one component apart. The terms outside of
 * QUERY are those of query 0. include/lockstep/uses.h uses the names.
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
        NULL, LS_INCLUDE, LS_PRESENCE, 0, LS_FILTER_NONE, NULL}}

#endif
