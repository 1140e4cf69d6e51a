/* Components and their field tables. A simulation describes each component once, as constant data;
 * the table drives hashing, snapshots, printing, comparison and byte order. */
#ifndef LS_COMPONENT_H
#define LS_COMPONENT_H

#include <lockstep/base.h>

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
    LS_TYPE_ENUM,   /* one byte, 0..max, each with a name */
    LS_TYPE_FIX2,   /* ls_fix2, two LS_TYPE_FIX */
    LS_TYPE_COUNT_
} ls_type;

/* The rule for a reference when the entity that it names dies; the sync point applies it. */
typedef enum ls_on_death {
    LS_KEEP = 0, /* it stays, and is recognised as dead */
    LS_NULL,     /* it becomes LS_ENTITY_NULL */
    LS_CASCADE,  /* the entity that holds it dies too: the field makes a hierarchy, holder below
                    named */
} ls_on_death;

/* One member of a component's struct; a member that is an array of the type is one field. */
typedef struct ls_field {
    const char *name;
    ls_type type;
    uint32_t offset;          /* bytes from the start of the struct */
    uint32_t bytes;           /* of the whole member; a multiple of the type's size */
    uint64_t max;             /* unsigned types: the largest value there is; 0 = any */
    const char *const *names; /* LS_TYPE_ENUM: of the values 0..max */
    ls_on_death on_death;     /* LS_TYPE_ENTITY */
    const char *count;        /* LS_FIELD_ITEMS: the field that says how many items are in use */
} ls_field;

#define LS_FIELD_OF_(owner, member, kind, limit, names, death, count)                              \
    {                                                                                              \
#member, kind, (uint32_t)offsetof(owner, member), (uint32_t)sizeof(((owner *)0)->member),  \
            limit, names, death, count                                                             \
    }
#define LS_FIELD(owner, member, kind) LS_FIELD_OF_(owner, member, kind, 0, NULL, LS_KEEP, NULL)
/* A field that is used as an index or a count: a snapshot in which it is above `limit` is refused,
 * and may come from a hostile server. A system that writes more makes its own snapshots refused;
 * `lockstep run --roundtrip` finds it. The same holds for a bool and an enum. */
#define LS_FIELD_UP_TO(owner, member, kind, limit)                                                 \
    LS_FIELD_OF_(owner, member, kind, limit, NULL, LS_KEEP, NULL)
/* A byte with a name for each value; `value_names` is an array of them. */
#define LS_FIELD_ENUM(owner, member, value_names)                                                  \
    LS_FIELD_OF_(owner, member, LS_TYPE_ENUM, LS_COUNT_OF(value_names) - 1, value_names, LS_KEEP,  \
                 NULL)
/* A reference that says what the death of its target does to it. */
#define LS_FIELD_ENTITY(owner, member, death)                                                      \
    LS_FIELD_OF_(owner, member, LS_TYPE_ENTITY, 0, NULL, death, NULL)
/* A bounded array of which the first `count` items are in use, the rest zero
 * (include/lockstep/items.h keeps it so). `count_member` is an LS_TYPE_U16 field of the same
 * struct, listed with LS_FIELD_UP_TO the number of items. */
#define LS_FIELD_ITEMS(owner, member, kind, count_member, death)                                   \
    LS_FIELD_OF_(owner, member, kind, 0, NULL, death, #count_member)

#define LS_COMPONENTS_MAX       128
#define LS_EVENTS_MAX           64
#define LS_COMPONENT_BYTES_MAX  4096
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
    bool is_event;     /* no state: sent by systems, received by later ones, gone with the tick */
} ls_component;

#define LS_COMPONENT_OF_(type, name, fields, is_singleton, is_event)                               \
    {                                                                                              \
        name, (uint32_t)sizeof(type), (uint32_t)LS_COUNT_OF(fields), fields, is_singleton,         \
            is_event                                                                               \
    }
#define LS_COMPONENT(type, name, fields) LS_COMPONENT_OF_(type, name, fields, false, false)
#define LS_SINGLETON(type, name, fields) LS_COMPONENT_OF_(type, name, fields, true, false)
#define LS_EVENT(type, name, fields)     LS_COMPONENT_OF_(type, name, fields, false, true)
#define LS_TAG(name)                                                                               \
    {                                                                                              \
        name, 0, 0, NULL, false, false                                                             \
    }

LS_API uint32_t ls_type_bytes(ls_type type);
/* Bytes of one number of the type: what is swapped between byte orders, and accumulated. */
LS_API uint32_t ls_type_unit(ls_type type);
/* For one signed number; not for a vector. */
LS_API bool ls_type_is_signed(ls_type type);
LS_API const char *ls_type_name(ls_type type);

/* Checks name, sizes, types and that the fields leave no hole.
 *   errors  LS_ERROR_USAGE with the component, the field and the offset of the hole */
LS_API ls_status ls_component_check(const ls_component *component, ls_error *error) LS_MUST_USE;

#endif
