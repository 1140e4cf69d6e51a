/* Parts of the interface that not every build of the engine has yet. */
#ifndef LS_BENCH_FEATURES_H
#define LS_BENCH_FEATURES_H

#define BENCH_HAS_OWN_BIRTHS   1
#define BENCH_HAS_SPAN_CHANGES 1
#define BENCH_HAS_BLOCKS       1
#define BENCH_HAS_DEFERRED     1
#define BENCH_HAS_JOINS        0
#define BENCH_HAS_MEMORY       1

#endif
