#include "test.h"

#include "proto/pack.h"
#include <lockstep/limits.h>

#include <zstd.h>

enum { COUNT = 300000 };

static uint8_t *sample(void)
{
    uint8_t *bytes = ls_alloc(COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        bytes[i] = (uint8_t)(i / 100 * 7 + (i % 13 == 0));
    return bytes;
}

TEST(test_pack_comes_back)
{
    static const size_t counts[] = {1, 2, 1000, COUNT};
    uint8_t *bytes = sample();
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++) {
        uint8_t *packed, *back;
        size_t packed_bytes;
        ls_pack(bytes, counts[i], &packed, &packed_bytes);
        assert_ok(ls_unpack(packed, packed_bytes, (uint32_t)counts[i], &back, NULL));
        assert_memory_equal(back, bytes, counts[i]);
        assert_true(counts[i] < COUNT || packed_bytes < COUNT / 10);
        ls_free(packed);
        ls_free(back);
    }
    ls_free(bytes);
}

/* 256 MiB and more can be packed in a few kilobytes. The size in the head is checked before memory
 * is allocated. */
TEST(test_pack_refuses_a_bomb)
{
    size_t count = 64u << 20;
    uint8_t *zeros = ls_alloc(count), *packed, *bytes;
    size_t packed_bytes;
    ls_error error;
    ls_pack(zeros, count, &packed, &packed_bytes);
    ls_free(zeros);
    assert_true(packed_bytes < 10000);
    assert_int_equal(ls_unpack(packed, packed_bytes, 1000, &bytes, &error), LS_ERROR_CORRUPT);
    assert_null(bytes);
    assert_int_equal(ls_unpack(packed, packed_bytes, (64u << 20) + 1, &bytes, &error),
                     LS_ERROR_CORRUPT);
    assert_int_equal(ls_unpack(packed, packed_bytes, LS_SNAPSHOT_BYTES_MAX + 1, &bytes, &error),
                     LS_ERROR_LIMIT);
    assert_int_equal(ls_unpack(packed, packed_bytes, 0, &bytes, &error), LS_ERROR_LIMIT);
    ls_free(packed);
}

static void refuses(const uint8_t *packed, size_t packed_bytes, uint32_t raw_bytes)
{
    uint8_t *bytes;
    assert_int_equal(ls_unpack(packed, packed_bytes, raw_bytes, &bytes, NULL), LS_ERROR_CORRUPT);
    assert_null(bytes);
}

TEST(test_pack_is_one_frame)
{
    uint8_t *bytes = sample(), *packed;
    size_t count;
    ls_pack(bytes, COUNT, &packed, &count);
    uint8_t *more = ls_alloc(2 * count + 16);
    memcpy(more, packed, count);
    refuses(more, count + 1, COUNT);
    refuses(more, count - 1, COUNT);
    memcpy(more + count, packed, count);
    refuses(more, 2 * count, COUNT);
    refuses(more, 2 * count, 2 * COUNT);
    refuses(more, 0, COUNT);
    /* A skippable frame of zstd before the packed data. */
    const uint8_t skipped[9] = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9};
    memcpy(more, skipped, sizeof skipped);
    memcpy(more + sizeof skipped, packed, count);
    refuses(more, sizeof skipped + count, COUNT);
    refuses(more, sizeof skipped, 1);
    ls_free(more);
    ls_free(packed);
    ls_free(bytes);
}

/* A frame whose head has no size is refused, because it could unpack to any size. */
TEST(test_pack_says_its_size)
{
    uint8_t *bytes = sample();
    size_t bound = ZSTD_compressBound(COUNT);
    uint8_t *packed = ls_alloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    size_t count = ZSTD_compress2(context, packed, bound, bytes, COUNT);
    assert_false(ZSTD_isError(count));
    refuses(packed, count, COUNT);
    ZSTD_freeCCtx(context);
    ls_free(packed);
    ls_free(bytes);
}

/* With any bit flipped the data is refused, or unpacks to the right number of bytes. */
TEST(test_pack_survives_damage)
{
    uint8_t bytes[600], *packed, *back;
    size_t count;
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i / 50);
    ls_pack(bytes, sizeof bytes, &packed, &count);
    uint32_t refused = 0;
    for (size_t bit = 0; bit < 8 * count; bit++) {
        packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refused += ls_unpack(packed, count, sizeof bytes, &back, NULL) != LS_OK;
        ls_free(back);
        packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(refused > 50);
    ls_free(packed);
}
