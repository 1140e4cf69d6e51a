/* Access by handle from a sequential system, as in a simulation with random references. The bare
 * side uses indexes instead of handles; in the rows "checked" it compares the generation of each
 * handle with the slot's generation in an array. */
#include "benches/core/groups.h"
#include "benches/core/scene.h"

#include <string.h>

enum phase { GET, ATTACH, DETACH, TAG_ON, TAG_OFF, PHASES };
enum { PLACE, LOAD, MARK }; /* term indexes */
enum { BATCH = 256 };       /* handles per call */
enum { FEW = 10000, MANY = 50000, FEW_PASSES = 50 };

static struct {
    scene scene;
    enum phase phase;
    uint32_t count, passes;
    uint32_t *order;     /* bare: slots in access order */
    ls_entity *entities; /* ours: the same order as handles */
    scene_place *places;
    scene_load *loads;
    uint64_t *has_load, *has_mark;
    uint32_t *generations; /* bare, by slot */
    bool is_checked;
    bool is_by_word; /* bare: a presence word stays in a register until the word changes */
} at;

static void get_each(ls_context *context, const ls_entity *entities, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const scene_place *place = ls_cell_find(context, PLACE, entities[i]);
        sum += (uint32_t)place->x;
    }
    bench_consume(sum);
}

static void reach_each(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    const ls_entity *entities = at.entities;
    uint32_t count = at.count;
    switch (at.phase) {
    case GET:
        get_each(context, entities, count);
        break;
    case ATTACH:
        for (uint32_t i = 0; i < count; i++) {
            const scene_load load = {i, 1};
            ls_cell_attach(context, LOAD, entities[i], &load);
        }
        break;
    case DETACH:
        for (uint32_t i = 0; i < count; i++)
            ls_cell_detach(context, LOAD, entities[i]);
        break;
    case TAG_ON:
        for (uint32_t i = 0; i < count; i++)
            ls_cell_attach(context, MARK, entities[i], NULL);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            ls_cell_detach(context, MARK, entities[i]);
        break;
    }
}

static uint64_t get_some(ls_context *context, const ls_entity *entities, uint32_t count)
{
    const void *places[BATCH];
    uint64_t sum = 0;
    ls_cells_find(context, PLACE, entities, count, places);
    for (uint32_t i = 0; i < count; i++)
        sum += (uint32_t)((const scene_place *)places[i])->x;
    return sum;
}

static void attach_some(ls_context *context, const ls_entity *entities, uint32_t count,
                        uint32_t first)
{
    scene_load loads[BATCH];
    for (uint32_t i = 0; i < count; i++)
        loads[i] = (scene_load){first + i, 1};
    ls_cells_attach(context, LOAD, entities, count, loads);
}

static void reach_batch(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    uint64_t sum = 0;
    for (uint32_t first = 0; first < at.count; first += BATCH) {
        const ls_entity *entities = at.entities + first;
        uint32_t count = at.count - first < BATCH ? at.count - first : BATCH;
        if (at.phase == GET)
            sum += get_some(context, entities, count);
        else if (at.phase == ATTACH)
            attach_some(context, entities, count, first);
        else if (at.phase == DETACH)
            ls_cells_detach(context, LOAD, entities, count);
        else if (at.phase == TAG_ON)
            ls_cells_attach(context, MARK, entities, count, NULL);
        else
            ls_cells_detach(context, MARK, entities, count);
    }
    bench_consume(sum);
}

static void furnish(ls_context *context, ls_entity entity, uint32_t i)
{
    const scene_place place = {(ls_fix)i, 0};
    ls_cell_attach(context, 0, entity, &place);
}

#define SYSTEM(function)                                                                           \
    {                                                                                              \
        {                                                                                          \
            .name = "reach", .mode = LS_SEQUENTIAL, .match = function,                             \
            .terms = LS_TERM_LIST([PLACE] = LS_OTHERS_READ(scene_places),                          \
                                  [LOAD] = LS_OTHERS_STRUCTURE(scene_loads),                       \
                                  [MARK] = LS_OTHERS_STRUCTURE(scene_marks))                       \
        }                                                                                          \
    }
static const ls_system each[] = SYSTEM(reach_each), batch[] = SYSTEM(reach_batch);
static const ls_component *const components[] = {&scene_places, &scene_loads, &scene_marks, NULL};

typedef struct variant {
    const ls_system *systems;
    bool is_random;
    uint32_t entities; /* so few that they fit into a core's own cache; 0: as --entities says */
    bool is_checked;
} variant;

static void *begin(const bench_options *options, const void *chosen)
{
    const variant *self = chosen;
    uint32_t count = at.count = self->entities ? self->entities : options->entities;
    at.passes = self->entities ? FEW_PASSES : 1;
    at.is_checked = self->is_checked;
    at.is_by_word = self->systems == batch && !self->is_random;
    const scene_plan plan = {.components = components,
                             .systems = self->systems,
                             .system_count = 1,
                             .entities = count,
                             .furnish = furnish,
                             .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(scene_places))};
    scene_begin(&at.scene, &plan);
    at.order = bench_alloc(sizeof *at.order * count);
    at.entities = bench_alloc(sizeof *at.entities * count);
    at.places = bench_alloc(sizeof *at.places * count);
    at.loads = bench_alloc(sizeof *at.loads * count);
    at.has_load = bench_alloc(count / 8 + 8);
    at.has_mark = bench_alloc(count / 8 + 8);
    at.generations = bench_alloc(sizeof *at.generations * count);
    scene_shuffle(at.order, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!self->is_random)
            at.order[i] = i;
        at.places[i].x = (ls_fix)i;
        at.generations[ls_entity_slot(at.scene.entities[i])] =
            ls_entity_generation(at.scene.entities[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        at.entities[i] = at.scene.entities[at.order[i]];
    return &at.scene;
}

/* The slot of access number `i`; false if the handle is of an earlier entity there. */
static inline bool find_slot(uint32_t i, bool is_checked, uint32_t *slot)
{
    *slot = is_checked ? ls_entity_slot(at.entities[i]) : at.order[i];
    return !is_checked || at.generations[*slot] == ls_entity_generation(at.entities[i]);
}

static inline void bare_get(bool is_checked)
{
    uint64_t sum = 0;
    for (uint32_t i = 0, slot; i < at.count; i++) {
        if (find_slot(i, is_checked, &slot))
            sum += (uint32_t)at.places[slot].x;
    }
    bench_consume(sum);
}

static inline void bare_attach(bool is_checked)
{
    for (uint32_t i = 0, slot; i < at.count; i++) {
        if (!find_slot(i, is_checked, &slot))
            continue;
        at.has_load[slot / 64] |= UINT64_C(1) << (slot % 64);
        at.loads[slot] = (scene_load){i, 1};
    }
    bench_consume(at.loads[0].low);
}

static inline void bare_detach(bool is_checked)
{
    for (uint32_t i = 0, slot; i < at.count; i++) {
        if (find_slot(i, is_checked, &slot) && at.has_load[slot / 64] >> (slot % 64) & 1) {
            at.has_load[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
            at.loads[slot] = (scene_load){0};
        }
    }
    bench_consume(at.loads[0].low);
}

static inline void bare_tag(bool is_checked, bool is_on)
{
    for (uint32_t i = 0, slot; i < at.count; i++) {
        if (!find_slot(i, is_checked, &slot))
            continue;
        uint64_t bit = UINT64_C(1) << (slot % 64);
        at.has_mark[slot / 64] =
            is_on ? at.has_mark[slot / 64] | bit : at.has_mark[slot / 64] & ~bit;
    }
    bench_consume(at.has_mark[0]);
}

#define BARE(name, is_checked)                                                                     \
    static void name(enum phase phase)                                                             \
    {                                                                                              \
        if (phase == GET)                                                                          \
            bare_get(is_checked);                                                                  \
        else if (phase == ATTACH)                                                                  \
            bare_attach(is_checked);                                                               \
        else if (phase == DETACH)                                                                  \
            bare_detach(is_checked);                                                               \
        else                                                                                       \
            bare_tag(is_checked, phase == TAG_ON);                                                 \
    }
BARE(bare_by_index, false)
BARE(bare_by_handle, true)

/* A presence word of the bare side. Handles in order hit each word 64 times; like the engine, it
 * loads and stores the word once. */
typedef struct word {
    uint64_t *present;
    uint32_t at;
    uint64_t bits;
} word;

static inline void word_enter(word *self, uint32_t slot)
{
    if (slot / 64 == self->at)
        return;
    self->present[self->at] = self->bits;
    self->at = slot / 64;
    self->bits = self->present[self->at];
}

static void bare_attach_by_word(void)
{
    word at_word = {at.has_load, 0, at.has_load[0]};
    for (uint32_t i = 0; i < at.count; i++) {
        uint32_t slot = at.order[i];
        word_enter(&at_word, slot);
        at_word.bits |= UINT64_C(1) << (slot % 64);
        at.loads[slot] = (scene_load){i, 1};
    }
    at.has_load[at_word.at] = at_word.bits;
    bench_consume(at.loads[0].low);
}

static void bare_detach_by_word(void)
{
    word at_word = {at.has_load, 0, at.has_load[0]};
    for (uint32_t i = 0; i < at.count; i++) {
        uint32_t slot = at.order[i];
        word_enter(&at_word, slot);
        if (at_word.bits >> (slot % 64) & 1) {
            at_word.bits &= ~(UINT64_C(1) << (slot % 64));
            at.loads[slot] = (scene_load){0};
        }
    }
    at.has_load[at_word.at] = at_word.bits;
    bench_consume(at.loads[0].low);
}

static void bare_tag_by_word(bool is_on)
{
    word at_word = {at.has_mark, 0, at.has_mark[0]};
    for (uint32_t i = 0; i < at.count; i++) {
        uint64_t bit = UINT64_C(1) << (at.order[i] % 64);
        word_enter(&at_word, at.order[i]);
        at_word.bits = is_on ? at_word.bits | bit : at_word.bits & ~bit;
    }
    at.has_mark[at_word.at] = at_word.bits;
    bench_consume(at.has_mark[0]);
}

static void bare_by_word(enum phase phase)
{
    if (phase == GET)
        bare_get(false);
    else if (phase == ATTACH)
        bare_attach_by_word();
    else if (phase == DETACH)
        bare_detach_by_word();
    else
        bare_tag_by_word(phase == TAG_ON);
}

static void bare(void *state, double *figures)
{
    void (*const run)(enum phase) = at.is_by_word   ? bare_by_word
                                    : at.is_checked ? bare_by_handle
                                                    : bare_by_index;
    uint64_t took[PHASES] = {0};
    (void)state;
    for (uint32_t pass = 0; pass < at.passes; pass++) {
        for (uint32_t phase = 0; phase < PHASES; phase++) {
            uint64_t started = bench_now_ns();
            run((enum phase)phase);
            took[phase] += bench_now_ns() - started;
        }
    }
    for (uint32_t phase = 0; phase < PHASES; phase++)
        figures[phase] = (double)took[phase] / at.passes / at.count;
}

static void ours(void *state, double *figures)
{
    double took[PHASES] = {0};
    (void)state;
    for (uint32_t pass = 0; pass < at.passes; pass++) {
        for (at.phase = GET; at.phase < PHASES; at.phase++)
            took[at.phase] += scene_tick(&at.scene, 1);
    }
    for (uint32_t phase = 0; phase < PHASES; phase++)
        figures[phase] = took[phase] / at.passes / at.count;
}

#define GROUP(how, variant_literal, get_target, get, target, attach, detach, tag)                  \
    {                                                                                              \
        .rows = {{how ": get", "ns", get_target, get, NULL},                                       \
                 {how ": attach 16 bytes", "ns", target, attach, NULL},                            \
                 {how ": detach 16 bytes", "ns", target, detach, NULL},                            \
                 {how ": tag on", "ns", target, tag, NULL},                                        \
                 {how ": tag off", "ns", target, tag, NULL}},                                      \
        .variant = &(const variant)variant_literal, .begin = begin, .bare = bare, .ours = ours,    \
        .end = scene_end,                                                                          \
    }
#define VARIANT(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define TARGETS(get_target, get, attach, detach, tag)                                              \
    get_target, get, BENCH_AT_MOST, attach, detach, tag
#define GET_AT_MOST(get)                    BENCH_AT_MOST, get, BENCH_NO_TARGET, 0, 0, 0
#define NO_TARGETS                          BENCH_NO_TARGET, 0, BENCH_NO_TARGET, 0, 0, 0
#define GROUP_OF(how, variant_literal, ...) GROUP(how, VARIANT variant_literal, __VA_ARGS__)
const bench_group bench_handles_random =
    GROUP_OF("by handle, random order", (each, true), TARGETS(BENCH_AT_MOST, 11, 13, 13, 5));
const bench_group bench_handles_checked =
    GROUP_OF("by handle, random order, checked", (each, true, .is_checked = true), NO_TARGETS);
const bench_group bench_handles_in_order =
    GROUP_OF("by handle, in order", (each, false), TARGETS(BENCH_NO_TARGET, 0, 4, 2, 2));
const bench_group bench_batch_random =
    GROUP_OF("many per call, random order", (batch, true), TARGETS(BENCH_AT_MOST, 11, 13, 13, 5));
const bench_group bench_batch_in_order =
    GROUP_OF("many per call, in order", (batch, false), TARGETS(BENCH_NO_TARGET, 0, 4, 2, 2));
const bench_group bench_few_handles_random =
    GROUP_OF("10,000 by handle, random order", (each, true, FEW), NO_TARGETS);
const bench_group bench_many_handles_random =
    GROUP_OF("50,000 by handle, random order", (each, true, MANY), GET_AT_MOST(4));
const bench_group bench_many_handles_checked = GROUP_OF(
    "50,000 by handle, random order, checked", (each, true, MANY, .is_checked = true), NO_TARGETS);
const bench_group bench_few_batch_random =
    GROUP_OF("10,000, many per call, random order", (batch, true, FEW), NO_TARGETS);
