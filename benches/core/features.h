/* Parts of the interface that not every build of the engine has yet. */
#ifndef LS_BENCH_FEATURES_H
#define LS_BENCH_FEATURES_H

#define BENCH_HAS_OWN_BIRTHS   0
#define BENCH_HAS_SPAN_CHANGES 0
#define BENCH_HAS_BLOCKS       0
#define BENCH_HAS_DEFERRED     0
#define BENCH_HAS_JOINS        0
#define BENCH_HAS_MEMORY       0

#endif
