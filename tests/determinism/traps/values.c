/* The traps that need no option of the compiler. */
#include "tests/determinism/traps/values.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 12 bytes where a 64-bit integer is aligned to 4, 16 elsewhere. */
uint64_t trap_alignment(uint64_t tick)
{
    struct hole {
        uint32_t kind;
        uint64_t value;
    };
    return tick + sizeof(struct hole);
}

static uint64_t draws;

static uint64_t draw(void)
{
    return ++draws;
}

__attribute__((noinline)) static uint64_t first_less_second(uint64_t first, uint64_t second)
{
    return first - second;
}

uint64_t trap_argument_order(uint64_t tick)
{
    draws = tick;
    return first_less_second(draw(), draw());
}

uint64_t trap_byte_order(uint64_t tick)
{
    uint32_t number = 0x01020304 + (uint32_t)tick;
    uint8_t bytes[sizeof number];
    memcpy(bytes, &number, sizeof number);
    return bytes[0];
}

uint64_t trap_char_sign(uint64_t tick)
{
    volatile char byte = (char)(200 + tick % 8);
    return (uint64_t)(int64_t)byte;
}

uint64_t trap_libm(uint64_t tick)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < 1000; i++) {
        volatile double x = (double)(tick + 1) * i / 7;
        sum = sum * 31 + bits_of(sin(x)) + bits_of(exp(x / 1000)) + bits_of(pow(x, 0.3));
    }
    return sum;
}

uint64_t trap_nan_bits(uint64_t tick)
{
    volatile double zero = 0;
    return tick + (bits_of(zero / zero) >> 63);
}

uint64_t trap_size_t_width(uint64_t tick)
{
    return (size_t)(tick + 1) * (size_t)0x9e3779b97f4a7c15;
}

uint64_t trap_time_t_width(uint64_t tick)
{
    return tick + sizeof(time_t);
}

static int compare_key(const void *a, const void *b)
{
    const uint8_t *left = a, *right = b;
    return (left[0] > right[0]) - (left[0] < right[0]);
}

/* Pairs of which many have the same key: their order is the library's choice. */
uint64_t trap_unstable_sort(uint64_t tick)
{
    enum { PAIRS = 200 };
    uint8_t pairs[PAIRS][2];
    for (uint32_t i = 0; i < PAIRS; i++) {
        pairs[i][0] = (uint8_t)((i * 7 + tick) % 5);
        pairs[i][1] = (uint8_t)i;
    }
    qsort(pairs, PAIRS, sizeof pairs[0], compare_key);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PAIRS; i++)
        sum = sum * 31 + pairs[i][1];
    return sum;
}
