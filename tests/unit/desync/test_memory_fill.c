/* The noise of a fill depends on the address only, whatever pieces are filled. */
#include "desync/memory_fill.h"
#include "tests/support/test.h"

enum { BYTES = 1003, PIECE = 64 };

TEST(test_memory_fill_is_that_of_its_place)
{
    uint8_t whole[BYTES], piece[PIECE];
    ls_memory_fill(whole, sizeof whole, 0, 0x55);
    for (uint64_t place = 0; place + PIECE <= BYTES; place += PIECE) {
        ls_memory_fill(piece, sizeof piece, place, 0x55);
        assert_memory_equal(piece, whole + place, PIECE);
        assert_true(place == 0 || memcmp(piece, whole, PIECE) != 0);
    }
}

TEST(test_memory_fill_of_two_fills_differs_in_every_byte)
{
    uint8_t one[BYTES], other[BYTES + 1];
    other[BYTES] = 7;
    ls_memory_fill(one, sizeof one, 8, 0x55);
    ls_memory_fill(other, BYTES, 8, 0xaa);
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(one[i] ^ other[i], 0xff);
    assert_int_equal(other[BYTES], 7);
}
