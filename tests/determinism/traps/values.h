/* Values that depend on the machine, the compiler or the libraries: one for each rule of
 * docs/determinism.md that a simulation can break. `tick` makes each tick's value another one. */
#ifndef LS_TRAP_VALUES_H
#define LS_TRAP_VALUES_H

#include <stdint.h>

/* All of them, by name: X(name). */
#define TRAP_VALUES(X)                                                                             \
    X(alignment)                                                                                   \
    X(argument_order)                                                                              \
    X(byte_order)                                                                                  \
    X(char_sign)                                                                                   \
    X(contraction)                                                                                 \
    X(fast_math)                                                                                   \
    X(libm)                                                                                        \
    X(nan_bits)                                                                                    \
    X(size_t_width)                                                                                \
    X(time_t_width)                                                                                \
    X(unstable_sort)                                                                               \
    X(x87)

#define TRAP_DECLARE(name) uint64_t trap_##name(uint64_t tick);
TRAP_VALUES(TRAP_DECLARE)
#undef TRAP_DECLARE

#endif
