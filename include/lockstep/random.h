/* Random numbers as a pure function of their purpose: seed, tick, system, entity, draw. No
 * generator has a state that could depend on the order of systems, entities or threads. Not for
 * secrets: the seed reveals every draw.
 * The key is hashed instead of passed to Philox. Philox has 192 bits for key and counter, but this
 * key needs 320, and Philox's wide products are slow in WebAssembly. A system hashes seed, tick and
 * name only once.
 *   thread  any */
#ifndef LS_RANDOM_H
#define LS_RANDOM_H

#include <lockstep/fix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node in the tree of keys: a value that never advances. Its member is private. */
typedef struct ls_random_stream {
    uint64_t state;
} ls_random_stream;

/* All parts of the key of one random number. */
typedef struct ls_random_key {
    uint64_t seed;
    uint64_t tick;
    uint64_t system; /* ls_name_key() of the system's name */
    uint64_t entity;
    uint64_t draw; /* index of the number among this entity's draws, from 0 */
} ls_random_key;

#define LS_RANDOM_FACTOR_ 0xbea225f9eb34556dULL

static inline ls_random_stream ls_random_root(uint64_t seed)
{
    ls_random_stream root;
    root.state = seed ^ 0x6c6f636b73746570ULL;
    return root;
}

/* The child stream for `word`: a tick of the match, a system of the tick, an entity of the system,
 * and so on. For one parent, different words give different streams. */
static inline ls_random_stream ls_random_child(ls_random_stream parent, uint64_t word)
{
    word *= LS_RANDOM_FACTOR_;
    word ^= word >> 39;
    ls_random_stream child;
    child.state = (parent.state + word * LS_RANDOM_FACTOR_) * LS_RANDOM_FACTOR_;
    return child;
}

/* Number `draw` of the stream: 64 uniform bits, equal for equal keys.
 *   source  absorption and finish as in Jon Maiga's mx3 (CC0) */
static inline uint64_t ls_random_draw(ls_random_stream stream, uint64_t draw)
{
    uint64_t x = ls_random_child(stream, draw).state;
    x = (x ^ x >> 32) * LS_RANDOM_FACTOR_;
    x = (x ^ x >> 29) * LS_RANDOM_FACTOR_;
    x = (x ^ x >> 32) * LS_RANDOM_FACTOR_;
    return x ^ x >> 29;
}

/* The draw for a whole key: root(seed), child(tick), child(system), child(entity), draw. */
LS_API uint64_t ls_random_u64(const ls_random_key *key);

/* The helpers below use only the 64 bits of one draw and never draw again: they have no loop, and
 * different draws are independent. */

/* floor(bits * count / 2^64), for count up to 2^32. Every result has probability 1 / count, within
 * 2^-64. */
static inline uint64_t ls_random_part_(uint64_t bits, uint64_t count)
{
    return ((bits >> 32) * count + ((uint32_t)bits * count >> 32)) >> 32;
}

/* A number 0..count - 1; 0 when count is 0.
 *   errors  a result's probability differs from 1 / count by at most 2^-64 */
static inline uint32_t ls_random_below(uint64_t bits, uint32_t count)
{
    return (uint32_t)ls_random_part_(bits, count);
}

/* A number low..high, both included, as uniform as ls_random_below(); `low` when high < low. */
static inline int32_t ls_random_range(uint64_t bits, int32_t low, int32_t high)
{
    uint64_t count = high < low ? 1 : (uint64_t)((int64_t)high - low) + 1;
    return (int32_t)(low + (int64_t)ls_random_part_(bits, count));
}

/* A number from 0 up to but not including LS_FIX_ONE; all 65536 values are equally likely. */
static inline ls_fix ls_random_fix(uint64_t bits)
{
    return (ls_fix)(bits >> 48);
}

/* A number from `low` up to but not including `high`; `low` when high <= low. No range
 * overflows. */
static inline ls_fix ls_random_fix_range(uint64_t bits, ls_fix low, ls_fix high)
{
    return ls_random_range(bits, low, high > low ? high - 1 : low);
}

/* A 64-bit key of a name: FNV-1a of its bytes without the terminating zero. A table of names must
 * refuse names whose keys collide.
 *   source  the FNV specification, 64-bit FNV-1a */
LS_API uint64_t ls_name_key(const char *name);

#ifdef __cplusplus
}
#endif

#endif
