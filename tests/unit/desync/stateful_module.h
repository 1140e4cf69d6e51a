/* The functions of the shared object stateful_module.c. */
#ifndef LS_STATEFUL_MODULE_H
#define LS_STATEFUL_MODULE_H

typedef struct stateful_module {
    void (*store)(int value); /* changes two variables */
    int (*sum)(void);         /* of all variables */
    const int *limit;         /* never changes */
} stateful_module;

#endif
