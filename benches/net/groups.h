/* The groups of `./bench net` that measure only our server and client; suite.c compares ways to
 * serve. */
#ifndef LS_BENCH_NET_GROUPS_H
#define LS_BENCH_NET_GROUPS_H

#include "benches/bench.h"

#define BENCH_NET_GROUPS(X)                                                                        \
    X(net_steps_64), X(net_steps_512), X(net_steps_2000), X(net_segments_64), X(net_segments_500), \
        X(net_segments_pairs), X(net_rooms), X(net_watch), X(net_prompt_1), X(net_prompt_8),       \
        X(net_delivery), X(net_bursts), X(net_upstream), X(net_upstream_orders),                   \
        X(net_narrow_idle_20), X(net_narrow_idle_60), X(net_narrow_order_20),                      \
        X(net_narrow_order_60), X(net_narrow_near_idle_20), X(net_narrow_near_idle_60),            \
        X(net_narrow_near_order_20), X(net_narrow_state_20), X(net_narrow_state_60),               \
        X(net_narrow_shared_20), X(net_narrow_shared_60), X(net_narrow_near_shared_20),            \
        X(net_narrow_near_shared_60), X(net_narrow_join), X(net_narrow_near_join),                 \
        X(net_detection), X(net_late), X(net_rollback)

extern const bench_group BENCH_NET_GROUPS(BENCH_NAME);

#endif
