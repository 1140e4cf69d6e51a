/* Watches writes of every kind to unaligned memory, on the processors where stores are watched. */
#include "core/base/platform_step.h"
#include "plants.h"

#include <sys/mman.h>
#include <unistd.h>

enum { BEFORE = 1000, BYTES = 9000, ALL = 16384 };

static uint8_t *memory;

static int make_memory(void **state)
{
    memory = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED;
}

static int drop_memory(void **state)
{
    return munmap(memory, ALL);
}

TESTS_AROUND_ALL(make_memory, drop_memory);

#if defined(__x86_64__) || defined(__aarch64__)

#include "machine_stores.h"

static ls_write_watch *begin(void)
{
    ls_write_watch *watch;
    ls_error error = {""};
    memset(memory, 0, ALL);
    if (ls_write_watch_begin(memory + BEFORE, BYTES, &watch, &error) != LS_OK)
        fail_msg("%s", error.text);
    return watch;
}

/* Ends the watch and returns the number of writes. Applying the recorded changes in order must give
 * the memory's content. */
static uint32_t end(ls_write_watch *watch)
{
    static uint8_t replayed[BYTES];
    uint32_t count;
    ls_write_watch_end(watch);
    const ls_write_watch_store *stores = ls_write_watch_stores(watch, &count);
    memset(replayed, 0, sizeof replayed);
    for (uint32_t i = 0; i < count; i++) {
        const ls_write_watch_store *store = &stores[i];
        for (uint32_t at = store->changed; at < store->changed_end; at++) {
            assert_int_equal(store->old[at - store->window], replayed[at]);
            replayed[at] = store->now[at - store->window];
        }
    }
    assert_memory_equal(replayed, memory + BEFORE, BYTES);
    ls_write_watch_destroy(watch);
    return count;
}

static void store_by(void (*function)(uint8_t *, const uint8_t *, size_t), size_t at, size_t bytes)
{
    uint8_t from[4096];
    for (size_t i = 0; i < bytes; i++)
        from[i] = (uint8_t)(i % 255 + 1);
    ls_write_watch *watch = begin();
    function(memory + BEFORE + at, from, bytes);
    assert_in_range(end(watch), 1, bytes);
    assert_memory_equal(memory + BEFORE + at, from, bytes);
}

static void by_bytes(uint8_t *to, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile uint8_t *)to)[i] = from[i];
}

static void by_string_instruction(uint8_t *to, const uint8_t *from, size_t bytes)
{
    COPY_BYTES(to, from, bytes);
}

static void by_library(uint8_t *to, const uint8_t *from, size_t bytes)
{
    void *(*volatile copy)(void *, const void *, size_t) = memmove;
    copy(to, from, bytes);
}

typedef uint64_t wide __attribute__((vector_size(16), aligned(1), may_alias));

static void by_vectors(uint8_t *to, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i + 16 <= bytes; i += 16)
        *(wide *)(to + i) = *(const wide *)(from + i);
}

TEST(test_write_watch_sees_every_kind_of_store)
{
    const size_t starts[] = {0, 1, 3090, 3095, 4095 + 4096 - BEFORE};
    for (size_t i = 0; i < LS_COUNT_OF(starts); i++) {
        store_by(by_bytes, starts[i], 40);
        store_by(by_string_instruction, starts[i], 700);
        store_by(by_library, starts[i], 13);
        store_by(by_library, starts[i], 100);
        store_by(by_library, starts[i], 1500);
        store_by(by_vectors, starts[i], 64);
    }
}

TEST(test_write_watch_notes_the_bytes_of_each_store)
{
    uint32_t count;
    ls_write_watch *watch = begin();
    volatile uint8_t *to = memory + BEFORE;
    to[5] = 7;
    to[5] = 7;
    to[6] = 1;
    ls_write_watch_end(watch);
    const ls_write_watch_store *stores = ls_write_watch_stores(watch, &count);
    assert_int_equal(count, 3);
    assert_int_equal(stores[0].changed, 5);
    assert_int_equal(stores[0].changed_end, 6);
    assert_int_equal(stores[1].at, 5);
    assert_int_equal(stores[1].changed, stores[1].changed_end);
    assert_int_equal(stores[2].changed, 6);
    assert_int_equal(stores[2].now[6 - stores[2].window], 1);
    assert_int_equal(stores[0].frames[0] == 0, 0);
    assert_in_range(stores[0].frame_count, 3, LS_WRITE_WATCH_FRAMES_MAX);
    ls_write_watch_destroy(watch);
}

/* One instruction writes both halves and changes one. An instruction that reads and writes, in the
 * watched region or next to it, must run exactly once. */
TEST(test_write_watch_records_unchanged_bytes)
{
    enum { AT = 64 };
    uint32_t count;
    uint64_t *pair = (uint64_t *)(void *)(memory + BEFORE + AT), both = (UINT64_C(7) << 32) + 5;
    uint32_t *beside = (uint32_t *)(void *)(memory + BEFORE - 8);
    ls_write_watch *watch = begin();
    store_wide(pair, 5);
    store_wide(pair, both);
    store_wide(pair, both);
    add_wide(pair);
    add_narrow(beside);
    ls_write_watch_end(watch);
    const ls_write_watch_store *stores = ls_write_watch_stores(watch, &count);
    assert_int_equal(*pair, both + 3);
    assert_int_equal(*beside, 3);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(stores[i].stored, AT);
        assert_int_equal(stores[i].stored_end, AT + 8);
    }
    assert_int_equal(stores[1].changed, AT + 4);
    assert_int_equal(stores[1].changed_end, AT + 5);
    assert_int_equal(stores[2].changed, stores[2].changed_end);
    assert_int_equal(stores[3].changed, AT);
    assert_int_equal(stores[3].changed_end, AT + 1);
    ls_write_watch_destroy(watch);
}

/* Writes next to the region on the same pages work normally and are not recorded. */
TEST(test_write_watch_leaves_the_neighbours_alone)
{
    ls_write_watch *watch = begin();
    memory[BEFORE - 1] = 9;
    memory[BEFORE + BYTES] = 8;
    memset(memory, 5, BEFORE);
    memory[ALL - 1] = 3;
    assert_int_equal(end(watch), 0);
    assert_int_equal(memory[BEFORE - 1], 5);
    assert_int_equal(memory[BEFORE + BYTES], 8);
    assert_int_equal(memory[ALL - 1], 3);
}

TEST(test_write_watch_counts_dropped_stores)
{
    uint32_t count;
    ls_write_watch *watch = begin();
    volatile uint8_t *to = memory + BEFORE;
    for (uint32_t i = 0; i < LS_WRITE_WATCH_STORES_MAX + 10; i++)
        to[i % BYTES]++;
    ls_write_watch_end(watch);
    (void)ls_write_watch_stores(watch, &count);
    assert_int_equal(count, LS_WRITE_WATCH_STORES_MAX);
    assert_int_equal(ls_write_watch_left_out(watch), 10);
    ls_write_watch_destroy(watch);
    to[0] = 1; /* writable again */
}

#if defined(__aarch64__)

/* Exclusive stores of two registers run once, in the region and beside it. */
TEST(test_write_watch_runs_exclusive_stores)
{
    enum { AT = 24 };
    uint32_t count;
    uint64_t *pair = (uint64_t *)(void *)(memory + BEFORE + AT);
    uint64_t *beside = (uint64_t *)(void *)(memory + BEFORE - 24);
    ls_write_watch *watch = begin();
    add_pair(pair);
    add_pair(pair);
    add_pair(beside);
    ls_write_watch_end(watch);
    const ls_write_watch_store *stores = ls_write_watch_stores(watch, &count);
    assert_int_equal(pair[0], 2);
    assert_int_equal(pair[1], 4);
    assert_int_equal(beside[0], 1);
    assert_int_equal(beside[1], 2);
    assert_int_equal(count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(stores[i].stored, AT);
        assert_int_equal(stores[i].stored_end, AT + 16);
    }
    ls_write_watch_destroy(watch);
}

/* The signal names a byte inside of the block. */
TEST(test_write_watch_notes_a_zeroed_block)
{
    size_t bytes = block_bytes(), pieces = bytes < 64 ? 1 : bytes / 64;
    if (!bytes)
        skip();
    size_t first = 2 * LS_STORE_BYTES_MAX - BEFORE; /* the memory begins at a multiple of a page */
    uint32_t count;
    ls_write_watch *watch = begin();
    memory[BEFORE + first + 2] = 9;
    zero_block(memory + BEFORE + first + 3);
    ls_write_watch_end(watch);
    const ls_write_watch_store *stores = ls_write_watch_stores(watch, &count);
    assert_int_equal(memory[BEFORE + first + 2], 0);
    assert_int_equal(count, 1 + pieces);
    assert_int_equal(stores[1].changed, first + 2);
    assert_int_equal(stores[1].changed_end, first + 3);
    for (uint32_t i = 1; i < count; i++)
        assert_int_equal(stores[i].stored, i == 1 ? first : stores[i - 1].stored_end);
    assert_int_equal(stores[count - 1].stored_end, first + bytes);
    ls_write_watch_destroy(watch);
}

#endif

static void fault_elsewhere(void *argument)
{
    ls_write_watch *watch = begin();
    fprintf(stderr, "a fault of somebody else\n");
    *(volatile uint8_t *)(memory + ALL - 1) = 1;
    (void)mprotect(memory + ALL - 4096, 4096, PROT_READ);
    abort();
    ls_write_watch_destroy(watch);
}

TEST(test_write_watch_does_not_swallow_other_signals)
{
    assert_dies(fault_elsewhere, NULL, "a fault of somebody else");
}

#else

TEST(test_write_watch_is_refused)
{
    ls_write_watch *watch;
    ls_error error = {""};
    assert_int_equal(ls_write_watch_begin(memory, ALL, &watch, &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "on x86-64 and aarch64 only"));
    memory[0] = 1;
    assert_null(watch);
}

#endif
