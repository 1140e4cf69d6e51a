/* The functions of the shared object hoarder.c. */
#ifndef LS_HOARDER_H
#define LS_HOARDER_H

typedef struct hoarder {
    void (*store)(int value); /* changes two variables */
    int (*sum)(void);         /* of all variables */
    const int *limit;         /* never changes */
} hoarder;

#endif
