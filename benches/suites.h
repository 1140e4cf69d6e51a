/* All suites; main.c lists them. */
#ifndef LS_BENCH_SUITES_H
#define LS_BENCH_SUITES_H

#include "benches/bench.h"

extern const bench_suite bench_core, bench_net, bench_replay, bench_schedule;

#endif
