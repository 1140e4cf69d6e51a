/* The classes of causes that `explain` tells apart, with names and remedies. */
#ifndef LS_DESYNC_CLASS_H
#define LS_DESYNC_CLASS_H

typedef enum ls_desync_class {
    LS_CLASS_VERSION = 0,   /* the sides run different code */
    LS_CLASS_INPUT,         /* the sides applied different inputs */
    LS_CLASS_UNDECLARED,    /* a system accesses what it did not declare */
    LS_CLASS_ORDER,         /* the order of two systems or pages changes the result */
    LS_CLASS_UNINITIALISED, /* memory is read before it is written */
    LS_CLASS_ADDRESS,       /* addresses change the result */
    LS_CLASS_MACHINE,       /* the simulation reads the clock, random numbers or the like */
    LS_CLASS_UNSAVED,       /* the simulation keeps state outside of the world */
    LS_CLASS_BUILD,         /* compilers, floats or libraries differ */
    LS_CLASS_MEMORY,        /* one bit flipped, once */
    LS_CLASS_CRASH,         /* every run crashes, or none makes progress */
    LS_CLASS_OUTSIDE,       /* something outside of the systems and of the world, on one side */
    LS_CLASS_NONE,          /* nothing diverged, or nothing is known */
    LS_CLASS_COUNT,
} ls_desync_class;

/* Returns the name of the class, as "order race"; one word for JSON, as "order_race". */
const char *ls_desync_class_name(ls_desync_class which);
const char *ls_desync_class_word(ls_desync_class which);
/* Returns what to do about the cause; "" for LS_CLASS_NONE. */
const char *ls_desync_class_remedy(ls_desync_class which);

#endif
