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
    LS_TYPE_ENUM,   /* one byte, 0..max; each value has a name */
    LS_TYPE_FIX2,   /* ls_fix2, two ls_fix */
    LS_TYPE_FIX3,   /* ls_fix3, three ls_fix */
} ls_type;

/* The rule for a reference whose target dies; the sync point applies it. */
typedef enum ls_on_despawn {
    LS_KEEP = 0, /* the reference stays; reads recognise it as dead */
    LS_NULL,     /* the reference becomes LS_ENTITY_NULL */
    LS_CASCADE,  /* the entity that holds the reference dies too */
    LS_PARENT, /* as LS_CASCADE, and a hierarchy with the holder as child: a tick, setup or snapshot
                  that makes an entity its own ancestor is refused */
} ls_on_despawn;

/* One member of a component's struct. An array member is one field, too. */
typedef struct ls_field {
    const char *name;
    ls_type type;
    uint32_t offset;          /* bytes from the start of the struct */
    uint32_t bytes;           /* size of the whole member; a multiple of the type's size */
    uint64_t max;             /* unsigned types: the largest valid value; 0: any value */
    const char *const *names; /* LS_TYPE_ENUM: the names of the values 0..max */
    ls_on_despawn on_despawn; /* LS_TYPE_ENTITY: what the death of the target does */
    const char *count; /* LS_FIELD_ITEMS: the name of the field that counts the items in use */
} ls_field;

#define LS_FIELD_OF_(owner, member, kind, limit, names, on_despawn, count)                         \
    {                                                                                              \
#member, kind, (uint32_t)offsetof(owner, member), (uint32_t)sizeof(((owner *)0)->member),  \
            limit, names, on_despawn, count                                                        \
    }
#define LS_FIELD(owner, member, kind) LS_FIELD_OF_(owner, member, kind, 0, NULL, LS_KEEP, NULL)
/* A field that is used as an index or a count. A snapshot may come from a hostile server; it is
 * refused if this field is above `limit`. A system that writes a larger value makes its own
 * snapshots unreadable; `lockstep run --roundtrip` finds that. Bools and enums have the same
 * check. */
#define LS_FIELD_UP_TO(owner, member, kind, limit)                                                 \
    LS_FIELD_OF_(owner, member, kind, limit, NULL, LS_KEEP, NULL)
/* A byte with named values; `value_names` is the array of names. */
#define LS_FIELD_ENUM(owner, member, value_names)                                                  \
    LS_FIELD_OF_(owner, member, LS_TYPE_ENUM, LS_COUNT_OF(value_names) - 1, value_names, LS_KEEP,  \
                 NULL)
/* A reference; `on_despawn` is the rule for the death of its target. */
#define LS_FIELD_ENTITY(owner, member, on_despawn)                                                 \
    LS_FIELD_OF_(owner, member, LS_TYPE_ENTITY, 0, NULL, on_despawn, NULL)
/* A bounded array: the first `count_member` items are in use, and the rest are zero
 * (include/lockstep/items.h ensures that). `count_member` is an LS_TYPE_U16 field of the same
 * struct, declared with LS_FIELD_UP_TO the number of items. */
#define LS_FIELD_ITEMS(owner, member, kind, count_member, on_despawn)                              \
    LS_FIELD_OF_(owner, member, kind, 0, NULL, on_despawn, #count_member)

#define LS_COMPONENTS_MAX       128
#define LS_EVENTS_MAX           64
#define LS_EVENT_TICKS_MAX      64
#define LS_COMPONENT_BYTES_MAX  4096
#define LS_SINGLETON_BYTES_MAX  65536
#define LS_COMPONENT_FIELDS_MAX 64

/* A component type. Its fields are listed by offset and cover the struct without a hole: padding
 * has undefined bytes, which the hash would include. `bytes` 0 makes a tag, which has presence but
 * no cells. */
typedef struct ls_component {
    const char *name; /* unique in the simulation; columns are ordered by it */
    uint32_t bytes;
    uint32_t field_count;
    const ls_field *fields;
    bool is_singleton; /* one cell for the whole world; always present, zero at the start */
    /* 0: not an event. Otherwise systems send it, and it lives for this number of ticks, the one in
     * which it is sent included: see LS_EVENT_KEPT() in define.h. */
    uint8_t event_ticks;
} ls_component;

#define LS_TABLE_INITIALIZER_(type, name, fields, is_singleton, event_ticks)                       \
    {                                                                                              \
        name, (uint32_t)sizeof(type), (uint32_t)LS_COUNT_OF(fields), fields, is_singleton,         \
            event_ticks                                                                            \
    }
#define LS_COMPONENT_TABLE(type, name, fields) LS_TABLE_INITIALIZER_(type, name, fields, false, 0)
#define LS_SINGLETON_TABLE(type, name, fields) LS_TABLE_INITIALIZER_(type, name, fields, true, 0)
#define LS_EVENT_TABLE(type, name, fields)     LS_TABLE_INITIALIZER_(type, name, fields, false, 1)
#define LS_TAG_TABLE(name)                                                                         \
    {                                                                                              \
        name, 0, 0, NULL, false, 0                                                                 \
    }

LS_API uint32_t ls_type_bytes(ls_type type);
/* The size of one number of the type: byte swapping and accumulation work on these units. */
LS_API uint32_t ls_type_unit(ls_type type);
/* LS_TYPE_FIX2 and LS_TYPE_FIX3: several numbers of the type LS_TYPE_FIX. */
LS_API bool ls_type_is_vector(ls_type type);
/* For scalar types; not for vectors. */
LS_API bool ls_type_is_signed(ls_type type);
LS_API const char *ls_type_name(ls_type type);

/* Whether both describe one component: they have one name, or are twins. A module's "place" is a
 * twin of "physics.place". */
LS_API bool ls_component_is(const ls_component *one, const ls_component *other);
/* Whether both have the same fields, and the same name but for the names of modules in front. */
LS_API bool ls_component_is_twin(const ls_component *one, const ls_component *other);

/* Checks name, sizes and types, and that the fields leave no hole.
 *   errors  LS_ERROR_USAGE names the component, the field and the offset of the hole */
LS_API ls_status ls_component_check(const ls_component *component, ls_error *error) LS_MUST_USE;

#endif
