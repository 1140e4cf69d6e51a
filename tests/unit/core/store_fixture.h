/* Shared by the tests of cells: a world with two lanes, a small and a large component, a tag and a
 * singleton. */
#ifndef LS_CORE_STORE_FIXTURE_H
#define LS_CORE_STORE_FIXTURE_H

#include "harness.h"

#include "core/state/store.h"

typedef struct number {
    uint32_t value;
} number;

typedef struct pair {
    uint64_t left, right;
} pair;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const ls_field pair_fields[] = {LS_FIELD(pair, left, LS_TYPE_U64),
                                       LS_FIELD(pair, right, LS_TYPE_U64)};
static const ls_component numbers = LS_COMPONENT_TABLE(number, "number", number_fields);
static const ls_component pairs = LS_COMPONENT_TABLE(pair, "pair", pair_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component single = LS_SINGLETON_TABLE(number, "single", number_fields);

enum { NUMBER = 0, PAIR = 1, SINGLE = 2, TAG = 3, COLUMNS = 4, LANE_A = 1, LANE_B = 2 };

static int begin(void **state)
{
    static const ls_component *const components[] = {&numbers, &pairs, &tag, &single};
    static const char *const lanes[] = {"a", "b"};
    static harness self;
    static const ls_sim sim = HARNESS_STORE(components, lanes);
    harness_begin(&self, &sim, 1);
    *state = &self;
    return 0;
}

#endif
