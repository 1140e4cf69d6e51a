/* The implementation of include/lockstep/define.h: a struct and its field table from a list of
 * fields. A header of its own, because compilers do not list the macros of a system header when
 * they report a mistake: the message shows the user's line. */
#ifndef LS_DEFINE_TABLE_H
#define LS_DEFINE_TABLE_H
#pragma GCC system_header

#include <lockstep/each.h>
#include <lockstep/field_kinds.h>

/* In C++ the tables are constant expressions, as the classes of component.hpp need them, and a list
 * of values may leave out `reserved_` without a warning. */
#ifdef __cplusplus
#define LS_CONSTANT_ constexpr
#define LS_ZEROED_   = {}
#else
#define LS_CONSTANT_ const
#define LS_ZEROED_
#endif

/* A packed twin of the struct tells where padding is. */
#define LS_UNUSED_ __attribute__((unused))
#define LS_SHAPE_(type, ...)                                                                       \
    struct type##_plain_ {                                                                         \
        LS_EACH_(LS_MEMBER_, type, __VA_ARGS__)                                                    \
    };                                                                                             \
    struct __attribute__((packed)) type##_packed_ {                                                \
        LS_EACH_(LS_MEMBER_, type, __VA_ARGS__)                                                    \
    };
#define LS_DEFINE_(type, name, kind, is_singleton, event_ticks, ...)                               \
    LS_SHAPE_(type, __VA_ARGS__)                                                                   \
    typedef struct type {                                                                          \
        LS_EACH_(LS_MEMBER_, type, __VA_ARGS__)                                                    \
        __extension__ uint8_t                                                                      \
            reserved_[sizeof(struct type##_plain_) - sizeof(struct type##_packed_)] LS_ZEROED_;    \
    } type;                                                                                        \
    typedef struct type type##_cell_;                                                              \
    LS_TABLE_(type, name, kind, is_singleton, event_ticks, __VA_ARGS__)
#define LS_DESCRIBE_(struct_type, component, name, kind, is_singleton, ...)                        \
    LS_SHAPE_(component, __VA_ARGS__)                                                              \
    typedef struct_type component##_cell_;                                                         \
    LS_DEMAND_(sizeof(component##_cell_) == sizeof(struct component##_packed_),                    \
               #component ": the fields do not cover " #struct_type);                              \
    LS_TABLE_(component, name, kind, is_singleton, 0, __VA_ARGS__)
#define LS_TABLE_(type, name, kind, is_singleton, event_ticks, ...)                                \
    typedef struct type##_has_fields_so_use_LS_ATTACH type##_attached_bare_;                       \
    LS_EACH_(LS_CHECK_, type, __VA_ARGS__)                                                         \
    enum {                                                                                         \
        type##_kind_ = kind,                                                                       \
        type##_tail_ = sizeof(type##_cell_) - sizeof(struct type##_packed_)                        \
    };                                                                                             \
    LS_UNUSED_ static LS_CONSTANT_ ls_field type##_fields_[] = {                                   \
        LS_EACH_(LS_ROW_, type, __VA_ARGS__){"reserved_", LS_TYPE_U8,                              \
                                             (uint32_t)sizeof(struct type##_packed_),              \
                                             type##_tail_, 0, NULL, LS_KEEP, NULL}};               \
    LS_UNUSED_ static LS_CONSTANT_ ls_component type##_component = {                               \
        name,                                                                                      \
        (uint32_t)sizeof(type##_cell_),                                                            \
        (uint32_t)(LS_COUNT_OF(type##_fields_) - (type##_tail_ == 0)),                             \
        type##_fields_,                                                                            \
        is_singleton,                                                                              \
        event_ticks}

#define LS_MEMBER_(type, field)                               LS_VISIT_(LS_MEMBER_, type, #field, LS_FIELD_KIND_##field)
#define LS_MEMBER_PLAIN(type, c_type, kind, name, sizes, ...) c_type name sizes;
#define LS_MEMBER_ITEMS(type, c_type, kind, name, sizes, ...)                                      \
    c_type name sizes;                                                                             \
    uint16_t name##_count;
#define LS_MEMBER_UNKNOWN(type, text)

#define LS_ROW_(type, field) LS_VISIT_(LS_ROW_, type, #field, LS_FIELD_KIND_##field)
#define LS_ROW_PLAIN(type, c_type, kind, name, sizes, max, names, rule)                            \
    LS_FIELD_OF_(type##_cell_, name, kind, max, names, rule, NULL),
#define LS_ROW_ITEMS(type, c_type, kind, name, sizes, capacity, names, rule)                       \
    LS_FIELD_OF_(type##_cell_, name, kind, 0, names, rule, #name "_count"),                        \
        LS_FIELD_OF_(type##_cell_, name##_count, LS_TYPE_U16, capacity, NULL, LS_KEEP, NULL),
#define LS_ROW_UNKNOWN(type, text)

#define LS_CHECK_(type, field) LS_VISIT_(LS_CHECK_, type, #field, LS_FIELD_KIND_##field)
#define LS_CHECK_PLAIN(type, c_type, kind, name, ...)                                              \
    LS_DEMAND_(offsetof(type##_cell_, name) == offsetof(struct type##_packed_, name),              \
               #type " has a hole before " #name                                                   \
                     " or earlier: list the larger fields first, or fill it");
#define LS_CHECK_ITEMS(type, c_type, kind, name, ...)                                              \
    LS_CHECK_PLAIN(type, c_type, kind, name, ~)                                                    \
    LS_CHECK_PLAIN(type, c_type, kind, name##_count, ~)
#define LS_CHECK_UNKNOWN(type, text)                                                               \
    LS_DEMAND_(0, #type " has a field " text                                                       \
                        " of an unknown kind; include/lockstep/field_kinds.h has the list");

#endif
