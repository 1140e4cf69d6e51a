/* Compares two lists of stores, item by item: which changes does only one of them have? */
#include "desync/write_log.h"

#include "core/base/sort.h"

#include <string.h>

enum { ITEM_BITS = 3 }; /* address one of the 8 presence bits of a byte */

static const uint32_t no_index = UINT32_MAX;

/* A list sorted by item, with the partner of each store in the other list. */
struct list {
    const ls_stores *stores;
    ls_sort_item *items;
    uint32_t *partners; /* by store, its partner's index in the other list: the change of the item
                           with the same number, else a silent store into the item, else no_index */
    bool *is_unmatched; /* the store changed the item, and the other list has no equal change */
};

static struct list open_list(const ls_stores *stores)
{
    struct list list = {.stores = stores,
                        .items = ls_alloc(sizeof *list.items * (stores->count + 1) * 2),
                        .partners = ls_alloc(sizeof *list.partners * (stores->count + 1)),
                        .is_unmatched = ls_alloc(stores->count + 1)};
    for (uint32_t i = 0; i < stores->count; i++) {
        const ls_write_log *store = &stores->list[i];
        list.items[i] =
            (ls_sort_item){.key = ((uint64_t)store->at << ITEM_BITS) + store->bit, .value = i};
        list.partners[i] = no_index;
        list.is_unmatched[i] = !store->is_silent;
    }
    /* A stable sort: it keeps the order of the stores into an item. */
    ls_sort(list.items, list.items + stores->count, stores->count);
    return list;
}

static void close_list(struct list *list)
{
    ls_free(list->items);
    ls_free(list->partners);
    ls_free(list->is_unmatched);
}

static uint32_t end_of_item(const struct list *list, uint32_t at)
{
    uint64_t key = list->items[at].key;
    while (at < list->stores->count && list->items[at].key == key)
        at++;
    return at;
}

static const ls_write_log *store_at(const struct list *list, uint32_t at)
{
    return &list->stores->list[list->items[at].value];
}

static uint32_t next_change(const struct list *list, uint32_t at, uint32_t end)
{
    while (at < end && store_at(list, at)->is_silent)
        at++;
    return at;
}

/* Gives changes without a partner the other list's last silent store into the item. */
static void pair_silent(struct list *list, uint32_t at, uint32_t end, const struct list *other,
                        uint32_t other_at, uint32_t other_end)
{
    uint32_t silent = no_index;
    for (; other_at < other_end; other_at++)
        if (store_at(other, other_at)->is_silent)
            silent = other->items[other_at].value;
    for (; at < end; at++)
        list->partners[list->items[at].value] = silent;
}

/* Pairs the n-th change of an item in one list with its n-th change in the other. */
static void pair_item(struct list *a, uint32_t at_a, uint32_t end_a, struct list *b, uint32_t at_b,
                      uint32_t end_b)
{
    uint32_t i = next_change(a, at_a, end_a), j = next_change(b, at_b, end_b);
    while (i < end_a && j < end_b) {
        const ls_write_log *one = store_at(a, i), *other = store_at(b, j);
        uint32_t index_a = a->items[i].value, index_b = b->items[j].value;
        a->partners[index_a] = index_b;
        b->partners[index_b] = index_a;
        a->is_unmatched[index_a] = b->is_unmatched[index_b] =
            memcmp(one->now, other->now, one->bytes) != 0;
        i = next_change(a, i + 1, end_a);
        j = next_change(b, j + 1, end_b);
    }
    pair_silent(a, i, end_a, b, at_b, end_b);
    pair_silent(b, j, end_b, a, at_a, end_a);
}

static void pair(struct list *a, struct list *b)
{
    uint32_t i = 0, j = 0;
    while (i < a->stores->count && j < b->stores->count) {
        uint64_t key_a = a->items[i].key, key_b = b->items[j].key;
        uint32_t end_a = key_a <= key_b ? end_of_item(a, i) : i;
        uint32_t end_b = key_b <= key_a ? end_of_item(b, j) : j;
        if (key_a == key_b)
            pair_item(a, i, end_a, b, j, end_b);
        i = end_a;
        j = end_b;
    }
}

/* Whether both are the same field. Offsets are compared, because another build has tables of its
 * own. */
static bool is_same_field(const ls_field *a, const ls_field *b)
{
    return a && b ? a->offset == b->offset : a == b;
}

bool ls_write_log_is_of(const ls_write_log *store, const ls_stores *stores,
                        const ls_suspect *suspect)
{
    return store->entity == suspect->entity && is_same_field(store->field, suspect->field) &&
           (!suspect->field || store->item == suspect->item) &&
           (stores->site != LS_SITE_COMMANDS || store->record == suspect->record);
}

/* Returns the index of the first store that the other list lacks, only in the suspect's place
 * unless `suspect` is NULL. `before` becomes the number of changes before it that both lists have,
 * by which the first stores of the two lists can be ordered. */
static uint32_t first_unmatched(const struct list *list, const ls_suspect *suspect,
                                uint32_t *before)
{
    *before = 0;
    for (uint32_t i = 0; i < list->stores->count; i++) {
        const ls_write_log *store = &list->stores->list[i];
        if (list->is_unmatched[i] && (!suspect || ls_write_log_is_of(store, list->stores, suspect)))
            return i;
        *before += !store->is_silent && !list->is_unmatched[i];
    }
    return no_index;
}

static const ls_write_log *get(const struct list *list, uint32_t index)
{
    return index == no_index ? NULL : &list->stores->list[index];
}

static bool choose(const struct list *a, const struct list *b, const ls_suspect *suspect,
                   const ls_write_log **first_a, const ls_write_log **first_b)
{
    uint32_t before_a, before_b;
    uint32_t unmatched_a = first_unmatched(a, suspect, &before_a),
             unmatched_b = first_unmatched(b, suspect, &before_b);
    if (unmatched_a == no_index && unmatched_b == no_index)
        return false;
    bool is_a = unmatched_b == no_index || (unmatched_a != no_index && before_a <= before_b);
    *first_a = get(a, is_a ? unmatched_a : b->partners[unmatched_b]);
    *first_b = get(b, is_a ? a->partners[unmatched_a] : unmatched_b);
    return true;
}

bool ls_stores_compare(const ls_stores *a, const ls_stores *b, const ls_suspect *suspect,
                       const ls_write_log **first_a, const ls_write_log **first_b)
{
    struct list one = open_list(a), other = open_list(b);
    *first_a = *first_b = NULL;
    pair(&one, &other);
    bool is_found = choose(&one, &other, suspect, first_a, first_b) ||
                    choose(&one, &other, NULL, first_a, first_b);
    close_list(&one);
    close_list(&other);
    return is_found;
}
