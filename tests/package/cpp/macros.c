/* The macros that users write, with values that C17, C++17 and C++20 must agree on: the test
 * compiles this file as each and compares the lines. */
#include <lockstep/address.h>
#include <lockstep/angle.h>
#include <lockstep/items.h>
#include <lockstep/lockstep.h>

#include <stdio.h>

typedef struct bag {
    ls_entity owner;
    ls_fix2 at;
    ls_fix weight;
    uint16_t things[3];
    uint16_t count;
    uint32_t level;
    uint8_t kind;
    bool is_open;
    ls_angle heading;
} bag;
static const char *const kinds[] = {"sack", "box", "crate"};
static const ls_field bag_fields[] = {
    LS_FIELD_ENTITY(bag, owner, LS_CASCADE),
    LS_FIELD(bag, at, LS_TYPE_FIX2),
    LS_FIELD(bag, weight, LS_TYPE_FIX),
    LS_FIELD_ITEMS(bag, things, LS_TYPE_U16, count, LS_KEEP),
    LS_FIELD_UP_TO(bag, count, LS_TYPE_U16, 3),
    LS_FIELD_UP_TO(bag, level, LS_TYPE_U32, 9),
    LS_FIELD_ENUM(bag, kind, kinds),
    LS_FIELD(bag, is_open, LS_TYPE_BOOL),
    LS_FIELD(bag, heading, LS_TYPE_ANGLE),
};
static const ls_component Bag = LS_COMPONENT_TABLE(bag, "bag", bag_fields);
static const ls_component Only = LS_SINGLETON_TABLE(bag, "only", bag_fields);
static const ls_component Ping = LS_EVENT_TABLE(bag, "ping", bag_fields);
static const ls_component Mark = LS_TAG_TABLE("mark");

static const ls_term terms[] = {
    LS_READS(Bag),
    LS_WRITES(Bag),
    LS_WITH(Mark),
    LS_WITHOUT(Mark),
    LS_OPTIONALLY_READS(Bag),
    LS_ATTACHES(Bag),
    LS_DETACHES(Bag),
    LS_OTHERS_READ(Bag),
    LS_OTHERS_WRITE(Only),
    LS_OTHERS_STRUCTURE(Bag),
    LS_OTHERS_START(Bag),
    LS_SPAWNS_WITH(Mark),
    LS_COMMANDED(Bag),
    LS_ACCUMULATES(Bag, LS_MAX),
    LS_SENDS(Ping),
    LS_RECEIVES(Ping),
    LS_OBSERVES(Bag),
    LS_TERM(3, LS_OPTIONAL, LS_ACCESS_STRUCTURE, Bag),
};

static const ls_algebra schedule =
    LS_THEN(LS_CONC("move"), LS_PAR(LS_CONC("up"), LS_THEN(LS_SEQ("down"), LS_CONC("rest"))),
            LS_PAR_FIRST(LS_CONC("left"), LS_CONC("right")));

/* As docs/client.md writes a schedule that is a constant expression in C++. */
#ifdef __cplusplus
#define CONSTANT constexpr
#else
#define CONSTANT static const
#endif
CONSTANT ls_algebra sides[] = {LS_CONC("up"), LS_CONC("down")};
CONSTANT ls_algebra both = {LS_ALGEBRA_PAR, LS_COUNT_OF(sides), NULL, sides};

static const ls_fix numbers[] = {LS_FIX(0.25), LS_FIX(-1.5), LS_FIX(7),
                                 LS_FIX(1e9),  LS_FIX(-1e9), LS_FIX(0.00001)};
static const ls_angle angles[] = {LS_DEGREES(-90), LS_DEGREES(45), LS_ANGLE_QUARTER, LS_ANGLE_HALF};

/* The same components by one definition, and what is used of them: compiled and not run. */
LS_ENUM(sort, SACK, BOX, CRATE);
LS_COMPONENT(pouch, ENTITY(owner, LS_CASCADE), FIX2(at), FIX3(up), FIX(weight),
             U16_ITEMS(things, 3), U32_UP_TO(level, 9), ENUM(kind, sort), BOOL(is_open),
             ANGLE(heading));
LS_SINGLETON(vault, U32_ARRAY(coins, 2, 3), I64(debt));
LS_EVENT(chime, U8(times));
LS_TAG(stolen);
LS_TERMS(handling, WRITES(pouch), ATTACHES(stolen), QUERY(1, READS(pouch, other)),
         READS_SINGLETON(vault), SENDS(chime), RECEIVES(chime, heard), COMMANDED(pouch, later),
         ACCUMULATES(vault, LS_MAX, best), OTHERS_STRUCTURE(pouch, any),
         WALKS(5, READS(pouch, walked)), OBSERVES(pouch, kept), OBSERVES(stolen, thefts));

void calls(ls_context *context, const ls_span *span, const ls_block *block, ls_entity entity);
void calls(ls_context *context, const ls_span *span, const ls_block *block, ls_entity entity)
{
    LS_USES(context, handling);
    const pouch *from = LS_READ(context, other, entity);
    pouch *to = LS_WRITE(context, pouch, entity);
    *to = *from;
    LS_ATTACH(context, any, entity, 0);
    LS_ATTACH_COPY(context, any, entity, from);
    LS_ATTACH_TAG(context, stolen, entity);
    if (LS_HAS(context, stolen, entity))
        LS_DETACH(context, stolen, entity);
    *LS_WRITE_SPAN(context, pouch, span) = *LS_READ_SPAN(context, pouch, span);
    *LS_WRITE_BLOCK(context, pouch, block) = *LS_READ_BLOCK(context, pouch, block);
    LS_ATTACH_SPAN(context, stolen, span);
    LS_DETACH_BLOCK(context, stolen, block, LS_PRESENT_IN_BLOCK(stolen, block));
    LS_SEND(context, chime, 3);
    LS_EACH_EVENT(context, heard, rung)
    to->level += rung->times;
    LS_EACH_MATCH(context, 5, near)
    to->level += LS_READ(context, walked, near)->level;
    LS_EACH_CHANGE(context, kept, change)
    {
        if (change.kind == LS_CELL_CHANGED)
            to->level += change.now->level - change.before->level;
        LS_EACH_CHANGE(context, thefts, theft)
        to->level += theft.entity == change.entity;
    }
    LS_COMMAND_ATTACH(context, later, entity, 0);
    LS_COMMAND_DETACH(context, later, entity);
    LS_ACCUMULATE(context, best, LS_ENTITY_NULL, {{1, 2, 3}, {4, 5, 6}}, 7);
    to->level += LS_READ_SINGLETON(context, vault)->coins[1][2];
    ls_cell_has(context, LS_TERM_INDEX(other), entity);
}

static LS_EACH_FUNCTION(visit, context, span)
{
    LS_USES(context, handling);
    pouch *own = LS_WRITE_SPAN(context, pouch, span);
    LS_EACH_IN_SPAN(span, i)
    {
        if (!own)
            break;
        own[i].level++;
    }
}
LS_UNUSED_ static ls_span_function *const visiting = visit;

static const ls_component *const components[] = {&Bag,
                                                 &Only,
                                                 &Ping,
                                                 &Mark,
                                                 &pouch_component,
                                                 &vault_component,
                                                 &chime_component,
                                                 &stolen_component};

static void print_algebra(const ls_algebra *part)
{
    printf("(%u %u %s", (unsigned)part->kind, (unsigned)part->part_count,
           part->system ? part->system : "-");
    for (uint32_t i = 0; i < part->part_count; i++)
        print_algebra(&part->parts[i]);
    printf(")");
}

static void print_component(const ls_component *component)
{
    ls_error error;
    ls_status status = ls_component_check(component, &error);
    printf("%s %u %d %d status %d\n", component->name, (unsigned)component->bytes,
           component->is_singleton, component->event_ticks, (int)status);
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        printf("  %s %u+%u %s max %llu names %s death %d count %s\n", field->name,
               (unsigned)field->offset, (unsigned)field->bytes, ls_type_name(field->type),
               (unsigned long long)field->max, field->names ? field->names[field->max] : "-",
               (int)field->on_despawn, field->count ? field->count : "-");
    }
}

int main(void)
{
    for (size_t i = 0; i < LS_COUNT_OF(components); i++)
        print_component(components[i]);
    for (size_t i = 0; i < LS_COUNT_OF(terms); i++)
        printf("%s %u %d %d\n", terms[i].component->name, (unsigned)terms[i].query,
               (int)terms[i].kind, (int)terms[i].access);
    for (size_t i = 0; handling[i].component; i++)
        printf("%s %u %d %d\n", handling[i].component->name, (unsigned)handling[i].query,
               (int)handling[i].kind, (int)handling[i].access);
    print_algebra(&schedule);
    print_algebra(&both);
    for (size_t i = 0; i < LS_COUNT_OF(numbers); i++)
        printf(" %d", (int)numbers[i]);
    for (size_t i = 0; i < LS_COUNT_OF(angles); i++)
        printf(" %d", (int)angles[i]);
    bag full;
    memset(&full, 0, sizeof full);
    uint16_t thing = 5;
    while (ls_items_push(LS_ITEMS(&full, things, count), &thing))
        thing = (uint16_t)(thing * 2);
    printf("\n%d %d %d\n", full.count, full.things[0], full.things[2]);
    int host = 10;
    ls_address address = LS_ADDRESS_IPV4((uint8_t)host, 0, 2, 1, 40001);
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_address_format(&address, text);
    printf("%s\n", text);
    LS_ASSERT(ls_library_abi() == LS_ABI);
    return 0;
}
