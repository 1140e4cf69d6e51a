/* Bits for the access of a system to a column. */
#ifndef LS_TOUCH_H
#define LS_TOUCH_H

/* The access of a system to a column; it decides whether two systems need an order. */
enum {
    LS_TOUCH_PRESENCE = 1 << 0,
    LS_TOUCH_READ = 1 << 1,
    LS_TOUCH_WRITE = 1 << 2,
    LS_TOUCH_STRUCTURE = 1 << 3,
    LS_TOUCH_ADD = 1 << 4, /* ADD to COMBINE: accumulation, in the order of ls_access */
    LS_TOUCH_MIN = 1 << 5,
    LS_TOUCH_MAX = 1 << 6,
    LS_TOUCH_OR = 1 << 7,
    LS_TOUCH_ARG_MIN = 1 << 8,
    LS_TOUCH_ARG_MAX = 1 << 9,
    LS_TOUCH_COMBINE = 1 << 10,
    LS_TOUCH_COMMAND = 1 << 11, /* applied at the sync point: no conflict */
    LS_TOUCH_OTHERS = 1 << 12,  /* also on entities other than the one that it is called for */
    LS_TOUCH_FINDS = 1 << 13,   /* finds entities by the column, without a handle */
    LS_TOUCH_VALUES = LS_TOUCH_ADD | LS_TOUCH_MIN | LS_TOUCH_MAX | LS_TOUCH_OR | LS_TOUCH_ARG_MIN |
                      LS_TOUCH_ARG_MAX | LS_TOUCH_COMBINE,
    LS_TOUCH_CHANGES = LS_TOUCH_WRITE | LS_TOUCH_STRUCTURE | LS_TOUCH_VALUES,
};

#endif
