/* The kinds of field that LS_COMPONENT (include/lockstep/define.h) knows: FIX(x) there is
 * LS_FIELD_KIND_FIX(x) here. Each gives a tuple: form, C type, ls_type, name, dimensions, maximum,
 * names of values, rule for the death of the target. */
#ifndef LS_FIELD_KINDS_H
#define LS_FIELD_KINDS_H
#pragma GCC system_header

#include <lockstep/angle.h>
#include <lockstep/component.h>
#include <lockstep/entity.h>
#include <lockstep/fix3.h>

#define LS_DIMENSIONS_(...)                                                                        \
    LS_FOURTH_(__VA_ARGS__, LS_DIMENSIONS_3_, LS_DIMENSIONS_2_, LS_DIMENSIONS_1_, ~)(__VA_ARGS__)
#define LS_FOURTH_(a, b, c, fourth, ...) fourth
#define LS_DIMENSIONS_1_(a)              [a]
#define LS_DIMENSIONS_2_(a, b)           [a][b]
#define LS_DIMENSIONS_3_(a, b, c)        [a][b][c]

#define LS_SCALAR_(c_type, type, name)         (PLAIN, c_type, type, name, , 0, NULL, LS_KEEP)
#define LS_UP_TO_(c_type, type, name, max)     (PLAIN, c_type, type, name, , max, NULL, LS_KEEP)
#define LS_ARRAY_(c_type, type, name, sizes)   (PLAIN, c_type, type, name, sizes, 0, NULL, LS_KEEP)
#define LS_ITEMS_(c_type, type, name, n, rule) (ITEMS, c_type, type, name, [n], n, NULL, rule)
#define LS_ARRAY_UP_TO_(c_type, type, name, max, sizes)                                            \
    (PLAIN, c_type, type, name, sizes, max, NULL, LS_KEEP)

/* U8(level) U8_UP_TO(level, 9) U8_ARRAY(map, 4) U8_ARRAY(map, 4, 8) U8_ARRAY_UP_TO(map, 9, 4, 8)
 * U8_ITEMS(tags, 8): at most 8 tags, and tags_count of them in use. Each integer type has these
 * kinds. */
#define LS_FIELD_KIND_U8(name)           LS_SCALAR_(uint8_t, LS_TYPE_U8, name)
#define LS_FIELD_KIND_U16(name)          LS_SCALAR_(uint16_t, LS_TYPE_U16, name)
#define LS_FIELD_KIND_U32(name)          LS_SCALAR_(uint32_t, LS_TYPE_U32, name)
#define LS_FIELD_KIND_U64(name)          LS_SCALAR_(uint64_t, LS_TYPE_U64, name)
#define LS_FIELD_KIND_I8(name)           LS_SCALAR_(int8_t, LS_TYPE_I8, name)
#define LS_FIELD_KIND_I16(name)          LS_SCALAR_(int16_t, LS_TYPE_I16, name)
#define LS_FIELD_KIND_I32(name)          LS_SCALAR_(int32_t, LS_TYPE_I32, name)
#define LS_FIELD_KIND_I64(name)          LS_SCALAR_(int64_t, LS_TYPE_I64, name)
#define LS_FIELD_KIND_U8_UP_TO(name, m)  LS_UP_TO_(uint8_t, LS_TYPE_U8, name, m)
#define LS_FIELD_KIND_U16_UP_TO(name, m) LS_UP_TO_(uint16_t, LS_TYPE_U16, name, m)
#define LS_FIELD_KIND_U32_UP_TO(name, m) LS_UP_TO_(uint32_t, LS_TYPE_U32, name, m)
#define LS_FIELD_KIND_U64_UP_TO(name, m) LS_UP_TO_(uint64_t, LS_TYPE_U64, name, m)
#define LS_FIELD_KIND_U8_ARRAY(name, ...)                                                          \
    LS_ARRAY_(uint8_t, LS_TYPE_U8, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U16_ARRAY(name, ...)                                                         \
    LS_ARRAY_(uint16_t, LS_TYPE_U16, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U32_ARRAY(name, ...)                                                         \
    LS_ARRAY_(uint32_t, LS_TYPE_U32, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U64_ARRAY(name, ...)                                                         \
    LS_ARRAY_(uint64_t, LS_TYPE_U64, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_I8_ARRAY(name, ...)                                                          \
    LS_ARRAY_(int8_t, LS_TYPE_I8, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_I16_ARRAY(name, ...)                                                         \
    LS_ARRAY_(int16_t, LS_TYPE_I16, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_I32_ARRAY(name, ...)                                                         \
    LS_ARRAY_(int32_t, LS_TYPE_I32, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_I64_ARRAY(name, ...)                                                         \
    LS_ARRAY_(int64_t, LS_TYPE_I64, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U8_ARRAY_UP_TO(name, m, ...)                                                 \
    LS_ARRAY_UP_TO_(uint8_t, LS_TYPE_U8, name, m, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U16_ARRAY_UP_TO(name, m, ...)                                                \
    LS_ARRAY_UP_TO_(uint16_t, LS_TYPE_U16, name, m, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U32_ARRAY_UP_TO(name, m, ...)                                                \
    LS_ARRAY_UP_TO_(uint32_t, LS_TYPE_U32, name, m, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U64_ARRAY_UP_TO(name, m, ...)                                                \
    LS_ARRAY_UP_TO_(uint64_t, LS_TYPE_U64, name, m, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_U8_ITEMS(name, n)  LS_ITEMS_(uint8_t, LS_TYPE_U8, name, n, LS_KEEP)
#define LS_FIELD_KIND_U16_ITEMS(name, n) LS_ITEMS_(uint16_t, LS_TYPE_U16, name, n, LS_KEEP)
#define LS_FIELD_KIND_U32_ITEMS(name, n) LS_ITEMS_(uint32_t, LS_TYPE_U32, name, n, LS_KEEP)
#define LS_FIELD_KIND_U64_ITEMS(name, n) LS_ITEMS_(uint64_t, LS_TYPE_U64, name, n, LS_KEEP)
#define LS_FIELD_KIND_I8_ITEMS(name, n)  LS_ITEMS_(int8_t, LS_TYPE_I8, name, n, LS_KEEP)
#define LS_FIELD_KIND_I16_ITEMS(name, n) LS_ITEMS_(int16_t, LS_TYPE_I16, name, n, LS_KEEP)
#define LS_FIELD_KIND_I32_ITEMS(name, n) LS_ITEMS_(int32_t, LS_TYPE_I32, name, n, LS_KEEP)
#define LS_FIELD_KIND_I64_ITEMS(name, n) LS_ITEMS_(int64_t, LS_TYPE_I64, name, n, LS_KEEP)

#define LS_FIELD_KIND_FIX(name)   LS_SCALAR_(ls_fix, LS_TYPE_FIX, name)
#define LS_FIELD_KIND_FIX2(name)  LS_SCALAR_(ls_fix2, LS_TYPE_FIX2, name)
#define LS_FIELD_KIND_FIX3(name)  LS_SCALAR_(ls_fix3, LS_TYPE_FIX3, name)
#define LS_FIELD_KIND_ANGLE(name) LS_SCALAR_(ls_angle, LS_TYPE_ANGLE, name)
#define LS_FIELD_KIND_BOOL(name)  LS_SCALAR_(bool, LS_TYPE_BOOL, name)
#define LS_FIELD_KIND_FIX_ARRAY(name, ...)                                                         \
    LS_ARRAY_(ls_fix, LS_TYPE_FIX, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_FIX2_ARRAY(name, ...)                                                        \
    LS_ARRAY_(ls_fix2, LS_TYPE_FIX2, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_FIX3_ARRAY(name, ...)                                                        \
    LS_ARRAY_(ls_fix3, LS_TYPE_FIX3, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_ANGLE_ARRAY(name, ...)                                                       \
    LS_ARRAY_(ls_angle, LS_TYPE_ANGLE, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_BOOL_ARRAY(name, ...)                                                        \
    LS_ARRAY_(bool, LS_TYPE_BOOL, name, LS_DIMENSIONS_(__VA_ARGS__))
#define LS_FIELD_KIND_FIX_ITEMS(name, n)   LS_ITEMS_(ls_fix, LS_TYPE_FIX, name, n, LS_KEEP)
#define LS_FIELD_KIND_FIX2_ITEMS(name, n)  LS_ITEMS_(ls_fix2, LS_TYPE_FIX2, name, n, LS_KEEP)
#define LS_FIELD_KIND_FIX3_ITEMS(name, n)  LS_ITEMS_(ls_fix3, LS_TYPE_FIX3, name, n, LS_KEEP)
#define LS_FIELD_KIND_ANGLE_ITEMS(name, n) LS_ITEMS_(ls_angle, LS_TYPE_ANGLE, name, n, LS_KEEP)
#define LS_FIELD_KIND_BOOL_ITEMS(name, n)  LS_ITEMS_(bool, LS_TYPE_BOOL, name, n, LS_KEEP)

/* ENTITY(home, LS_NULL): a reference, and the rule for the death of its target (ls_on_despawn). */
#define LS_FIELD_KIND_ENTITY(name, rule) (PLAIN, ls_entity, LS_TYPE_ENTITY, name, , 0, NULL, rule)
#define LS_FIELD_KIND_ENTITY_ARRAY(name, rule, ...)                                                \
    (PLAIN, ls_entity, LS_TYPE_ENTITY, name, LS_DIMENSIONS_(__VA_ARGS__), 0, NULL, rule)
#define LS_FIELD_KIND_ENTITY_ITEMS(name, rule, n)                                                  \
    LS_ITEMS_(ls_entity, LS_TYPE_ENTITY, name, n, rule)
/* ENUM(task, job): a byte with a value of LS_ENUM(job, ...), or of an array job_names. */
#define LS_FIELD_KIND_ENUM(name, values)                                                           \
    (PLAIN, uint8_t, LS_TYPE_ENUM, name, , LS_COUNT_OF(values##_names) - 1, values##_names, LS_KEEP)
#define LS_FIELD_KIND_ENUM_ARRAY(name, values, ...)                                                \
    (PLAIN, uint8_t, LS_TYPE_ENUM, name, LS_DIMENSIONS_(__VA_ARGS__),                              \
     LS_COUNT_OF(values##_names) - 1, values##_names, LS_KEEP)

#endif
