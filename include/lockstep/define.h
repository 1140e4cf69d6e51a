/* Components from one definition each: the struct, its field table, its name.
 *
 *     LS_COMPONENT(place, FIX(x), FIX(y));
 *     LS_ENUM(job, IDLE, DIGGING, CARRYING);
 *     LS_COMPONENT(worker, ENTITY(home, LS_NULL), U32(team), ENUM(task, job), U8_ITEMS(tags, 8));
 *     LS_TAG(hungry);
 *
 * The first defines `struct place`, `place` and `place_component`. The kinds of field are those of
 * include/lockstep/field_kinds.h. A definition may be in a header: components with one name are
 * one component. It is at file scope; in C++ also in a namespace.
 *   errors  do not compile: a hole between two fields, an unknown kind of field. Bytes that are
 *           missing at the end are filled: the struct and its table have a member `reserved_` */
#ifndef LS_DEFINE_H
#define LS_DEFINE_H

#include <lockstep/define_table.h>

#define LS_COMPONENT(type, ...) LS_DEFINE_(type, #type, 1, false, 0, __VA_ARGS__)
/* One cell for the whole world. */
#define LS_SINGLETON(type, ...) LS_DEFINE_(type, #type, 2, true, 0, __VA_ARGS__)
/* Not state: sent by a system and received by later systems of the same tick. */
#define LS_EVENT(type, ...) LS_EVENT_KEPT(type, 1, __VA_ARGS__)
/* An event that lives for `ticks` ticks, at most LS_EVENT_TICKS_MAX: receivers get it in the rest
 * of the tick in which it is sent, and in the next ticks - 1. While it lives it is part of the
 * state. Its references to entities are LS_KEEP. */
#define LS_EVENT_KEPT(type, ticks, ...) LS_DEFINE_(type, #type, 4, false, ticks, __VA_ARGS__)
/* Presence without a cell. */
#define LS_TAG(tag) LS_TAG_NAMED(tag, #tag)

/* Like the macros above, with another name than that of the type. */
#define LS_COMPONENT_NAMED(type, name, ...) LS_DEFINE_(type, name, 1, false, 0, __VA_ARGS__)
#define LS_SINGLETON_NAMED(type, name, ...) LS_DEFINE_(type, name, 2, true, 0, __VA_ARGS__)
#define LS_EVENT_NAMED(type, name, ...)     LS_DEFINE_(type, name, 4, false, 1, __VA_ARGS__)
#define LS_TAG_NAMED(tag, name)                                                                    \
    typedef struct tag##_is_a_tag_so_use_LS_ATTACH_TAG tag##_cell_;                                \
    typedef char tag##_attached_bare_;                                                             \
    enum { tag##_kind_ = 8 };                                                                      \
    LS_UNUSED_ static LS_CONSTANT_ ls_component tag##_component = {name, 0, 0, NULL, false, 0}

/* A component whose cell is a struct that exists already; its fields are listed in full:
 * LS_COMPONENT_OF(ls_fix2, speed, "speed", FIX(x), FIX(y)). */
#define LS_COMPONENT_OF(struct_type, component, name, ...)                                         \
    LS_DESCRIBE_(struct_type, component, name, 1, false, __VA_ARGS__)
#define LS_SINGLETON_OF(struct_type, component, name, ...)                                         \
    LS_DESCRIBE_(struct_type, component, name, 2, true, __VA_ARGS__)

/* Names for the values of a byte, for ENUM(field, values): an enum, and the array values_names. */
#define LS_ENUM(values, ...)                                                                       \
    typedef enum values { LS_EACH_(LS_ENUM_VALUE_, ~, __VA_ARGS__) values##_count_ } values;       \
    LS_UNUSED_ static const char *const values##_names[] = {LS_EACH_(LS_ENUM_NAME_, ~, __VA_ARGS__)}
#define LS_ENUM_VALUE_(c, value) value,
#define LS_ENUM_NAME_(c, value)  #value,

/* An array of components for a simulation: LS_COMPONENTS(components, place, worker, hungry). */
#define LS_COMPONENTS(array, ...)                                                                  \
    static const ls_component *const array[] = {LS_EACH_(LS_COMPONENT_ADDRESS_, ~, __VA_ARGS__)}
#define LS_COMPONENT_ADDRESS_(c, component) &component##_component,

/* LS_IS(update.event, hit): whether a pointer to a description means the component `hit`. Each file
 * has its own copy of the description, so compare with this macro and not with ==. */
#define LS_IS(component, name) ls_component_is(component, &name##_component)

#endif
