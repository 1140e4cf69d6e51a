/* Components and their field tables. A simulation describes each component once, as constant data;
 * the table drives hashing, snapshots, printing, comparison and byte order. */
#ifndef LS_COMPONENT_H
#define LS_COMPONENT_H

#include "core/base.h"

typedef enum ls_type {
    LS_TYPE_U8 = 1,
    LS_TYPE_I8,
    LS_TYPE_U16,
    LS_TYPE_I16,
    LS_TYPE_U32,
    LS_TYPE_I32,
    LS_TYPE_U64,
    LS_TYPE_I64,
    LS_TYPE_BOOL,   /* one byte, 0 or 1 */
    LS_TYPE_FIX,    /* ls_fix, Q16.16 in 32 bits */
    LS_TYPE_ANGLE,  /* ls_angle, turns in 16 bits */
    LS_TYPE_ENTITY, /* ls_entity */
    LS_TYPE_COUNT_
} ls_type;

/* One member of a component's struct; a member that is an array of the type is one field. */
typedef struct ls_field {
    const char *name;
    ls_type type;
    uint32_t offset; /* bytes from the start of the struct */
    uint32_t bytes;  /* of the whole member; a multiple of the type's size */
    uint64_t max;    /* unsigned types: the largest value there is; 0 = any */
} ls_field;

#define LS_FIELD(owner, member, kind) LS_FIELD_UP_TO(owner, member, kind, 0)
/* A field that is used as an index or a count: a snapshot in which it is above `limit` is refused,
 * and may come from a hostile server. */
#define LS_FIELD_UP_TO(owner, member, kind, limit)                                                 \
    {                                                                                              \
#member, kind, (uint32_t)offsetof(owner, member), (uint32_t)sizeof(((owner *)0)->member),  \
            limit                                                                                  \
    }

#define LS_COMPONENTS_MAX       128
#define LS_COMPONENT_BYTES_MAX  1024
#define LS_SINGLETON_BYTES_MAX  65536
#define LS_COMPONENT_FIELDS_MAX 64

/* A component type. Its fields cover the struct without a hole, in order of offset: padding would
 * be hashed, and its bytes are undefined. `bytes` 0 makes a tag, which has presence alone. */
typedef struct ls_component {
    const char *name; /* unique in the simulation; its order decides all orders of columns */
    uint32_t bytes;
    uint32_t field_count;
    const ls_field *fields;
    bool is_singleton; /* one cell for the whole world, always there, zeroed at the start */
} ls_component;

#define LS_COMPONENT(type, name, fields)                                                           \
    {                                                                                              \
        name, (uint32_t)sizeof(type), (uint32_t)LS_COUNT_OF(fields), fields, false                 \
    }
#define LS_SINGLETON(type, name, fields)                                                           \
    {                                                                                              \
        name, (uint32_t)sizeof(type), (uint32_t)LS_COUNT_OF(fields), fields, true                  \
    }
#define LS_TAG(name)                                                                               \
    {                                                                                              \
        name, 0, 0, NULL, false                                                                    \
    }

LS_API uint32_t ls_type_bytes(ls_type type);
LS_API const char *ls_type_name(ls_type type);

/* Checks name, sizes, types and that the fields leave no hole.
 *   errors  LS_ERROR_USAGE with the component, the field and the offset of the hole */
LS_API ls_status ls_component_check(const ls_component *component, ls_error *error) LS_MUST_USE;

#endif
